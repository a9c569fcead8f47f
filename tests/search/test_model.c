/* Tests the model's estimate of its own errors. */
#include "search/landscape.h"

#include "search/model.h"

enum { TRIED = 100, BATCH = 4, ASKED = 200, SEEDS = 3 };

/* Most points are slow, and each has its own noise. */
static double mostly_slow(const gt_point *point)
{
    double sum = 0.15 * landscape_noise(point);
    for (uint32_t i = 0; i < 8; i++) {
        sum += 0.075 * fabs(point->choice[i] - (double)(3 * (i + 1) % 8));
    }
    return sum + 0.8 * fabs(point->choice[0] + point->choice[1] - 9.0) / 14;
}

/* Returns the error of the model's prediction at a point, in predicted standard deviations. */
static double error_at(const gt_model *model, const landscape *at, const gt_point *point)
{
    gt_prospect prospect = {0};
    gt_coordinates_of(prospect.z, &model->coordinates, point);
    gt_gaussian_look(&model->gaussian, &prospect);
    double expected = gt_gaussian_expect(&model->gaussian, &prospect, GT_TARGET_TIME);
    double deviation = gt_gaussian_deviation(&model->gaussian, &prospect, GT_TARGET_TIME);
    double seen = gt_model_value(model, at->log_time(point) + log(1e6));
    return (expected - seen) / deviation;
}

/* Returns the root mean square of the errors at random points after a search. */
static double mean_error(const landscape *at, uint64_t seed)
{
    gt_strategy *strategy;
    gt_search_settings settings = {.seed = seed};
    ASSERT_OK(gt_strategy_open(&strategy, GPUTUNE_STRATEGY_MODEL, &at->domain, &settings));
    landscape_search(strategy, at, TRIED, BATCH);
    gt_model *model = strategy->model;
    bool is_new;
    ASSERT_OK(gt_model_learn(&is_new, model, strategy));
    gt_random random = {seed};
    double squares = 0;
    for (int i = 0; i < ASKED; i++) {
        gt_point point;
        landscape_draw((void *)at, &random, &point);
        double error = error_at(model, at, &point);
        squares += error * error;
    }
    gt_strategy_free(strategy);
    return sqrt(squares / ASKED);
}

/* If the model is too certain that untried points are slow, it does not find the second valley. */
TEST(the_model_knows_how_wrong_it_may_be)
{
    landscape at = {.axes = 8, .choices = 8, .log_time = mostly_slow};
    landscape_open(&at);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        double error = mean_error(&at, seed);
        if (!(error < 3)) {
            fail_msg("seed %d: wrong by %.1f deviations; expected less than 3", (int)seed, error);
        }
    }
}

static double even(const gt_point *point)
{
    double sum = 0;
    for (uint32_t i = 0; i < 6; i++) {
        sum += 0.1 * fabs(point->choice[i] - 3.0);
    }
    return sum / SEEDS;
}

/* The function is smooth near the best point, and some regions are many times slower. */
static double with_a_long_tail(const gt_point *point)
{
    return 0.05 * expm1(4 * even(point));
}

static double width_after_a_search(double (*log_time)(const gt_point *point))
{
    landscape at = {.axes = 6, .choices = 8, .log_time = log_time};
    gt_strategy *strategy;
    gt_search_settings settings = {.seed = 1};
    landscape_open(&at);
    ASSERT_OK(gt_strategy_open(&strategy, GPUTUNE_STRATEGY_MODEL, &at.domain, &settings));
    landscape_search(strategy, &at, TRIED, BATCH);
    const gt_model *model = strategy->model;
    double width = model->width;
    gt_strategy_free(strategy);
    return width;
}

TEST(slow_times_count_less_if_few_are_far_slower)
{
    assert_true(isinf(width_after_a_search(even)));
    assert_true(width_after_a_search(with_a_long_tail) < 0.2);
}

/* Searches, and then asks for a point that may gain more than epsilon. Returns the predicted
 * standard deviation of log(time) at that point. */
static double doubt_of_a_proposal(double epsilon)
{
    landscape at = {.axes = 8, .choices = 8, .log_time = mostly_slow};
    double sum = 0;
    landscape_open(&at);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        gt_strategy *strategy;
        gt_search_settings settings = {.seed = seed};
        ASSERT_OK(gt_strategy_open(&strategy, GPUTUNE_STRATEGY_MODEL, &at.domain, &settings));
        landscape_search(strategy, &at, TRIED, BATCH);
        strategy->settings.epsilon = epsilon;
        const gt_model *model = strategy->model;
        gt_point point;
        gt_prospect prospect = {0};
        size_t given;
        ASSERT_OK(gt_strategy_propose(strategy, &point, 1, &given));
        gt_coordinates_of(prospect.z, &model->coordinates, &point);
        gt_gaussian_look(&model->gaussian, &prospect);
        sum += gt_gaussian_deviation(&model->gaussian, &prospect, GT_TARGET_TIME) * model->spread;
        gt_strategy_free(strategy);
    }
    return sum / SEEDS;
}

/* Neighbours of known points promise small gains, untried regions larger gains. */
TEST(a_larger_epsilon_leads_to_less_known_regions)
{
    double little = doubt_of_a_proposal(1e-6), much = doubt_of_a_proposal(0.1);
    if (!(much > 1.2 * little)) {
        fail_msg("unsure by %.3f; expected more than 1.2 times %.3f", much, little);
    }
}
