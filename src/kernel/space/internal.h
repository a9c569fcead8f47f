/* The parts of a space. For the files of this folder only. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/space/space.h"

#include "base/array.h"

/* ---- terms.c ---- */

/* The parts of constraints, with keys by which equal remainders are recognised. */
typedef enum gt_term_kind {
    GT_TERM_CODE,  /* an expression, or an operand in one */
    GT_TERM_SLOT,  /* the slot of an axis: known once the axis has a value */
    GT_TERM_JOIN,  /* has no value; operands: two terms that a step of binding.h depends on */
    GT_TERM_LAUNCH /* a slot that a step of binding.h sets; operand: what the step depends on */
} gt_term_kind;

typedef struct gt_term {
    gt_term_kind kind;
    const gt_expression *expression;
    int at; /* the operation in the expression's code */
    int slot;
    int operands[2]; /* indices of terms; negative: none */
    uint32_t axes;   /* bit i: the term depends on axis i */
} gt_term;

/* All terms of a space. */
typedef struct gt_term_list {
    GT_ARRAY(gt_term) items;
    int of_slot[GT_SLOT_MAX]; /* the index of its term; negative: the slot is a constant */
} gt_term_list;

/* The state of a term once the axes in `known` have the values in `slots`. */
typedef enum gt_left {
    GT_LEFT_OPEN,  /* depends on axes that have no value yet */
    GT_LEFT_VALUE, /* a value */
    GT_LEFT_FAILED /* cannot be computed, such as a division by zero */
} gt_left;

typedef struct gt_residue {
    gt_left left;
    int64_t value;
    uint64_t key; /* equal keys: the same is left, whatever the known values were */
} gt_residue;

gt_residue gt_terms_evaluate(const gt_term_list *terms, int term, const int64_t *slots,
                             uint32_t known);

/* ---- diagram.c ---- */

/* The valid combinations of some axes as a multi-valued decision diagram (Kam et al., 1998): a
 * level for each axis, a node for each different set of valid continuations. Counting and drawing
 * take one step for each level. */
enum { GT_RULES_MAX = 192 };

/* In the place of a node: no valid combination is reached from here. */
static const uint32_t GT_NODE_DEAD = UINT32_MAX;

/* A diagram without nodes has one axis, or would have needed too many nodes. */
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

/* ---- space.c and search.c ---- */

/* Reasons for an exclusion: 0, a gt_limit, or + index a require() that is 0, or has no value. */
enum {
    GT_REASON_REQUIRE = GT_LIMIT_COUNT,
    GT_REASON_FAILED = GT_REASON_REQUIRE + GT_REQUIRE_MAX,
    GT_SPACE_REASONS = GT_REASON_FAILED + GT_REQUIRE_MAX
};

/* A condition: a step, a require(), or a side of an && in one. They can run in their order. */
typedef struct gt_rule {
    uint32_t axes;                  /* bit i: it depends on axis i */
    int term;                       /* that it depends on, or a require()'s constraint; -1: none */
    int depth;                      /* the last axis that it depends on; -1: none */
    int order;                      /* its place among the rules of one depth */
    int require;                    /* the index of the require(), if `bind` is NULL */
    gt_limit (*bind)(gt_binding *); /* the step; NULL: the rule is a require() */
} gt_rule;

/* Axes that rules tie to each other. The space is the product of its groups. */
typedef struct gt_group {
    uint32_t axes;
    gt_diagram diagram; /* its levels are in the order of the axes */
    double count;       /* of the group's valid combinations */
    gt_certainty certainty;
    double missed[GT_SPACE_REASONS]; /* of a loose group: the share of draws by reason */
} gt_group;

/* Returns whether the group has no diagram: rules are applied to each combination. */
static inline bool gt_group_is_loose(const gt_group *group)
{
    return group->diagram.count > 1 && !group->diagram.children[0];
}

/* A search's place at one axis, a level of its group's diagram. */
typedef struct gt_search_level {
    const gt_group *group;
    uint32_t axis, level;
    int before; /* the place of the diagram's level before it; -1: none */
    uint8_t
        order[GT_AXIS_VALUES]; /* if random: the values' positions, in the order of the search */
    int next;                  /* how many values were tried */
    uint32_t child;            /* the diagram's node that the value leads to */
} gt_search_level;

/* A search for valid combinations in the groups' diagrams, or by their rules. */
typedef struct gt_space_search {
    gt_space *space;
    gt_binding *binding; /* for these rules */
    gt_random *random;   /* NULL: values are tried in their order */
    uint64_t checks;     /* how many more values may be tried */
    gt_config found;     /* only the axes of the search are set */
    gt_search_level levels[GT_AXIS_MAX];
    uint32_t count, at, known, turns;
} gt_space_search;

/* The state of a walk in lexicographic order (gt_space_next). */
typedef struct gt_walk {
    gt_binding binding;
    gt_space_search search; /* through all axes, in their order */
    bool started, finished;
} gt_walk;

struct gt_space {
    const gt_template *template;
    const gt_workload *workload;
    uint8_t choices[GT_AXIS_MAX][GT_AXIS_VALUES]; /* the allowed values, in their order */
    int counts[GT_AXIS_MAX];                      /* how many values are allowed */
    int blocked[GT_AXIS_MAX]
               [GT_AXIS_VALUES]; /* by position: the reason that excludes the value alone, or 0 */
    gt_term_list terms;
    gt_rule rules[GT_RULES_MAX];
    int rule_count;
    uint8_t touching[GT_AXIS_MAX][GT_RULES_MAX]; /* by axis: the rules that use it, in order */
    int touching_count[GT_AXIS_MAX];
    int hopeless;    /* a reason that excludes every configuration, or 0 */
    gt_binding base; /* the binding after the rules that depend on no axis */
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

/* Judges a rule by the axes in `known`. Returns a reason if no other values can meet it; else *key
 * identifies the rest of it: equal keys mean equal rests, and 0 that it holds. */
int gt_rule_ahead(const gt_space *space, const gt_binding *binding, const gt_rule *rule,
                  uint32_t known, uint64_t *key);
/* Applies a rule after the earlier ones on its axes, and returns the reason against it, or 0. */
int gt_rule_apply(const gt_space *space, gt_binding *binding, const gt_rule *rule);
/* Returns the reason of a rule on `axis` that the axes in `known` decide against, or 0. */
int gt_space_check(const gt_space *space, gt_binding *binding, uint32_t known, uint32_t axis);
bool gt_space_is_canceled(const gt_space *space);
