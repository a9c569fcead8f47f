/* What a search knows: which configurations were proposed, and their results. */
#pragma once

#include "search/point_set.h"
#include "search/strategy.h"

typedef enum gt_state {
    GT_STATE_PENDING, /* proposed */
    GT_STATE_OK,
    GT_STATE_FAILED,
    GT_STATE_GIVEN_UP /* nothing is known but that it compiles for long */
} gt_state;

typedef struct gt_known {
    gt_state state;
    double log_time;  /* of time_ns; GT_STATE_OK only */
    double compile_s; /* 0: not known */
    double measure_s; /* the same */
    double so_far_s;  /* has been compiling for so long; 0: not known */
} gt_known;

/* All zero is an empty one. One thread. */
typedef struct gt_evidence {
    gt_point_set points;
    gt_known *known; /* of points.points[i] */
    uint32_t known_capacity;
    uint32_t ok, failed, pending, given_up;
    uint32_t told;         /* results so far */
    uint32_t told_at_best; /* when the best one came */
    uint32_t best;         /* index of the fastest; of no meaning while ok is 0 */
    double compile_s;      /* in all, each configuration once */
    uint32_t compiled;     /* how many that is of */
    double measure_s;      /* the same of the GPU */
    uint32_t measured;
} gt_evidence;

/* Remembers a proposal. ENOMEM. */
gputune_status gt_evidence_propose(gt_evidence *evidence, const gt_point *point);
gputune_status gt_evidence_tell(gt_evidence *evidence, const gt_tried *result);
/* A pending point has been compiling for so long, which it takes at least. */
void gt_evidence_note_compiling(gt_evidence *evidence, const gt_point *point, double seconds);
/* Whether the point was proposed or told. */
bool gt_evidence_has(const gt_evidence *evidence, const gt_point *point);
/* How many points are proposed or told. */
uint32_t gt_evidence_count(const gt_evidence *evidence);
/* Fills the indices of the `most` fastest configurations, the fastest first; returns how many. */
uint32_t gt_evidence_fastest(const gt_evidence *evidence, uint32_t *out, uint32_t most);
void gt_evidence_free(gt_evidence *evidence);
