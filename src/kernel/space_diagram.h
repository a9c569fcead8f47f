/* The valid combinations of some axes as a multi-valued decision diagram (Kam, Villa, Brayton and
 * Sangiovanni-Vincentelli, "Multi-valued decision diagrams: theory and applications", 1998): one
 * level for each axis, one node for each way in which what is left can go on, however many
 * combinations lead there. Counting and drawing take a step a level. For space*.c only. */
#pragma once

#include "kernel/space.h"

enum { GT_RULES_MAX = 192 };

typedef struct gt_rule_set {
    uint64_t bits[GT_RULES_MAX / 64];
} gt_rule_set;

/* From here no valid combination is reached. */
static const uint32_t GT_NODE_DEAD = UINT32_MAX;

/* Zero-initialised: empty, and a group is then the plain product of its axes. */
typedef struct gt_diagram {
    uint32_t axes[GT_AXIS_MAX]; /* in the order of the levels */
    uint32_t count;
    uint32_t *children[GT_AXIS_MAX];  /* by level: node times values, plus a value's position */
    double *endings[GT_AXIS_MAX + 1]; /* by level and node: combinations from there on */
    uint32_t width[GT_AXIS_MAX + 1];  /* nodes of a level */
    double *excluded;                 /* by reason: combinations of these axes */
    gt_rule_set dropped; /* rules left out, so that there are not too many nodes: a combination
                            from the diagram may break them */
    bool relaxed;        /* some were */
} gt_diagram;

/* Builds the diagram over `axes` in their order from the rules that depend on these alone. Bounded
 * in memory (some MB) and time (some 100 ms): `relaxed` when it had to leave rules out. ENOMEM;
 * ECANCELED when the space's callback says so. */
gputune_status gt_diagram_build(gt_diagram *out, const gt_space *space, const uint32_t *axes,
                                uint32_t count);
void gt_diagram_free(gt_diagram *diagram);
/* The node behind `node` of a level for a value's position. */
uint32_t gt_diagram_child(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node, int position);
/* Combinations from a node of a level on. */
double gt_diagram_endings(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node);
/* Different combinations of the first `levels` axes that lead to a valid one; -1: no memory. */
double gt_diagram_beginnings(const gt_diagram *diagram, const gt_space *space, uint32_t levels);

static inline bool gt_rule_in(const gt_rule_set *set, int rule)
{
    return set->bits[rule / 64] >> (rule % 64) & 1;
}
