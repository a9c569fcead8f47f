/* Tests the objective rate: launches of variants do different amounts of work, and the variant with
 * the most work per second wins. */
#include "base/objective.h"
#include "search_world.h"
#include "support/folder.h"
#include "tuner/tune.h"

static const char steps_text[] =
    "#pragma gputune kernel(steps)\n"
    "#pragma gputune problem(n = 4096)\n"
    "#pragma gputune args(out float y[n], in float x[n], size_t n)\n"
    "#pragma gputune tune(STEPS = 1, 2, 8) vector(VEC = 1, 2 : x, y)\n"
    "#pragma gputune default(STEPS = %d)\n"
    "#pragma gputune block(64 * STEPS)\n"
    "#pragma gputune grid(ceil_div(n, VEC))\n"
    "%s\n"
    "#pragma gputune check(judge)\n"
    "__global__ void steps(float *y, const float *x, size_t n) {}\n"
    "__global__ void judge(const float *y, const float *x, size_t n, unsigned long long *wrong) "
    "{}\n";

#define WORK_OF_STEPS "#pragma gputune work(bytes = 8 * n, flops = 5 * n * STEPS)"
#define WORK_OF_ALL   "#pragma gputune work(flops = 5 * n)"

static void write_steps(const world *w, int steps, const char *work)
{
    file_write(w->path, steps_text, steps, work);
}

/* A launch of eight steps takes longest, but it takes the least time per step. */
static int open_world_of_steps(void **state)
{
    open_world(state);
    world *w = *state;
    write_steps(w, 1, WORK_OF_STEPS);
    w->by_block[64].time_ns = 1000;
    w->by_block[128].time_ns = 1900;
    w->by_block[512].time_ns = 3200;
    return 0;
}

static const char *tuned_by_default(world *w)
{
    return tuned_for(w, GPUTUNE_OBJECTIVE_DEFAULT);
}

TEST_OF(most_work_in_a_second_wins, world *w, open_world_of_steps, close_world)
{
    w->farm.noise = 0.001;
    assert_string_equal(tuned_by_default(w), "STEPS=8 VEC=1");
    assert_true(w->choice.time_ns > 399 && w->choice.time_ns < 402);
    assert_true(w->choice.default_ns > 999 && w->choice.default_ns < 1002);
    assert_true(w->choice.verdict.speedup > 2.49 && w->choice.verdict.speedup < 2.51);
}

/* The more steps a launch makes, the longer each step takes. */
TEST_OF(work_alone_does_not_win, world *w, open_world_of_steps, close_world)
{
    w->by_block[128].time_ns = 2100;
    w->by_block[512].time_ns = 8500;
    assert_string_equal(tuned_by_default(w), "STEPS=1 VEC=1");
}

typedef struct seen_records {
    uint32_t count;
    gputune_record winner;
    double slowest_ns;
    char config[64];
} seen_records;

static int see_record(void *user, const gputune_record *record)
{
    seen_records *seen = user;
    seen->count++;
    seen->slowest_ns = fmax(seen->slowest_ns, record->median_ns);
    if (record->is_winner) {
        seen->winner = *record;
        snprintf(seen->config, sizeof seen->config, "%s", record->configuration);
    }
    return 0;
}

static seen_records stored_records(const world *w)
{
    seen_records seen = {0};
    const gt_records_filter filter = {.all_trials = true};
    assert_int_equal(gt_store_records(w->store, &filter, see_record, &seen), 0);
    return seen;
}

/* The stored times and operations are for the work of the default's launch. The bytes are not
 * stored, because they depend on the variant. */
TEST_OF(stored_figures_are_for_equal_work, world *w, open_world_of_steps, close_world)
{
    tuned_by_default(w);
    const seen_records seen = stored_records(w);
    assert_int_equal(seen.winner.objective, GPUTUNE_OBJECTIVE_RATE);
    assert_string_equal(seen.config, "STEPS=8 VEC=1");
    assert_true(seen.winner.median_ns == 400 && seen.winner.default_ns == 1000);
    assert_true(seen.slowest_ns == 1000);
    assert_true(seen.winner.flops == 5 * 4096 && seen.winner.bytes == 0);
}

TEST_OF(stored_rate_answers, world *w, open_world_of_steps, close_world)
{
    tuned_by_default(w);
    uint32_t samples = w->farm.samples;
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_RATE), "STEPS=8 VEC=1");
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_CACHED);
    assert_true(w->choice.time_ns == 400);
    assert_int_equal(w->farm.samples, samples);
}

/* After the default was edited, stored times are for a different amount of work. */
TEST_OF(another_default_is_measured_again, world *w, open_world_of_steps, close_world)
{
    tuned_by_default(w);
    write_steps(w, 2, WORK_OF_STEPS);
    assert_string_equal(tuned_by_default(w), "STEPS=8 VEC=1");
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_MEASURED);
    assert_true(w->choice.time_ns == 800 && w->choice.default_ns == 1900);
}

/* A misaligned buffer must not change how much work a launch does. */
TEST_OF(fallback_does_the_work_of_the_winner, world *w, open_world_of_steps, close_world)
{
    gt_config wide, fallback;
    GT_FREED char *text = NULL;
    GT_SCOPED(gt_request_end) gt_request *request = request_for(w, NULL);
    ASSERT_OK(gt_config_parse(&wide, request->template, "STEPS=8 VEC=2", true));
    fallback = gt_config_scalar(request->template, &wide);
    ASSERT_OK(gt_config_text(&text, request->template, &fallback));
    assert_string_equal(text, "STEPS=8 VEC=1");
}

static int take_median(void *user, const gputune_record *record)
{
    double **at = user;
    *(*at)++ = record->median_ns;
    return 0;
}

TEST_OF(run_compares_by_work_too, world *w, open_world_of_steps, close_world)
{
    double medians[2], *at = medians;
    gt_config configs[2];
    GT_SCOPED(gt_request_end) gt_request *request = request_for(w, NULL);
    ASSERT_OK(gt_config_parse(&configs[0], request->template, "STEPS=2", true));
    ASSERT_OK(gt_config_parse(&configs[1], request->template, "STEPS=8", true));
    ASSERT_OK(gt_run(request, configs, 2, GT_RUN_FULLY, take_median, &at));
    assert_true(medians[0] == 950 && medians[1] == 400);
}

/* For new variants, the launches that verified them are the first samples. */
TEST_OF(pilots_count_by_work, world *w, open_world_of_steps, close_world)
{
    for (int i = 64; i <= 512; i *= 2) {
        w->by_block[i].time_ns *= 1000; /* launches this long are samples on their own */
        w->by_block[i].pilot_ns = w->by_block[i].time_ns;
    }
    assert_string_equal(tuned_by_default(w), "STEPS=8 VEC=1");
}

static void check_refusal(world *w, gputune_objective objective, const char *reason)
{
    ASSERT_FAILS(tune(w, &OPTIONS(.objective = objective)), GPUTUNE_EINVAL, reason);
    assert_non_null(strstr(gt_message(), w->path));
    assert_int_equal(w->farm.verifies, 0);
}

TEST_OF(other_objectives_are_refused, world *w, open_world_of_steps, close_world)
{
    for (int i = GPUTUNE_OBJECTIVE_KERNEL; i < GPUTUNE_OBJECTIVE_RATE; i++) {
        char reason[160];
        snprintf(
            reason, sizeof reason,
            ":8:17: work() uses the axis STEPS, so launches of steps do different amounts of work, "
            "which the objective '%s' ignores; expected the objective 'rate'",
            gt_objective_facts((gputune_objective)i)->name);
        check_refusal(w, (gputune_objective)i, reason);
    }
}

TEST_OF(rate_without_work_is_refused, world *w, open_world_of_steps, close_world)
{
    write_steps(w, 1, "");
    check_refusal(w, GPUTUNE_OBJECTIVE_RATE,
                  ":1:17: steps has no work(), which the objective 'rate' needs; expected work(");
}

TEST_OF(rate_of_equal_work_is_that_of_the_fastest, world *w, open_world_of_steps, close_world)
{
    write_steps(w, 1, WORK_OF_ALL);
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_RATE), "STEPS=1 VEC=1");
    assert_true(w->choice.time_ns == 1000);
}

/* A variant whose launch would do no work fails without affecting others. */
TEST_OF(a_variant_without_work_fails_alone, world *w, open_world_of_steps, close_world)
{
    write_steps(w, 1, "#pragma gputune work(flops = n * (8 - STEPS))");
    assert_string_equal(tuned_by_default(w), "STEPS=1 VEC=1");
    assert_int_equal(w->choice.failed, 2);
}
