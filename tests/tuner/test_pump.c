/* Tests how many variants are proposed and compiled before results arrive. */
#include "search_world.h"
#include "tuner/session.h"

enum { BLOCKS = 128, WORKERS = 16, STEP = 8, TURNS = 1000 };

typedef struct asked_proposer {
    gt_list_proposer list; /* first member, because a gt_proposer is cast to this struct */
    gt_config configs[BLOCKS];
} asked_proposer;

typedef struct scene {
    gt_request *request;
    asked_proposer proposer;
    gt_field field;
} scene;

static void set_up(scene *at, world *w, bool learns)
{
    char text[32];
    write_blocks(w, BLOCKS, STEP);
    w->farm.farm.compile_workers = WORKERS;
    at->request = request_for(w, NULL);
    for (int i = 0; i < BLOCKS; i++) {
        snprintf(text, sizeof text, "BLOCK=%d", (i + 1) * STEP);
        ASSERT_OK(gt_config_parse(&at->proposer.configs[i], at->request->template, text, true));
    }
    at->proposer.list = gt_list_proposer_make(at->proposer.configs, BLOCKS);
    at->proposer.list.proposer.learns = learns;
    const gt_field_options options = {.request = at->request,
                                      .farm = &w->farm.farm,
                                      .proposer = &at->proposer.list.proposer,
                                      .measure = true};
    ASSERT_OK(gt_field_open(&at->field, &options));
    ASSERT_OK(gt_field_pump(&at->field));
}

static void tear_down(scene *at)
{
    gt_field_close(&at->field);
    gt_request_free(at->request);
}

static void turn(scene *at, world *w)
{
    gt_event event = {0};
    ASSERT_OK(w->farm.farm.ops->wait(&w->farm.farm, &event, 0));
    ASSERT_OK(gt_field_handle(&at->field, &event));
    gt_event_free(&event);
    ASSERT_OK(gt_field_pump(&at->field));
}

TEST_OF(learning_proposer_is_asked_late, world *w, open_world, close_world)
{
    scene learning, listing;
    set_up(&learning, w, true);
    assert_in_range(learning.proposer.list.next, WORKERS, WORKERS + WORKERS / 2);
    tear_down(&learning);
    /* a proposer that does not learn from results proposes in advance, so workers do not wait */
    set_up(&listing, w, false);
    assert_true(listing.proposer.list.next > 2 * WORKERS);
    tear_down(&listing);
}

/* A compile that the limit interrupts is useless, and delays the next search. */
TEST_OF(no_compile_is_begun_that_surely_is_cut_off, world *w, open_world, close_world)
{
    scene at;
    set_up(&at, w, true);
    uint32_t begun = at.field.started;
    at.field.schedule.compile_s = 1;
    at.request->patience = gt_patience_for(0, NULL);
    ASSERT_OK(gt_field_allow_measuring(&at.field));
    for (int i = 0; i < TURNS; i++) {
        turn(&at, w);
    }
    assert_int_equal(at.field.started, begun);
    at.request->patience = gt_patience_for(60, NULL);
    turn(&at, w);
    assert_true(at.field.started > begun);
    tear_down(&at);
}

/* Returns how many variants are compiled if no verification ever ends. */
static uint32_t compiled_while_the_gpu_is_busy(world *w, bool learns)
{
    scene at;
    SET_EACH(w, never_answers, true);
    set_up(&at, w, learns);
    ASSERT_OK(gt_field_allow_measuring(&at.field));
    for (int i = 0; i < TURNS; i++) {
        turn(&at, w);
    }
    uint32_t waiting = at.field.verifying + (uint32_t)at.field.compiled.count;
    assert_int_equal(at.field.compiling, 0);
    assert_in_range(at.field.verifying, 1, 4);
    tear_down(&at);
    return waiting;
}

TEST_OF(learning_proposer_waits_for_the_gpu, world *w, open_world, close_world)
{
    assert_in_range(compiled_while_the_gpu_is_busy(w, true), WORKERS, 4 * WORKERS);
}

TEST_OF(list_proposer_compiles_while_gpu_is_busy, world *w, open_world, close_world)
{
    assert_int_equal(compiled_while_the_gpu_is_busy(w, false), BLOCKS);
}

enum { VALUES = 190, SPACING = 4, BEST = 600 };

static void make_busy_world(world *w, uint32_t workers)
{
    write_blocks(w, VALUES, SPACING);
    SET_TIMES(w, 1e6 * pow(1.002, abs(block - BEST)));
    w->farm.farm.compile_workers = workers;
    w->farm.compile_s = 0.02;
    w->farm.slowness = 5e-9;
}

/* Returns the fraction of launches whose variant is among the fastest tenth. */
static double fast_share(const scripted_farm *farm)
{
    size_t good = 0;
    for (size_t i = 0; i < farm->launches.count; i++) {
        int block = (int)farm->launches.items[i].steps[0].block[0];
        good += abs(block - BEST) <= SPACING * VALUES / 20;
    }
    return (double)good / (double)farm->launches.count;
}

/* Random proposals would hit the fastest tenth once in ten times. A search that learns hits it more
 * often until it has found the best variant, and then explores other variants. */
TEST_OF(many_compile_workers_do_not_starve_the_search, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 1.5, .strategy = GPUTUNE_STRATEGY_MODEL);
    make_busy_world(w, WORKERS);
    tuned(w, &options);
    assert_true(w->farm.samples > 0);
    assert_true(fast_share(&w->farm) > 0.25);
}

/* While the first variants race for a long time, many others are compiled. */
TEST_OF(new_contestants_first_launches_are_samples_though_the_best_was_sampled, world *w,
        open_world, close_world)
{
    enum { MANY = 100 };
    write_blocks(w, MANY, 8);
    for (int i = 1; i <= MANY; i++) {
        w->by_block[8 * i].time_ns = w->by_block[8 * i].pilot_ns = 1e6 * pow(1.005, MANY - i);
    }
    w->farm.farm.compile_workers = WORKERS;
    w->farm.compile_s = 0.01;
    w->farm.slowness = 1e-11;
    w->farm.round_ns = 50000000;
    w->farm.noise = 0.002;
    assert_string_equal(tuned(w, NULL), "BLOCK=800");
    assert_true(w->farm.samples < 1.8 * MANY);
}

/* If all variants will soon have been launched, rounds wait: those before that would be wasted. */
TEST_OF(small_space_is_sampled_at_the_end, world *w, open_world, close_world)
{
    enum { MANY = 40 };
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    write_blocks(w, MANY, 8);
    for (int i = 1; i <= MANY; i++) {
        w->by_block[8 * i].time_ns = w->by_block[8 * i].pilot_ns = 1e6 * pow(1.005, MANY - i);
    }
    options.strategy = GPUTUNE_STRATEGY_MODEL;
    w->farm.farm.compile_workers = 4;
    w->farm.compile_s = 0.001;
    w->farm.slowness = 2e-9;
    w->farm.noise = 0.001;
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < 4 && least > 1.6 * MANY; i++) { /* one of four must need few samples */
        uint32_t before = w->farm.samples;
        options.force = true;
        assert_string_equal(tuned(w, &options), "BLOCK=320");
        least = w->farm.samples - before < least ? w->farm.samples - before : least;
    }
    assert_true(least < 1.6 * MANY);
}
