/* The normal distribution and Student's t-distribution. */
#include "stats/distribution.h"

#include <math.h>

double gt_normal_cdf(double x)
{
    return 0.5 * erfc(-x / M_SQRT2);
}

/* Computes P(T <= -x) for x >= 0, using the finite series of P(|T| <= x) (Abramowitz and Stegun,
 * 26.7.3 and 26.7.4). */
static double student_lower(double x, uint32_t freedom)
{
    const bool is_odd = freedom % 2;
    const double angle = atan(x / sqrt(freedom)), square = freedom / (freedom + x * x);
    double term = is_odd ? cos(angle) : 1, sum = freedom > 1 ? term : 0;
    for (uint32_t i = is_odd ? 3 : 2; i < freedom; i += 2) {
        term *= square * (i - 1) / i;
        sum += term;
    }
    double within = is_odd ? (angle + sin(angle) * sum) * M_2_PI : sin(angle) * sum;
    return 0.5 * (1 - within);
}

double gt_student_quantile(double p, uint32_t freedom)
{
    static const double error = 1e-8; /* small enough for a race, and large enough to be fast */
    if (p > 0.5) {
        return -gt_student_quantile(1 - p, freedom);
    }
    double low = 0, high = 1;
    while (student_lower(high, freedom) > p) {
        high *= 2;
    }
    while (high - low > error * (1 + high)) {
        double middle = (low + high) / 2;
        *(student_lower(middle, freedom) > p ? &low : &high) = middle;
    }
    return -(low + high) / 2;
}
