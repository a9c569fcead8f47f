/* Features of a size by which rules decide, and the needs of variants, as expressions of the sizes
 * that vary in a region: sizes, products, ratios, divisibility, and numbers of blocks. */
#pragma once

#include "kernel/rule/rule.h"

enum { GT_SIZE_FEATURES_MAX = 160, GT_NEEDS_MAX = 64 };

typedef struct gt_size_feature {
    gt_expression *expression;
    bool is_condition; /* true if its values are 0 and 1 */
    uint64_t grants;   /* bit i: if the condition is true, need i holds */
    uint64_t denies;   /* bit i: if it is false, need i holds */
} gt_size_feature;

/* Simple features come first. A need is a condition on sizes without which a variant cannot be
 * launched, such as rows that its vectors divide. */
typedef struct gt_size_features {
    gt_size_feature items[GT_SIZE_FEATURES_MAX];
    uint32_t count;
    uint32_t size_count; /* the first features are the sizes that vary */
    uint64_t *needs;     /* by variant; bit i: the variant needs need i */
    /* by variant: the number of blocks of its first kernel for each multiprocessor is this feature
     * times this factor; 0: the same at all sizes */
    uint32_t *load_features;
    double *load_factors;
} gt_size_features;

/* Makes the features for these variants on a device. gt_size_features_free() frees *out. ENOMEM. */
gputune_status gt_size_features_make(gt_size_features *out, const gt_template *template,
                                     const gt_rule_region *region, const gt_device *device,
                                     const gt_config *variants, size_t count);
void gt_size_features_free(gt_size_features *features);
/* Evaluates all features at the size in the slots (gt_slots_fill()). NAN: no value. */
void gt_size_features_evaluate(double *out, const gt_size_features *features, const int64_t *slots);
