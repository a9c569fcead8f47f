/* Features and needs are expressions of the sizes that vary in a region: sizes, products, ratios,
 * divisibility, and numbers of blocks. Features are used in the conditions of rules, and needs are
 * conditions of variants. */
#pragma once

#include "kernel/rule/rule.h"

enum { GT_SIZE_FEATURES_MAX = 256, GT_NEEDS_MAX = 64 };

typedef struct gt_size_feature {
    gt_expression *expression;
    bool is_condition; /* true if the value is always 0 or 1 */
    uint64_t grants;   /* mask of the needs that are met if the condition is true */
    uint64_t denies;   /* mask of the needs that are met if the condition is false */
} gt_size_feature;

/* All features, the simple ones first. A need is a condition on the sizes without which a variant
 * cannot be launched: for example, the row length must be a multiple of the vector width. */
typedef struct gt_size_features {
    gt_size_feature items[GT_SIZE_FEATURES_MAX];
    uint32_t count;
    uint32_t size_count; /* number of sizes that vary, which are the first features */
    uint64_t *needs;     /* mask of the needs of each variant */
    /* For each variant, the number of blocks per multiprocessor is a feature multiplied by a
     * factor. The factor is 0 if the number is unknown or the same at all sizes. */
    uint32_t *load_features;
    double *load_factors;
} gt_size_features;

/* Finds the features of some variants on a device. gt_size_features_free() frees *out. */
gputune_status gt_size_features_make(gt_size_features *out, const gt_template *template,
                                     const gt_rule_region *region, const gt_device *device,
                                     const gt_config *variants, size_t count);
void gt_size_features_free(gt_size_features *features);
/* Evaluates all features for the sizes in the slots, which gt_slots_fill() sets. A feature that
 * cannot be computed becomes NAN. */
void gt_size_features_evaluate(double *out, const gt_size_features *features, const int64_t *slots);
