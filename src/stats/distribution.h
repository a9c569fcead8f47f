/* Normal and Student distributions. Pure functions. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns P(Z <= x) for the standard normal distribution. */
double gt_normal_cdf(double x);

/* Returns the x for which P(T <= x) = p, for Student's distribution with `freedom` >= 1 degrees of
 * freedom. p is at least 1e-6 and at most 1 - 1e-6. The error is below 1e-8 * (1 + |x|). */
double gt_student_quantile(double p, uint32_t freedom);
