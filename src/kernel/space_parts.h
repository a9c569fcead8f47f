/* The parts of a space. For space*.c only. */
#pragma once

#include "kernel/binding.h"
#include "kernel/interval.h"
#include "kernel/template_parts.h"

#include "base/array.h"

/* ---- space_terms.c ---- */

/* What constraints depend on. While some axes of a constraint have no value yet, the rest of it can
 * be bounded, by running its code over intervals, and can be recognised when the same rest comes up
 * again. */
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
    int operands[2];   /* indices of terms; negative: none */
    uint32_t axes;     /* bit i: the term depends on axis i */
    gt_interval range; /* of a slot: all values that its axis may have */
} gt_term;

/* All terms of a space. */
typedef struct gt_terms {
    GT_ARRAY(gt_term) items;
    int of_slot[GT_SLOT_MAX]; /* the index of its term; negative: the slot is a constant */
} gt_terms;

/* What is left of a term once the axes in `known` have the values in `slots`. */
typedef struct gt_residue {
    gt_interval range;
    uint64_t key; /* equal keys: the same is left, whatever the known values were */
} gt_residue;

gt_residue gt_terms_evaluate(const gt_terms *terms, int term, const int64_t *slots, uint32_t known);

/* ---- space_diagram.c ---- */

/* The valid combinations of some axes as a multi-valued decision diagram (Kam, Villa, Brayton and
 * Sangiovanni-Vincentelli, "Multi-valued decision diagrams: theory and applications", 1998): one
 * level for each axis, one node for each different set of valid continuations, however many
 * combinations lead to it. Counting and drawing take one step for each level. */
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

/* ---- spaces ---- */

/* Reasons for which a configuration is excluded. A reason is a gt_limit, or GT_REASON_REQUIRE + the
 * index of a require() that does not hold, or GT_REASON_FAILED + the index of a require() that
 * cannot be computed. 0 is no reason. */
enum {
    GT_REASON_REQUIRE = GT_LIMIT_COUNT,
    GT_REASON_FAILED = GT_REASON_REQUIRE + GT_REQUIRE_MAX,
    GT_SPACE_REASONS = GT_REASON_FAILED + GT_REQUIRE_MAX
};

/* One condition that a configuration must meet: a step of binding.h, a require(), or one side of an
 * && in a require(). The order of a space's rules is one in which each can run once its axes have
 * values. */
typedef struct gt_rule {
    uint32_t axes; /* bit i: it depends on axis i */
    int term;      /* the term (gt_terms) that it depends on; of a require(), the constraint
                      itself; -1: it depends on nothing */
    int depth;     /* the last axis that it depends on; -1: none */
    int order;     /* its place among the rules of one depth */
    int require;   /* the index of the require(), if `bind` is NULL */
    gt_limit (*bind)(gt_binding *); /* the step; NULL: the rule is a require() */
    /* For a step that fails exactly if one term is outside of a range: the limit at a value of this
     * term. NULL: the step is no such step. */
    gt_limit (*limit)(const gt_device *, int64_t);
    int limited; /* the term that `limit` judges */
} gt_rule;

/* A set of axes that rules tie to each other but to no other axis. The space is the product of its
 * groups. */
typedef struct gt_group {
    uint32_t axes;
    gt_diagram walked; /* with the levels in the order of the axes */
    gt_diagram better; /* with another order, if `walked` had to leave rules out; or empty */
    double count;      /* of the group's valid combinations */
    gt_certainty certainty;
    double missed[GT_SPACE_REASONS]; /* if the diagram leaves rules out: the share of draws from the
                                        diagram that each reason excludes */
} gt_group;

/* A search's place at one axis, a level of a diagram. */
typedef struct gt_search_level {
    const gt_diagram *diagram;
    uint32_t axis, level;
    int before; /* the place of the diagram's level before it; -1: none */
    uint8_t
        order[GT_AXIS_VALUES]; /* if random: the values' positions, in the order of the search */
    int next;                  /* how many values were tried */
    uint32_t child;            /* the diagram's node that the value leads to */
} gt_search_level;

/* A search for the valid combinations of some axes in the diagrams of their groups. It cuts off
 * branches that the rules which a diagram leaves out exclude. */
typedef struct gt_space_search {
    gt_space *space;
    gt_binding *binding; /* for these rules */
    gt_random *random;   /* NULL: values are tried in their order */
    uint64_t checks;     /* how many more values may be tried */
    double *excluded;    /* by reason: the search adds the combinations that it cuts off; or NULL */
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
    int blocked[GT_AXIS_MAX][GT_AXIS_VALUES]; /* by position in choices: the reason that excludes
                                    the value whatever the other axes' values are, or 0 */
    gt_terms terms;
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

/* Judges a rule while only the axes in `known` have values. Returns a reason if no values of the
 * other axes can meet the rule; else 0, and *key identifies what is left of the rule: equal keys
 * mean equal remainders, and 0 means that the rule holds whatever follows. */
int gt_rule_ahead(const gt_space *space, const gt_binding *binding, const gt_rule *rule,
                  uint32_t known, uint64_t *key);
/* Applies a rule to the values in `binding`; returns the reason if the rule is not met, else 0. The
 * rule's axes must have values, and the earlier rules on these axes must have been applied. */
int gt_rule_apply(const gt_space *space, gt_binding *binding, const gt_rule *rule);
/* Judges the value that `binding` has for `axis`, while only the axes in `known`, which include
 * `axis`, have values. Returns the reason of a rule that can be decided now and is not met, or of a
 * rule in `ahead` (NULL: of none) that no values of the missing axes can meet; else 0. */
int gt_space_check(const gt_space *space, gt_binding *binding, uint32_t known, uint32_t axis,
                   const gt_rule_set *ahead);
bool gt_space_is_canceled(const gt_space *space);
