/* The sizes at which a rule is made: corners, and points spread over its region. */
#pragma once

#include "kernel/rule/rule.h"

#include <gputune_tools.h>

enum { GT_CORNERS_MOST = 64 };

/* Makes a region from these ranges. Types without a range have their default. Returns EINVAL for an
 * unknown name, a size without a range, a range that is empty or begins below 1, a range of a value
 * that is compiled into the code, or if no size varies. */
gputune_status gt_region_make(gt_rule_region *out, const gt_template *template,
                              const gputune_range *ranges, size_t count);
/* Writes the corners of the region to `out` and returns how many. The first has all sizes at their
 * minimum, the second at their maximum. Omits some if more than five sizes vary. */
uint32_t gt_region_corners(gt_problem out[GT_CORNERS_MOST], const gt_template *template,
                           const gt_rule_region *region);
/* Returns point `index` of a sequence that fills the region evenly on a logarithmic scale. Fixed
 * fractions of the sizes are divisible by exactly 1, 2, 4, 8 and higher powers of two. In a third
 * of the points, all sizes share their power. */
gt_problem gt_region_point(const gt_template *template, const gt_rule_region *region,
                           uint64_t index);
/* Returns how different two problems are for a kernel: the sum, over all sizes, of the log-ratio of
 * the sizes and the log-ratio of the powers of two, up to 16, that divide them. */
double gt_region_distance(const gt_template *template, const gt_problem *a, const gt_problem *b);
