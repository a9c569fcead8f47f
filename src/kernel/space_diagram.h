/* The valid combinations of some axes as a multi-valued decision diagram (Kam, Villa, Brayton and
 * Sangiovanni-Vincentelli, "Multi-valued decision diagrams: theory and applications", 1998): one
 * level for each axis, one node for each different set of valid continuations, however many
 * combinations lead to it. Counting and drawing take one step for each level. For space*.c only. */
#pragma once

#include "kernel/space.h"

enum { GT_RULES_MAX = 192 };

typedef struct gt_rule_set {
    uint64_t bits[GT_RULES_MAX / 64];
} gt_rule_set;

/* In the place of a node: no valid combination is reached from here. */
static const uint32_t GT_NODE_DEAD = UINT32_MAX;

/* A diagram that is zero-initialised is empty; its group is then the plain product of its axes. */
typedef struct gt_diagram {
    uint32_t axes[GT_AXIS_MAX]; /* in the order of the levels */
    uint32_t count;
    uint32_t *children[GT_AXIS_MAX];  /* by level; index: node * number of values + position */
    double *endings[GT_AXIS_MAX + 1]; /* by level and node: valid combinations from there on */
    uint32_t width[GT_AXIS_MAX + 1];  /* by level: the number of nodes */
    double *excluded;                 /* by reason: combinations of these axes that it excludes */
    gt_rule_set dropped; /* rules that were left out to keep the number of nodes small: a
                            combination from the diagram may break them */
    bool relaxed;        /* `dropped` is not empty */
} gt_diagram;

/* Builds the diagram over `axes`, in this order, from the rules that depend on these axes alone.
 * Takes at most some MB and some 100 ms, and leaves rules out (`relaxed`) if it must. ENOMEM;
 * ECANCELED when the space's callback says so. */
gputune_status gt_diagram_build(gt_diagram *out, const gt_space *space, const uint32_t *axes,
                                uint32_t count);
/* Fills `endings` of a diagram whose axes, widths and children are set, from the last level up; a
 * child that has none becomes GT_NODE_DEAD. ENOMEM. */
gputune_status gt_diagram_count(gt_diagram *diagram, const gt_space *space);
void gt_diagram_free(gt_diagram *diagram);
/* The node on the next level that the value at `position` leads to from `node` of `level`. */
uint32_t gt_diagram_child(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node, int position);
/* How many valid combinations of the axes from `level` on begin at `node`. */
double gt_diagram_endings(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node);
/* How many different combinations of the first `levels` axes can be completed to a valid one; -1:
 * no memory. */
double gt_diagram_beginnings(const gt_diagram *diagram, const gt_space *space, uint32_t levels);

static inline bool gt_rule_in(const gt_rule_set *set, int rule)
{
    return set->bits[rule / 64] >> (rule % 64) & 1;
}
