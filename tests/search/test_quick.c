/* Tests when quick compiles pay off, and how the search uses them. */
#include "search/landscape.h"
#include "search/quick.h"

enum { WORKERS = 16, LIMIT_S = 10 };

static double valley(const gt_point *point)
{
    double sum = 0;
    for (uint32_t i = 0; i < 5; i++) {
        sum += 0.3 * fabs(point->choice[i] - 2.0);
    }
    return sum;
}

/* Compile and run times of a template's quick compiles, relative to its variants. */
typedef struct kind {
    double compile_s, quick_compile_s;
    bool contrary; /* true if faster variants have slower quick compiles */
    bool blurred;  /* true if half of the quick compiles run six times slower */
    bool fails;
} kind;

typedef struct scene {
    landscape at;
    gt_strategy *full;
    gt_quick quick;
    uint32_t asked, quick_compiles;
    double best_quick;
} scene;

static scene *set_up(uint32_t axes)
{
    const gt_search_settings settings = {
        .seed = 7, .workers = WORKERS, .limit_s = LIMIT_S, .by_seconds = true};
    scene *s = calloc(1, sizeof *s);
    s->at = (landscape){.axes = axes, .choices = 6, .log_time = valley};
    s->best_quick = INFINITY;
    landscape_open(&s->at);
    ASSERT_OK(gt_strategy_open(&s->full, GPUTUNE_STRATEGY_AUTO, &s->at.domain, &settings));
    ASSERT_OK(gt_quick_begin(&s->quick, &s->at.domain, &settings));
    return s;
}

/* For GT_SCOPED(). */
static void tear_down(scene **s)
{
    gt_quick_end(&(*s)->quick);
    gt_strategy_free((*s)->full);
    free(*s);
}

static void try(scene *s, const kind *kind, const gt_point *point, bool is_quick, double left_s)
{
    gt_tried tried = landscape_try(&s->at, point);
    tried.compile_s = is_quick ? kind->quick_compile_s : kind->compile_s;
    if (is_quick) {
        s->quick_compiles++;
        s->best_quick = fmin(s->best_quick, tried.time_ns);
        tried.time_ns = kind->contrary ? 1e9 / tried.time_ns : 1.3 * tried.time_ns;
        tried.time_ns *= kind->blurred && (point->choice[1] + point->choice[2]) % 2 ? 6 : 1;
        tried.outcome = kind->fails ? GT_TRIED_FAILED : tried.outcome;
    }
    ASSERT_OK(gt_quick_report(&s->quick, s->full, left_s, &tried, is_quick));
}

/* Runs the search to its end. Returns the remaining seconds. */
static double quick(scene *s, const kind *kind)
{
    double left_s = LIMIT_S;
    while (s->quick.strategy && left_s > 0) {
        gt_point points[4];
        size_t given;
        bool as_quick;
        ASSERT_OK(gt_quick_propose(&s->quick, s->full, left_s, points, 4, &given, &as_quick));
        assert_true(given > 0);
        for (size_t i = 0; i < given; i++) {
            left_s -= (as_quick ? kind->quick_compile_s : kind->compile_s) / WORKERS;
            try(s, kind, &points[i], as_quick, left_s);
        }
    }
    return left_s;
}

TEST(quick_compiles_show_fast_variants_that_compile_for_seconds)
{
    static const kind slow = {.compile_s = 2.5, .quick_compile_s = 0.5};
    GT_SCOPED(tear_down) scene *s = set_up(5);
    double left_s = quick(s, &slow);
    assert_true(left_s > 0.4 * LIMIT_S && left_s < 0.6 * LIMIT_S);
    assert_true(s->quick_compiles > 60);
    gt_point next;
    size_t given;
    ASSERT_OK(gt_strategy_propose(s->full, &next, 1, &given));
    /* the first variant proposed is the one with the fastest quick compile */
    assert_true(landscape_try(&s->at, &next).time_ns <= s->best_quick * 1.0001);
}

/* Quick compiles are used if they find the fast variants, even if a few random pairs are ranked
 * differently. */
TEST(a_few_pairs_that_disagree_do_not_end_quick_compiles)
{
    static const kind blurred = {.compile_s = 2.5, .quick_compile_s = 0.5, .blurred = true};
    GT_SCOPED(tear_down) scene *s = set_up(5);
    double left_s = quick(s, &blurred);
    assert_true(left_s < 0.6 * LIMIT_S);
    assert_true(s->quick_compiles > 60);
}

static void expect_none(const kind *kind)
{
    GT_SCOPED(tear_down) scene *s = set_up(5);
    quick(s, kind);
    assert_null(s->quick.strategy);
    assert_true(s->quick_compiles < 50);
}

/* Each quick compile would cost a compilation and a launch on the GPU. */
TEST(none_is_made_if_many_variants_can_be_tried_without_them)
{
    static const kind brisk = {.compile_s = 0.2, .quick_compile_s = 0.05};
    GT_SCOPED(tear_down) scene *s = set_up(5);
    double left_s = quick(s, &brisk);
    assert_null(s->quick.strategy);
    assert_int_equal(s->quick_compiles, 0);
    assert_true(left_s > 0.9 * LIMIT_S);
}

TEST(quick_compiles_that_do_not_pay_soon_end)
{
    expect_none(&(kind){.compile_s = 2.5, .quick_compile_s = 2});
    expect_none(&(kind){.compile_s = 2.5, .quick_compile_s = 0.5, .contrary = true});
    expect_none(
        &(kind){.compile_s = 2.5, .quick_compile_s = 0.01, .fails = true}); /* an older NVRTC */
}

/* Only the default finishes compiling, but half of the workers are idle. Quick compiles start on
 * them without waiting for the other variants. */
TEST(quick_compiles_begin_while_the_first_variants_still_compile)
{
    static const kind slow = {.compile_s = 2.5, .quick_compile_s = 0.5};
    static const kind brisk = {.compile_s = 0.4};
    GT_SCOPED(tear_down) scene *s = set_up(5);
    uint32_t full = 0;
    for (int i = 0; i < 300; i++) {
        gt_point point;
        size_t given;
        bool as_quick;
        double left_s = LIMIT_S - 0.01 * i;
        ASSERT_OK(gt_quick_propose(&s->quick, s->full, left_s, &point, 1, &given, &as_quick));
        full += given && !as_quick;
        if (given && (as_quick || full == 1)) {
            try(s, as_quick ? &slow : &brisk, &point, as_quick, left_s);
        }
        assert_true(given || full == WORKERS / 2);
        if (i == 100) {
            assert_int_equal(s->quick_compiles, GT_QUICK_PAIRS);
        }
        if (i == 150) {
            assert_true(s->quick_compiles > GT_QUICK_PAIRS);
        }
    }
    assert_true(full < 2 * WORKERS);
    assert_true(s->quick_compiles > 100);
}

/* The first pairs show that quick compiles save little of the total time, so no further quick
 * compiles follow. */
TEST(only_the_pairs_are_compiled_quickly_until_quick_compiles_are_far_faster)
{
    static const kind alike = {.compile_s = 2.5, .quick_compile_s = 2.4};
    GT_SCOPED(tear_down) scene *s = set_up(5);
    quick(s, &alike);
    assert_null(s->quick.strategy);
    assert_int_equal(s->quick_compiles, GT_QUICK_PAIRS);
}

static bool asks_for_quick_compiles(scene *s, gt_point points[], size_t count, double left_s)
{
    size_t given;
    bool as_quick;
    ASSERT_OK(gt_quick_propose(&s->quick, s->full, left_s, points, count, &given, &as_quick));
    assert_int_equal(given, count);
    return as_quick;
}

TEST(quick_compiles_follow_the_pairs_while_they_may_be_far_faster)
{
    static const kind slow = {.compile_s = 2.5, .quick_compile_s = 0.5};
    gt_point pairs[GT_QUICK_PAIRS], points[4];
    GT_SCOPED(tear_down) scene *s = set_up(5);
    assert_false(asks_for_quick_compiles(s, pairs, GT_QUICK_PAIRS, LIMIT_S));
    assert_true(asks_for_quick_compiles(s, pairs, GT_QUICK_PAIRS, LIMIT_S - 1));
    assert_true(asks_for_quick_compiles(s, points, 4, LIMIT_S - 1.9));
    assert_false(asks_for_quick_compiles(s, points, 4, LIMIT_S - 2.1));
    try(s, &slow, &pairs[0], true, LIMIT_S - 2.1);
    assert_true(asks_for_quick_compiles(s, points, 4, LIMIT_S - 2.1));
}

TEST(a_small_space_is_not_compiled_quickly)
{
    GT_SCOPED(tear_down) scene *s = set_up(3);
    assert_null(s->quick.strategy);
}
