/* Rules: which configuration to use at each size of a region. The text of a rule is its only form
 * for storing, showing and exporting:
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
 * A region is a range for each run-time size, and one value for each other problem value. A
 * condition is an expression of the template language over sizes and properties of the device.
 * `use` counts variants from 0. Indentation has no meaning. */
#pragma once

#include "kernel/bind/problem.h"
#include "kernel/template/config.h"

#include "base/array.h"

/* The sizes to which a rule applies. */
typedef struct gt_rule_region {
    gt_problem least, most; /* inclusive bounds of the sizes; equal for types and constants */
} gt_rule_region;

/* The expected time at sizes that were not measured, divided by that of the best known variant. */
typedef struct gt_rule_loss {
    double mean, p90, worst; /* geometric mean, 90th percentile and maximum; 1: no loss */
    uint32_t sizes;          /* number of sizes that were measured */
} gt_rule_loss;

/* A node of the decision tree. If the condition is true, the next node in the array follows. */
typedef struct gt_rule_node {
    gt_expression *condition; /* NULL: a leaf */
    uint32_t otherwise;       /* index of the node that follows if the condition is false */
    uint32_t variant;         /* variant index of a leaf */
} gt_rule_node;

typedef struct gt_rule {
    uint32_t problem_count;
    gt_rule_region region;
    gt_rule_loss loss;
    GT_ARRAY(gt_config) variants;
    GT_ARRAY(gt_rule_node) nodes; /* the first node is the root */
} gt_rule;

/* Parses the text of a rule. gt_rule_free() frees *out. The template must outlive the
 * configurations in *out. ERECORDED, with the line, for an invalid text. */
gputune_status gt_rule_parse(gt_rule **out, const gt_template *template, const char *text);
void gt_rule_free(gt_rule *rule);

/* Returns the variant index for a problem, or -1 if the problem is outside the region. `slots` must
 * contain the same problem (gt_slots_fill()). Allocates nothing. Thread-safe. */
int gt_rule_choose(const gt_rule *rule, const gt_problem *problem, const int64_t *slots);

/* Appends the text of a region: "m=64:16384 T=half". */
void gt_rule_region_append(gt_text *out, const gt_template *template, const gt_rule_region *region);
/* Sets *out to the text of a rule. `tree` is its decision as text and ends with a newline. The
 * caller frees *out. ENOMEM. */
gputune_status gt_rule_text(char **out, const gt_template *template, const gt_rule_region *region,
                            const gt_rule_loss *loss, const gt_config *variants, size_t count,
                            const char *tree);
