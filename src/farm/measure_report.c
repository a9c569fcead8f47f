/* Judges the findings of a proof, and explains what is wrong with a variant. */
#include "farm/measure_report.h"

#include "base/number.h"
#include "base/text.h"
#include "farm/measure_service.h"
#include "farm/measure_value.h"
#include "farm/measure_verify.h"
#include "kernel/bind/vary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char plain[] = "";
/* Messages about wrong results of a second launch end with one of these texts. */
static const char again[] =
    " in a second launch, after a correct first one: scratch memory and device variables keep "
    "their contents between launches, unless clear() names the scratch";
static const char in_place[] = " in a second launch, with one buffer for each pair of in_place(), "
                               "after a correct launch on separate buffers";
/* Messages about the two launches of prove_again() (measure_verify.c) end with these texts. */
static const char *const raced[2] = {
    " after the race, although it was correct before: it is wrong for other inputs, or depends on "
    "what earlier launches left or on memory outside its buffers ('gputune check' finds such "
    "reads)",
    " with new scratch memory, although it was correct with what the race left"};

const char *gt_tolerance_text(char out[128], const gt_measure *measure, const gt_buffer_slot *slot)
{
    const gt_tolerance *t = &slot->tolerance;
    gt_snprintf(out, 128, "rtol = %.3g, atol = %.3g, stol = %.3g%s", t->rtol, t->atol, t->stol,
                measure->workspaces[0].workload.tolerance.stated ? "" : " by default");
    return out;
}

/* Returns false if the expected results come from the default variant. */
static bool is_judged(const gt_measure *measure)
{
    const gt_workload *workload = &measure->workspaces[0].workload;
    return workload->has_reference || workload->has_expected;
}

/* value of gt_finding.unwritten if only the expected value of the element is unwritten */
enum { ONLY_EXPECTED = 2 };

/* Returns true if neither the variant nor the default wrote the element. */
static bool is_nobodys(const gt_measure *measure, const gt_finding *found)
{
    return !is_judged(measure) && found->unwritten == 3;
}

static void append_values(gt_text *text, const gt_measure *measure, const gt_buffer_slot *slot,
                          const gt_finding *found)
{
    char value[40], expected[40], name[GT_COMPONENT_TEXT];
    const gt_workload *workload = &slot->workspace->workload;
    const gt_buffer *buffer = slot->buffer;
    gt_type type = gt_component_type(workload, buffer, found->first);
    gt_type reference_type = buffer->reference_type == buffer->type ? type : buffer->reference_type;
    bool is_written = !(found->unwritten & 1);
    gt_component_name(name, workload, buffer, found->first);
    if (is_nobodys(measure, found)) {
        gt_text_printf(text,
                       "%s is written neither by this variant nor by the default variant, which "
                       "serves as the reference",
                       name);
        return;
    }
    if (found->unwritten == ONLY_EXPECTED) {
        gt_text_printf(text, "%s is %s, but the %s does not write it", name,
                       gt_bits_text(value, type, found->value),
                       is_judged(measure) ? "reference" : "default variant");
        return;
    }
    /* results may have the same values as these poisons, so print the value as well */
    const bool is_usual =
        found->value == 0 || (!gt_type_is_float(type) && (found->value & 0xff) == 0xff);
    gt_text_printf(text, "%s is %s%s, expected %s%s", name,
                   is_written || is_usual ? gt_bits_text(value, type, found->value) : "",
                   is_written ? ""
                   : is_usual ? " or not written"
                              : "not written",
                   gt_bits_text(expected, reference_type, found->expected),
                   is_judged(measure) ? "" : " from the default variant");
}

/* Returns the largest relative error for which the message suggests rounding as the cause. If most
 * elements are wrong, it is a tenth of that. */
static double rounding(gt_type type, const gt_finding *found, const gt_buffer *buffer)
{
    double part = gt_type_bytes(type) == 1 ? 0.5 : gt_type_bytes(type) == 2 ? 0.1 : 0.01;
    return found->count > buffer->elements / 2 ? part / 10 : part;
}

static void append_cause(gt_text *text, const gt_measure *measure, const gt_buffer_slot *slot,
                         const gt_finding *found)
{
    const gt_buffer *buffer = slot->buffer;
    gt_type type = gt_component_type(&slot->workspace->workload, buffer, found->first);
    gt_type expected = buffer->reference_type == buffer->type ? type : buffer->reference_type;
    double wanted = gt_type_is_float(type) ? fabs(gt_bits_to_double(expected, found->expected)) : 0;
    const double value = gt_type_is_float(type) ? gt_bits_to_double(type, found->value) : 0;
    const bool is_finite = isfinite(wanted) && (found->unwritten || isfinite(value));
    /* not in a data proof, whose grid is large enough; a kernel that adds to poison writes
     * poison */
    if (found->unwritten && !measure->parent) {
        const char *reference = found->unwritten == ONLY_EXPECTED ? " of the reference" : NULL;
        gt_text_printf(text, ": do block%s and grid%s launch enough threads for all elements",
                       reference ? "" : "()", reference ? reference : "()");
        if (!reference) {
            gt_text_printf(text, ", or does the kernel add to %s without clear(%s)", buffer->name,
                           buffer->name);
        }
        gt_text_append(text, "?");
        return;
    }
    if (isnan(wanted) && !measure->parent) { /* in a data proof, NaN is a valid result */
        gt_text_printf(text,
                       ": the correct result is NaN there; change the range of the inputs, or add "
                       "nan_ok after %s in args()",
                       buffer->name);
    }
    char tolerance[128];
    double need = gt_finding_double(found->need);
    const bool is_number = gt_type_is_float(type) && !isnan(wanted) && !found->unwritten;
    if (is_number && isfinite(need) && need <= rounding(type, found, buffer) * wanted) {
        gt_text_printf(text, "; the tolerance is %s; ",
                       gt_tolerance_text(tolerance, measure, slot));
        if (!measure->workspaces[0].workload.tolerance.stated) {
            gt_text_printf(text, "rtol = %.3g, ", slot->tolerance.rtol); /* else it becomes 0 */
        }
        gt_text_printf(text, "atol = %.3g in reference() would accept %s",
                       need * 1.005, /* round up, because only a few digits are printed */
                       found->count == 1 ? "it" : "all");
    } else if (gt_workload_has_specials(&slot->workspace->workload)) {
        gt_text_printf(text, "; 'finite' after inputs in args() excludes NaN and infinities%s",
                       is_finite ? ", if they are the cause" : "");
    } else if (is_number) {
        gt_text_append(text, ", far beyond rounding");
    }
}

static gputune_status report_mismatch(const gt_measure *measure, const gt_buffer_slot *slot,
                                      const gt_finding *found, const char *words)
{
    const bool odd_tail = slot->workspace != measure->workspaces;
    const bool nobodys = is_nobodys(measure, found);
    GT_SCOPED(gt_text_free) gt_text text = {0};
    append_values(&text, measure, slot, found);
    gt_text_printf(&text, " (%" PRIu64 " of %" PRIu64 " elements wrong%s%s%s)", found->count,
                   slot->buffer->elements, odd_tail ? " at " : "",
                   odd_tail ? measure->setup.odd_tail : "", nobodys ? "" : words);
    if (!nobodys) {
        append_cause(&text, measure, slot, found);
    }
    return gt_fail(GPUTUNE_EWRONG, "%s", gt_text_string(&text));
}

static gputune_status judge_results(gt_verified *out, const gt_measure *measure,
                                    const gt_tasks *table, const gt_findings *findings,
                                    const gt_workspace *workspace, const char *words)
{
    for (size_t i = 0; i < table->tasks.count; ++i) {
        const gt_buffer_slot *slot = table->slots.items[i];
        const gt_finding *found = &findings->items[i];
        if (table->tasks.items[i].operation != GT_DO_COMPARE || slot->workspace != workspace) {
            continue;
        }
        GT_REFUSE(found->count != 0 && !slot->buffer, GPUTUNE_EWRONG,
                  "the check kernel '%s' found %" PRIu64 " wrong elements%s",
                  workspace->workload.check.steps[0].entry, found->value, words);
        if (found->count) {
            return report_mismatch(measure, slot, found, words);
        }
        out->max_error = fmax(out->max_error, gt_finding_double(found->worst));
    }
    return GPUTUNE_OK;
}

static gputune_status judge_last(gt_verified *out, const gt_measure *measure,
                                 const gt_workspace *workspace, const char *words)
{
    return judge_results(out, measure, &measure->check, measure->findings, workspace, words);
}

gputune_status gt_report_edges(const gt_measure *measure, const gt_tasks *table, bool timed_only,
                               const gt_findings *findings)
{
    for (size_t i = 0; i < gt_tasks_count(table, timed_only); ++i) {
        const gt_service_task *task = &table->tasks.items[i];
        const gt_buffer_slot *slot = table->slots.items[i];
        const gt_finding *found = &findings->items[i];
        const bool is_after = task->target != slot->base;
        const bool odd_tail = slot->workspace != measure->workspaces;
        GT_REFUSE(task->operation == GT_DO_GUARD && found->count != 0, GPUTUNE_EWRONG,
                  "%" PRIu64 " bytes %s %s (%" PRIu64 " elements) were overwritten, the first at "
                  "%" PRIu64 " bytes from it%s%s; is a length in args() too small, or a "
                  "require() missing?",
                  found->count, is_after ? "after" : "before", slot->buffer->name,
                  gt_buffer_count(slot->buffer),
                  is_after ? found->first : (uint64_t)(slot->address - slot->base) - found->first,
                  odd_tail ? ", at " : "", odd_tail ? measure->setup.odd_tail : "");
        GT_REFUSE(task->operation == GT_DO_HASH && found->count != slot->hash, GPUTUNE_EWRONG,
                  "%s, an input, was changed", slot->buffer->name);
    }
    return GPUTUNE_OK;
}

/* Judges both launches on the workspace where a proof launches twice, and then the pilot. */
static gputune_status judge_proof(gt_verified *out, const gt_measure *measure, bool after_race)
{
    const uint32_t last = after_race ? 0 : measure->setup.workload_count - 1;
    const gt_workspace *twice = &measure->workspaces[last];
    const char *usual = after_race ? raced[1] : again;
    GT_TRY(gt_report_edges(measure, &twice->first, false, measure->first));
    GT_TRY(judge_results(out, measure, &twice->first, measure->first, twice,
                         after_race ? raced[0] : plain));
    GT_TRY(judge_last(out, measure, twice, gt_has_in_place(&twice->workload) ? in_place : usual));
    return last > 0 ? judge_last(out, measure, &measure->workspaces[0], plain) : GPUTUNE_OK;
}

gputune_status gt_report_findings(gt_verified *out, const gt_measure *measure, bool after_race)
{
    /* judge the guard zones first, because wrong results may be caused by overwritten memory */
    GT_TRY(gt_report_edges(measure, &measure->check, after_race, measure->findings));
    return judge_proof(out, measure, after_race);
}

gputune_status gt_report_data_proof(gt_verified *out, const gt_measure *measure, const char *words)
{
    GT_TRY(gt_report_edges(measure, &measure->check, false, measure->findings));
    return judge_last(out, measure, &measure->workspaces[0], words);
}
