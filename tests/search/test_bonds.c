/* Tests axes that constraints connect, and products of these axes as coordinates. */
#include "search/bonds.h"

#include "search/coordinates.h"
#include "search/landscape.h"

static double flat(const gt_point *point)
{
    (void)point;
    return 0;
}

static bool fits(const gt_point *point)
{
    return (point->choice[1] + 1) * (point->choice[3] + 1) <= 16;
}

static landscape make(bool (*allows)(const gt_point *point))
{
    return (landscape){.axes = 5, .choices = 8, .log_time = flat, .allows = allows};
}

TEST(tied_axes_are_found_and_free_ones_are_not)
{
    gt_bond bonds[4];
    uint32_t count;
    landscape tied = make(fits), free = make(NULL);
    landscape_open(&tied);
    tied.domain.size_is_exact = true;
    ASSERT_OK(gt_bonds_find(bonds, &count, COUNT(bonds), &tied.domain));
    assert_int_equal(count, 1);
    assert_int_equal(bonds[0].a, 1);
    assert_int_equal(bonds[0].b, 3);
    landscape_open(&free);
    ASSERT_OK(gt_bonds_find(bonds, &count, COUNT(bonds), &free.domain));
    assert_int_equal(count, 0);
}

TEST(nothing_is_drawn_if_a_draw_may_take_long)
{
    gt_bond bond;
    uint32_t count;
    landscape at = make(fits); /* the number of points in this space is an estimate */
    landscape_open(&at);
    at.domain.draw = NULL; /* the test crashes if `draw` is called */
    ASSERT_OK(gt_bonds_find(&bond, &count, 1, &at.domain));
    assert_int_equal(count, 0);
}

TEST(equal_products_have_an_equal_coordinate)
{
    gt_coordinates coordinates;
    landscape at = make(fits);
    landscape_open(&at);
    at.domain.size_is_exact = true;
    ASSERT_OK(gt_coordinates_make(&coordinates, &at.domain));
    gt_point two_by_six = {{0, 1, 0, 5, 0}}, four_by_three = {{0, 3, 0, 2, 0}}, one = {{0}};
    float x[GT_COORDINATES], y[GT_COORDINATES], z[GT_COORDINATES];
    gt_coordinates_of(x, &coordinates, &two_by_six);
    gt_coordinates_of(y, &coordinates, &four_by_three);
    gt_coordinates_of(z, &coordinates, &one);
    uint32_t product = coordinates.count - 1;
    assert_true(fabsf(x[product] - y[product]) < 1e-6f);
    assert_true(x[product] > z[product] + 0.4f && x[product] < 1);
    gt_coordinates_free(&coordinates);
}
