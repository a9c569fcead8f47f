/* Tests deleting records by kernel, size and GPU, and the time at which a trial was created. */
#include "store_support.h"

static const gt_records_filter any = {.all_trials = false};
static const gputune_forget_options all = {.dry_run = false};

static int count_winners(void *user, const gputune_record *record)
{
    *(int *)user += record->is_winner;
    return 0;
}

static int forget(gt_store *store, const gt_records_filter *filter,
                  const gputune_forget_options *what)
{
    int winners = 0;
    assert_int_equal(gt_store_forget(store, filter, what, count_winners, &winners, NULL), 0);
    return winners;
}

static int forget_size(gt_store *store, const char *sizes, bool dry_run)
{
    return forget(store, &(gt_records_filter){.wanted.sizes = sizes},
                  &(gputune_forget_options){.dry_run = dry_run});
}

TEST_WITH_STORE(forget_deletes_named_records)
{
    put_size(store, 1024, 10);
    put_size(store, 2048, 20);
    put_size(store, 4096, 40);
    assert_int_equal(forget_size(store, "n=1K,2K", true), 2);
    assert_int_equal(time_at(store, 1024), 10);
    assert_int_equal(forget_size(store, "n=1K,2K", false), 2);
    assert_int_equal(time_at(store, 1024), 0);
    assert_int_equal(time_at(store, 2048), 0);
    assert_int_equal(time_at(store, 4096), 40);
    assert_int_equal(forget_size(store, "n=1K,2K", false), 0);
    assert_int_equal(forget(store, &(gt_records_filter){.wanted.gpu = "another"}, &all), 0);
    assert_int_equal(forget(store, &(gt_records_filter){.wanted = ONE_KERNEL("other")}, &all), 0);
    assert_int_equal(forget(store, &(gt_records_filter){.wanted.gpu = ENVIRONMENT}, &all), 1);
}

static int stop_at_second(void *user, const gputune_record *record)
{
    return ++*(int *)user == 2 ? 7 : 0;
}

TEST_WITH_STORE(nothing_goes_if_the_callback_stops)
{
    int told = 0;
    put_size(store, 1024, 10);
    put_size(store, 2048, 20);
    assert_int_equal(gt_store_forget(store, &any, &all, stop_at_second, &told, NULL), 7);
    assert_int_equal(told, 2);
    assert_int_equal(time_at(store, 1024), 10);
    assert_int_equal(time_at(store, 2048), 20);
    assert_int_equal(forget(store, &any, &all), 2);
    assert_int_equal(time_at(store, 2048), 0);
}

/* Code is deleted with the last trial that uses it. */
TEST_WITH_STORE(code_of_others_stays)
{
    const gt_code unused = code_of(9, "of no trial");
    put_size(store, 1024, 10);
    put_size(store, 2048, 20);
    ASSERT_OK(gt_store_put_cubins(store, &unused, 1, NULL));
    assert_int_equal(forget_size(store, "n=1K", false), 1);
    assert_true(has_code(store, 2));
    assert_int_equal(forget_size(store, "n=2K", false), 1);
    assert_false(has_code(store, 2));
    assert_true(has_code(store, 9));
}

/* A winner's fallback need not have a trial, for example after an import. */
TEST_WITH_STORE(fallback_of_another_winner_stays)
{
    put_size(store, 1024, 10);
    put_size(store, 2048, 20);
    run_sql(w->path, "DELETE FROM trial WHERE config = 'VEC=1'");
    assert_int_equal(forget_size(store, "n=1K", false), 1);
    assert_true(has_code(store, 1));
    assert_int_equal(forget_size(store, "n=2K", false), 1);
    assert_false(has_code(store, 1));
}

static int take_created(void *user, const gputune_record *record)
{
    if (record->is_winner) {
        snprintf(user, 32, "%s", record->created);
    }
    return 0;
}

/* Trials that a tuning stores again at its end keep the time at which they were measured. */
TEST_WITH_STORE(trials_keep_their_time_within_a_tuning)
{
    static const struct {
        double elapsed_s;
        bool kept;
    } cases[] = {{3e9, true}, {60, false}, {0, false}};
    const gt_records_filter trials = {.all_trials = true};
    put_size(store, 1024, 10);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char created[32];
        const gt_site site = {.scenario = scenario_at(1024)};
        const gt_trial trial = trial_of(2, "VEC=4", 10);
        const gt_outcome outcome = {
            .site = &site, .trials = &trial, .trial_count = 1, .elapsed_s = cases[i].elapsed_s};
        run_sql(w->path, "UPDATE trial SET created = '2001-01-01T00:00:00Z'");
        ASSERT_OK(gt_store_put_winner(store, &outcome, NULL));
        assert_int_equal(gt_store_records(store, &trials, take_created, created), 0);
        assert_int_equal(strcmp(created, "2001-01-01T00:00:00Z") == 0, cases[i].kept);
    }
}
