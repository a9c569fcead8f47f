/* The proposed configurations of a search, with their results. */
#pragma once

#include "base/array.h"
#include "base/hash_index.h"
#include "search/strategy.h"

typedef struct gt_known {
    gt_point point;
    gt_tried_outcome outcome;
    double log_time;  /* logarithm of time_ns; only for GT_TRIED_OK */
    double compile_s; /* compile time in seconds; 0: unknown */
    double measure_s; /* GPU time in seconds; 0: unknown */
    double so_far_s;  /* seconds since a running compile began; 0: unknown */
    uint32_t row;     /* row of this point in the model, counted from 1; 0: none */
} gt_known;

/* The configurations that a search has proposed, and their results. All zero: empty. Not
 * thread-safe. */
typedef struct gt_evidence {
    GT_ARRAY(gt_known) known;          /* entries of all points that were proposed or reported */
    gt_hash_index places;              /* index into `known` by the hash of a point */
    uint32_t count[GT_TRIED_OUTCOMES]; /* number of points in `known`, by outcome */
    uint64_t results;                  /* number of results; a configuration may have several */
    uint32_t result_count;             /* number of configurations with a result */
    uint32_t count_at_best;            /* `result_count` at the time of the best result */
    uint32_t best;     /* index of the fastest point; undefined without a correct point */
    double compile_s;  /* total compile time; each configuration counts once */
    uint32_t compiled; /* number of configurations included in compile_s */
    double measure_s;  /* total GPU time; each configuration counts once */
    uint32_t measured;
} gt_evidence;

/* Adds a proposal. ENOMEM. */
gputune_status gt_evidence_propose(gt_evidence *evidence, const gt_point *point);
gputune_status gt_evidence_add(gt_evidence *evidence, const gt_tried *result);
/* Records that a pending point has been compiling for `seconds`. */
void gt_evidence_note_compiling(gt_evidence *evidence, const gt_point *point, double seconds);
/* Returns the entry of a point, or NULL if the point was neither proposed nor reported. */
gt_known *gt_evidence_find(const gt_evidence *evidence, const gt_point *point);
static inline bool gt_evidence_has(const gt_evidence *evidence, const gt_point *point)
{
    return gt_evidence_find(evidence, point) != NULL;
}
/* Writes the indices of up to `most` points to `out`, the fastest first. Returns their number. */
uint32_t gt_evidence_fastest(const gt_evidence *evidence, uint32_t *out, uint32_t most);
void gt_evidence_free(gt_evidence *evidence);
