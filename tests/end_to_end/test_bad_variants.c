/* Tests that a bad variant fails without affecting the host and other variants, that its failure is
 * stored, and that nothing leaks. */
#include "bad_variants.h"

typedef struct seen {
    const bad *expected;
    int bad, good, other;
} seen;

static int on_trial(void *user, const gputune_record *record)
{
    seen *s = user;
    bool right = !strcmp(record->status, "ok") || !strcmp(record->status, "eliminated");
    bool is_bad = strstr(record->configuration, "BAD=1") != NULL;
    if (is_bad ? is_as_expected(record->status, s->expected) && record->message[0] : right) {
        s->bad += is_bad;
        s->good += !is_bad;
    } else {
        print_error("%s: %s: %s\n", record->configuration, record->status, record->message);
        s->other++;
    }
    return 0;
}

static void expect_trials(gputune *tuner, const bad *b)
{
    seen s = {.expected = b};
    OK(gputune_records(tuner, &FILTER(.kernel = b->name, .all_trials = true), on_trial, &s));
    /* a busy machine may not finish compiling the slow variant */
    const bool is_unjudged = s.bad == 0 && !strcmp(b->status, "slow");
    if ((s.bad != 1 && !is_unjudged) || s.good != 2 || s.other != 0) {
        fail_msg("%s: %d bad trials, %d good ones, %d others; expected 1, 2 and 0", b->name, s.bad,
                 s.good, s.other);
    }
}

static void check_mixed(gputune *tuner, const bad *b)
{
    char path[128];
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    gputune_options options = options_of(b);
    snprintf(path, sizeof path, "tests/poisoned/bad.cu:%s", b->name);
    OK(tune_kernel(&plan, tuner, path, GPUTUNE_SIZES({"n", size_of(b)}), &options));
    gputune_info info = info_of(plan);
    if (!strstr(info.configuration, "BAD=0")) {
        fail_msg("%s: %s has won", b->name, info.configuration);
    }
    if (info.source != GPUTUNE_SOURCE_MEASURED) {
        fail_msg("%s: not measured: %s", b->name, info.stop_reason);
    }
    expect_trials(tuner, b);
    expect_doubled(plan, size_of(b));
}

/* A second tuning with more effort must not try the bad variant. */
static void check_again(gputune *tuner, const bad *b)
{
    char path[128];
    gputune_plan *plan;
    gputune_options options = options_of(b);
    options.effort = GPUTUNE_EXHAUSTIVE;
    snprintf(path, sizeof path, "tests/poisoned/bad.cu:%s", b->name);
    OK(tune_kernel(&plan, tuner, path, GPUTUNE_SIZES({"n", size_of(b)}), &options));
    gputune_info info = info_of(plan);
    assert_non_null(strstr(info.configuration, "BAD=0"));
    assert_int_equal(info.source, GPUTUNE_SOURCE_MEASURED);
    gputune_plan_release(plan);
    expect_trials(tuner, b);
}

TEST(bad_variants_do_not_stop_a_healthy_one)
{
    traces before = traces_now();
    gputune *patient = tuner_open(world.database), *impatient = tuner_open(world.database);
    for (size_t i = 0; i < CASES; i++) {
        gputune *tuner = hangs(&table[i]) ? impatient : patient;
        bool tried = can_be_tried(&table[i]);
        if (tried) {
            check_mixed(tuner, &table[i]);
        }
        if (tried && (is_long_run() || i % 4 == 1)) {
            check_again(tuner, &table[i]);
        }
    }
    gputune_close(patient);
    gputune_close(impatient);
    expect_no_traces(before);
}

TESTS_WITHIN(open_bad, world_close)
