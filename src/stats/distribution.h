/* Normal and Student distributions. Pure functions. */
#pragma once

/* The logarithm of the gamma function. lgamma() puts a sign into a variable that all threads have,
 * the application's too. */
double gt_log_gamma(double x);

/* P(Z <= x) of the standard normal. */
double gt_normal_cdf(double x);

/* The x for which P(T <= x) = p, for Student's distribution with `freedom` > 0 degrees of freedom
 * (not necessarily an integer). -inf for p <= 0, +inf for p >= 1. The relative error is 1e-12. The
 * function inverts the incomplete beta function (DLMF 8.17.22, Lentz's continued fraction). */
double gt_student_quantile(double p, double freedom);
