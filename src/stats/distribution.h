/* Normal and Student distributions. Pure. */
#pragma once

/* P(Z <= x) of the standard normal. */
double gt_normal_cdf(double x);

/* The x for which P(T <= x) is p in (0, 1), for Student's distribution with `freedom` > 0 degrees
 * (need not be an integer); -inf and +inf at 0 and 1. To 1e-12 relative, through the incomplete
 * beta function (DLMF 8.17.22, Lentz's continued fraction). */
double gt_student_quantile(double p, double freedom);
