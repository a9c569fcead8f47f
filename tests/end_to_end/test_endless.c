/* A variant that never ends is killed, and the tuning goes on. Alone in its program: it waits for a
 * deadline. */
#include "world.h"

/* A hang is certain only when it happens again with ten times the deadline, for which there is no
 * time here: whatever is recorded of the variant, it is no success. */
static int count_good(void *user, const gputune_record *record)
{
    *(int *)user += strstr(record->configuration, "BAD=1") && !strcmp(record->status, "ok");
    return 0;
}

TEST(test_an_endless_variant_is_killed)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    const char *only[] = {"BLOCK=64"};
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    int good = 0;
    gputune_options options = OPTIONS(.only = only, .only_count = 1, .time_limit_s = 8);
    OK(tune_kernel(&plan, tuner, "tests/poisoned/bad.cu:endless", GPUTUNE_SIZES({"n", 4099}),
                   &options));
    gputune_info info = info_of(plan);
    assert_non_null(strstr(info.configuration, "BAD=0"));
    assert_int_equal(info.source, GPUTUNE_SOURCE_MEASURED);
    filter.kernel = "endless";
    filter.all_trials = true;
    OK(gputune_records(tuner, &filter, count_good, &good));
    assert_int_equal(good, 0);
}

TESTS_WITHIN(open_h200, world_close)
