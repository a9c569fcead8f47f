/* Tests merging databases: all trials and winners are merged, the better evidence is kept, and a
 * merge that is killed changes everything or nothing. GPUTUNE_TEST_KILLS is the number of kills. */
#include "store/store.h"

#include "store_support.h"

#include "base/clock.h"
#include "base/random.h"

enum { FILES = 100, SIZES_OF_ONE = 12, KILLS = 12, OVERLAP = 4, OWN_SIZE = 7 };

typedef struct files {
    char paths[FILES][128];
    const char *list[FILES];
} files;

static const char *name_file(files *all, world *w, int i)
{
    snprintf(all->paths[i], sizeof all->paths[i], "%s/deep/%d.db", w->folder, i);
    return all->list[i] = all->paths[i];
}

static void put_terms(world *w, const char *path, double time_ns, const gt_terms *terms)
{
    GT_SCOPED(close_store) gt_store *store = open_over(w, path, NULL);
    const gt_scenario scenario = scenario_at(1024);
    ASSERT_OK(put_under(store, &scenario, time_ns, terms, false, NULL));
}

/* Merges the first `count` files into the world's database. */
static gputune_merged merge(world *w, const files *all, size_t count)
{
    gputune_merged merged;
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    ASSERT_OK(gt_store_merge(&merged, store, all->list, count));
    return merged;
}

static double time_in(world *w, int64_t n)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    return time_at(store, n);
}

/* The order of the files does not matter. All results are from the same second. */
TEST_OF(better_evidence_stays, world *w, open_world, close_world)
{
    files all;
    gt_terms terms[] = {terms_of(GPUTUNE_EXHAUSTIVE), terms_of(GPUTUNE_EXHAUSTIVE),
                        terms_of(GPUTUNE_EXHAUSTIVE), terms_of(GPUTUNE_MEASURE)};
    terms[0].final = false;
    terms[1].proved = false;
    terms[2].driver_version = 12000;
    for (int i = 0; i < 4; i++) {
        put_terms(w, name_file(&all, w, i), 10 + i, &terms[i]);
    }
    assert_int_equal(merge(w, &all, 4).winners, 4);
    assert_int_equal(query_number(w->path, "SELECT effort FROM winner"), GPUTUNE_MEASURE);
    assert_int_equal(query_number(w->path, "SELECT count(*) FROM winner"), 1);
    const char *last = all.list[3];
    all.list[3] = all.list[0];
    all.list[0] = last;
    (void)merge(w, &all, 4);
    assert_int_equal(query_number(w->path, "SELECT effort FROM winner"), GPUTUNE_MEASURE);
}

/* A tuning that was killed has stored trials, but not the properties of its GPU. */
TEST_OF(a_gpu_gets_its_facts_from_a_file_that_has_them, world *w, open_world, close_world)
{
    files all;
    gt_store *killed = open_over(w, name_file(&all, w, 0), NULL);
    const gt_scenario scenario = scenario_at(1024);
    const gt_trial trial = trial_of(2, "VEC=4", 90);
    ASSERT_OK(gt_store_put_trials(killed, &scenario, &trial, 1, NULL));
    gt_store_close(killed);
    gt_store *whole = open_over(w, name_file(&all, w, 1), NULL);
    put_size(whole, 2048, 10);
    gt_store_close(whole);
    run_sql(all.paths[1], "UPDATE gpu SET name = 'a GPU'");
    (void)merge(w, &all, 2);
    assert_int_equal(query_number(w->path, "SELECT count(*) FROM gpu WHERE name = 'a GPU'"), 1);
    (void)merge(w, &all, 1);
    assert_int_equal(query_number(w->path, "SELECT count(*) FROM gpu WHERE name = 'a GPU'"), 1);
}

TEST_OF(unproved_trial_replaces_nothing_in_a_merge, world *w, open_world, close_world)
{
    files all;
    const gt_terms terms = terms_of(GPUTUNE_MEASURE);
    put_terms(w, name_file(&all, w, 0), 10, &terms);
    gt_store *store = open_over(w, name_file(&all, w, 1), NULL);
    const gt_scenario scenario = scenario_at(1024);
    gt_trial trial = trial_of(2, "VEC=4", 90);
    trial.status = GT_TRIAL_UNPROVED;
    ASSERT_OK(gt_store_put_trials(store, &scenario, &trial, 1, NULL));
    gt_store_close(store);
    run_sql(all.paths[0], "UPDATE trial SET created = '2001'");
    (void)merge(w, &all, 2);
    assert_true(time_in(w, 1024) == 10);
}

/* The other file's winner failed here at a later time, so this database keeps its own winner. */
TEST_OF(winner_that_failed_here_does_not_come, world *w, open_world, close_world)
{
    files all;
    const gt_scenario scenario = scenario_at(1024);
    gt_terms terms = terms_of(GPUTUNE_MEASURE);
    put_into(w, name_file(&all, w, 0), 1024, 100);
    run_sql(all.paths[0], "UPDATE trial SET created = '2020-01-01T00:00:00Z'");
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    const gt_site site = {.scenario = scenario};
    gt_trial trials[] = {trial_of(5, "VEC=2", 150), trial_of(2, "VEC=4", 0)};
    const gt_winner winner = {.config = (char *)"VEC=2",
                              .default_config = (char *)"VEC=1",
                              .trial = trials[0].hash,
                              .terms = {.space = terms.space, .effort = terms.effort}};
    const gt_outcome outcome = {
        .site = &site, .trials = trials, .trial_count = 2, .winner = &winner};
    trials[1].status = GT_TRIAL_HUNG;
    ASSERT_OK(gt_store_put_winner(store, &outcome, NULL));
    merge(w, &all, 1);
    assert_true(time_at(store, 1024) == 150);
}

TEST_OF(damaged_rows_do_not_come, world *w, open_world, close_world)
{
    files all;
    for (int i = 0; i < 2; i++) {
        put_into(w, name_file(&all, w, i), 1024, 10 + i);
    }
    run_sql(all.paths[1], "UPDATE trial SET median = 1");
    gputune_merged merged = merge(w, &all, 2);
    assert_int_equal(merged.trials, 3);
    assert_int_equal(merged.winners, 1);
    assert_true(time_in(w, 1024) == 10);
    run_sql(w->path, "UPDATE trial SET median = 1; UPDATE winner SET speedup = 9");
    assert_true(time_in(w, 1024) == 0);
    (void)merge(w, &all, 1);
    assert_true(time_in(w, 1024) == 10);
}

/* Kills a merge after a random time of at most 2.5 times the duration of a merge. */
static void merge_until_killed(world *w, const files *all, double merge_s, gt_random *random)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)merge(w, all, FILES);
        _exit(0);
    }
    usleep((useconds_t)(2.5e6 * merge_s * gt_random_unit(random)));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void begin(world *w)
{
    unlink(w->path);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    put_size(store, OWN_SIZE, 5);
}

TEST_OF(a_killed_merge_leaves_all_or_nothing, world *w, open_world, close_world)
{
    files all;
    gt_random random = {28};
    const int64_t winners = (FILES - 1) * (SIZES_OF_ONE - OVERLAP) + SIZES_OF_ONE;
    for (int i = 0; i < FILES; i++) {
        GT_SCOPED(close_store) gt_store *store = open_over(w, name_file(&all, w, i), NULL);
        for (int s = 0; s < SIZES_OF_ONE; s++) {
            put_size(store, 1000 + i * (SIZES_OF_ONE - OVERLAP) + s, 10);
        }
    }
    const char *asked = getenv("GPUTUNE_TEST_KILLS");
    long kills = asked ? strtol(asked, NULL, 10) : KILLS;
    begin(w);
    int64_t start_ns = gt_now_ns();
    assert_int_equal(merge(w, &all, FILES).taken_winners, winners);
    double merge_s = gt_seconds_since(start_ns);
    for (long i = 0; i < kills; i++) {
        begin(w);
        merge_until_killed(w, &all, merge_s, &random);
        gt_store *store = open_store(w);
        bool any = time_at(store, 1000) > 0;
        gt_store_close(store);
        int64_t found = query_number(w->path, "SELECT count(*) FROM winner");
        assert_int_equal(found, 1 + (any ? winners : 0));
        assert_true(time_in(w, OWN_SIZE) == 5);
        assert_int_equal(query_number(w->path, "SELECT count(*) FROM trial"), 3 * found);
        assert_int_equal(query_number(w->path, "SELECT count(*) FROM pragma_integrity_check"), 1);
    }
    begin(w);
    assert_int_equal(merge(w, &all, FILES).taken_winners, winners);
    assert_int_equal(w->warnings, 0);
}
