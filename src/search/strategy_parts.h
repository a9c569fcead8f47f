/* What strategy.c and the strategies share: auto.c, model*.c, local.c. */
#pragma once

#include "search/evidence.h"
#include "search/strategy.h"

/* One way to search, with a state of its own. */
typedef struct gt_method {
    size_t bytes; /* of the state, which begins as zeros */
    gputune_status (*open)(gt_strategy *strategy, void *state); /* or NULL */
    void (*close)(void *state);                                 /* or NULL */
    /* One point to try next that the evidence does not have; *found false: it knows none, and the
     * walk through the domain finds what is left. */
    gputune_status (*propose)(gt_strategy *strategy, void *state, gt_point *out, bool *found);
    /* After the evidence took a result. Or NULL. */
    gputune_status (*told)(gt_strategy *strategy, void *state, const gt_tried *result);
    /* Fills what the model knows of gt_outlook. Or NULL. */
    void (*look)(gt_strategy *strategy, void *state, gt_outlook *out);
    bool learns; /* results matter to what it proposes */
    /* The gain in logarithms of time that is expected of a proposal. Or NULL. */
    double (*worth)(gt_strategy *strategy, void *state, const gt_point *point);
} gt_method;

struct gt_strategy {
    const gt_method *method;
    void *state;
    const gt_domain *domain;
    gt_search_settings settings;
    gt_random random;
    gt_evidence evidence;
    gt_tried *hints;
    size_t hint_count;
    gt_point walked; /* how far the walk through the domain is */
    bool walking, walked_all;
};

extern const gt_method gt_method_auto, gt_method_model, gt_method_local;

/* The next point of the domain in lexicographic order that the evidence does not have; false at the
 * end. */
bool gt_strategy_walk(gt_strategy *strategy, gt_point *out);
/* A random point that the evidence does not have; false where none was found in a hundred draws. */
bool gt_strategy_draw(gt_strategy *strategy, gt_point *out);
