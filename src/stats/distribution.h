/* Normal and Student distributions. Pure functions. */
#pragma once

/* Returns log(gamma(x)). lgamma() is not used because it stores the sign in a global variable. */
double gt_log_gamma(double x);

/* Returns P(Z <= x) for the standard normal distribution. */
double gt_normal_cdf(double x);

/* Returns the x for which P(T <= x) = p, for Student's distribution with `freedom` > 0 degrees of
 * freedom (not necessarily an integer); -inf for p <= 0, +inf for p >= 1. The relative error is
 * about 1e-12. Inverts the incomplete beta function (DLMF 8.17.22, Lentz's continued fraction). */
double gt_student_quantile(double p, double freedom);
