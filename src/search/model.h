/* The internals of strategies, shared by strategy.c and model.c. */
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
    gt_point walked; /* last point of the walk through all points of the domain */
    bool walking, walked_all;
};

/* Finds the next point of the domain that is not in the evidence. Returns false at the end. */
bool gt_strategy_walk(gt_strategy *strategy, gt_point *out);
/* Draws a random point that is not in the evidence. Returns false if a hundred draws find none. */
bool gt_strategy_draw(gt_strategy *strategy, gt_point *out);

/* A configuration that may be proposed. */
typedef struct gt_candidate {
    gt_point point;
    double prior; /* standardised time that the hints predict */
    double score; /* candidates with a higher score are proposed sooner */
    double gain;  /* expected reduction of the time's logarithm */
    gt_prospect prospect;
} gt_candidate;

enum {
    GT_MODEL_FIRST = 12, /* number of proposals before the model learns */
    GT_MODEL_FIRST_WITH_HINTS = 4,
    GT_MODEL_LEADS = 32 /* maximum number of hints to try first; enough for many workers */
};

/* Times predicted from hints, which are results of other sizes or GPUs. */
typedef struct gt_model_prior {
    bool present;
    gt_gaussian gaussian;
    gt_point leads[GT_MODEL_LEADS]; /* fastest hints, which are proposed first */
    uint32_t lead_count, next_lead;
    uint32_t due;   /* number of hints to propose before the model begins */
    uint32_t turns; /* number of proposals before the model was ready, except the default */
    double slope;   /* slope of measured over predicted times, both standardised */
} gt_model_prior;

typedef struct gt_model {
    gt_coordinates coordinates;
    gt_gaussian gaussian;
    gt_model_prior prior;
    size_t hint_count; /* number of hints in the prior */
    uint64_t results;  /* evidence.results at the last update; UINT64_MAX: needs an update */

    uint32_t known_of[GT_GAUSSIAN_ROWS]; /* index of each row's point in the evidence */
    double row_prior[GT_GAUSSIAN_ROWS];
    /* number of results when the covariance was last learnt; 0: never */
    uint32_t count_when_learnt;

    /* how times are standardised, as in gt_model_value(): */
    double best_log;       /* logarithm of the best time so far */
    double width;          /* larger differences from the best are compressed; may be infinite */
    double mean, spread;   /* mean and spread of compressed differences from the best time */
    double compile_centre; /* logarithm of the usual compile time; NAN: unknown */
    double best_y;         /* the best time so far, standardised */

    uint32_t batch; /* number of proposals since the last update */
    double gain;    /* expected gain of the last proposal: reduction of the time's logarithm */

    GT_ARRAY(gt_candidate) pool;
    gt_hash_index places; /* index into the pool by the hash of a point */
} gt_model;

/* Adds new results to the process. After many of them, learns the covariance again and sets
 * *is_relearnt: the candidates' prospects are then invalid. ENOMEM. */
gputune_status gt_model_learn(bool *is_relearnt, gt_model *model, gt_strategy *strategy);

/* Converts the logarithm of a time to a standardised value. */
double gt_model_value(const gt_model *model, double log_time);

/* Opens a model of a domain. gt_model_free() frees *out. ENOMEM. */
gputune_status gt_model_new(gt_model **out, const gt_domain *domain);
void gt_model_free(gt_model *model);
/* Proposes a point that is not in the evidence. Sets *found to false if the model knows none. */
gputune_status gt_model_propose(gt_strategy *strategy, gt_point *out, bool *found);
/* Sets the members of an outlook that depend on the model. */
void gt_model_look(gt_outlook *out, const gt_strategy *strategy);
/* Returns the expected gain of a point, as a reduction of the time's logarithm; -1: unknown. */
double gt_model_worth(gt_strategy *strategy, const gt_point *point);
