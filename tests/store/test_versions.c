/* Tests that records are reported for the right version of a template. Also tests stores that are
 * opened only for reading. */
#include "store_support.h"
#include "support/folder.h"

enum { TEXT_BYTES = 256 };

/* Appends the record's time, and an exclamation mark if the record is outdated: "10 30! ". */
static int append_record(void *user, const gputune_record *record)
{
    char *text = user;
    size_t length = strlen(text);
    snprintf(text + length, TEXT_BYTES - length, "%d%s ", (int)record->median_ns,
             record->outdated ? "!" : "");
    assert_int_equal(strlen(record->identity), 32);
    assert_int_equal(strlen(record->scenario), 32);
    assert_string_equal(record->alignment, "16");
    assert_string_equal(record->inputs, "seed=1");
    assert_string_equal(record->default_status, "ok");
    assert_int_equal(record->variants, 3);
    assert_int_equal(record->failed, 1);
    return 0;
}

static void put_version(gt_store *store, uint64_t version, double time_ns)
{
    gt_scenario scenario = scenario_at(1024);
    scenario.identity = hash_of(version);
    ASSERT_OK(put_outcome(store, &scenario, time_ns, GPUTUNE_MEASURE, false));
}

static bool at_hand(void *user, const char *kernel, gt_hash *identity)
{
    assert_string_equal(kernel, "axpy");
    *identity = hash_of(*(const uint64_t *)user);
    return true;
}

/* Checks the reported records. `version` is the template's version; 0 without a template. */
static void expect_is(gt_store *store, uint64_t version, bool one_version, const char *expected)
{
    const gt_records_filter filter = {
        .one_version = one_version, .at_hand = version ? at_hand : NULL, .user = &version};
    char text[TEXT_BYTES] = "";
    assert_int_equal(gt_store_records(store, &filter, append_record, text), 0);
    assert_string_equal(text, expected);
}

TEST_WITH_STORE(records_are_of_one_version)
{
    put_version(store, 1, 30);
    put_version(store, 2, 10);
    put_version(store, 3, 20);
    expect_is(store, 2, true, "10 ");
    expect_is(store, 0, true, "20 ");
    expect_is(store, 4, true, "20! ");
    expect_is(store, 2, false, "10 30! 20! ");
    put_version(store, 1, 5); /* an earlier version becomes the newest again */
    expect_is(store, 0, true, "5 ");
}

static int report_winner(void *user, const gputune_record *record)
{
    return record->is_winner ? append_record(user, record) : 0;
}

static void drops(gt_store *store, uint64_t version, bool dry_run, const char *expected)
{
    const gt_records_filter filter = {.at_hand = version ? at_hand : NULL, .user = &version};
    const gputune_forget_options what = {.dry_run = dry_run, .outdated = true};
    char text[TEXT_BYTES] = "";
    assert_int_equal(gt_store_forget(store, &filter, &what, report_winner, text, NULL), 0);
    assert_string_equal(text, expected);
}

static int64_t count_rows(const world *w, const char *table)
{
    char query[64];
    snprintf(query, sizeof query, "SELECT count(*) FROM %s", table);
    return query_number(w->path, query);
}

/* If an axis gets another value, the winners of the old and the new space may be the same trial. */
TEST_WITH_STORE(the_space_searched_last_is_reported)
{
    const gt_scenario scenario = scenario_at(1024);
    gt_terms terms = terms_of(GPUTUNE_MEASURE);
    for (uint64_t space = 78; space > 76; space--) {
        terms.space = hash_of(space);
        ASSERT_OK(put_under(store, &scenario, 10, &terms, false, NULL));
    }
    expect_is(store, 0, true, "10 ");
    expect_is(store, 0, false, "10 10! ");
    terms.space = hash_of(79);
    terms.limit = 2;
    ASSERT_OK(put_under(store, &scenario, 10, &terms, false, NULL));
    expect_is(store, 0, true, "10 10 ");
}

/* A trial of changed code replaces the earlier trial of its configuration, with everything that
 * belongs to it. */
TEST_WITH_STORE(code_that_was_edited_leaves_nothing)
{
    const gt_scenario scenario = scenario_at(1024);
    const gt_trial slower = trial_of(5, "VEC=4", 50), again = trial_of(1, "VEC=1", 20);
    GT_SCOPED(gt_trial_list_free) gt_trial_list found;
    put_size(store, 1024, 10);
    const int64_t trials = count_rows(w, "trial"), codes = count_rows(w, "compiled");
    ASSERT_OK(gt_store_put_trials(store, &scenario, &again, 1, NULL)); /* the same code */
    assert_int_equal(count_rows(w, "trial"), trials);
    assert_int_equal(count_rows(w, "winner"), 1);
    ASSERT_OK(gt_store_put_trials(store, &scenario, &slower, 1, NULL));
    assert_int_equal(count_rows(w, "trial"), trials);
    assert_int_equal(count_rows(w, "winner"), 0);
    assert_int_equal(count_rows(w, "compiled"), codes - 1);
    assert_int_equal(count_rows(w, "cubin"), codes - 1);
    ASSERT_OK(gt_store_trials(&found, store, &scenario, 0, NULL));
    for (size_t i = 0; i < found.count; i++) {
        assert_false(gt_hash_equal(found.items[i].hash, hash_of(2)));
    }
}

TEST_OF(others_are_dropped, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    put_version(store, 1, 30);
    put_version(store, 2, 10);
    put_version(store, 3, 20);
    drops(store, 2, true, "30! 20! ");
    expect_is(store, 2, false, "10 30! 20! ");
    int64_t trials = count_rows(w, "trial");
    drops(store, 2, false, "30! 20! ");
    expect_is(store, 2, false, "10 ");
    drops(store, 2, false, "");
    assert_int_equal(count_rows(w, "trial") * 3, trials);
    assert_int_equal(count_rows(w, "winner"), 1);
    assert_int_equal(count_rows(w, "scenario"), 1);
    assert_int_equal(count_rows(w, "kernel"), 1);
    put_version(store, 4, 40);
    drops(store, 0, false, "10! ");
    expect_is(store, 0, false, "40 ");
    gt_store_close(store);
    const gt_records_filter filter = {.all_trials = false};
    const gputune_forget_options everything = {.dry_run = false};
    char text[TEXT_BYTES] = "";
    ASSERT_OK(gt_store_open(&store, w->path, NULL, &w->log, true));
    assert_int_equal(gt_store_forget(store, &filter, &everything, append_record, text, NULL),
                     GPUTUNE_EDATABASE);
}

/* If the caller passes no path, a missing file counts as empty. */
TEST_OF(reading_without_a_file, world *w, open_world, close_world)
{
    char system[160];
    gt_store *store;
    snprintf(system, sizeof system, "%s/system.db", w->folder);
    setenv("GPUTUNE_DB", w->path, 1);
    put_into(w, system, 1024, 10);
    ASSERT_OK(gt_store_open(&store, NULL, system, &w->log, true));
    assert_true(time_at(store, 1024) == 10);
    ASSERT_OK(gt_store_check(store, false));
    gt_store_close(store);
    assert_int_equal(access(w->path, F_OK), -1);
    unsetenv("GPUTUNE_DB");
}
