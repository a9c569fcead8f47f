/* The parts of a space. For space*.c only. */
#pragma once

#include "kernel/binding.h"
#include "kernel/space_diagram.h"
#include "kernel/space_terms.h"
#include "kernel/template_parts.h"

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
    int term;      /* the term (space_terms.h) that it depends on; of a require(), the constraint
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

/* Fills `rules`, `touching`, `base` and `hopeless`. ENOMEM. */
gputune_status gt_space_plan(gt_space *space);
/* Fills `blocked`, and bounds the terms by the values that are left. */
void gt_space_block(gt_space *space);
/* The limit that one value of an axis breaks by itself, or GT_LIMIT_NONE. */
gt_limit gt_space_value_limit(const gt_space *space, uint32_t axis, uint8_t choice);
/* Divides the axes into groups, and builds no diagrams yet. */
void gt_space_group(gt_space *space);

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
/* The reason that excludes a whole configuration, or 0. Uses space->probe. */
int gt_space_reason(gt_space *space, const gt_config *config);
bool gt_space_is_canceled(const gt_space *space);

/* The diagram from which a group is drawn and counted. */
const gt_diagram *gt_group_diagram(const gt_group *group);
/* Draws a combination of the group's axes from its diagram into *out, and returns the reason that
 * excludes the combination, or 0. All combinations that have no reason are equally likely. The
 * diagram must not be empty. */
int gt_group_draw(gt_space *space, const gt_group *group, gt_random *random, gt_config *out);

/* If a search finds all valid combinations of a group and they are few, replaces the group's
 * diagrams by one that is exact, with its levels in the order of the axes. Else changes nothing.
 * ENOMEM. */
gputune_status gt_group_list(gt_space *space, gt_group *group);
