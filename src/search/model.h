/* The parts of the strategy `model`: a Gaussian process of the times, failures and compile times
 * seen, and a pool of candidates among which it looks for the one that promises the most. */
#pragma once

#include "search/gaussian.h"
#include "search/strategy_parts.h"

/* A configuration that may be proposed. */
typedef struct gt_candidate {
    float z[GT_COORDINATES];
    double prior;          /* what hints expect there, standardised */
    double score;          /* the higher, the sooner it is proposed */
    double gain, expected; /* the gain and the time, as logarithms */
    gt_prospect prospect;
} gt_candidate;

enum { GT_MODEL_LEADS = 32 }; /* a batch of many workers, until the model is ready */

/* What results of other sizes or GPUs expect of a point. */
typedef struct gt_model_prior {
    bool present;
    gt_gaussian gaussian;
    gt_point leads[GT_MODEL_LEADS]; /* the fastest there, which are tried first */
    uint32_t lead_count, next_lead;
    uint32_t due;   /* of them, if results came before the hints: before the model proposes more */
    uint32_t turns; /* proposals before the model was ready, but for the default */
    double slope;   /* how far the times here follow it */
} gt_model_prior;

typedef struct gt_model {
    gt_coordinates coordinates;
    gt_gaussian gaussian;
    gt_model_prior prior;
    bool is_open;      /* the prior was made from the hints */
    size_t hint_count; /* of these */
    bool stale;        /* results came since the last update */

    int32_t *row_of; /* the process's row of a known point, by its index in the evidence, or -1 */
    uint32_t row_of_capacity;
    uint32_t known_of[GT_GAUSSIAN_ROWS]; /* the other way round */
    double row_prior[GT_GAUSSIAN_ROWS];
    uint32_t told_when_learnt; /* 0: nothing is learnt yet */

    /* What the process sees of a time: gt_model_value(). */
    double best_log;       /* the best time so far, as a logarithm */
    double width;          /* what is slower by more counts the less; infinite: all counts alike */
    double mean, spread;   /* of what is over the best, so compressed */
    double compile_centre; /* of the logarithms of compile times; NAN: none known */
    double best_y;         /* the best one so far, standardised */

    uint32_t batch;        /* proposals since the last update */
    double gain, expected; /* of the last proposal: the gain and the time, as logarithms */

    gt_point_set pool;
    gt_candidate *candidates; /* of pool.points[i] */
    uint32_t candidate_capacity;
} gt_model;

/* Adds the results since the last update to the process, and learns again if there are many.
 * ENOMEM. */
gputune_status gt_model_update(gt_model *model, gt_strategy *strategy);
/* Adds the proposals since the last update, as long as there is room. ENOMEM. */
gputune_status gt_model_add_pending(gt_model *model, const gt_evidence *evidence);

/* Drops all rows: the next update adds what is known, as long as there is room. */
void gt_model_forget_rows(gt_model *model);

/* Takes mean and spread of the times so far by the model's width. */
void gt_model_standardise(gt_model *model, const gt_evidence *evidence);
/* The logarithm of a time as the process sees it: standardised. */
double gt_model_value(const gt_model *model, double log_time);
/* The other way round. */
double gt_model_log_time(const gt_model *model, double value);
/* The logarithm of gt_model_value()'s slope there. */
double gt_model_log_slope(const gt_model *model, double log_time);

/* Makes a prior of the strategy's hints; the process's rows begin anew. ENOMEM. */
gputune_status gt_model_prior_make(gt_model *model, gt_strategy *strategy);
/* What it expects at z, standardised; 0 without hints. */
double gt_model_prior_at(const gt_model *model, const float *z);

/* Fills the pool again: with random points, and with the neighbours of the best ones. ENOMEM. */
gputune_status gt_model_pool_fill(gt_model *model, gt_strategy *strategy);
/* Keeps the most promising candidates if there are many. ENOMEM. */
gputune_status gt_model_pool_prune(gt_model *model);
gputune_status gt_model_pool_near_best(gt_model *model, gt_strategy *strategy);
/* The candidate that promises the most, or -1; `climb`: after looking around it as well. ENOMEM. */
gputune_status gt_model_pool_best(gt_model *model, gt_strategy *strategy, bool climb,
                                  int64_t *best);
/* The gain expected of a point that is not in the pool. */
double gt_model_gain_at(const gt_model *model, const gt_strategy *strategy, const gt_point *point);
