/* The parts of the strategy `model`: a Gaussian process of the times, failures and compile times
 * seen so far, and a pool of candidates from which the strategy proposes the most promising one. */
#pragma once

#include "search/gaussian.h"
#include "search/strategy_parts.h"

/* A configuration that may be proposed. */
typedef struct gt_candidate {
    gt_point point;
    double prior;          /* the time that the hints expect there, standardised */
    double score;          /* the higher, the sooner it is proposed */
    double gain, expected; /* the expected gain and time, as logarithms */
    gt_prospect prospect;
} gt_candidate;

enum {
    GT_MODEL_FIRST = 12, /* configurations that are proposed before the model learns */
    GT_MODEL_FIRST_WITH_HINTS = 4,
    GT_MODEL_LEADS = 32 /* most hints to try first: enough for many workers */
};

/* The prior: what results of other sizes or GPUs (the hints) say of a point. */
typedef struct gt_model_prior {
    bool present;
    gt_gaussian gaussian;
    gt_point leads[GT_MODEL_LEADS]; /* the fastest hints, which are tried first */
    uint32_t lead_count, next_lead;
    uint32_t due;   /* if results came before the hints: leads still to propose before the model
                       proposes again */
    uint32_t turns; /* proposals before the model was ready, without the default */
    double slope;   /* how closely the times here follow the prior */
} gt_model_prior;

typedef struct gt_model {
    gt_coordinates coordinates;
    gt_gaussian gaussian;
    gt_model_prior prior;
    bool is_open;      /* the prior was made from the hints */
    size_t hint_count; /* number of hints that the prior was made from */
    uint64_t results;  /* evidence.results at the last update */

    uint32_t known_of[GT_GAUSSIAN_ROWS]; /* by row: the point's index in the evidence */
    double row_prior[GT_GAUSSIAN_ROWS];
    uint32_t told_when_learnt; /* evidence.told at the last learning; 0: nothing is learnt yet */

    /* How gt_model_value() turns a time into the value that the process sees: */
    double best_log; /* the best time so far, as a logarithm */
    double width; /* differences to the best beyond this width are compressed; infinite: none is */
    double mean, spread;   /* of the compressed differences to the best */
    double compile_centre; /* centre of the logarithms of compile times; NAN: none is known */
    double best_y;         /* the best time so far, standardised */

    uint32_t batch; /* proposals since the last update */
    double gain;    /* the last proposal's expected gain, as a logarithm */

    GT_ARRAY(gt_candidate) pool;
    gt_hash_index places; /* in the pool, by the hash of a point */
} gt_model;

/* Functions of gt_method_model that gt_method_auto has, too. */
gputune_status gt_model_open(gt_strategy *strategy, void *state);
void gt_model_close(void *state);
double gt_model_worth(gt_strategy *strategy, void *state, const gt_point *point);

/* Adds the results since the last call to the process, and learns the covariance again if they are
 * many. *anew: the candidates' prospects are not what they were. ENOMEM. */
gputune_status gt_model_learn(bool *anew, gt_model *model, gt_strategy *strategy);
/* Adds the proposals since then to the process, as long as it has room. */
void gt_model_add_pending(gt_model *model, gt_evidence *evidence);

/* Drops all rows of the process. gt_model_learn() adds the known results again, as long as there is
 * room. */
void gt_model_forget_rows(gt_model *model, gt_evidence *evidence);

/* Computes the model's mean and spread from the times so far, with its present width. */
void gt_model_standardise(gt_model *model, const gt_evidence *evidence);
/* The logarithm of a time as the process sees it: standardised. */
double gt_model_value(const gt_model *model, double log_time);
/* The inverse: the logarithm of the time that has this standardised value. */
double gt_model_log_time(const gt_model *model, double value);
/* The logarithm of the slope of gt_model_value() at log_time. */
double gt_model_log_slope(const gt_model *model, double log_time);

/* Makes the prior from the strategy's hints. The process must have no rows. ENOMEM. */
gputune_status gt_model_prior_make(gt_model *model, gt_strategy *strategy);
/* The time that the prior expects at coordinates z, standardised; 0 without hints. */
double gt_model_prior_at(const gt_model *model, const float *z);

/* Fills the pool again, with random points and with the neighbours of the best points. ENOMEM. */
gputune_status gt_model_pool_fill(gt_model *model, gt_strategy *strategy);
/* Keeps the most promising candidates if there are many. ENOMEM. */
gputune_status gt_model_pool_prune(gt_model *model);
gputune_status gt_model_pool_near_best(gt_model *model, gt_strategy *strategy);
/* *best is the index of the most promising candidate, or -1; with `climb`, the search also looks at
 * the neighbours of that candidate. ENOMEM. */
gputune_status gt_model_pool_best(gt_model *model, gt_strategy *strategy, bool climb,
                                  int64_t *best);
/* The expected gain of a point that is not in the pool. */
double gt_model_gain_at(const gt_model *model, const gt_strategy *strategy, const gt_point *point);
