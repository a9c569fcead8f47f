/* The knowledge of a search: the proposed configurations and their results. */
#pragma once

#include "base/array.h"
#include "base/hash_index.h"
#include "search/strategy.h"

typedef struct gt_known {
    gt_point point;
    gt_tried_outcome outcome;
    double log_time;  /* logarithm of time_ns; only of GT_TRIED_OK */
    double compile_s; /* 0: not known */
    double measure_s; /* 0: not known */
    double expected;  /* logarithm of the time that its proposer expected; NAN: none */
    double so_far_s;  /* seconds for which it has been compiling; 0: not known */
    uint32_t row;     /* for the model, which counts its rows from 1; 0: it has none */
} gt_known;

/* The evidence of a search. All zero is empty evidence. One thread. */
typedef struct gt_evidence {
    GT_ARRAY(gt_known) known;          /* proposed or reported */
    gt_hash_index places;              /* in that, by the hash of a point */
    uint32_t count[GT_TRIED_OUTCOMES]; /* of `known`, by outcome */
    uint64_t results;                  /* so far, including second results of a configuration */
    uint32_t told;                     /* configurations with a result */
    uint32_t told_at_best;             /* value of `told` when the best result came */
    uint32_t best;     /* index of the fastest point; undefined while no point is correct */
    double compile_s;  /* compile time in all, each configuration once */
    uint32_t compiled; /* number of configurations in compile_s */
    double measure_s;  /* GPU time in all, each configuration once */
    uint32_t measured;
} gt_evidence;

/* Stores a proposal, and the logarithm of the time that is expected there, or NAN. ENOMEM. */
gputune_status gt_evidence_propose(gt_evidence *evidence, const gt_point *point, double expected);
gputune_status gt_evidence_tell(gt_evidence *evidence, const gt_tried *result);
/* Notes that a pending point has been compiling for `seconds`. */
void gt_evidence_note_compiling(gt_evidence *evidence, const gt_point *point, double seconds);
/* Returns the entry of a point; NULL: it was neither proposed nor reported. */
gt_known *gt_evidence_find(const gt_evidence *evidence, const gt_point *point);
static inline bool gt_evidence_has(const gt_evidence *evidence, const gt_point *point)
{
    return gt_evidence_find(evidence, point) != NULL;
}
/* Fills in the indices of the `most` fastest configurations, the fastest first; returns how many.
 */
uint32_t gt_evidence_fastest(const gt_evidence *evidence, uint32_t *out, uint32_t most);
void gt_evidence_free(gt_evidence *evidence);
