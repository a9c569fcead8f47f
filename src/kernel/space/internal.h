/* Data structures of a space, for the files of this folder. space.c explains them. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/space/space.h"

#include "base/array.h"

/* ---- keys.c ---- */

enum { GT_FILTERS_MAX = 192 };

/* A condition on configurations: a limit of the device or the launch, a require(), or an operand of
 * && in a require(). */
typedef struct gt_filter {
    uint32_t axes;        /* bit i: the filter depends on axis i */
    uint32_t raw;         /* axes that the filter depends on apart from its expressions */
    size_t first, inputs; /* range of gt_space.inputs with the expressions of the filter */
    int at;               /* index of the filter's last operation in the code of the require() */
    int order;            /* rank among the filters with the same last axis */
    int require;          /* index of the require() if `bind` is NULL */
    gt_limit (*bind)(gt_binding *); /* binding stage, or NULL for a require() */
} gt_filter;

/* The state of a filter when only some axes have values. */
typedef enum gt_left {
    GT_LEFT_OPEN,  /* the filter depends on axes without a value */
    GT_LEFT_VALUE, /* the value is known */
    GT_LEFT_FAILED /* the value cannot be computed, for example because of a division by zero */
} gt_left;

typedef struct gt_residue {
    gt_left left;
    int64_t value;
    uint64_t key; /* filters with equal keys have equal values for all values of the other axes */
} gt_residue;

/* Evaluates a filter when only the axes in `known` have values. Binding stages get only a key. */
gt_residue gt_filter_evaluate(const gt_space *space, const gt_filter *filter, const int64_t *slots,
                              uint32_t known);

/* ---- diagram.c ---- */

/* Reasons for excluding a configuration: 0 (none), a gt_limit, GT_REASON_REQUIRE plus the index of
 * a false require(), or GT_REASON_FAILED plus the index of a require() that cannot be evaluated. */
enum {
    GT_REASON_REQUIRE = GT_LIMIT_COUNT,
    GT_REASON_FAILED = GT_REASON_REQUIRE + GT_REQUIRE_MAX,
    GT_SPACE_REASONS = GT_REASON_FAILED + GT_REQUIRE_MAX
};

/* The child if a value has no valid continuation. */
enum { GT_NODE_DEAD = -1 };

/* A multi-valued decision diagram (Kam et al., 1998) of the valid combinations of some axes, with
 * one level per axis. Nodes of a level differ in their sets of valid continuations. Counting and
 * drawing take one step per level. */
typedef struct gt_diagram {
    uint32_t axes[GT_AXIS_MAX]; /* axis of each level */
    uint32_t count;
    bool is_complete; /* false if there would be too many nodes; the diagram is then empty */
    /* by level: [node * values + position] is a node of the next level, or a negative reason */
    GT_ARRAY(int32_t) children[GT_AXIS_MAX];
    GT_ARRAY(double) endings[GT_AXIS_MAX + 1]; /* number of valid continuations of each node */
    double *paths[GT_AXIS_MAX + 1];            /* number of paths to each node */
    double excluded[GT_SPACE_REASONS];         /* number of excluded combinations, by reason */
} gt_diagram;

/* Builds a diagram from all filters that depend only on these axes. Uses at most 10 MB and 200
 * ms. If that is not enough, or after a failure, the diagram is not complete. ENOMEM, ECANCELED. */
gputune_status gt_diagram_build(gt_diagram *out, const gt_space *space, const uint32_t *axes,
                                uint32_t count);
/* Frees the nodes, but keeps the axes. */
void gt_diagram_clear(gt_diagram *diagram);
/* Returns the child of a node for the value at `position`. */
int32_t gt_diagram_child(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                         int32_t node, int position);
/* Returns the number of valid continuations from a node. */
double gt_diagram_endings(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          int32_t node);
/* Returns the number of combinations of the first `levels` axes that have a valid continuation.
 * The diagram must be complete. */
double gt_diagram_beginnings(const gt_diagram *diagram, uint32_t levels);

/* A group of axes that filters connect. The space is the product of its groups. */
typedef struct gt_group {
    uint32_t axes;
    gt_diagram diagram; /* has one level per axis, in the order of the axes */
    double count;       /* number of valid combinations */
    gt_certainty certainty;
} gt_group;

/* The walk over all configurations: a depth-first search over the axes in their order. */
typedef struct gt_walk {
    gt_binding binding;
    gt_config found;
    int next[GT_AXIS_MAX];      /* number of values tried so far */
    int32_t child[GT_AXIS_MAX]; /* diagram node after the current value */
    uint32_t at, turns;
    bool started, finished;
} gt_walk;

struct gt_space {
    const gt_template *template;
    const gt_workload *workload;
    uint8_t choices[GT_AXIS_MAX][GT_AXIS_VALUES]; /* indices of the allowed values of each axis */
    int counts[GT_AXIS_MAX];                      /* number of allowed values */
    int blocked[GT_AXIS_MAX][GT_AXIS_VALUES];     /* reason that always excludes a value, or 0 */
    uint32_t slot_axes[GT_SLOT_MAX];              /* bit i: axis i determines the slot */
    GT_ARRAY(const gt_expression *) inputs;
    gt_filter filters[GT_FILTERS_MAX];
    int filter_count;
    uint8_t touching[GT_AXIS_MAX][GT_FILTERS_MAX]; /* filters on each axis, by ascending index */
    int touching_count[GT_AXIS_MAX];
    int excludes_all; /* reason that excludes every configuration, or 0 */
    gt_binding base;  /* binding after the stages that depend on no axis */
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

/* Evaluates a filter when only the axes in `known` have values. Returns a reason if the filter
 * cannot be satisfied. Sets *key so that filters with equal keys accept the same values of the
 * remaining axes. If the filter is satisfied, sets *key to 0. */
int gt_filter_ahead(const gt_space *space, const gt_binding *binding, const gt_filter *filter,
                    uint32_t known, uint64_t *key);
/* Applies the filters on `axis` whose axes are all in `known`. Returns the first reason, or 0. */
int gt_space_check(const gt_space *space, gt_binding *binding, uint32_t known, uint32_t axis);
bool gt_space_is_canceled(const gt_space *space);
