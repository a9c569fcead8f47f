/* Tests gt_run(), which measures several configurations side by side. */
#include "search_world.h"
#include "tuner/tune.h"

typedef struct results {
    uint32_t count, samples, noisy;
    double median[4];
} results;

static int take(void *user, const gputune_record *record)
{
    results *out = user;
    out->median[out->count++] = record->median_ns;
    out->samples = record->samples;
    out->noisy += record->noisy;
    return 0;
}

/* Runs the configurations BLOCK=128 and BLOCK=256. */
static results run_with(world *w, gputune_objective objective, volatile int *stop)
{
    results out = {0};
    gt_request *request = request_for(w, &OPTIONS(.objective = objective, .cancel = stop));
    gt_config configs[2] = {gt_config_default(request->template),
                            gt_config_default(request->template)};
    configs[1].choice[0]++;
    ASSERT_OK(gt_run(request, configs, 2, GT_RUN_FULLY, take, &out));
    gt_request_free(request);
    assert_int_equal(out.count, 2);
    return out;
}

static results run(world *w, gputune_objective objective)
{
    return run_with(w, objective, NULL);
}

TEST_OF(medians_come_in_the_requested_order, world *w, open_world, close_world)
{
    results seen = run(w, GPUTUNE_OBJECTIVE_KERNEL);
    assert_true(seen.median[0] == 1000 && seen.median[1] == 800);
    assert_int_equal(seen.noisy, 0);
}

TEST_OF(energy_takes_few_samples, world *w, open_world, close_world)
{
    w->by_block[128].energy_nj = 400;
    w->by_block[256].energy_nj = 500;
    results seen = run(w, GPUTUNE_OBJECTIVE_ENERGY);
    assert_true(seen.median[0] == 400 && seen.median[1] == 500);
    assert_true(seen.samples < 10);
}

/* Throttled clocks disturb the first rounds. Later, another process uses the GPU. */
static scripted_variant behave_alone_at_first(void *user, const gt_launch *launch)
{
    world *w = user;
    w->farm.other = w->farm.rounds > 5 ? "process 4711 train.py" : NULL;
    return behave(user, launch);
}

TEST_OF(another_user_is_named_even_if_clocks_disturbed_first, world *w, open_world, close_world)
{
    enum { UNTIL_COUNTED = 4 };
    char line[256] = "";
    w->services.log = (gt_log){keep_warning, line};
    w->farm.spoiled = UNTIL_COUNTED;
    w->farm.behave = behave_alone_at_first;
    assert_int_equal(run(w, GPUTUNE_OBJECTIVE_KERNEL).noisy, 2);
    assert_non_null(strstr(line, "4711 train.py"));
}

static volatile int cancel;

/* Cancels while the first variant is being verified; its answer takes a long time. */
static scripted_variant behave_until_proved(void *user, const gt_launch *launch)
{
    cancel = 1;
    return behave(user, launch);
}

TEST_OF(cancel_before_a_round_is_reported, world *w, open_world, close_world)
{
    cancel = 0;
    w->farm.behave = behave_until_proved;
    GT_SCOPED(gt_request_end) gt_request *request = request_for(w, &OPTIONS(.cancel = &cancel));
    const gt_config config = gt_config_default(request->template);
    results out = {0};
    ASSERT_FAILS(gt_run(request, &config, 1, GT_RUN_FULLY, take, &out), GPUTUNE_ECANCELED,
                 "stopped before");
}

/* Cancels during a round whose answer takes a long time. */
static scripted_variant behave_until_sampled(void *user, const gt_launch *launch)
{
    world *w = user;
    if (w->farm.rounds == 3) {
        cancel = 1;
        w->farm.late = 1000;
    }
    return behave(user, launch);
}

TEST_OF(cancel_does_not_wait_for_the_round, world *w, open_world, close_world)
{
    cancel = 0;
    w->farm.behave = behave_until_sampled;
    results seen = run_with(w, GPUTUNE_OBJECTIVE_KERNEL, &cancel);
    assert_int_equal(seen.samples, 2);
    assert_true(w->farm.late > 990);
}
