/* A rule chooses a configuration for each size in a region. Rules are stored, shown and exported as
 * text:
 *
 *     region m=64:16384 n=64:16384 T=half
 *     loss mean=1.021 p90=1.064 worst=1.19 sizes=212
 *     variant BM=64 BN=64
 *     variant BM=128 BN=64
 *     if m * n <= 256K
 *       use 1
 *     else
 *       use 0
 *
 * A region has a range for each run-time size and a value for each other problem value. A condition
 * is an expression as in a template, with sizes and properties of the device. `use` is followed by
 * the index of a variant, which starts at 0. Indentation does not matter. */
#pragma once

#include "kernel/bind/problem.h"
#include "kernel/template/config.h"

#include "base/array.h"

/* The sizes for which a rule was made. */
typedef struct gt_rule_region {
    gt_problem least, most; /* inclusive limits of the sizes; both are equal for a type or const */
} gt_rule_region;
static inline bool gt_region_varies(const gt_rule_region *region, uint32_t i)
{
    return region->least.values[i].number != region->most.values[i].number;
}

/* The expected time at sizes that were not measured, relative to the best known variant. */
typedef struct gt_rule_loss {
    double mean, p90, worst; /* geometric mean, 90th percentile and maximum; 1 means no loss */
    uint32_t sizes;          /* number of sizes that were measured */
} gt_rule_loss;

/* A node of the decision tree. If its condition is true, the next node in the array follows. */
typedef struct gt_rule_node {
    gt_expression *condition; /* NULL: a leaf */
    uint32_t otherwise;       /* index of the node that follows if the condition is false */
    uint32_t variant;         /* index of the variant, if the node is a leaf */
} gt_rule_node;

typedef struct gt_rule {
    uint32_t problem_count;
    gt_rule_region region;
    gt_rule_loss loss;
    GT_ARRAY(gt_config) variants;
    GT_ARRAY(gt_rule_node) nodes; /* the first node is the root */
} gt_rule;

/* Parses the text of a rule. gt_rule_free() frees *out. The template must outlive *out. ERECORDED,
 * with the number of the line, if the text is invalid. */
gputune_status gt_rule_parse(gt_rule **out, const gt_template *template, const char *text);
void gt_rule_free(gt_rule *rule);

/* Returns the index of the variant for a problem, or -1 if the problem is outside the region.
 * `slots` must be set for this problem with gt_slots_fill(). Allocates no memory. Thread-safe. */
int gt_rule_choose(const gt_rule *rule, const gt_problem *problem, const int64_t *slots);

/* Appends the text of a region: "m=64:16384 T=half". */
void gt_rule_region_append(gt_text *out, const gt_template *template, const gt_rule_region *region);
/* Sets *out to the text of a rule. `tree` is the text of the decision, and must end with a newline.
 * The caller frees *out. May return ENOMEM. */
gputune_status gt_rule_text(char **out, const gt_template *template, const gt_rule_region *region,
                            const gt_rule_loss *loss, const gt_config *variants, size_t count,
                            const char *tree);
