/* The configurations that a search has proposed, with their results. */
#pragma once

#include "base/array.h"
#include "base/hash_index.h"
#include "search/strategy.h"

typedef struct gt_known {
    gt_point point;
    gt_tried_outcome outcome;
    double log_time;  /* logarithm of time_ns if the outcome is GT_TRIED_OK */
    double compile_s; /* compile time in seconds; 0 if it is unknown */
    double measure_s; /* time used on the GPU in seconds; 0 if it is unknown */
    double so_far_s;  /* seconds that the compile has been running for; 0 if unknown */
    uint32_t row;     /* 1 + row of this point in the model; 0 if it has no row */
} gt_known;

/* A zeroed gt_evidence is valid and empty. Not thread-safe. */
typedef struct gt_evidence {
    GT_ARRAY(gt_known) known;          /* all points that were proposed or reported */
    gt_hash_index places;              /* maps the hash of a point to its index in `known` */
    uint32_t count[GT_TRIED_OUTCOMES]; /* number of points with each outcome */
    uint64_t results;                  /* number of reported results, including repeated ones */
    uint32_t result_count;             /* number of configurations that have a result */
    uint32_t count_at_best;            /* result_count when the best result was reported */
    uint32_t best;     /* index of the fastest point; undefined if no point has a time */
    double compile_s;  /* sum of the compile times of all configurations */
    uint32_t compiled; /* number of configurations whose compile time is known */
    double measure_s;  /* sum of the GPU times of all configurations */
    uint32_t measured;
} gt_evidence;

/* Adds a configuration that has no result yet. May return ENOMEM. */
gputune_status gt_evidence_propose(gt_evidence *evidence, const gt_point *point);
gputune_status gt_evidence_add(gt_evidence *evidence, const gt_tried *result);
/* Returns the entry for a point, or NULL if the point was neither proposed nor reported. */
gt_known *gt_evidence_find(const gt_evidence *evidence, const gt_point *point);
static inline bool gt_evidence_has(const gt_evidence *evidence, const gt_point *point)
{
    return gt_evidence_find(evidence, point) != NULL;
}
/* Writes the indices of the fastest points, up to `most`, to `out` and returns their number. */
uint32_t gt_evidence_fastest(const gt_evidence *evidence, uint32_t *out, uint32_t most);
void gt_evidence_free(gt_evidence *evidence);
