/* Tests statistics against reference values computed with SciPy 1.17. */
#include "base/random.h"
#include "stats/correlation.h"
#include "stats/distribution.h"
#include "stats/paired.h"
#include "stats/summary.h"
#include "support/random_normal.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void near(double value, double expected, double relative)
{
    if (fabs(value - expected) > relative * fmax(fabs(expected), 1e-12)) {
        fail_msg("%.17g, expected %.17g", value, expected);
    }
}

TEST(normal_distribution)
{
    static const double cdf[][2] = {{-6, 9.865876450376946e-10},
                                    {-1, 0.15865525393145707},
                                    {0.5, 0.6914624612740131},
                                    {2, 0.9772498680518208}};
    for (size_t i = 0; i < COUNT(cdf); i++) {
        near(gt_normal_cdf(cdf[i][0]), cdf[i][1], 1e-12);
    }
}

TEST(student_distribution)
{
    static const double quantiles[][3] = {
        {0.975, 1, 12.706204736174694},  {0.975, 2, 4.302652729749462},
        {0.95, 4, 2.1318467863266495},   {0.975, 5, 2.570581835636314},
        {0.995, 10, 3.16927267261695},   {0.999, 30, 3.3851848668293045},
        {0.025, 7, -2.3646242515927844}, {0.9999, 1000, 3.7328516045753966},
    };
    for (size_t i = 0; i < COUNT(quantiles); i++) {
        near(gt_student_quantile(quantiles[i][0], (uint32_t)quantiles[i][1]), quantiles[i][2],
             1e-7);
    }
    assert_true(fabs(gt_student_quantile(0.5, 3)) < 1e-7);
    near(gt_student_quantile(1e-6, 1), -318309.8861827429, 1e-7);
}

/* lgamma() of libm sets the global `signgam`, which the library must not change for its caller. */
TEST(signgam_is_not_changed)
{
    signgam = -1;
    assert_int_equal(gt_median_rank(20), 6);
    assert_int_equal(signgam, -1);
}

TEST(summary_without_samples)
{
    static const double constant[] = {4, 4, 4}, rising[] = {1, 2, 3};
    gt_summary s = {.count = 7};
    double rho = 7;
    ASSERT_OK(gt_summarise(&s, NULL, 0));
    assert_int_equal(s.count, 0);
    assert_true(gt_median_sorted(NULL, 0) == 0 && gt_trimmed_mean(NULL, 0, 0.1) == 0);
    gt_sort_ranked(NULL, 0);
    ASSERT_OK(gt_spearman(&rho, rising, rising, 1));
    assert_true(rho == 0);
    ASSERT_OK(gt_spearman(&rho, constant, rising, 3));
    assert_true(rho == 0);
    ASSERT_OK(gt_spearman(&rho, rising, constant, 3));
    assert_true(rho == 0);
}

/* The spread of a single difference is unknown. */
TEST(interval_of_one_pair)
{
    static const double difference[] = {0.5};
    const gt_paired paired = gt_paired_sorted(difference, 1);
    assert_true(gt_paired_variance(&paired) == 0);
    assert_true(gt_paired_bound(&paired, -1, 0.05) == -INFINITY);
    assert_true(gt_paired_bound(&paired, 1, 0.05) == INFINITY);
}

TEST(summary)
{
    static const double values[] = {11.2, 10.1, 10.4, 12.9, 10.0, 10.2, 15.5, 10.3, 10.8, 10.6};
    gt_summary s;
    ASSERT_OK(gt_summarise(&s, values, COUNT(values)));
    assert_int_equal(s.count, 10);
    near(s.mean, 11.2, 1e-14);
    near(s.median, 10.5, 1e-14);
    near(s.stddev, 1.7320508075688774, 1e-13);
    near(s.min, 10.0, 0);
    near(s.low, 10.1, 0); /* the interval is from the 2nd to the 9th of the 10 values */
    near(s.high, 12.9, 0);
    ASSERT_OK(gt_summarise(&s, values, 3));
    near(s.low, 10.1, 0); /* too few values for 95%, so the interval is the whole range */
    near(s.high, 11.2, 0);
    ASSERT_OK(gt_summarise(&s, values, 1));
    near(s.stddev, 0, 0);
    near(s.low, 11.2, 0);
}

TEST(ranks_of_the_median_interval)
{
    static const size_t expected[][2] = {{1, 0},  {5, 0},   {6, 1},    {8, 1},
                                         {9, 2},  {12, 3},  {17, 5},   {20, 6},
                                         {25, 8}, {50, 18}, {100, 40}, {1000, 469}};
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(gt_median_rank(expected[i][0]), expected[i][1]);
    }
}

TEST(median_interval_covers)
{
    enum { RUNS = 4000, SAMPLES = 15 };
    gt_random random = {7};
    int covered = 0;
    for (int run = 0; run < RUNS; run++) {
        double values[SAMPLES];
        gt_summary s;
        for (int i = 0; i < SAMPLES; i++) {
            values[i] = exp(random_normal(&random)); /* a skewed distribution with median 1 */
        }
        ASSERT_OK(gt_summarise(&s, values, SAMPLES));
        covered += s.low <= 1 && 1 <= s.high;
    }
    assert_true(covered > 0.945 * RUNS && covered < 0.985 * RUNS);
}

TEST(trimmed_mean)
{
    double values[] = {11.2, 10.1, 10.4, 12.9, 10.0, 10.2, 15.5, 10.3, 10.8, 10.6};
    gt_sort(values, COUNT(values));
    near(gt_trimmed_mean(values, COUNT(values), 0.2), 10.583333333333334, 1e-14);
    near(gt_trimmed_mean(values, COUNT(values), 0.1), 10.8125, 1e-14);
    near(gt_trimmed_mean(values, COUNT(values), 0), 11.2, 1e-14);
}

TEST(paired_interval)
{
    static const double trimmed[] = {-0.004, 0.002, 0.009, 0.011, 0.013,
                                     0.015,  0.016, 0.018, 0.021, 0.250};
    static const double few[] = {0.01, 0.02, 0.03, 0.05};
    gt_paired p = gt_paired_sorted(trimmed, COUNT(trimmed));
    near(p.mean, 0.013666666666666667, 1e-12);
    near(p.error, 0.0021322914122292634, 1e-12);
    near(p.freedom, 5, 0);
    near(gt_paired_bound(&p, -1, 0.025), 0.008185437094106816, 1e-7);
    near(gt_paired_bound(&p, 1, 0.025), 0.019147896239226518, 1e-7);
    p = gt_paired_sorted(few, COUNT(few));
    near(p.mean, 0.0275, 1e-12);
    near(p.error, 0.008539125638299666, 1e-12);
    near(gt_paired_bound(&p, -1, 0.025), 0.0003246911620398453, 1e-6);
    near(gt_paired_bound(&p, 1, 0.025), 0.05467530883796015, 1e-7);
}

/* With weight 0, the prior changes nothing. With a large weight, the error is the error of the
 * prior. */
TEST(moderated_error)
{
    static const double values[] = {0.01, 0.02, 0.03, 0.05};
    gt_paired own = gt_paired_sorted(values, COUNT(values)), p = own;
    near(gt_paired_variance(&own), 0.0002916666666666667, 1e-12);
    gt_paired_moderate(&p, 1, 0);
    near(p.error, own.error, 1e-15);
    gt_paired_moderate(&p, 0.04, 1000000000);
    near(p.error, 0.1, 1e-6);
    p = own;
    gt_paired_moderate(&p, 2 * gt_paired_variance(&own), 3);
    near(p.error * p.error, 1.5 * own.error * own.error, 1e-12);
    near(p.freedom, 6, 0);
}

TEST(rank_correlation)
{
    static const double a[] = {1, 2, 3, 4, 5, 6, 7}, b[] = {2, 1, 4, 3, 7, 5, 6};
    static const double c[] = {1, 2, 2, 3, 5, 5, 5}, d[] = {10, 8, 8, 1, 0, 3, 3};
    static const double flat[] = {1, 1, 1, 1, 1, 1, 1};
    double rho;
    ASSERT_OK(gt_spearman(&rho, a, b, 7));
    near(rho, 0.8214285714285715, 1e-12);
    ASSERT_OK(gt_spearman(&rho, c, d, 7));
    near(rho, -0.8193821290142088, 1e-12);
    ASSERT_OK(gt_spearman(&rho, a, flat, 7));
    near(rho, 0, 1);
}
