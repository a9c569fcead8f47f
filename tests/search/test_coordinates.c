/* Tests coordinates, which are computed from a point before the point is tried. */
#include "search/coordinates.h"

#include "search/landscape.h"

static double flat(const gt_point *point)
{
    return 0;
}

/* Five features of a point: how many tiles with sides from axes 0 and 1 cover 64 x 64 elements; a
 * constant; a rising and a falling function of axis 2; and a function of the number of tiles. */
static void features(void *user, const gt_point *point, double out[GT_SEARCH_FEATURES])
{
    double blocks = ceil(64.0 / (point->choice[0] + 1)) * ceil(64.0 / (point->choice[1] + 1));
    const double values[] = {log2(blocks), 3, pow(point->choice[2], 3), -1.0 * point->choice[2],
                             2 * log2(blocks) + 1};
    memcpy(out, values, sizeof values);
}

static landscape make(void)
{
    return (landscape){.axes = 3, .choices = 8, .log_time = flat};
}

static uint32_t count_of(const landscape *at)
{
    gt_coordinates coordinates;
    ASSERT_OK(gt_coordinates_make(&coordinates, &at->domain));
    uint32_t count = coordinates.count;
    gt_coordinates_free(&coordinates);
    return count;
}

TEST(features_that_no_axis_shows_are_coordinates)
{
    landscape at = make();
    landscape_open(&at);
    uint32_t plain = count_of(&at);
    at.domain.features = features;
    at.domain.feature_count = 5;
    GT_SCOPED(gt_coordinates_free) gt_coordinates coordinates;
    ASSERT_OK(gt_coordinates_make(&coordinates, &at.domain));
    assert_int_equal(coordinates.count, plain + 1);
    float few[GT_COORDINATES], as_few[GT_COORDINATES], many[GT_COORDINATES];
    gt_coordinates_of(few, &coordinates, &(gt_point){{7, 3, 0}});
    gt_coordinates_of(as_few, &coordinates, &(gt_point){{3, 7, 5}});
    gt_coordinates_of(many, &coordinates, &(gt_point){{0, 0, 0}});
    assert_true(few[plain] == as_few[plain]);
    assert_true(few[plain] >= 0 && few[plain] < 0.5f && many[plain] > 0.9f && many[plain] <= 1);
}

TEST(powers_of_two_have_no_coordinate_for_their_alignment)
{
    landscape at = {.axes = 1, .choices = 4, .log_time = flat};
    landscape_open(&at);
    assert_int_equal(count_of(&at), 3);
    memcpy(at.values, (double[]){64, 128, 256, 512}, 4 * sizeof(double));
    assert_int_equal(count_of(&at), 2);
}

static void many(void *user, const gt_point *point, double out[GT_SEARCH_FEATURES])
{
    for (uint32_t i = 0; i < GT_SEARCH_FEATURES; i++) {
        gt_point salted = *point;
        salted.choice[GT_SEARCH_AXES - 1] = (uint16_t)i;
        out[i] = landscape_noise(&salted);
    }
}

TEST(there_is_an_end_to_features)
{
    landscape at = make();
    landscape_open(&at);
    uint32_t plain = count_of(&at);
    at.domain.features = many;
    at.domain.feature_count = GT_SEARCH_FEATURES;
    assert_int_equal(count_of(&at), plain + GT_FEATURES);
}

TEST(nothing_is_drawn_if_a_draw_may_take_long)
{
    landscape at = make();
    landscape_open(&at);
    uint32_t plain = count_of(&at);
    at.domain.features = features;
    at.domain.feature_count = 5;
    at.domain.size_is_exact = false;
    at.domain.draw = NULL; /* the test crashes if `draw` is called */
    assert_int_equal(count_of(&at), plain);
}

static bool fits(const gt_point *point)
{
    return (point->choice[1] + 1) * (point->choice[2] + 1) <= 16;
}

TEST(axes_that_a_constraint_connects_have_their_product_as_a_coordinate)
{
    landscape at = make();
    landscape_open(&at);
    uint32_t plain = count_of(&at);
    at.allows = fits;
    GT_SCOPED(gt_coordinates_free) gt_coordinates coordinates;
    ASSERT_OK(gt_coordinates_make(&coordinates, &at.domain));
    assert_int_equal(coordinates.count, plain + 1);
    float x[GT_COORDINATES], y[GT_COORDINATES], z[GT_COORDINATES];
    gt_coordinates_of(x, &coordinates, &(gt_point){{0, 1, 5}});
    gt_coordinates_of(y, &coordinates, &(gt_point){{0, 3, 2}});
    gt_coordinates_of(z, &coordinates, &(gt_point){{0}});
    assert_true(fabsf(x[plain] - y[plain]) < 1e-6f);
    assert_true(x[plain] > z[plain] + 0.4f && x[plain] < 1);
}
