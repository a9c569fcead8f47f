/* Data structures of a space, for the files of this folder. space.c explains them. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/space/space.h"

#include "base/array.h"

/* ---- terms.c ---- */

/* A term is a part of a constraint or of a binding stage. A term can be evaluated when its axes
 * have values. */
typedef enum gt_term_kind {
    GT_TERM_CODE,  /* an expression or a part of an expression */
    GT_TERM_SLOT,  /* the slot of an axis; known if the axis has a value */
    GT_TERM_JOIN,  /* a combination of two terms, which has a key but no value */
    GT_TERM_LAUNCH /* a slot that a stage sets; operands[0] is the input of the stage */
} gt_term_kind;

typedef struct gt_term {
    gt_term_kind kind;
    const gt_expression *expression;
    int at; /* index of an operation in the expression's code */
    int slot;
    int operands[2]; /* indices of terms; negative: none */
    uint32_t axes;   /* bit i: the term depends on axis i */
} gt_term;

/* The terms of all constraints and binding stages of a space. */
typedef struct gt_term_list {
    GT_ARRAY(gt_term) items;
    int of_slot[GT_SLOT_MAX]; /* term index of each slot; negative: constant slot */
} gt_term_list;

/* The state of a term when only some axes have values. */
typedef enum gt_left {
    GT_LEFT_OPEN,  /* the term depends on axes without a value */
    GT_LEFT_VALUE, /* the term has a value */
    GT_LEFT_FAILED /* the term cannot be computed, for example because of a division by zero */
} gt_left;

typedef struct gt_residue {
    gt_left left;
    int64_t value;
    uint64_t key; /* residues with equal keys have equal values for all values of the other axes */
} gt_residue;

gt_residue gt_terms_evaluate(const gt_term_list *terms, int term, const int64_t *slots,
                             uint32_t known);

/* ---- diagram.c ---- */

/* A multi-valued decision diagram (Kam et al., 1998) of the valid combinations of some axes, with
 * one level per axis. Nodes of a level differ in their sets of valid continuations. Counting and
 * drawing take one step per level. */
enum { GT_FILTERS_MAX = 192 };

/* Child of a value without valid continuations. */
static const uint32_t GT_NODE_DEAD = UINT32_MAX;

/* A diagram. Without nodes if there is only one axis, or if too many nodes would be needed. */
typedef struct gt_diagram {
    uint32_t axes[GT_AXIS_MAX]; /* axis of each level */
    uint32_t count;
    uint32_t *children[GT_AXIS_MAX];  /* children of each level: [node * values + position] */
    double *endings[GT_AXIS_MAX + 1]; /* number of valid continuations, by level and node */
    uint32_t width[GT_AXIS_MAX + 1];  /* number of nodes on each level */
    double *excluded;                 /* number of excluded combinations, by reason */
} gt_diagram;

/* Builds a diagram from all filters that depend only on these axes. Uses at most a few MB and 100
 * ms. If that is not enough, or after a failure, the diagram has no nodes. ENOMEM, ECANCELED. */
gputune_status gt_diagram_build(gt_diagram *out, const gt_space *space, const uint32_t *axes,
                                uint32_t count);
/* Frees the nodes, but keeps the axes. */
void gt_diagram_clear(gt_diagram *diagram);
/* Returns the child of a node for the value at `position`. */
uint32_t gt_diagram_child(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node, int position);
/* Returns the number of valid continuations from a node. */
double gt_diagram_endings(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node);
/* Returns the number of combinations of the first `levels` axes that have a valid continuation, or
 * -1 if out of memory. */
double gt_diagram_beginnings(const gt_diagram *diagram, const gt_space *space, uint32_t levels);

/* Reasons for excluding a configuration: 0 (none), a gt_limit, GT_REASON_REQUIRE plus the index of
 * a false require(), or GT_REASON_FAILED plus the index of a require() that cannot be evaluated. */
enum {
    GT_REASON_REQUIRE = GT_LIMIT_COUNT,
    GT_REASON_FAILED = GT_REASON_REQUIRE + GT_REQUIRE_MAX,
    GT_SPACE_REASONS = GT_REASON_FAILED + GT_REQUIRE_MAX
};

/* A condition on configurations: a binding stage, a require(), or an operand of && in a
 * require(). */
typedef struct gt_filter {
    uint32_t axes;                  /* bit i: the filter depends on axis i */
    int term;                       /* term of the require() or the stage's inputs; -1: none */
    int depth;                      /* last axis on which the filter depends, or -1 */
    int order;                      /* rank among the filters with equal depth */
    int require;                    /* index of the require() if `bind` is NULL */
    gt_limit (*bind)(gt_binding *); /* binding stage, or NULL for a require() */
} gt_filter;

/* A group of axes that filters connect. The space is the product of its groups. */
typedef struct gt_group {
    uint32_t axes;
    gt_diagram diagram; /* levels in the order of the axes */
    double count;       /* number of valid combinations */
    gt_certainty certainty;
    double missed[GT_SPACE_REASONS]; /* fraction of random draws that each reason excluded */
} gt_group;

/* One axis of a search, and the level of that axis in the group's diagram. */
typedef struct gt_search_level {
    const gt_group *group;
    uint32_t axis, level;
    int before;                    /* search level of the previous diagram level, or -1 */
    uint8_t order[GT_AXIS_VALUES]; /* positions of the values in random order, for random draws */
    int next;                      /* number of values tried so far */
    uint32_t child;                /* diagram node for the current value */
} gt_search_level;

/* A depth-first search for valid combinations. */
typedef struct gt_space_search {
    gt_space *space;
    gt_binding *binding; /* binding for the filters of this search */
    gt_random *random;   /* NULL: try values in their order */
    uint64_t checks;     /* number of values that may still be tried */
    gt_config found;     /* current values, only for the axes of the search */
    gt_search_level levels[GT_AXIS_MAX];
    uint32_t count, at, known, turns;
} gt_space_search;

typedef struct gt_walk {
    gt_binding binding;
    gt_space_search search; /* search over all axes in their order */
    bool started, finished;
} gt_walk;

struct gt_space {
    const gt_template *template;
    const gt_workload *workload;
    uint8_t choices[GT_AXIS_MAX][GT_AXIS_VALUES]; /* allowed values of each axis, in order */
    int counts[GT_AXIS_MAX];                      /* number of allowed values */
    int blocked[GT_AXIS_MAX][GT_AXIS_VALUES];     /* reason that always excludes a value, or 0 */
    gt_term_list terms;
    gt_filter filters[GT_FILTERS_MAX];
    int filter_count;
    uint8_t touching[GT_AXIS_MAX][GT_FILTERS_MAX]; /* filters that depend on each axis, in order */
    int touching_count[GT_AXIS_MAX];
    int excludes_all; /* reason that excludes every configuration, or 0 */
    gt_binding base;  /* binding after the filters that depend on no axis */
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
 * remaining axes; 0: satisfied. */
int gt_filter_ahead(const gt_space *space, const gt_binding *binding, const gt_filter *filter,
                    uint32_t known, uint64_t *key);
/* Applies the filters on `axis` whose axes are all in `known`. Returns the first reason, or 0. */
int gt_space_check(const gt_space *space, gt_binding *binding, uint32_t known, uint32_t axis);
bool gt_space_is_canceled(const gt_space *space);
