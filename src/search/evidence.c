/* Stores the configurations that a search has proposed, with their results. */
#include "search/evidence.h"

#include <math.h>
#include <stdlib.h>

static gputune_status enter_point(gt_known **out, gt_evidence *evidence, const gt_point *point)
{
    const uint32_t next = (uint32_t)evidence->known.count;
    uint32_t place;
    GT_TRY(gt_array_reserve(&evidence->known));
    GT_TRY(gt_hash_index_intern(&evidence->places, gt_point_hash(point), next, &place));
    *out = &evidence->known.items[place];
    if (place == next) {
        **out = (gt_known){.point = *point, .outcome = GT_TRIED_PENDING};
        evidence->known.count++;
        evidence->count[GT_TRIED_PENDING]++;
    }
    return GPUTUNE_OK;
}

static void change_outcome(gt_evidence *evidence, gt_known *known, gt_tried_outcome outcome)
{
    evidence->count[known->outcome]--;
    evidence->count[outcome]++;
    known->outcome = outcome;
}

gputune_status gt_evidence_propose(gt_evidence *evidence, const gt_point *point)
{
    gt_known *known;
    GT_TRY(enter_point(&known, evidence, point));
    change_outcome(evidence, known, GT_TRIED_PENDING);
    return GPUTUNE_OK;
}

static void find_best(gt_evidence *evidence)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < evidence->known.count; i++) {
        if (evidence->known.items[i].outcome == GT_TRIED_OK &&
            evidence->known.items[i].log_time < best) {
            best = evidence->known.items[i].log_time;
            evidence->best = i;
        }
    }
}

static void add_cost(double *known, double seconds, double *sum, uint32_t *count)
{
    if (seconds > 0 && !*known) {
        *known = seconds;
        *sum += seconds;
        ++*count;
    }
}

gputune_status gt_evidence_add(gt_evidence *evidence, const gt_tried *result)
{
    gt_known *known;
    GT_TRY(enter_point(&known, evidence, &result->point));
    bool again = known->outcome != GT_TRIED_PENDING;
    bool ok = result->outcome == GT_TRIED_OK;
    change_outcome(evidence, known, result->outcome);
    known->log_time = ok ? log(result->time_ns) : 0;
    add_cost(&known->compile_s, result->compile_s, &evidence->compile_s, &evidence->compiled);
    add_cost(&known->measure_s, result->measure_s, &evidence->measure_s, &evidence->measured);
    evidence->results++;
    evidence->result_count += !again;
    if (again) {
        uint32_t before = evidence->best;
        find_best(evidence);
        evidence->count_at_best =
            evidence->best != before ? evidence->result_count : evidence->count_at_best;
    } else if (ok && (evidence->count[GT_TRIED_OK] == 1 ||
                      known->log_time < evidence->known.items[evidence->best].log_time)) {
        evidence->best = (uint32_t)(known - evidence->known.items);
        evidence->count_at_best = evidence->result_count;
    }
    return GPUTUNE_OK;
}

gt_known *gt_evidence_find(const gt_evidence *evidence, const gt_point *point)
{
    uint32_t place;
    return gt_hash_index_find(&place, &evidence->places, gt_point_hash(point))
               ? &evidence->known.items[place]
               : NULL;
}

uint32_t gt_evidence_fastest(const gt_evidence *evidence, uint32_t *out, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < evidence->known.count; i++) {
        if (evidence->known.items[i].outcome != GT_TRIED_OK) {
            continue;
        }
        double time = evidence->known.items[i].log_time;
        uint32_t at = count < most ? count++ : most;
        for (; at > 0 && evidence->known.items[out[at - 1]].log_time > time; at--) {
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
    gt_array_free(&evidence->known);
    gt_hash_index_free(&evidence->places);
    *evidence = (gt_evidence){0};
}
