/* The normal distribution and Student's t-distribution. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns P(Z <= x) if Z has the standard normal distribution. */
double gt_normal_cdf(double x);

/* Returns x with P(T <= x) = p, where T has Student's distribution with `freedom` >= 1 degrees of
 * freedom. p must be from 1e-6 to 1 - 1e-6. The error is less than 1e-8 * (1 + |x|). */
double gt_student_quantile(double p, uint32_t freedom);
