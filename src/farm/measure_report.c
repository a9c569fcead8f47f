#include "farm/measure_parts.h"
#include "farm/measure_value.h"

#include <inttypes.h>
#include <string.h>

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const gt_finding *finding(const gt_measure *measure, int task)
{
    return &measure->findings->items[task];
}

static gputune_status report_mismatch(const gt_buffer *buffer, const gt_finding *found)
{
    char value[40], expected[40];
    gt_bits_text(value, buffer->type, found->value);
    gt_bits_text(expected, buffer->reference_type, found->expected);
    return gt_fail(GPUTUNE_EWRONG,
                   "%s[%" PRIu64 "] is %s, expected %s (%" PRIu64 " of %" PRIu64
                   " elements are wrong, at worst %.3g times the tolerance)",
                   buffer->name, found->first, value, expected, found->count, buffer->elements,
                   as_double(found->worst));
}

static gputune_status report_guard(const gt_buffer *buffer, const gt_slot *slot, bool behind,
                                   const gt_finding *found)
{
    uint64_t place = behind ? found->first : slot->address - slot->base - found->first;
    return gt_fail(GPUTUNE_EWRONG,
                   "%" PRIu64 " bytes %s %s (%" PRIu64 " elements) were overwritten, the first at "
                   "%" PRIu64 " bytes from it",
                   found->count, behind ? "behind" : "before", buffer->name, buffer->elements,
                   place);
}

/* What a variant must not touch: guards and inputs. */
static gputune_status judge_surroundings(const gt_measure *measure, const gt_rig *rig,
                                         uint32_t index)
{
    const gt_buffer *buffer = &rig->workload.buffers[index];
    const gt_slot *slot = &rig->slots[index];
    for (int behind = 0; behind < 2; ++behind) {
        const gt_finding *guard = finding(measure, slot->guard_task + behind);
        if (guard->count != 0) {
            return report_guard(buffer, slot, behind, guard);
        }
    }
    if (slot->hash_task >= 0 && finding(measure, slot->hash_task)->count != slot->hash) {
        return gt_fail(GPUTUNE_EWRONG, "%s, an input, was changed", buffer->name);
    }
    return GPUTUNE_OK;
}

static gputune_status judge_results(double *worst, const gt_measure *measure, const gt_rig *rig)
{
    for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
        if (rig->slots[i].compare_task < 0) {
            continue;
        }
        const gt_finding *compared = finding(measure, rig->slots[i].compare_task);
        if (compared->count != 0) {
            return report_mismatch(&rig->workload.buffers[i], compared);
        }
        double ratio = as_double(compared->worst);
        *worst = ratio > *worst ? ratio : *worst;
    }
    if (rig->failures_task >= 0 && finding(measure, rig->failures_task)->count != 0) {
        return gt_fail(GPUTUNE_EWRONG, "the check kernel %s counted %" PRIu64 " failures",
                       rig->workload.check.entry, finding(measure, rig->failures_task)->value);
    }
    return GPUTUNE_OK;
}

gputune_status gt_report_findings(double *max_error, gt_damage *damage, const gt_measure *measure,
                                  bool timed_only)
{
    double worst = 0;
    uint32_t rigs = timed_only ? 1 : measure->setup.workload_count;
    /* damage first: it may be why a result is wrong */
    *damage = GT_DAMAGE_EVERYTHING;
    for (uint32_t s = 0; s < rigs; ++s) {
        for (uint32_t i = 0; i < measure->rigs[s].workload.buffer_count; ++i) {
            GT_TRY(judge_surroundings(measure, &measure->rigs[s], i));
        }
    }
    *damage = GT_DAMAGE_INPUTS; /* nobody looked at those of the timed rig */
    for (uint32_t s = 0; s < rigs; ++s) {
        GT_TRY(judge_results(&worst, measure, &measure->rigs[s]));
    }
    *damage = GT_DAMAGE_NONE;
    *max_error = worst;
    return GPUTUNE_OK;
}
