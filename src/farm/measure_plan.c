/* Computes the launches per sample, the number of buffer sets, and the memory of a setup. */
#include "farm/measure_plan.h"

#include <math.h>

static uint32_t launches_for(double window_ns, double launch_ns, uint32_t low, uint32_t high)
{
    double wanted = launch_ns > 0 ? ceil(window_ns / launch_ns) : high;
    return wanted <= low ? low : wanted >= high ? high : (uint32_t)wanted;
}

uint32_t gt_plan_launches(double launch_ns, gt_sample_length length)
{
    if (length == GT_SAMPLE_QUICK) {
        return launch_ns >= 50e3 ? 1 : launches_for(100e3, launch_ns, 1, GT_LAUNCHES_MAX);
    }
    uint32_t enough = launches_for(200e3, launch_ns, 1, GT_LAUNCHES_MAX);
    uint32_t few = launches_for(2e6, launch_ns, 1, length == GT_SAMPLE_BRIEF ? 2 : 5);
    return enough > few ? enough : few;
}

double gt_plan_quick_doubt(double launch_ns)
{
    static const double first_ns = 4e3; /* extra time of the first launch of a sample */
    double quick = gt_plan_launches(launch_ns, GT_SAMPLE_QUICK);
    double brief = gt_plan_launches(launch_ns, GT_SAMPLE_BRIEF);
    return first_ns * (1 / quick - 1 / brief) / launch_ns;
}

uint32_t gt_plan_burst(double launch_ns, bool quick)
{
    return launches_for(quick ? 0.5e6 : 2e6, launch_ns, 1, 2000);
}

uint32_t gt_plan_singles(double launch_ns, bool quick)
{
    const uint32_t most = launches_for(1e9, launch_ns, 3, 100);
    const uint32_t few = launches_for(1e6, launch_ns, 9, 25);
    return quick && few < most ? few : most;
}

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

uint32_t gt_plan_rotations(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                           uint64_t spare_bytes)
{
    if (working_set_bytes == 0 || set_bytes == 0 || l2_bytes <= 0) {
        return 1;
    }
    uint64_t wanted = (2 * (uint64_t)l2_bytes - 1) / working_set_bytes + 1;
    uint64_t possible = 1 + spare_bytes / set_bytes;
    uint64_t sets = wanted < possible ? wanted : possible;
    return sets > GT_LAUNCHES_MAX ? GT_LAUNCHES_MAX : (uint32_t)sets;
}

uint32_t gt_plan_hot_sets(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                          uint64_t spare_bytes)
{
    enum { SETS = 8 };
    if (set_bytes == 0 || l2_bytes <= 0 || working_set_bytes > (uint64_t)l2_bytes) {
        return 1;
    }
    uint64_t possible = 1 + spare_bytes / set_bytes;
    return possible < SETS ? (uint32_t)possible : SETS;
}

uint64_t gt_plan_working_set(const gt_workload *workload)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < workload->buffer_count; ++i) {
        bytes += workload->buffers[i].bytes;
    }
    return bytes;
}

static uint64_t step_of(const gt_workload *workload, uint32_t buffer)
{
    return workload->alignment[buffer] > 1024 ? GT_ALIGNMENT_MAX : 1024;
}

uint64_t gt_plan_set(uint64_t offsets[GT_PARAMETER_MAX], const gt_workload *workload)
{
    uint64_t bytes = 0, step = 1024;
    for (uint32_t i = 0; i < workload->buffer_count; ++i) {
        step = step_of(workload, i) > step ? step_of(workload, i) : step;
    }
    for (uint32_t i = 0; i < workload->buffer_count; ++i) {
        offsets[i] = bytes;
        bytes += round_up(workload->buffers[i].bytes + 1, step);
    }
    return bytes;
}

uint32_t gt_plan_skew(const gt_workload *workload, uint32_t buffer)
{
    uint32_t alignment = workload->alignment[buffer];
    uint32_t element = gt_buffer_alignment(&workload->buffers[buffer]);
    alignment = alignment < element ? element : alignment;
    return alignment < 256 ? alignment : 0;
}

uint64_t gt_plan_slot_bytes(const gt_workload *workload, uint32_t buffer, bool timed)
{
    uint32_t skew = timed ? 0 : gt_plan_skew(workload, buffer);
    return GT_GUARD_FRONT + step_of(workload, buffer) + skew + workload->buffers[buffer].bytes +
           GT_GUARD_BACK;
}

uint64_t gt_plan_place(const gt_workload *workload, uint32_t buffer, bool timed, uint64_t base)
{
    uint32_t skew = timed ? 0 : gt_plan_skew(workload, buffer);
    return round_up(base + GT_GUARD_FRONT, step_of(workload, buffer)) + skew;
}

bool gt_plan_needs_pristine(const gt_buffer *buffer, bool live)
{
    return buffer->direction == GT_INOUT || (live && buffer->direction == GT_IN);
}

uint64_t gt_plan_expected_bytes(const gt_buffer *buffer)
{
    return buffer->direction == GT_IN ? 0 : gt_buffer_reference_bytes(buffer);
}

uint64_t gt_plan_scale_bytes(const gt_workload *workload, gt_type *type)
{
    const gt_launch *reference = &workload->reference;
    if (!workload->has_scale || reference->parameter_count == 0) {
        return 0;
    }
    uint64_t bytes = reference->parameters[reference->parameter_count - 1].scratch_bytes;
    *type = GT_TYPE_F32;
    for (uint32_t i = 0; i < workload->buffer_count; ++i) {
        const gt_buffer *buffer = &workload->buffers[i];
        if (buffer->direction != GT_IN && buffer->elements * 8 == bytes) {
            *type = GT_TYPE_F64;
        }
    }
    return bytes;
}

uint64_t gt_plan_device_bytes(const gt_driver *driver, const gt_workload *workloads, uint32_t count,
                              const uint64_t *live)
{
    uint64_t bytes = 0;
    for (uint32_t w = 0; w < count; ++w) {
        gt_type unused;
        bytes += gt_budget_cost(driver, gt_reference_scratch_bytes(&workloads[w]));
        bytes += gt_budget_cost(driver, gt_plan_scale_bytes(&workloads[w], &unused));
        for (uint32_t i = 0; i < workloads[w].buffer_count; ++i) {
            const gt_buffer *buffer = &workloads[w].buffers[i];
            bool has_pristine = gt_plan_needs_pristine(buffer, live[w] >> i & 1);
            bytes += gt_budget_cost(driver, gt_plan_slot_bytes(&workloads[w], i, w == 0));
            bytes += gt_budget_cost(driver, gt_plan_expected_bytes(buffer));
            bytes += gt_budget_cost(driver, has_pristine ? buffer->bytes : 0);
        }
    }
    return bytes;
}

uint64_t gt_plan_variant_bytes(const gt_launch *launch)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < launch->block_count; ++i) {
        bytes += launch->blocks[i].bytes;
    }
    for (uint32_t i = 0; i < launch->parameter_count; ++i) {
        const gt_parameter *parameter = &launch->parameters[i];
        bytes += parameter->kind == GT_PARAMETER_SCRATCH ? parameter->scratch_bytes : 0;
    }
    for (uint32_t i = 0; i < launch->texture_count; ++i) {
        const gt_texture *texture = &launch->textures[i];
        bytes += texture->memory == GT_TEXTURE_BUFFER ? 0 : gt_texture_bytes(texture);
    }
    return bytes;
}
