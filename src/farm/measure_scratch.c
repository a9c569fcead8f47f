/* What a variant writes around its scratch memory. An emulated device reports that by itself;
 * elsewhere each scratch buffer has guards, which are poisoned with it. */
#include "farm/measure_parts.h"

void gt_scratch_guard(const gt_measure *measure, gt_launcher *launcher)
{
    if (!measure->device.emulated) {
        gt_launcher_guard(launcher, GT_GUARD_FRONT);
    }
}

/* Whether all of a guard still is what it was filled with. Waits. */
static gputune_status look_at_guard(gt_measure *measure, CUdeviceptr at, const char *side)
{
    uint8_t seen[GT_GUARD_FRONT];
    GT_CALL(measure, MemcpyDtoHAsync, seen, at, sizeof seen, measure->stream);
    GT_TRY(gt_measure_wait(measure));
    for (size_t i = 1; i < sizeof seen; ++i) {
        if (seen[i] != seen[0]) {
            return gt_fail(GPUTUNE_EWRONG, "bytes %s scratch memory were overwritten", side);
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_scratch_look(gt_measure *measure, gt_loaded *variant)
{
    for (uint32_t s = 0; s < measure->setup.workload_count && !measure->device.emulated; ++s) {
        const gt_launch *launch = &variant->launches[s];
        for (uint32_t i = 0; i < launch->parameter_count; ++i) {
            CUdeviceptr at = 0;
            uint64_t bytes = launch->parameters[i].scratch_bytes;
            if (launch->parameters[i].kind == GT_PARAMETER_SCRATCH && bytes) {
                GT_TRY(gt_launcher_scratch(&at, variant->launchers[s], measure->stream, i));
            }
            if (at) {
                GT_TRY(look_at_guard(measure, at - GT_GUARD_FRONT, "in front of"));
                GT_TRY(look_at_guard(measure, at + bytes, "behind"));
            }
        }
    }
    return GPUTUNE_OK;
}
