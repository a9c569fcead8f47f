/* The sizes at which a rule is made: corners, and points spread over its region. */
#pragma once

#include "kernel/rule/rule.h"

#include <gputune_tools.h>

enum { GT_CORNERS_MOST = 64 };

/* Makes a region from these ranges. Types without a range have their default value. EINVAL for an
 * unknown name, a size without a range, a range that is empty or begins below 1, or a range of a
 * value that is compiled into the code. EINVAL if no size varies. */
gputune_status gt_region_make(gt_rule_region *out, const gt_template *template,
                              const gputune_range *ranges, size_t count);
/* Writes the corners of the region to `out` and returns how many. At the first corner all sizes are
 * minimal, at the second all are maximal. Omits some corners if more than five sizes vary. */
uint32_t gt_region_corners(gt_problem out[GT_CORNERS_MOST], const gt_template *template,
                           const gt_rule_region *region);
/* Returns point `index` of a sequence that fills the region evenly on a logarithmic scale. The
 * largest power of two that divides a size is 1, 2, 4, 8 or higher with fixed frequencies. In a
 * third of the points, all sizes have the same power. */
gt_problem gt_region_point(const gt_template *template, const gt_rule_region *region,
                           uint64_t index);
/* Returns how different two problems are for a kernel. This is a sum over all sizes: the log-ratio
 * of the two sizes, plus the log-ratio of the powers of two, up to 16, that divide them. */
double gt_region_distance(const gt_template *template, const gt_problem *a, const gt_problem *b);
