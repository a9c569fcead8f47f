/* The sizes at which a rule is made: corners, and points spread over its region. */
#pragma once

#include "kernel/rule/rule.h"

#include <gputune_tools.h>

enum { GT_CORNERS_MOST = 64 };

/* Makes a region from ranges. A type without a range has its default value. EINVAL if a name is
 * unknown, a size has no range, a range is empty or begins below 1, a value that is compiled into
 * the code varies, or no size varies. */
gputune_status gt_region_make(gt_rule_region *out, const gt_template *template,
                              const gputune_range *ranges, size_t count);
/* Writes the corners of a region to `out` and returns their number. The first one has the smallest
 * sizes, the second one the largest. If more than six sizes vary, some are left out. */
uint32_t gt_region_corners(gt_problem out[GT_CORNERS_MOST], const gt_template *template,
                           const gt_rule_region *region);
/* Returns point `index` of a sequence that fills the region evenly on a logarithmic scale. The
 * largest power of two that divides a size has a fixed distribution. In a third of the points, it
 * is the same for all sizes. */
gt_problem gt_region_point(const gt_template *template, const gt_rule_region *region,
                           uint64_t index);
/* Returns how different two problems are for a kernel: the sum over all sizes of |log(a / b)|, plus
 * the same for the largest powers of two, up to 16, that divide the sizes. */
double gt_region_distance(const gt_template *template, const gt_problem *a, const gt_problem *b);
