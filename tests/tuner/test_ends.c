/* Tests that the winner is re-verified after its last sample, whatever ends the tuning. If it is
 * not re-verified, the result must report that. */
#include "search_world.h"

enum { BLOCKS = 128, STEP = 8 };

/* Makes launches take about a millisecond, on a GPU that runs one launch at a time. */
static void slow_down(world *w)
{
    SET_TIMES(w, 1e6 + 1e4 * abs(block - 256));
    w->farm.slowness = 1e-9;
}

static void expect_proved(world *w, const gputune_options *options, const char *reason)
{
    tuned(w, options);
    assert_true(w->farm.rechecks > 0);
    assert_true(w->choice.terms.proved);
    assert_non_null(strstr(w->choice.stop_reason, reason));
    assert_null(strstr(w->choice.stop_reason, "not re-verified"));
    bool by_time = strstr(w->choice.stop_reason, "the time limit was reached") != NULL;
    assert_true(w->choice.terms.limit_s == (by_time ? options->time_limit_s : 0));
    assert_true(w->choice.variants <= w->farm.verifies);
}

TEST_OF(winner_is_reverified_after_all_were_tried, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 30);
    slow_down(w);
    expect_proved(w, &options, "");
}

TEST_OF(winner_is_reverified_if_the_limit_ends_sampling, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 0.5);
    slow_down(w);
    SET_TIMES(w, 1e6);
    w->farm.noise = 0.2;
    w->farm.slowness = 1e-8;
    expect_proved(w, &options, "the time limit was reached");
}

TEST_OF(winner_is_reverified_if_the_limit_ends_verifying, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 1);
    slow_down(w);
    write_blocks(w, BLOCKS, STEP);
    w->farm.slowness = 5e-9;
    expect_proved(w, &options, "the time limit was reached");
    assert_non_null(strstr(w->choice.stop_reason, "of 1 s are reserved for verifying the winner"));
}

/* A round of all variants takes a third of a second. */
TEST_OF(winner_is_reverified_among_many_equals, world *w, open_world, close_world)
{
    write_blocks(w, BLOCKS, STEP);
    SET_TIMES(w, 1e6);
    w->farm.noise = 0.02;
    w->farm.slowness = 2e-9;
    for (int i = 0; i < 4; i++) {
        gputune_options options = OPTIONS(.time_limit_s = 1.5 + 0.08 * i);
        options.force = true;
        options.strategy = GPUTUNE_STRATEGY_MODEL;
        expect_proved(w, &options, "the time limit was reached");
    }
}

TEST_OF(winner_is_reverified_if_the_limit_ends_compiling, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 1);
    slow_down(w);
    write_blocks(w, BLOCKS, STEP);
    w->farm.compile_s = 0.2;
    expect_proved(w, &options, "the time limit was reached");
}

/* The hanging worker is ended, so the best variant so far can be verified. */
TEST_OF(winner_is_reverified_if_a_variant_never_ends, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 1.5);
    slow_down(w);
    w->by_block[512].never_answers = true;
    expect_proved(w, &options, "the time limit was reached");
    assert_int_equal(w->farm.interrupts, 1);
}

TEST_OF(winner_is_reverified_if_the_worker_dies, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 30);
    slow_down(w);
    w->farm.blameless = 2;
    expect_proved(w, &options, "");
}

TEST_OF(winner_is_reverified_after_a_decided_search, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 30);
    slow_down(w);
    write_blocks(w, BLOCKS, STEP);
    options.strategy = GPUTUNE_STRATEGY_MODEL;
    expect_proved(w, &options, "no other variant is as fast");
}

TEST_OF(winner_is_reverified_if_no_gain_is_expected, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 30);
    write_blocks(w, 190, 4);
    SET_TIMES(w, 1e6 * pow(1.01, abs(block - 600) / 4.0));
    options.strategy = GPUTUNE_STRATEGY_MODEL;
    w->farm.slowness = 1e-9;
    w->farm.compile_s = 0.005;
    expect_proved(w, &options, "no gain above 0.5% is expected");
    assert_string_equal(w->config, "BLOCK=600");
    assert_true(w->choice.terms.final && !w->choice.terms.complete);
}

/* If a time limit ends an exhaustive search, the result answers later exhaustive requests with the
 * same limit. */
TEST_OF(limited_result_answers_exhaustive_request, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 0.5);
    slow_down(w);
    write_blocks(w, BLOCKS, STEP);
    w->farm.compile_s = 0.2;
    expect_proved(w, &options, "the time limit was reached");
    gt_terms asked = w->choice.terms;
    assert_true(gt_answers(&w->choice.terms, &asked));
    asked.complete = true;
    assert_false(gt_answers(&w->choice.terms, &asked));
    options.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    expect_proved(w, &options, "the time limit was reached");
    assert_true(gt_answers(&w->choice.terms, &asked));
}

typedef struct canceling {
    world *w;
    volatile int *cancel;
    uint32_t after; /* number of rounds */
} canceling;

static void cancel_after(void *user, const gputune_progress *progress)
{
    const canceling *at = user;
    if (progress->round > at->after) {
        *at->cancel = 1;
    }
}

TEST_OF(canceled_tuning_reports_if_it_reverified, world *w, open_world, close_world)
{
    volatile int cancel = 0;
    gputune_options options = OPTIONS(.time_limit_s = 30);
    canceling at = {w, &cancel, 3};
    options.cancel = &cancel;
    options.progress = cancel_after;
    options.user = &at;
    slow_down(w);
    w->farm.noise = 0.2;
    tuned(w, &options);
    assert_int_equal(w->choice.terms.proved,
                     strstr(w->choice.stop_reason, "not re-verified") == NULL);
    assert_non_null(strstr(w->choice.stop_reason, "stopped on request"));
    assert_true(w->choice.terms.limit_s == 0);
}

TEST_OF(unverified_winner_is_verified_before_its_launch, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 1);
    slow_down(w);
    w->farm.recheck_never_answers = true;
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    assert_false(w->choice.terms.proved);
    assert_non_null(strstr(w->choice.stop_reason, "not re-verified"));
    uint32_t verifies = w->farm.verifies;
    w->farm.recheck_never_answers = false;
    options.effort = GPUTUNE_CACHED_ONLY;
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_CACHED);
    assert_true(w->choice.terms.proved);
    assert_true(w->farm.verifies > verifies);
}

/* The worker is killed from outside again and again, so the default is returned with the reason. */
TEST_OF(lost_worker_at_the_last_proof_gives_the_default, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 30);
    slow_down(w);
    w->by_block[256].recheck = GPUTUNE_EWORKER;
    assert_string_equal(tuned(w, &options), "BLOCK=128");
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_DEFAULT);
    assert_string_equal(w->choice.stop_reason, "scripted EWORKER");
    w->by_block[256].recheck = GPUTUNE_OK;
    expect_proved(w, &options, "");
    assert_string_equal(w->config, "BLOCK=256");
}

/* A slower result does not replace a result against which it did not race. */
TEST_OF(earlier_best_is_kept_if_it_did_not_race, world *w, open_world, close_world)
{
    char best[sizeof w->config];
    const gputune_options first = OPTIONS(.time_limit_s = 1), second = OPTIONS(.time_limit_s = 1.3);
    SET_TIMES(w, block == 128 ? 1.5e6 : 1e6);
    w->farm.noise = 0.2;
    w->farm.slowness = 2e-8;
    expect_proved(w, &first, "the time limit was reached");
    snprintf(best, sizeof best, "%s", w->config);
    assert_string_not_equal(best, "BLOCK=128");
    SET_EACH(w, never_answers, block != 128);
    assert_string_equal(tuned(w, &second), best);
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_CACHED);
    assert_non_null(
        strstr(w->choice.stop_reason, "before the best of earlier tunings was measured again"));
}

/* The winner fails its last proof, so a second race begins. The limits end this race while variants
 * are being verified. */
TEST_OF(answer_to_an_earlier_proof_is_no_last_proof, world *w, open_world, close_world)
{
    write_blocks(w, 16, 32);
    slow_down(w);
    w->farm.slowness = 1e-8;
    for (int block = 129; block <= 1024; block++) {
        w->by_block[block].recheck = GPUTUNE_EWRONG;
    }
    for (int i = 0; i < 60; i++) {
        const gputune_options options = OPTIONS(.time_limit_s = 3.5 + 0.01 * i, .force = true);
        const int block = (int)strtol(tuned(w, &options) + strlen("BLOCK="), NULL, 10);
        assert_true(block <= 128 || !w->choice.terms.proved);
    }
}
