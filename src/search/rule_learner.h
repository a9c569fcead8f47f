/* Learns rules from measured times: chooses a few codes that are good at many sizes, and a decision
 * tree over features of a size. The loss of a configuration at a size is its time divided by the
 * best known time at that size. Deterministic. Pure. */
#pragma once

#include "base/status.h"

enum { GT_RULE_FEATURES_MAX = 256 };

/* An expression of the sizes, which a tree compares with thresholds. */
typedef struct gt_rule_feature {
    const char *text;
    bool is_condition; /* true if the values are 0 and 1 */
    uint64_t grants;   /* bit i: need i holds if the condition is true */
    uint64_t denies;   /* bit i: need i holds if the condition is false */
} gt_rule_feature;

typedef struct gt_rule_data {
    uint32_t size_count, config_count, feature_count;
    uint32_t coordinate_count; /* number of problem sizes: the first features; 0: unknown */
    /* Times at [size * config_count + config]. INFINITY: cannot run, or wrong results. NAN: not
     * measured, which counts as slow. A size whose times are all NAN gets predicted times if there
     * are coordinates; a few thousand such sizes make better trees. */
    const double *times_ns;
    const double *values; /* values at [size * feature_count + feature]; NAN: no value */
    const gt_rule_feature *features;
    const uint32_t *codes; /* code of each configuration; equal numbers share compiled code */
    const uint64_t *needs; /* needs of each configuration; bit i: runs only if need i holds */
    uint32_t most_codes;   /* maximum number of codes, at least 1 */
    /* blocks per multiprocessor of each configuration: load_factors times the feature
     * load_features; factor 0 or NULL: unknown, or the same at all sizes */
    const uint32_t *load_features;
    const double *load_factors;
} gt_rule_data;

/* Chooses the codes with the least loss, and sets kept[i] to true for each configuration of these
 * codes. At every measured size, at least one kept configuration can run. If any
 * configuration has no needs, one of the kept configurations has none. ENOVARIANT if no
 * configuration can run at a size, or if `most_codes` codes cannot serve all sizes. */
gputune_status gt_portfolio_choose(bool *kept, const gt_rule_data *data);

/* A node of a decision tree. The next node in the array begins the branch `yes`. */
typedef struct gt_tree_node {
    uint32_t feature;
    double most;        /* largest value that takes the branch `yes` */
    uint32_t otherwise; /* index of the other branch; 0: a leaf */
    uint32_t config;    /* configuration index of a leaf */
} gt_tree_node;

typedef struct gt_rule_tree {
    gt_tree_node *nodes;
    uint32_t node_count;
    double *losses; /* cross-validated logarithmic loss at each measured size */
} gt_rule_tree;

void gt_rule_tree_free(gt_rule_tree *tree);

/* Learns a tree over the configurations that gt_portfolio_choose() keeps; fails as it does. The
 * configuration of a leaf can run at all sizes of the leaf, and the conditions above the leaf grant
 * its needs, unless no configuration qualifies. gt_rule_tree_free() frees *out. */
gputune_status gt_rule_learn(gt_rule_tree *out, const gt_rule_data *data);

/* Returns the configuration that the tree chooses at a size with these feature values. */
uint32_t gt_rule_tree_choose(const gt_rule_tree *tree, const gt_rule_data *data,
                             const double *values);
/* Sets *text to the tree as lines of a rule (kernel/rule/rule.h). `numbers` has the variant number
 * of each configuration. The caller frees *text. ENOMEM. */
gputune_status gt_rule_tree_text(char **text, const gt_rule_tree *tree, const gt_rule_data *data,
                                 const uint32_t *numbers);
