/* The internals of strategies, which strategy.c and model.c share. */
#pragma once

#include "search/evidence.h"
#include "search/gaussian.h"
#include "search/strategy.h"

struct gt_strategy {
    gputune_strategy kind;
    struct gt_model *model; /* owned; NULL unless the kind is `auto` or `model` */
    const gt_domain *domain;
    gt_search_settings settings;
    gt_random random;
    gt_evidence evidence;
    GT_ARRAY(gt_tried) hints;
    gt_point walked; /* the last point that gt_strategy_walk() visited */
    bool walking, walked_all;
};

/* Walks to the next point of the domain that is not in the evidence. Returns false at the end. */
bool gt_strategy_walk(gt_strategy *strategy, gt_point *out);
/* Draws a random point that is not in the evidence. Returns false after a hundred failed draws. */
bool gt_strategy_draw(gt_strategy *strategy, gt_point *out);

/* A configuration that may be proposed. */
typedef struct gt_candidate {
    gt_point point;
    double prior; /* standardised time that the hints predict */
    double score; /* the candidate with the highest score is proposed first */
    double gain;  /* expected reduction of the logarithm of the time */
    gt_prospect prospect;
} gt_candidate;

enum {
    GT_MODEL_FIRST = 12, /* number of proposals before the model is used */
    GT_MODEL_FIRST_WITH_HINTS = 4,
    GT_MODEL_LEADS = 32 /* maximum number of hints that are tried first */
};

/* Predicts times from hints, which are results for another size or another GPU. */
typedef struct gt_model_prior {
    bool present;
    gt_gaussian gaussian;
    gt_point leads[GT_MODEL_LEADS]; /* the fastest hints, which are proposed first */
    uint32_t lead_count, next_lead;
    uint32_t due;   /* number of hints to propose before the model is used */
    uint32_t turns; /* number of proposals between the default and the first use of the model */
    double slope;   /* slope of a line that maps predicted to measured times, both standardised */
} gt_model_prior;

typedef struct gt_model {
    gt_coordinates coordinates;
    gt_gaussian gaussian;
    gt_model_prior prior;
    size_t hint_count; /* number of hints that are in the prior */
    uint64_t results;  /* evidence.results at the last update; UINT64_MAX forces an update */

    uint32_t known_of[GT_GAUSSIAN_ROWS]; /* index in the evidence of each row's point */
    double row_prior[GT_GAUSSIAN_ROWS];
    /* number of results when the covariance was learnt last; 0 if it was never learnt */
    uint32_t count_when_learnt;

    /* parameters of gt_model_value(): */
    double best_log; /* logarithm of the best time found so far */
    double width;    /* values farther than this from the best are compressed; may be infinite */
    double mean, spread;   /* mean and standard deviation of the compressed values */
    double compile_centre; /* logarithm of the usual compile time, or NAN */
    double best_y;         /* standardised value of the best time */

    uint32_t batch; /* number of proposals since the last update */
    double gain;    /* expected gain of the last proposal, as a reduction of the time's logarithm */

    GT_ARRAY(gt_candidate) pool;
    gt_hash_index places; /* maps the hash of a point to its index in the pool */
} gt_model;

/* Adds new results to the Gaussian process. If there are many, also learns the covariance again. In
 * that case *is_relearnt is true, and the caller must reset all prospects. May return ENOMEM. */
gputune_status gt_model_learn(bool *is_relearnt, gt_model *model, gt_strategy *strategy);

/* Converts the logarithm of a time to the standardised value that is modelled. */
double gt_model_value(const gt_model *model, double log_time);

/* Creates a model for a domain. The caller frees it with gt_model_free(). May return ENOMEM. */
gputune_status gt_model_new(gt_model **out, const gt_domain *domain);
void gt_model_free(gt_model *model);
/* Proposes a point that is not in the evidence. Sets *found to false if the model has none. */
gputune_status gt_model_propose(gt_strategy *strategy, gt_point *out, bool *found);
/* Sets those members of the outlook that depend on the model. */
void gt_model_look(gt_outlook *out, const gt_strategy *strategy);
/* Returns the expected gain of a point, as a reduction of the time's logarithm, or -1. */
double gt_model_worth(gt_strategy *strategy, const gt_point *point);
