/* Tests the predictions of the Gaussian process of the model. */
#include "search/gaussian.h"

#include "search/landscape.h"

static double slope(const gt_point *point)
{
    return 0.5 * point->choice[2];
}

static gt_gaussian make(const landscape *at, const gt_coordinates *coordinates, int rows)
{
    gt_gaussian gaussian;
    gt_random random = {5};
    ASSERT_OK(gt_gaussian_open(&gaussian, coordinates));
    for (int i = 0; i < rows; i++) {
        gt_point point;
        float z[GT_COORDINATES];
        landscape_draw((void *)at, &random, &point);
        gt_coordinates_of(z, coordinates, &point);
        uint32_t row = gt_gaussian_add(&gaussian, z);
        gaussian.target[GT_TARGET_TIME].y[row] = at->log_time(&point) - 1;
    }
    gt_gaussian_update(&gaussian);
    return gaussian;
}

static double expect(const gt_gaussian *gaussian, const gt_coordinates *coordinates,
                     const gt_point *point, double *deviation)
{
    static gt_prospect prospect;
    prospect.rows = 0;
    gt_coordinates_of(prospect.z, coordinates, point);
    gt_gaussian_look(gaussian, &prospect);
    *deviation = gt_gaussian_deviation(gaussian, &prospect, GT_TARGET_TIME);
    return gt_gaussian_expect(gaussian, &prospect, GT_TARGET_TIME);
}

TEST(learning_finds_what_matters)
{
    landscape at = {.axes = 6, .choices = 5, .log_time = slope};
    GT_SCOPED(gt_coordinates_free) gt_coordinates coordinates;
    double before = 0, after = 0, deviation;
    landscape_open(&at);
    ASSERT_OK(gt_coordinates_make(&coordinates, &at.domain));
    GT_SCOPED(gt_gaussian_close) gt_gaussian gaussian = make(&at, &coordinates, 40);
    gt_random random = {6};
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 50; i++) {
            gt_point point;
            landscape_draw(&at, &random, &point);
            double error = expect(&gaussian, &coordinates, &point, &deviation) - slope(&point) + 1;
            *(pass ? &after : &before) += error * error / 50;
        }
        gt_gaussian_learn(&gaussian, 20);
    }
    assert_true(after < before / 4);
    assert_true(sqrt(after) < 0.05);
}

TEST(known_points_are_sure_and_far_ones_are_not)
{
    landscape at = {.axes = 3, .choices = 9, .log_time = slope};
    GT_SCOPED(gt_coordinates_free) gt_coordinates coordinates;
    landscape_open(&at);
    ASSERT_OK(gt_coordinates_make(&coordinates, &at.domain));
    GT_SCOPED(gt_gaussian_close) gt_gaussian gaussian;
    ASSERT_OK(gt_gaussian_open(&gaussian, &coordinates));
    gt_point near = {{0, 0, 0}}, far = {{8, 8, 8}};
    float z[GT_COORDINATES];
    gt_coordinates_of(z, &coordinates, &near);
    gaussian.target[GT_TARGET_TIME].y[gt_gaussian_add(&gaussian, z)] = -1;
    gt_gaussian_update(&gaussian);
    double sure, unsure;
    assert_true(fabs(expect(&gaussian, &coordinates, &near, &sure) + 1) < 0.02);
    expect(&gaussian, &coordinates, &far, &unsure);
    assert_true(sure < unsure / 3);
}

/* Two axes interact. Neither of the two shows this by itself. */
static double by_pairs(const gt_point *point)
{
    static const double together[] = {0, 1, 0.4};
    double sum = 0;
    for (uint32_t i = 0; i < 6; i += 2) {
        sum += together[(point->choice[i] + point->choice[i + 1]) % 3];
    }
    return sum;
}

TEST(pairs_of_axes_are_learnt)
{
    landscape at = {.axes = 6, .choices = 3, .log_time = by_pairs};
    GT_SCOPED(gt_coordinates_free) gt_coordinates coordinates;
    gt_random random = {7};
    double squares = 0, deviation;
    landscape_open(&at);
    ASSERT_OK(gt_coordinates_make(&coordinates, &at.domain));
    GT_SCOPED(gt_gaussian_close) gt_gaussian gaussian = make(&at, &coordinates, 200);
    gt_gaussian_learn(&gaussian, 40);
    for (int i = 0; i < 100; i++) {
        gt_point point;
        landscape_draw(&at, &random, &point);
        double error = expect(&gaussian, &coordinates, &point, &deviation) - by_pairs(&point) + 1;
        squares += error * error / 100;
    }
    assert_true(sqrt(squares) < 0.1); /* the standard deviation of the function itself is 0.7 */
}

/* A pending point reduces the uncertainty around it, but does not change predictions. */
TEST(pending_row_lowers_the_deviation_only)
{
    landscape at = {.axes = 6, .choices = 5, .log_time = slope};
    GT_SCOPED(gt_coordinates_free) gt_coordinates coordinates;
    landscape_open(&at);
    ASSERT_OK(gt_coordinates_make(&coordinates, &at.domain));
    GT_SCOPED(gt_gaussian_close) gt_gaussian gaussian = make(&at, &coordinates, 20);
    gt_point point = {{4, 0, 4, 0, 4, 0}};
    float z[GT_COORDINATES];
    double before, after;
    double first = expect(&gaussian, &coordinates, &point, &before);
    gt_coordinates_of(z, &coordinates, &point);
    gt_gaussian_add(&gaussian, z);
    gt_gaussian_update(&gaussian);
    double second = expect(&gaussian, &coordinates, &point, &after);
    assert_true(fabs(first - second) < 1e-9);
    assert_true(after < before / 2);
}
