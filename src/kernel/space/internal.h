/* Data structures of a space, for the files of this folder only. space.c explains them. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/space/space.h"

#include "base/array.h"

/* ---- keys.c ---- */

enum { GT_FILTERS_MAX = 192 };

/* A condition that a configuration must meet: a limit of the device or the launch, a require(), or
 * one operand of && in a require(). */
typedef struct gt_filter {
    uint32_t axes; /* bit i: the condition depends on axis i */
    uint32_t raw;  /* axes whose values the condition uses directly */
    /* the condition's expressions: index of the first in gt_space.inputs, and their number */
    size_t first, inputs;
    int at;      /* index of the last instruction of the condition in the code of the require() */
    int order;   /* position among the filters that have the same last axis */
    int require; /* index of the require(), if `bind` is NULL */
    gt_limit (*bind)(gt_binding *); /* stage of the binding; NULL for a require() */
} gt_filter;

/* How much is known about a filter when only some of the axes have values. */
typedef enum gt_left {
    GT_LEFT_OPEN,  /* the result depends on axes that have no value yet */
    GT_LEFT_VALUE, /* the result is known */
    GT_LEFT_FAILED /* the result cannot be computed, for example because of a division by zero */
} gt_left;

typedef struct gt_residue {
    gt_left left;
    int64_t value;
    uint64_t key; /* equal keys mean equal results, whatever the values of the other axes */
} gt_residue;

/* Evaluates a filter when only the axes in the bit set `known` have values. For a stage of the
 * binding, returns GT_LEFT_OPEN with a key, because stages cannot be evaluated in part. */
gt_residue gt_filter_evaluate(const gt_space *space, const gt_filter *filter, const int64_t *slots,
                              uint32_t known);

/* ---- diagram.c ---- */

/* Why a configuration is excluded, or 0: a gt_limit, GT_REASON_REQUIRE plus the index of a false
 * require(), or GT_REASON_FAILED plus the index of a require() that cannot be evaluated. */
enum {
    GT_REASON_REQUIRE = GT_LIMIT_COUNT,
    GT_REASON_FAILED = GT_REASON_REQUIRE + GT_REQUIRE_MAX,
    GT_SPACE_REASONS = GT_REASON_FAILED + GT_REQUIRE_MAX
};

/* In a diagram, the child of a value that occurs in no valid combination. */
enum { GT_NODE_DEAD = -1 };

/* A multi-valued decision diagram (Kam et al., 1998) of the valid combinations of some axes. It has
 * a level for each axis. Combinations of the earlier axes share a node if they leave the same
 * conditions for the later axes. Counting and drawing take one step for each level. */
typedef struct gt_diagram {
    uint32_t axes[GT_AXIS_MAX]; /* axis of each level */
    uint32_t count;
    bool is_complete; /* false if the diagram would become too large; it then has no nodes */
    /* the child at [node * values + position] is a node of the next level, or a negative reason */
    GT_ARRAY(int32_t) children[GT_AXIS_MAX];
    GT_ARRAY(double) endings[GT_AXIS_MAX + 1]; /* number of valid combinations below each node */
    double *paths[GT_AXIS_MAX + 1];            /* number of paths to each node */
    double excluded[GT_SPACE_REASONS];         /* number of excluded combinations for each reason */
} gt_diagram;

/* Builds a diagram from all filters that depend only on these axes. Uses at most 10 MB and 200 ms.
 * If this is not enough, or on failure, the diagram is not complete. May return ENOMEM or
 * ECANCELED. */
gputune_status gt_diagram_build(gt_diagram *out, const gt_space *space, const uint32_t *axes,
                                uint32_t count);
/* Frees the nodes of a diagram. The diagram keeps its axes. */
void gt_diagram_clear(gt_diagram *diagram);
/* Returns the child of a node for the value at a position. */
int32_t gt_diagram_child(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                         int32_t node, int position);
/* Returns the number of valid combinations of the axes from `level` on, starting at a node. */
double gt_diagram_endings(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          int32_t node);
/* Returns how many combinations of the first `levels` axes are part of a valid combination. The
 * diagram must be complete. */
double gt_diagram_beginnings(const gt_diagram *diagram, uint32_t levels);

/* A group of axes that are connected by filters. A space is the product of its groups. */
typedef struct gt_group {
    uint32_t axes;
    gt_diagram diagram; /* diagram with a level for each axis, in the order of the axes */
    double count;       /* number of valid combinations */
    gt_certainty certainty;
} gt_group;

/* An iteration over all configurations, which is a depth-first search in the order of the axes. */
typedef struct gt_walk {
    gt_binding binding;
    gt_config found;
    int next[GT_AXIS_MAX];      /* number of values that have been tried for each axis */
    int32_t child[GT_AXIS_MAX]; /* diagram node below the current value of each axis */
    uint32_t at, turns;
    bool started, finished;
} gt_walk;

struct gt_space {
    const gt_template *template;
    const gt_workload *workload;
    uint8_t choices[GT_AXIS_MAX][GT_AXIS_VALUES]; /* indices of the allowed values of each axis */
    int counts[GT_AXIS_MAX];                      /* number of allowed values of each axis */
    int blocked[GT_AXIS_MAX][GT_AXIS_VALUES];     /* reason why a value is never valid, or 0 */
    uint32_t slot_axes[GT_SLOT_MAX]; /* bit i: the value of the slot depends on axis i */
    GT_ARRAY(const gt_expression *) inputs;
    gt_filter filters[GT_FILTERS_MAX];
    int filter_count;
    uint8_t touching[GT_AXIS_MAX][GT_FILTERS_MAX]; /* filters on each axis, by ascending index */
    int touching_count[GT_AXIS_MAX];
    int excludes_all; /* reason why no configuration is valid, or 0 */
    gt_binding base;  /* binding after running the stages that depend on no axis */
    gt_binding probe;
    gt_group groups[GT_AXIS_MAX];
    int group_count;
    int group_of[GT_AXIS_MAX];
    bool prepared;
    bool (*canceled)(void *user);
    void *user;
    gt_walk walk;
    char *reasons[GT_SPACE_REASONS];
    gt_exclusion_count listed[GT_SPACE_REASONS];
};

/* Evaluates a filter when only the axes in the bit set `known` have values. Returns a reason if no
 * values of the other axes can satisfy the filter. Otherwise sets *key. The key 0 means that all
 * values satisfy the filter. Equal keys mean that the same values satisfy the filter. */
int gt_filter_ahead(const gt_space *space, const gt_binding *binding, const gt_filter *filter,
                    uint32_t known, uint64_t *key);
/* Applies the filters on `axis` that use only axes in `known`. Returns the first reason, or 0. */
int gt_space_check(const gt_space *space, gt_binding *binding, uint32_t known, uint32_t axis);
/* Returns why the values of some axes are excluded, or 0. Changes space->probe. */
int gt_space_reason(gt_space *space, const gt_config *config, uint32_t axes);
bool gt_space_is_canceled(const gt_space *space);
