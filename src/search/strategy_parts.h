/* Declarations that strategy.c shares with the strategies: auto.c, model*.c and local.c. */
#pragma once

#include "search/evidence.h"
#include "search/strategy.h"

/* One way to search, with a state of its own. */
typedef struct gt_method {
    size_t bytes; /* size of the state, which begins as zeros */
    gputune_status (*open)(gt_strategy *strategy, void *state); /* or NULL */
    void (*close)(void *state);                                 /* or NULL */
    /* Proposes one point that the evidence does not have, and may set strategy->expected. *found
     * false: the method knows none, and the walk through the domain finds what is left. */
    gputune_status (*propose)(gt_strategy *strategy, void *state, gt_point *out, bool *found);
    /* Called after the evidence took a result. Or NULL. */
    gputune_status (*told)(gt_strategy *strategy, void *state, const gt_tried *result);
    /* Fills the members of gt_outlook that only the method knows. Or NULL. */
    void (*look)(gt_strategy *strategy, void *state, gt_outlook *out);
    bool learns;                      /* results matter to what it proposes: */
    uint32_t first, first_with_hints; /* not to the first ones */
    /* The expected gain of a proposal, in logarithms of time; negative: not known. Or NULL. */
    double (*worth)(gt_strategy *strategy, void *state, const gt_point *point);
} gt_method;

struct gt_strategy {
    const gt_method *method;
    void *state;
    const gt_domain *domain;
    gt_search_settings settings;
    gt_random random;
    gt_evidence evidence;
    double expected; /* of the point being proposed: the logarithm of its time; NAN: not known */
    GT_ARRAY(gt_tried) hints;
    gt_point walked; /* the last point of the walk through the domain */
    bool walking, walked_all;
};

extern const gt_method gt_method_auto, gt_method_model, gt_method_local;

/* Finds the next point of the domain, in lexicographic order, that the evidence does not have;
 * false at the end. */
bool gt_strategy_walk(gt_strategy *strategy, gt_point *out);
/* Draws a random point that the evidence does not have; false if a hundred draws found none. */
bool gt_strategy_draw(gt_strategy *strategy, gt_point *out);
