/* Normal and Student distributions. Pure. */
#ifndef GT_STATS_DISTRIBUTION_H
#define GT_STATS_DISTRIBUTION_H

/* P(Z <= x) of the standard normal. */
double gt_normal_cdf(double x);
/* Its inverse for p in (0, 1), to 1e-14 relative; -inf and +inf at 0 and 1. Acklam's rational
 * approximation (2003), refined by one step of Halley's method. */
double gt_normal_quantile(double p);

/* P(T <= x) of Student's distribution with `freedom` > 0 degrees (need not be an integer), through
 * the incomplete beta function (DLMF 8.17.22, Lentz's continued fraction). */
double gt_student_cdf(double x, double freedom);
/* Its inverse for p in (0, 1), to 1e-12 relative. */
double gt_student_quantile(double p, double freedom);

#endif
