/* Tests which code is deleted with records, and which trials keep their time of creation. */
#include "store_support.h"

static int count_winners(void *user, const gputune_record *record)
{
    *(int *)user += record->is_winner;
    return 0;
}

static int forget_size(gt_store *store, const char *sizes)
{
    const gt_records_filter filter = {.wanted.sizes = sizes};
    const gputune_forget_options all = {.dry_run = false};
    int winners = 0;
    assert_int_equal(gt_store_forget(store, &filter, &all, count_winners, &winners, NULL), 0);
    return winners;
}

/* Code is deleted with the last trial that uses it. */
TEST_WITH_STORE(code_of_others_stays)
{
    const gt_code unused = code_of(9, "of no trial");
    put_size(store, 1024, 10);
    put_size(store, 2048, 20);
    ASSERT_OK(gt_store_put_cubins(store, &unused, 1, NULL));
    assert_int_equal(forget_size(store, "n=1K"), 1);
    assert_true(has_code(store, 2));
    assert_int_equal(forget_size(store, "n=2K"), 1);
    assert_false(has_code(store, 2));
    assert_true(has_code(store, 9));
}

/* Before the first result, there is no file. */
TEST_WITH_STORE(a_missing_file_is_not_created)
{
    assert_int_equal(forget_size(store, "n=1K"), 0);
    assert_int_equal(access(w->path, F_OK), -1);
    put_size(store, 1024, 10);
    assert_int_equal(unlink(w->path), 0);
    assert_int_equal(forget_size(store, "n=1K"), 0);
    assert_int_equal(access(w->path, F_OK), -1);
}

/* A winner's fallback need not have a trial, for example after an import. */
TEST_WITH_STORE(fallback_of_another_winner_stays)
{
    put_size(store, 1024, 10);
    put_size(store, 2048, 20);
    run_sql(w->path, "DELETE FROM trial WHERE config = 'VEC=1'");
    assert_int_equal(forget_size(store, "n=1K"), 1);
    assert_true(has_code(store, 1));
    assert_int_equal(forget_size(store, "n=2K"), 1);
    assert_false(has_code(store, 1));
}

static int take_created(void *user, const gputune_record *record)
{
    if (record->is_winner) {
        snprintf(user, 32, "%s", record->created);
    }
    return 0;
}

/* Trials keep the time at which they were measured if the tuning stores them again at its end. */
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
