/* Tests that a variant that never ends is killed and the tuning continues. This test is a separate
 * program, because it waits for a deadline. */
#include "world.h"

/* Checks that the variant hung twice, the second time with ten times the deadline. */
static int count_hung(void *user, const gputune_record *record)
{
    *(int *)user += strstr(record->configuration, "BAD=1") && !strcmp(record->status, "hung");
    return 0;
}

static int open_impatient(void **state)
{
    setenv("GPUTUNE_EMU_DEADLINE", "0.5", 1);
    return open_h200(state);
}

TEST(endless_variant_is_killed)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    const char *only[] = {"BLOCK=64"};
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    int hung = 0;
    gputune_options options = OPTIONS(.only = only, .only_count = 1);
    OK(tune_kernel(&plan, tuner, "tests/poisoned/bad.cu:endless", GPUTUNE_SIZES({"n", 4099}),
                   &options));
    gputune_info info = info_of(plan);
    assert_non_null(strstr(info.configuration, "BAD=0"));
    assert_int_equal(info.source, GPUTUNE_SOURCE_MEASURED);
    OK(gputune_records(tuner, &FILTER(.kernel = "endless", .all_trials = true), count_hung, &hung));
    assert_int_equal(hung, 1);
}

TESTS_WITHIN(open_impatient, world_close)
