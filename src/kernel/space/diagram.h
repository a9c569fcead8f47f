/* The valid combinations of axes that constraints tie together. */
#pragma once

#include "kernel/space/space.h"

/* The valid combinations of some axes as a multi-valued decision diagram (Kam et al., 1998): a
 * level for each axis, a node for each different set of valid continuations. Counting and drawing
 * take one step for each level. */
enum { GT_RULES_MAX = 192 };

/* In the place of a node: no valid combination is reached from here. */
static const uint32_t GT_NODE_DEAD = UINT32_MAX;

/* A diagram without nodes has one axis, or would have needed too many; then it stands for all
 * combinations. */
typedef struct gt_diagram {
    uint32_t axes[GT_AXIS_MAX]; /* in the order of the levels */
    uint32_t count;
    uint32_t *children[GT_AXIS_MAX];  /* by level; index: node * number of values + position */
    double *endings[GT_AXIS_MAX + 1]; /* by level and node: valid combinations from there on */
    uint32_t width[GT_AXIS_MAX + 1];  /* by level: the number of nodes */
    double *excluded;                 /* by reason: combinations of these axes that it excludes */
} gt_diagram;

/* Builds the diagram over `axes`, from the rules on these alone, in some MB and 100 ms; without
 * nodes if that is not enough, and on failure. ENOMEM, ECANCELED. */
gputune_status gt_diagram_build(gt_diagram *out, const gt_space *space, const uint32_t *axes,
                                uint32_t count);
/* Frees the nodes; the axes stay. */
void gt_diagram_clear(gt_diagram *diagram);
/* The node on the next level that the value at `position` leads to from `node` of `level`. */
uint32_t gt_diagram_child(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node, int position);
/* Returns how many valid combinations of the axes from `level` on begin at `node`. */
double gt_diagram_endings(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node);
/* Returns how many beginnings of `levels` axes lead to a valid combination; -1: no memory. */
double gt_diagram_beginnings(const gt_diagram *diagram, const gt_space *space, uint32_t levels);
