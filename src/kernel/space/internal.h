/* Data structures of a space, for the files of this folder. space.c explains them. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/space/space.h"

#include "base/array.h"

/* ---- terms.c ---- */

/* The kinds of terms. A term is a part of a constraint or of a step, which can be evaluated when
 * its axes have values. */
typedef enum gt_term_kind {
    GT_TERM_CODE,  /* an expression or a part of an expression */
    GT_TERM_SLOT,  /* a slot of an axis, which is known if the axis has a value */
    GT_TERM_JOIN,  /* a pair of operands, which has no value itself */
    GT_TERM_LAUNCH /* a slot that a step sets; the operand is what the step depends on */
} gt_term_kind;

typedef struct gt_term {
    gt_term_kind kind;
    const gt_expression *expression;
    int at; /* index of an operation in the expression's code */
    int slot;
    int operands[2]; /* indices of terms; negative: none */
    uint32_t axes;   /* bit i: the term depends on axis i */
} gt_term;

/* The terms of the constraints and steps of a space. */
typedef struct gt_term_list {
    GT_ARRAY(gt_term) items;
    int of_slot[GT_SLOT_MAX]; /* by slot: index of its term; negative: the slot is constant */
} gt_term_list;

/* The state of a term when only some axes have values. */
typedef enum gt_left {
    GT_LEFT_OPEN,  /* it depends on axes that have no value yet */
    GT_LEFT_VALUE, /* it has a value */
    GT_LEFT_FAILED /* it cannot be computed, for example because of a division by zero */
} gt_left;

typedef struct gt_residue {
    gt_left left;
    int64_t value;
    /* residues with equal keys have equal values, whatever the values of the other axes are */
    uint64_t key;
} gt_residue;

gt_residue gt_terms_evaluate(const gt_term_list *terms, int term, const int64_t *slots,
                             uint32_t known);

/* ---- diagram.c ---- */

/* A multi-valued decision diagram (Kam et al., 1998) of the valid combinations of some axes. It has
 * one level for each axis. On each level it has one node for each different set of valid
 * continuations. Counting and drawing take one step per level. */
enum { GT_FILTERS_MAX = 192 };

/* Replaces the child of a value that has no valid continuations. */
static const uint32_t GT_NODE_DEAD = UINT32_MAX;

/* A diagram. It has no nodes if it has only one axis, or if it would need too many nodes. */
typedef struct gt_diagram {
    uint32_t axes[GT_AXIS_MAX]; /* the axis of each level */
    uint32_t count;
    uint32_t *children[GT_AXIS_MAX];  /* by level; index: node * values + position of the value */
    double *endings[GT_AXIS_MAX + 1]; /* by level and node: number of valid continuations */
    uint32_t width[GT_AXIS_MAX + 1];  /* by level: number of nodes */
    double *excluded;                 /* by reason: number of combinations that it excludes */
} gt_diagram;

/* Builds a diagram from the filters that depend only on these axes. Uses at most a few MB and 100
 * ms; if these are not enough, or after a failure, the diagram has no nodes. ENOMEM, ECANCELED. */
gputune_status gt_diagram_build(gt_diagram *out, const gt_space *space, const uint32_t *axes,
                                uint32_t count);
/* Frees the nodes, but keeps the axes. */
void gt_diagram_clear(gt_diagram *diagram);
/* Returns the node of the next level to which the value at `position` leads. */
uint32_t gt_diagram_child(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node, int position);
/* Returns the number of valid continuations from a node. */
double gt_diagram_endings(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node);
/* Returns how many combinations of the first `levels` axes have a valid continuation, or -1 if out
 * of memory. */
double gt_diagram_beginnings(const gt_diagram *diagram, const gt_space *space, uint32_t levels);

/* Reasons for an exclusion: 0 (none), a gt_limit, GT_REASON_REQUIRE plus the index of a require()
 * that is false, or GT_REASON_FAILED plus the index of a require() that cannot be evaluated. */
enum {
    GT_REASON_REQUIRE = GT_LIMIT_COUNT,
    GT_REASON_FAILED = GT_REASON_REQUIRE + GT_REQUIRE_MAX,
    GT_SPACE_REASONS = GT_REASON_FAILED + GT_REQUIRE_MAX
};

/* A condition on a configuration: a step of the binding, a require(), or an operand of its &&. */
typedef struct gt_filter {
    uint32_t axes; /* bit i: the filter depends on axis i */
    /* the expression of the require(), or the term on which the step depends, or -1 for none */
    int term;
    int depth;                      /* the last axis on which it depends, or -1 for none */
    int order;                      /* position among the filters with the same depth */
    int require;                    /* if `bind` is NULL: index of the require() */
    gt_limit (*bind)(gt_binding *); /* the step; NULL: it is a require() */
} gt_filter;

/* A group of axes that filters connect. The space is the product of its groups. */
typedef struct gt_group {
    uint32_t axes;
    gt_diagram diagram; /* its levels are in the order of the axes */
    double count;       /* number of valid combinations */
    gt_certainty certainty;
    double missed[GT_SPACE_REASONS]; /* by reason: fraction of random draws that it excluded */
} gt_group;

/* A level of a search: one axis, and its level in the group's diagram. */
typedef struct gt_search_level {
    const gt_group *group;
    uint32_t axis, level;
    /* the search level for the diagram's previous level, or -1 for none */
    int before;
    uint8_t order[GT_AXIS_VALUES]; /* for random draws: positions of the values, in the order in
                                      which they are tried */
    int next;                      /* number of values that were tried */
    uint32_t child;                /* the node to which the current value leads */
} gt_search_level;

/* A depth-first search for valid combinations. */
typedef struct gt_space_search {
    gt_space *space;
    gt_binding *binding; /* a binding for the filters of this search */
    gt_random *random;   /* NULL: values are tried in their order */
    uint64_t checks;     /* number of values that may still be tried */
    gt_config found;     /* has values only for the axes of the search */
    gt_search_level levels[GT_AXIS_MAX];
    uint32_t count, at, known, turns;
} gt_space_search;

/* The iteration of gt_space_next(). */
typedef struct gt_walk {
    gt_binding binding;
    gt_space_search search; /* over all axes in their order */
    bool started, finished;
} gt_walk;

struct gt_space {
    const gt_template *template;
    const gt_workload *workload;
    uint8_t choices[GT_AXIS_MAX][GT_AXIS_VALUES]; /* allowed values of each axis, in order */
    int counts[GT_AXIS_MAX];                      /* number of allowed values */
    /* by position: the reason that excludes the value in all combinations, or 0 */
    int blocked[GT_AXIS_MAX][GT_AXIS_VALUES];
    gt_term_list terms;
    gt_filter filters[GT_FILTERS_MAX];
    int filter_count;
    uint8_t touching[GT_AXIS_MAX]
                    [GT_FILTERS_MAX]; /* by axis: the filters that depend on it, in order */
    int touching_count[GT_AXIS_MAX];
    int excludes_all; /* the reason that excludes every configuration, or 0 */
    gt_binding base;  /* state after the filters that depend on no axis */
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

/* Judges a filter when only the axes in `known` have values. Returns a reason if the filter cannot
 * be satisfied. Otherwise sets *key to what is left of the filter: filters with equal keys accept
 * the same values. A key of 0 means that the filter is satisfied. */
int gt_filter_ahead(const gt_space *space, const gt_binding *binding, const gt_filter *filter,
                    uint32_t known, uint64_t *key);
/* Applies the filters on `axis` whose axes are all in `known`. Returns the first reason, or 0. */
int gt_space_check(const gt_space *space, gt_binding *binding, uint32_t known, uint32_t axis);
bool gt_space_is_canceled(const gt_space *space);
