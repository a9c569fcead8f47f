/* The normal and Student distributions. */
#include "stats/distribution.h"

#include <float.h>
#include <math.h>

double gt_log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

double gt_normal_cdf(double x)
{
    return 0.5 * erfc(-x / M_SQRT2);
}

/* Computes the incomplete beta function's continued fraction, for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1));
    double fraction = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        fraction *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        fraction *= c * d;
        if (fabs(c * d - 1) < DBL_EPSILON) {
            break;
        }
    }
    return fraction;
}

/* Computes the regularised incomplete beta function I_x(a, b). `rest` is 1 - x; the caller passes
 * it because the subtraction is inexact for x near 1. */
static double incomplete_beta(double a, double b, double x, double rest)
{
    if (x <= 0) {
        return 0;
    }
    double front =
        exp(gt_log_gamma(a + b) - gt_log_gamma(a) - gt_log_gamma(b) + a * log(x) + b * log(rest));
    if (x < (a + 1) / (a + b + 2)) {
        return front * beta_fraction(a, b, x) / a;
    }
    return 1 - front * beta_fraction(b, a, rest) / b;
}

/* Computes P(T <= x) for x <= 0. */
static double student_lower(double x, double freedom)
{
    double sum = freedom + x * x;
    return 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / sum, x * x / sum);
}

static double student_density(double x, double freedom)
{
    double half = freedom / 2;
    return exp(gt_log_gamma(half + 0.5) - gt_log_gamma(half) -
               (half + 0.5) * log1p(x * x / freedom)) /
           sqrt(M_PI * freedom);
}

/* Newton's method on the logarithm of the probability; bisects if a step leaves the interval. */
double gt_student_quantile(double p, double freedom)
{
    if (p <= 0 || p >= 1) {
        return p <= 0 ? -INFINITY : INFINITY;
    }
    if (p >= 0.5) {
        return p == 0.5 ? 0 : -gt_student_quantile(1 - p, freedom);
    }
    double low = -1, high = 0;
    while (student_lower(low, freedom) > p) {
        high = low;
        low *= 2;
    }
    double x = low;
    for (int i = 0; i < 200 && high - low > 1e-14 * fabs(low); i++) {
        double lower = student_lower(x, freedom);
        *(lower > p ? &high : &low) = x;
        double next = x - log(lower / p) * lower / student_density(x, freedom);
        if (fabs(next - x) <= 1e-14 * fabs(x)) {
            return next;
        }
        x = next > low && next < high ? next : (low + high) / 2;
    }
    return (low + high) / 2;
}
