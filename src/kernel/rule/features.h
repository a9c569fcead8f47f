/* Features and needs, which are expressions of the sizes that vary in a region: sizes, products,
 * ratios, divisibility, and numbers of blocks. Conditions of rules use features; a variant has
 * needs. */
#pragma once

#include "kernel/rule/rule.h"

enum { GT_SIZE_FEATURES_MAX = 256, GT_NEEDS_MAX = 64 };

typedef struct gt_size_feature {
    gt_expression *expression;
    bool is_condition; /* true if the values are 0 and 1 */
    uint64_t grants;   /* mask of the needs that hold if the condition is true */
    uint64_t denies;   /* mask of the needs that hold if the condition is false */
} gt_size_feature;

/* The features, simple ones first. A need is a condition on sizes that a variant requires for its
 * launch, for example that its vectors divide the rows. */
typedef struct gt_size_features {
    gt_size_feature items[GT_SIZE_FEATURES_MAX];
    uint32_t count;
    uint32_t size_count; /* number of sizes that vary; these are the first features */
    uint64_t *needs;     /* mask of the needs of each variant */
    /* The blocks per multiprocessor of each variant are a feature multiplied by a factor. Factor 0:
     * unknown, or the same at all sizes. */
    uint32_t *load_features;
    double *load_factors;
} gt_size_features;

/* Makes the features for some variants on a device. gt_size_features_free() frees *out. ENOMEM. */
gputune_status gt_size_features_make(gt_size_features *out, const gt_template *template,
                                     const gt_rule_region *region, const gt_device *device,
                                     const gt_config *variants, size_t count);
void gt_size_features_free(gt_size_features *features);
/* Evaluates all features at the size in the slots (gt_slots_fill()); NAN for features without a
 * value. */
void gt_size_features_evaluate(double *out, const gt_size_features *features, const int64_t *slots);
