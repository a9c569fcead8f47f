/* Makes any call run out of memory or fail to read or write a file. A lookup must find the right
 * result or none, results must be kept at least in memory, and the file must stay intact. */
#include "store_support.h"

#include "support/each_failure.h"

#define OTHER_GPU "ffeeddccbbaa99887766554433221100"

typedef struct job {
    world *w;
    const char *path;
    char system[96]; /* path of the system's database, or "" */
    char *text;      /* wisdom */
    gt_store *memory;
} job;

/* Accepts the statuses of lookups in a store that cannot read its file. */
static gputune_status unless_unknown(gputune_status status)
{
    return status == GPUTUNE_ENOTFOUND || status == GPUTUNE_EBUSY ? GPUTUNE_OK : status;
}

static gputune_status take_record(void *user, const gputune_record *record)
{
    *(int *)user += record->is_winner;
    return 0;
}

static gputune_status look_up(gt_store *store)
{
    const gt_scenario scenario = scenario_at(1024), other = scenario_at(2000);
    gt_winner winner;
    gputune_status status = find_first(&winner, store, &scenario);
    if (status == GPUTUNE_OK) {
        assert_string_equal(winner.config, "VEC=4");
        /* the user's database has the time 100, the system's database 150 */
        assert_true(winner.median_ns == 100 || winner.median_ns == 150);
        gt_winner_free(&winner);
    }
    GT_TRY(unless_unknown(status));
    status = gt_store_find_nearest(&winner, store, &other, NULL, 0, NULL);
    if (status == GPUTUNE_OK) {
        assert_string_equal(winner.config, "VEC=4");
        gt_winner_free(&winner);
    }
    return unless_unknown(status);
}

static gputune_status look_further(gt_store *store)
{
    const gt_scenario scenario = scenario_at(4096);
    const gt_device device = {.name = "Test GPU", .origin = "cuda"};
    gt_trial_list trials;
    gt_related_list related;
    gt_code code;
    GT_TRY(gt_store_trials(&trials, store, &scenario, 0, NULL));
    gt_trial_list_free(&trials);
    GT_TRY(gt_store_related_trials(&related, store, &device, &scenario, NULL));
    gt_related_list_free(&related);
    gputune_status status = gt_store_find_cubin(&code, store, hash_of(1002), "sm_90", false, NULL);
    if (status == GPUTUNE_OK) {
        assert_string_equal(code.image.data, "the winner's code");
        gt_code_free(&code);
    }
    return unless_unknown(status);
}

static gputune_status list_and_export(gt_store *store)
{
    static const char *const environments[] = {"another", OTHER_GPU, ENVIRONMENT};
    const gt_records_filter filter = {
        .all_trials = true,
        .one_version = true,
        .wanted = {.environments = environments, .environment_count = 3}};
    const gt_wanted all = {.gpu = "test", .sizes = "T=half"};
    GT_SCOPED(gt_text_free) gt_text text = {0};
    uint32_t count;
    int winners = 0;
    gputune_status status = gt_store_records(store, &filter, take_record, &winners);
    GT_TRY(status);
    status = gt_store_export(&text, &count, store, &all, false);
    return status;
}

static gputune_status read_all(void *user)
{
    job *j = user;
    gt_store *store;
    const char *system = j->system[0] ? j->system : NULL;
    gputune_status status = gt_store_open(&store, j->path, system, &j->w->log, true);
    GT_TRY(status);
    status = look_up(store);
    status = status == GPUTUNE_OK ? look_further(store) : status;
    status = status == GPUTUNE_OK ? list_and_export(store) : status;
    gt_store_close(store);
    return status;
}

static void expect_all(void *user)
{
    job *j = user;
    GT_SCOPED(close_store) gt_store *store = NULL;
    const gt_scenario scenario = scenario_at(1024);
    if (gt_store_open(&store, j->path, NULL, NULL, true) != GPUTUNE_OK) {
        fail_msg("%s", gt_message());
    }
    GT_SCOPED(gt_winner_free) gt_winner winner = first_winner(store, &scenario);
    assert_string_equal(winner.config, "VEC=4");
}

static void put_gpus(gt_store *store)
{
    const gt_device device = {.name = "Test GPU", .origin = "cuda"};
    put_gpu(store, ENVIRONMENT, &device, "a host", 0);
    put_gpu(store, OTHER_GPU, &device, NULL, 0);
}

/* Makes a file with two winners, in memory because these tests write the file thousands of
 * times. */
static void fill(job *j, world *w)
{
    *j = (job){.w = w};
    j->path = j->w->path;
    folder_remove(j->w->folder);
    j->w->folder = folder_make_in_memory();
    snprintf(j->w->path, sizeof j->w->path, "%s/gputune.db", j->w->folder);
    GT_SCOPED(close_store) gt_store *store = open_store(j->w);
    put_gpus(store);
    put_size(store, 1024, 100);
    put_size(store, 4096, 300);
}

/* Makes a system-wide database with two scenarios. The user's database also has one of them. */
static void fill_system(job *j)
{
    snprintf(j->system, sizeof j->system, "%s/system.db", j->w->folder);
    GT_SCOPED(close_store) gt_store *store = NULL;
    ASSERT_OK(gt_store_open(&store, j->system, NULL, NULL, false));
    put_gpus(store);
    put_size(store, 1024, 150);
    put_size(store, 8192, 600);
}

static void fail_each(long step, each_act act, each_check afterwards, job *j)
{
    each_allocation(3, act, afterwards, j);
    each_of_sqlite(step, act, afterwards, j);
}

TEST_OF(memory_is_short_for_a_lookup, world *w, open_world, close_world)
{
    job j;
    fill(&j, w);
    fail_each(211, read_all, expect_all, &j);
    fill_system(&j);
    fail_each(503, read_all, expect_all, &j);
}

TEST_OF(file_cannot_be_read, world *w, open_world, close_world)
{
    static const char *const calls[] = {"open", "read",   "pread",   "fcntl",
                                        "stat", "access", "realpath"};
    job j;
    fill(&j, w);
    fill_system(&j);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        (void)each_call(calls[i], 3, read_all, expect_all, &j);
    }
}

static gt_patience soon(void)
{
    return gt_patience_for(0.05, NULL);
}

/* Stores a winner of another size and finds it again, in the file or in memory. */
static gputune_status put_and_find(gt_store *store, const gt_scenario *scenario)
{
    const gt_terms terms = terms_of(GPUTUNE_MEASURE);
    const gt_patience patience = soon();
    gt_winner winner;
    GT_TRY(put_under(store, scenario, 50, &terms, true, &patience));
    gputune_status status = find_first(&winner, store, scenario);
    if (status == GPUTUNE_OK) {
        assert_true(winner.median_ns == 50);
        gt_winner_free(&winner);
    }
    return unless_unknown(status);
}

static gputune_status put_parts(gt_store *store, const gt_scenario *scenario)
{
    const gt_patience patience = soon();
    const gt_trial trial = trial_of(4, "VEC=2", 75);
    const gt_code code = code_of(4, "more code");
    GT_TRY(gt_store_put_trials(store, scenario, &trial, 1, &patience));
    return gt_store_put_cubins(store, &code, 1, &patience);
}

static gputune_status write_within(gt_store *store)
{
    const gt_scenario scenario = scenario_at(2048);
    const gt_patience patience = soon();
    gt_lease lease = {0};
    gputune_status status = gt_store_lease_acquire(&lease, store, &scenario, &patience);
    status = status == GPUTUNE_OK ? put_parts(store, &scenario) : unless_unknown(status);
    status = status == GPUTUNE_OK ? put_and_find(store, &scenario) : status;
    if (status == GPUTUNE_OK && lease.held) {
        status = unless_unknown(gt_store_lease_renew(&lease, store, &patience));
    }
    gt_store_lease_release(&lease, store, &patience);
    return status;
}

/* Checks that other processes and the store itself can write while the store is still open. */
static void expect_writable(const job *j, gt_store *store)
{
    char message[512];
    sqlite3 *other;
    snprintf(message, sizeof message, "%s", gt_message());
    failing_end();
    assert_int_equal(sqlite3_open(j->path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE; ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    if (write_within(store) != GPUTUNE_OK) {
        fail_msg("after \"%s\": %s", message, gt_message());
    }
    gt_message_set("%s", message);
}

static gputune_status write_file(void *user)
{
    job *j = user;
    gt_store *store;
    GT_TRY(gt_store_open(&store, j->path, NULL, &j->w->log, false));
    gputune_status status = write_within(store);
    if (status != GPUTUNE_OK) {
        expect_writable(j, store);
    }
    gt_store_close(store);
    return status;
}

static gputune_status begin_file(void *user)
{
    job *j = user;
    unlink(j->path);
    return write_file(user);
}

static void expect_whole(void *user)
{
    job *j = user;
    static const char is_whole[] = "SELECT integrity_check = 'ok' FROM pragma_integrity_check";
    assert_int_equal(query_number(j->path, is_whole), 1);
}

static void expect_all_whole(void *user)
{
    expect_all(user);
    expect_whole(user);
}

TEST_OF(memory_is_short_for_writing, world *w, open_world, close_world)
{
    job j;
    fill(&j, w);
    fail_each(211, write_file, expect_all_whole, &j);
    fail_each(307, begin_file, expect_whole, &j);
}

TEST_OF(file_cannot_be_written, world *w, open_world, close_world)
{
    static const char *const calls[] = {"open",   "read",  "pread",    "write",
                                        "pwrite", "fsync", "truncate", "fallocate",
                                        "fcntl",  "stat",  "unlink",   "flock"};
    job j;
    fill(&j, w);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        (void)each_call(calls[i], 5, write_file, expect_all_whole, &j);
        (void)each_call(calls[i], 5, begin_file, NULL, &j);
        fill(&j, w);
    }
}

static gputune_status put_in_memory(void *user)
{
    job *j = user;
    const gt_scenario scenario = scenario_at(2048);
    return put_and_find(j->memory, &scenario);
}

static void expect_in_memory(void *user)
{
    ASSERT_OK(put_in_memory(user));
}

/* All attempts use the same store, to show that a failure does not affect later calls. */
TEST_OF(memory_is_short_for_results_in_memory, world *w, open_world, close_world)
{
    job j = {.w = w};
    ASSERT_OK(gt_store_open(&j.memory, ":memory:", NULL, &j.w->log, false));
    fail_each(101, put_in_memory, expect_in_memory, &j);
    gt_store_close(j.memory);
}

/* Stores a result while the file is locked, so the result is kept in memory. Checking or closing
 * the store then writes it to the file. */
static gputune_status bring_to_file(void *user)
{
    job *j = user;
    gt_store *store;
    const gt_patience at_once = gt_patience_for(0, NULL);
    failing_pause();
    ASSERT_OK(gt_store_open(&store, j->path, NULL, &j->w->log, false));
    put_size(store, 1024, 100);
    sqlite3 *other = lock_database(j->path);
    put_size_within(store, 2048, 20, &at_once);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    failing_resume();
    (void)gt_store_check(store, true);
    gt_store_close(store);
    return GPUTUNE_OK;
}

static void expect_brought(void *user)
{
    job *j = user;
    bring_to_file(user);
    expect_all_whole(user);
    GT_SCOPED(close_store) gt_store *store = open_store(j->w);
    assert_true(time_at(store, 2048) == 20);
}

TEST_OF(memory_is_short_for_bringing, world *w, open_world, close_world)
{
    job j;
    fill(&j, w);
    each_of_sqlite(211, bring_to_file, expect_brought, &j);
}

static gputune_status take_over(void *user)
{
    job *j = user;
    const gt_patience patience = soon();
    gt_store *store;
    GT_TRY(gt_store_open(&store, j->path, NULL, &j->w->log, false));
    gputune_status status = GPUTUNE_OK;
    for (int keep = 0; keep < 2 && status == GPUTUNE_OK; keep++) {
        gt_wisdom_import import = {.driver_version = 13000, .from = "the text", .keep = keep};
        status = gt_store_import(&import, store, j->text, &patience);
        if (status == GPUTUNE_OK) {
            assert_int_equal(import.taken, 2);
        }
    }
    gt_store_close(store);
    return status;
}

static int take_dropped(void *user, const gputune_record *record)
{
    ++*(int *)user;
    return 0;
}

static gputune_status drop(void *user)
{
    job *j = user;
    int dropped = 0;
    j->w->warnings = 0;
    const gt_records_filter filter = {.wanted = ONE_KERNEL("axpy"), .all_trials = true};
    const gt_patience patience = soon();
    gt_store *store;
    GT_TRY(gt_store_open(&store, j->path, NULL, &j->w->log, false));
    const gputune_forget_options say = {.dry_run = true}, drop = {.dry_run = false};
    int status = gt_store_forget(store, &filter, &say, take_dropped, &dropped, &patience);
    if (status == GPUTUNE_OK) {
        status = gt_store_forget(store, &filter, &drop, take_dropped, &dropped, &patience);
    }
    gt_store_close(store);
    /* if memory runs out while the file is opened, a warning is logged and the file is not used */
    return status == GPUTUNE_EDATABASE && j->w->warnings ? GPUTUNE_OK : (gputune_status)status;
}

TEST_OF(memory_is_short_for_taking_over, world *w, open_world, close_world)
{
    static const gt_wanted all = {.kernels = NULL};
    job j;
    gt_text text = {0};
    uint32_t count;
    fill(&j, w);
    gt_store *store = open_store(j.w);
    ASSERT_OK(gt_store_export(&text, &count, store, &all, false));
    gt_store_close(store);
    ASSERT_OK(gt_text_take(&j.text, &text));
    fail_each(503, take_over, expect_all_whole, &j);
    j.path = ":memory:";
    fail_each(503, take_over, NULL, &j);
    free(j.text);
}

static gputune_status fill_and_drop(void *user)
{
    job *j = user;
    gt_store *store;
    GT_TRY(gt_store_open(&store, j->path, NULL, &j->w->log, false));
    gputune_status status = write_within(store);
    gt_store_close(store);
    return status == GPUTUNE_OK ? drop(j) : status;
}

TEST_OF(memory_is_short_for_dropping, world *w, open_world, close_world)
{
    job j;
    fill(&j, w);
    fail_each(503, fill_and_drop, expect_whole, &j);
}

int main(void)
{
    count_sqlite_apart();
    return tests_run(NULL, NULL);
}
