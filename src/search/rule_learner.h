/* Learns rules from measured times: chooses a few codes that are good at many sizes, and a decision
 * tree that selects a configuration by features of the size. The loss of a configuration at a size
 * is its time divided by the best known time at this size. Deterministic. */
#pragma once

#include "base/status.h"

/* An expression of the sizes that a tree compares with a threshold. The result may meet needs:
 * conditions on the sizes without which a configuration cannot be launched. */
typedef struct gt_rule_feature {
    const char *text;
    bool is_condition; /* true if the values are only 0 and 1 */
    uint64_t grants;   /* bit set of the needs that are met when the condition is true */
    uint64_t denies;   /* bit set of the needs that are met when the condition is false */
} gt_rule_feature;

typedef struct gt_rule_data {
    uint32_t size_count, config_count, feature_count;
    uint32_t coordinate_count; /* number of problem sizes; they are the first features */
    /* Times at [size * config_count + config]. INFINITY: cannot run, or wrong results. NAN: not
     * measured, and probably slow. If all times of a size are NAN, they are predicted; adding a few
     * thousand such sizes improves the trees. */
    const double *times_ns;
    const double *values; /* values at [size * feature_count + feature]; NAN: no value */
    const gt_rule_feature *features;
    const uint32_t *codes; /* code of each configuration; equal numbers share compiled code */
    const uint64_t *needs; /* bit set of the needs of each configuration */
    uint32_t most_codes;   /* maximum number of codes, at least 1 */
    /* The number of blocks per multiprocessor of configuration i is load_factors[i] times the value
     * of feature load_features[i]. A factor of 0, or NULL for all: the number is unknown or the
     * same at all sizes. */
    const uint32_t *load_features;
    const double *load_factors;
} gt_rule_data;

/* Chooses codes with a small total loss: adds the best code until there are enough, and then
 * replaces single codes as long as the loss falls. Sets kept[i] to true if configuration i belongs
 * to one of the chosen codes. At each measured size, at least one of the kept configurations can
 * run. If there are configurations without needs, one of them is kept. Returns ENOVARIANT if there
 * is a size at which no configuration can run, or if `most_codes` codes are not enough for all
 * sizes. */
gputune_status gt_portfolio_choose(bool *kept, const gt_rule_data *data);

/* A node of a decision tree. Its first branch, `yes`, begins at the next node in the array. */
typedef struct gt_tree_node {
    uint32_t feature;
    double most;        /* largest value for which the branch `yes` is taken */
    uint32_t otherwise; /* index of the second branch; 0 if this is a leaf */
    uint32_t config;    /* index of the configuration if this is a leaf */
} gt_tree_node;

typedef struct gt_rule_tree {
    gt_tree_node *nodes;
    uint32_t node_count;
    double *losses; /* cross-validated logarithmic loss at each measured size */
} gt_rule_tree;

void gt_rule_tree_free(gt_rule_tree *tree);

/* Learns a tree of the configurations that gt_portfolio_choose() keeps, and returns errors of that
 * function. The configuration of a leaf can run at all sizes of the leaf, and the conditions above
 * the leaf meet its needs. If there is no such configuration, the leaf has the configuration with
 * the least cost. gt_rule_tree_free() frees *out. */
gputune_status gt_rule_learn(gt_rule_tree *out, const gt_rule_data *data);

/* Writes the tree as the lines of a rule (see kernel/rule/rule.h). `numbers` are the variant
 * numbers of the configurations. The caller frees *text. Fails only with ENOMEM. */
gputune_status gt_rule_tree_text(char **text, const gt_rule_tree *tree, const gt_rule_data *data,
                                 const uint32_t *numbers);
