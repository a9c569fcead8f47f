/* The bookkeeping of proposals and results. */
#include "search/evidence.h"

#include <math.h>
#include <stdlib.h>

/* The point's entry; a new one is pending. */
static gputune_status enter(gt_evidence *evidence, const gt_point *point, uint32_t *index)
{
    bool is_new;
    evidence->points.item_bytes = sizeof(gt_known);
    gputune_status status = gt_point_set_add(&evidence->points, point, index, &is_new);
    evidence->known = evidence->points.items; /* also after a failure: they may have moved */
    GT_TRY(status);
    if (is_new) {
        evidence->known[*index] =
            (gt_known){.point = *point, .state = GT_STATE_PENDING, .expected = (double)NAN};
        evidence->pending++;
    }
    return GPUTUNE_OK;
}

static uint32_t *tally(gt_evidence *evidence, gt_state state)
{
    return state == GT_STATE_OK         ? &evidence->ok
           : state == GT_STATE_FAILED   ? &evidence->failed
           : state == GT_STATE_GIVEN_UP ? &evidence->given_up
                                        : &evidence->pending;
}

static gt_state state_after(gt_tried_outcome outcome)
{
    return outcome == GT_TRIED_OK         ? GT_STATE_OK
           : outcome == GT_TRIED_GIVEN_UP ? GT_STATE_GIVEN_UP
                                          : GT_STATE_FAILED;
}

static void change(gt_evidence *evidence, uint32_t index, gt_state state)
{
    --*tally(evidence, evidence->known[index].state);
    ++*tally(evidence, state);
    evidence->known[index].state = state;
}

gputune_status gt_evidence_propose(gt_evidence *evidence, const gt_point *point, double expected)
{
    uint32_t index;
    GT_TRY(enter(evidence, point, &index));
    change(evidence, index, GT_STATE_PENDING);
    evidence->known[index].expected = expected;
    return GPUTUNE_OK;
}

static void find_best(gt_evidence *evidence)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < evidence->points.count; i++) {
        if (evidence->known[i].state == GT_STATE_OK && evidence->known[i].log_time < best) {
            best = evidence->known[i].log_time;
            evidence->best = i;
        }
    }
}

/* A configuration that is told again has cost no more. */
static void add_cost(double *known, double seconds, double *sum, uint32_t *count)
{
    if (seconds > 0 && !*known) {
        *known = seconds;
        *sum += seconds;
        ++*count;
    }
}

gputune_status gt_evidence_tell(gt_evidence *evidence, const gt_tried *result)
{
    uint32_t index;
    GT_TRY(enter(evidence, &result->point, &index));
    gt_known *known = &evidence->known[index];
    bool again = known->state != GT_STATE_PENDING;
    bool ok = result->outcome == GT_TRIED_OK;
    change(evidence, index, state_after(result->outcome));
    known->log_time = ok ? log(result->time_ns) : 0;
    add_cost(&known->compile_s, result->compile_s, &evidence->compile_s, &evidence->compiled);
    add_cost(&known->measure_s, result->measure_s, &evidence->measure_s, &evidence->measured);
    evidence->told += !again;
    if (again) {
        uint32_t before = evidence->best;
        find_best(evidence);
        evidence->told_at_best = evidence->best != before ? evidence->told : evidence->told_at_best;
    } else if (ok &&
               (evidence->ok == 1 || known->log_time < evidence->known[evidence->best].log_time)) {
        evidence->best = index;
        evidence->told_at_best = evidence->told;
    }
    return GPUTUNE_OK;
}

void gt_evidence_note_compiling(gt_evidence *evidence, const gt_point *point, double seconds)
{
    int64_t index = gt_point_set_find(&evidence->points, point);
    if (index >= 0) {
        evidence->known[index].so_far_s = seconds;
    }
}

bool gt_evidence_has(const gt_evidence *evidence, const gt_point *point)
{
    return gt_point_set_find(&evidence->points, point) >= 0;
}

uint32_t gt_evidence_fastest(const gt_evidence *evidence, uint32_t *out, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < evidence->points.count; i++) {
        if (evidence->known[i].state != GT_STATE_OK) {
            continue;
        }
        double time = evidence->known[i].log_time;
        uint32_t at = count < most ? count++ : most;
        for (; at > 0 && evidence->known[out[at - 1]].log_time > time; at--) {
            if (at < most) {
                out[at] = out[at - 1];
            }
        }
        if (at < most) {
            out[at] = i;
        }
    }
    return count;
}

void gt_evidence_free(gt_evidence *evidence)
{
    gt_point_set_free(&evidence->points);
    *evidence = (gt_evidence){0};
}
