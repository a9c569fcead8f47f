/* What a space consists of. For space*.c only. */
#pragma once

#include "kernel/binding.h"
#include "kernel/space_diagram.h"
#include "kernel/space_terms.h"
#include "kernel/template_parts.h"

/* Reasons: a gt_limit, a require() that does not hold, or one that cannot be computed. */
enum {
    GT_REASON_REQUIRE = GT_LIMIT_COUNT,
    GT_REASON_FAILED = GT_REASON_REQUIRE + GT_REQUIRE_MAX,
    GT_SPACE_REASONS = GT_REASON_FAILED + GT_REQUIRE_MAX
};

/* One thing that a configuration must pass: a step of binding.h, or a require() or one side of an
 * && in it. They stand in an order in which each may run once its axes have values. */
typedef struct gt_rule {
    uint32_t axes; /* bit i: it depends on axis i */
    int term;      /* what it depends on; of a require() the constraint itself; -1: nothing */
    int depth;     /* its last axis; -1: it has none */
    int order;     /* among those of one depth */
    int require;   /* index, when bind is NULL */
    gt_limit (*bind)(gt_binding *);
    /* of a step that fails outside of a range of one term and nowhere else, or NULL */
    gt_limit (*limit)(const gt_device *, int64_t);
    int limited; /* that term */
} gt_rule;

/* Axes that rules tie together, alone from all others: the space is the product of its groups. */
typedef struct gt_group {
    uint32_t axes;
    gt_diagram walked; /* in the order of the axes */
    gt_diagram better; /* in another order, where `walked` had to leave rules out; or empty */
    double count;      /* of its valid combinations */
    gt_certainty certainty;
    double missed[GT_SPACE_REASONS]; /* where its diagram leaves rules out: the share of draws from
                                        it that each reason excludes */
} gt_group;

/* What a walk in lexicographic order remembers. */
typedef struct gt_walk {
    gt_binding binding; /* of rules that diagrams leave out */
    int position[GT_AXIS_MAX];
    uint32_t node[GT_AXIS_MAX]; /* in the group's diagram, behind this axis */
    int depth;
    bool started, finished;
} gt_walk;

struct gt_space {
    const gt_template *template;
    const gt_workload *workload;
    uint8_t choices[GT_AXIS_MAX][GT_AXIS_VALUES]; /* the allowed ones, in their order */
    int counts[GT_AXIS_MAX];
    int blocked[GT_AXIS_MAX][GT_AXIS_VALUES]; /* by position in choices: the reason that excludes
                                                 it whatever the other axes, or 0 */
    gt_terms terms;
    gt_rule rules[GT_RULES_MAX];
    int rule_count;
    uint8_t touching[GT_AXIS_MAX][GT_RULES_MAX]; /* the rules that depend on an axis, in order */
    int touching_count[GT_AXIS_MAX];
    int hopeless;    /* the reason against every configuration, or 0 */
    gt_binding base; /* with the rules that depend on no axis applied */
    gt_binding probe;
    gt_group groups[GT_AXIS_MAX];
    int group_count;
    int group_of[GT_AXIS_MAX];
    int before[GT_AXIS_MAX]; /* the previous axis of the same group, or -1 */
    bool prepared;
    bool (*canceled)(void *user);
    void *user;
    gt_walk walk;
    char *reasons[GT_SPACE_REASONS];
    gt_exclusion_count listed[GT_SPACE_REASONS];
};

/* Fills choices from the template's values and the restrictions. EINVAL as gt_space_open. */
gputune_status gt_space_restrict(gt_space *space, const char *const *only, size_t only_count);
/* Fills rules, touching, base and hopeless. ENOMEM. */
gputune_status gt_space_plan(gt_space *space);
/* Fills blocked, and bounds the terms by what is left. */
void gt_space_block(gt_space *space);
/* What the engine has against one value of an axis by itself. */
gt_limit gt_space_value_limit(const gt_space *space, uint32_t axis, uint8_t choice);
/* Parts the axes into groups, without diagrams. */
void gt_space_group(gt_space *space);

/* The reason of a rule that cannot hold any more, while of its axes only those in `known` have
 * values; or 0, and in *key what is left of it: 0 when it holds whatever follows. */
int gt_rule_ahead(const gt_space *space, const gt_binding *binding, const gt_rule *rule,
                  uint32_t known, uint64_t *key);
/* The reason of a rule against what `binding` has, or 0; its axes must have values, and the rules
 * before it on the same axes must have been applied. */
int gt_rule_apply(const gt_space *space, gt_binding *binding, const gt_rule *rule);
/* The reason against giving `axis` the value that `binding` has for it, among the axes in `known`
 * (with `axis`): of rules that can be decided now and, of those in `ahead`, of rules that no values
 * of the axes that are missing can satisfy. NULL: none. */
int gt_space_check(const gt_space *space, gt_binding *binding, uint32_t known, uint32_t axis,
                   const gt_rule_set *ahead);
/* The reason against a whole configuration, or 0. Uses space->probe. */
int gt_space_reason(gt_space *space, const gt_config *config);
bool gt_space_is_canceled(const gt_space *space);

/* The diagram from which a group is drawn and counted. */
const gt_diagram *gt_group_diagram(const gt_group *group);
/* Draws a combination of the group's axes from its diagram into out, and returns what is against
 * it: a reason, or 0. Those without a reason are equally likely. The diagram must not be empty. */
int gt_group_draw(gt_space *space, const gt_group *group, gt_random *random, gt_config *out);

typedef enum gt_found { GT_FOUND, GT_FOUND_NONE, GT_FOUND_NOTHING_YET } gt_found;

/* A search's place on one level of a diagram. */
typedef struct gt_search_level {
    uint8_t order[GT_AXIS_VALUES]; /* of the values' positions */
    int next;
    uint32_t node;
} gt_search_level;

/* A search for the valid combinations in a group's diagram, which cuts off what cannot become valid
 * by the rules that the diagram leaves out. */
typedef struct gt_space_search {
    gt_space *space; /* its probe is used */
    const gt_diagram *diagram;
    gt_random *random; /* NULL: in the order of the values */
    uint32_t checks;   /* values that may still be looked at */
    double *excluded;  /* NULL, or by reason: adds what is cut off */
    gt_config found;   /* the group's axes of it */
    gt_search_level levels[GT_AXIS_MAX];
    uint32_t at, known, turns;
} gt_space_search;

void gt_space_search_begin(gt_space_search *search, gt_space *space, const gt_group *group,
                           gt_random *random, uint32_t checks);
/* The next one in `found`; NONE: there are no more; NOTHING_YET: out of checks, or canceled. */
gt_found gt_space_search_next(gt_space_search *search);

/* Replaces a group's diagrams by one that lists its valid combinations, where a search finds them
 * all and they are few: exact in the order of the axes. Else nothing changes. ENOMEM. */
gputune_status gt_group_list(gt_space *space, gt_group *group);
