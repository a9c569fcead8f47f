/* Tests tuning, storing, reading and launching in a locale with a decimal comma. */
#include "world.h"

#include "support/comma_locale.h"

enum { N = 4099, COLUMNS = 7 };

static int open_with_comma(void **state)
{
    comma_locale_set(state);
    return world_open("emu:h200");
}

static int close_with_comma(void **state)
{
    world_close(state);
    return comma_locale_reset(state);
}

/* Checks that `float a = 1.5` and `rtol = 1e-6` are read correctly. */
static void tune_axpy(const gputune_options *options, gputune_source source)
{
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), options));
    gputune_info info = info_of(plan);
    assert_int_equal(info.source, source);
    assert_int_equal(info.failed, 0);
    assert_true(info.time_ns > 0);
    assert_int_equal(world.warnings, 0);
}

TEST(template_with_floats_is_tuned_and_found_again)
{
    comma_locale_needed();
    gputune_options options = few_variants();
    tune_axpy(&options, GPUTUNE_SOURCE_MEASURED);
    tune_axpy(&options, GPUTUNE_SOURCE_CACHED);
}

static size_t count_commas(const char *line)
{
    size_t count = 0;
    for (; *line; line++) {
        count += *line == ',';
    }
    return count;
}

TEST(samples_keep_their_columns)
{
    char path[128], line[512];
    size_t lines = 0;
    comma_locale_needed();
    snprintf(path, sizeof path, "%s/samples.csv", world.folder);
    gputune_options options = few_variants();
    options.force = true;
    options.samples_path = path;
    tune_axpy(&options, GPUTUNE_SOURCE_MEASURED);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); lines++) {
        if (count_commas(line) != COLUMNS - 1) {
            fail_msg("%s", line);
        }
    }
    fclose(file);
    unlink(path);
    assert_true(lines > 2);
}

static int on_record(void *user, const gputune_record *record)
{
    for (const char *at = record->message; (at = strchr(at, ',')); at++) {
        assert_true(at[1] == ' '); /* a comma in a sentence, not in a number */
    }
    *(int *)user += record->median_ns > 0;
    return 0;
}

TEST(messages_of_records_have_points)
{
    int measured = 0;
    comma_locale_needed();
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    OK(gputune_records(tuner, &FILTER(.all_trials = true), on_record, &measured));
    assert_true(measured > 0);
}

TESTS_WITHIN(open_with_comma, close_with_comma)
