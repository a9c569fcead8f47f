/* Quantiles and probabilities of the normal and Student distributions. */
#include "stats/distribution.h"

#include <float.h>
#include <math.h>

double gt_normal_cdf(double x)
{
    return 0.5 * erfc(-x / M_SQRT2);
}

static double polynomial(const double *coefficients, int count, double x)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum = sum * x + coefficients[i];
    }
    return sum;
}

static double normal_tail(double p)
{
    static const double above[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                                   -2.400758277161838e+00, -2.549732539343734e+00,
                                   4.374664141464968e+00,  2.938163982698783e+00};
    static const double below[] = {7.784695709041462e-03, 3.224671290700398e-01,
                                   2.445134137142996e+00, 3.754408661907416e+00, 1};
    double q = sqrt(-2 * log(p));
    return polynomial(above, 6, q) / polynomial(below, 5, q);
}

static double normal_centre(double p)
{
    static const double above[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                                   -2.759285104469687e+02, 1.383577518672690e+02,
                                   -3.066479806614716e+01, 2.506628277459239e+00};
    static const double below[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                                   -1.556989798598866e+02, 6.680131188771972e+01,
                                   -1.328068155288572e+01, 1};
    double q = p - 0.5;
    return q * polynomial(above, 6, q * q) / polynomial(below, 6, q * q);
}

double gt_normal_quantile(double p)
{
    const double edge = 0.02425;
    if (p <= 0 || p >= 1) {
        return p <= 0 ? -INFINITY : INFINITY;
    }
    if (p > 0.5) {
        return -gt_normal_quantile(1 - p); /* the lower tail keeps its digits */
    }
    double x = p < edge ? normal_tail(p) : normal_centre(p);
    double error = gt_normal_cdf(x) - p;
    double step = error * sqrt(2 * M_PI) * exp(x * x / 2);
    return x - step / (1 + x * step / 2);
}

/* The continued fraction of the incomplete beta function, for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
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

/* Regularised incomplete beta I_x(a, b); `rest` is 1 - x, given to keep its digits. */
static double incomplete_beta(double a, double b, double x, double rest)
{
    if (x <= 0 || rest <= 0) {
        return x <= 0 ? 0 : 1;
    }
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest));
    if (x < (a + 1) / (a + b + 2)) {
        return front * beta_fraction(a, b, x) / a;
    }
    return 1 - front * beta_fraction(b, a, rest) / b;
}

/* P(T <= x) for x <= 0. */
static double student_lower(double x, double freedom)
{
    double sum = freedom + x * x;
    return 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / sum, x * x / sum);
}

double gt_student_cdf(double x, double freedom)
{
    return x <= 0 ? student_lower(x, freedom) : 1 - student_lower(-x, freedom);
}

double gt_student_quantile(double p, double freedom)
{
    if (p <= 0 || p >= 1) {
        return p <= 0 ? -INFINITY : INFINITY;
    }
    if (p > 0.5) {
        return -gt_student_quantile(1 - p, freedom);
    }
    double low = -1, high = 0;
    while (student_lower(low, freedom) > p) {
        high = low;
        low *= 2;
    }
    for (int i = 0; i < 200 && high - low > 1e-14 * fabs(low); i++) {
        double middle = (low + high) / 2;
        if (student_lower(middle, freedom) > p) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return (low + high) / 2;
}
