/* The parts of a space. For the files of this folder only. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/space/diagram.h"
#include "kernel/space/terms.h"

/* Reasons for which a configuration is excluded: a gt_limit, or + index, a require() that does not
 * hold, or that cannot be computed. 0: none. */
enum {
    GT_REASON_REQUIRE = GT_LIMIT_COUNT,
    GT_REASON_FAILED = GT_REASON_REQUIRE + GT_REQUIRE_MAX,
    GT_SPACE_REASONS = GT_REASON_FAILED + GT_REQUIRE_MAX
};

/* One condition: a step of binding.h, a require(), or one side of an && in one. Their order is one
 * in which each can run once its axes have values. */
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
    int blocked[GT_AXIS_MAX][GT_AXIS_VALUES]; /* by position in choices: the reason that excludes
                                    the value whatever the other axes' values are, or 0 */
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
/* Applies a rule, whose axes must have values, and returns the reason if it is not met, else 0. The
 * earlier rules on these axes must have been applied. */
int gt_rule_apply(const gt_space *space, gt_binding *binding, const gt_rule *rule);
/* Returns the reason of a rule on `axis` that is decided by the axes in `known`, and not met; or
 * 0. */
int gt_space_check(const gt_space *space, gt_binding *binding, uint32_t known, uint32_t axis);
bool gt_space_is_canceled(const gt_space *space);
