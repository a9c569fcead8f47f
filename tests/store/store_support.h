/* Helpers for the tests of the store: a temporary folder, scenarios, and outcomes. */
#pragma once

#include "store/layers.h"
#include "store/store.h"
#include "support/folder.h"
#include "support/test.h"

#include <sqlite3.h>

#define ENVIRONMENT "00112233445566778899aabbccddeeff"

/* An initialiser for a gt_wanted that selects one kernel. */
#define ONE_KERNEL(name)                                                                           \
    {                                                                                              \
        .kernels = (const char *[]){name}, .kernel_count = 1                                       \
    }

typedef struct world {
    char *folder, path[96];
    gt_log log;
    int warnings;
    char warning[1024];
} world;

static inline void take_line(void *user, gputune_log_level level, const char *line)
{
    world *w = user;
    if (level <= GPUTUNE_LOG_WARNING) {
        w->warnings++;
        snprintf(w->warning, sizeof w->warning, "%s", line);
    }
}

static inline int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    w->folder = folder_make();
    char *folder = w->path;
    snprintf(folder, sizeof w->path, "%s/deep", w->folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(w->path, sizeof w->path, "%s/deep/gputune.db", w->folder);
    w->log = (gt_log){take_line, w};
    *state = w;
    return 0;
}

static inline int close_world(void **state)
{
    world *w = *state;
    folder_remove(w->folder);
    free(w);
    return 0;
}

/* Defines a test with a new world `w` and its store `store`: TEST_WITH_STORE(name) { … }. */
#define TEST_WITH_STORE(name)                                                                      \
    static void name##_with(world *w, gt_store *store);                                            \
    TEST_OF(name, world *w, open_world, close_world)                                               \
    {                                                                                              \
        GT_SCOPED(close_store) gt_store *store = open_store(w);                                    \
        name##_with(w, store);                                                                     \
    }                                                                                              \
    static void name##_with(world *w, gt_store *store)

/* Opens the database at `path` as the user's file. `system` is the system-wide file, or NULL. */
static inline gt_store *open_over(world *w, const char *path, const char *system)
{
    gt_store *store;
    ASSERT_OK(gt_store_open(&store, path, system, &w->log, false));
    return store;
}

static inline gt_store *open_store(world *w)
{
    return open_over(w, w->path, NULL);
}

static inline void close_store(gt_store **store)
{
    gt_store_close(*store);
}

static inline gt_hash hash_of(uint64_t number)
{
    return gt_hash_bytes(&number, sizeof number);
}

/* Returns a scenario of axpy at n. Its text stays valid during the next 15 calls by this thread. */
static inline gt_scenario scenario_at(int64_t n)
{
    static _Thread_local struct {
        char problem[32];
    } kept[16], *one;
    static _Thread_local unsigned count;
    one = &kept[count++ % 16];
    snprintf(one->problem, sizeof one->problem, "n=%lld T=half", (long long)n);
    return (gt_scenario){.environment = ENVIRONMENT,
                         .kernel = "axpy",
                         .problem = one->problem,
                         .fixed = "T=half",
                         .objective = GPUTUNE_OBJECTIVE_KERNEL,
                         .alignment = "16",
                         .inputs = "seed=1",
                         .identity = {1, 2},
                         .work_bytes = 12.0 * (double)n,
                         .work_flops = 2.0 * (double)n};
}

static inline gt_trial trial_of(uint64_t number, const char *config, double time_ns)
{
    return (gt_trial){.hash = hash_of(number),
                      .source = hash_of(1000 + number),
                      .config = config,
                      .time = {9, time_ns, time_ns + 1, 2, time_ns - 3, time_ns + 3, time_ns - 4},
                      .resources = {32, 8, 1024, 16},
                      .shared_bytes = 2048,
                      .occupancy = 0.75,
                      .max_error = 0.25,
                      .compile_ns = 2e7,
                      .driver_version = 13000,
                      .nvrtc_version = 13000};
}

static inline gt_code code_of(uint64_t number, const char *image)
{
    return (gt_code){.source = hash_of(1000 + number),
                     .arch = "sm_90",
                     .nvrtc_version = 13000,
                     .image = {(void *)image, strlen(image)},
                     .resources = {32, 8, 1024, 16},
                     .compile_ns = 2e7};
}

/* Returns the terms of a finished and verified tuning of space 77 with this effort. */
static inline gt_terms terms_of(gputune_effort effort)
{
    return (gt_terms){.space = hash_of(77),
                      .effort = effort,
                      .driver_version = 13000,
                      .final = true,
                      .proved = true};
}

/* Stores the winner "VEC=4" with three trials: the default, the winner, and one that crashed. */
static inline gputune_status put_under(gt_store *store, const gt_scenario *scenario, double time_ns,
                                       const gt_terms *terms, bool force,
                                       const gt_patience *patience)
{
    gt_trial trials[3] = {trial_of(1, "VEC=1", 2 * time_ns), trial_of(2, "VEC=4", time_ns),
                          trial_of(3, "VEC=8", 0)};
    trials[0].is_default = true;
    trials[2].status = GT_TRIAL_CRASHED;
    trials[2].message = "illegal address";
    trials[2].time = (gt_summary){0};
    gt_winner winner = {.config = (char *)"VEC=4",
                        .default_config = (char *)"VEC=1",
                        .fallback_config = (char *)"VEC=1",
                        .trial = trials[1].hash,
                        .default_trial = trials[0].hash,
                        .terms = *terms,
                        .only = (char *)(terms->limit ? "VEC=1,4,8" : NULL),
                        .code = code_of(2, "the winner's code"),
                        .fallback = code_of(1, "the default's code"),
                        .verdict.speedup = 2,
                        .verdict.speedup_low = 1.9,
                        .verdict.speedup_high = 2.1,
                        .verdict.tie = true,
                        .stop_reason = (char *)"no other variant is as fast",
                        .nvrtc_version = 13000,
                        .variants = 3,
                        .failed = 1,
                        .tuning_s = 1.5};
    const gt_site site = {.scenario = *scenario};
    const gt_outcome outcome = {
        .site = &site, .trials = trials, .trial_count = 3, .winner = &winner, .force = force};
    return gt_store_put_winner(store, &outcome, patience);
}

static inline gputune_status put_outcome(gt_store *store, const gt_scenario *scenario,
                                         double time_ns, gputune_effort effort, bool force)
{
    const gt_terms terms = terms_of(effort);
    return put_under(store, scenario, time_ns, &terms, force, NULL);
}

static inline void put_size_within(gt_store *store, int64_t n, double time_ns,
                                   const gt_patience *patience)
{
    gt_scenario scenario = scenario_at(n);
    const gt_terms terms = terms_of(GPUTUNE_MEASURE);
    ASSERT_OK(put_under(store, &scenario, time_ns, &terms, false, patience));
}

static inline void put_size(gt_store *store, int64_t n, double time_ns)
{
    put_size_within(store, n, time_ns, NULL);
}

static inline void put_into(world *w, const char *path, int64_t n, double time_ns)
{
    GT_SCOPED(close_store) gt_store *store = open_over(w, path, NULL);
    put_size(store, n, time_ns);
}

/* Stores the properties of a GPU, and a scenario on that GPU. */
static inline void put_gpu(gt_store *store, const char *environment, const gt_device *device,
                           const char *host, double copy_bytes_per_s)
{
    gt_scenario scenario = scenario_at(7);
    scenario.environment = environment;
    gt_site site = gt_site_of(&scenario, device, host);
    site.copy_bytes_per_s = copy_bytes_per_s;
    const gt_outcome outcome = {.site = &site};
    ASSERT_OK(gt_store_put_winner(store, &outcome, NULL));
}

static inline gputune_status find_first(gt_winner *out, gt_store *store,
                                        const gt_scenario *scenario)
{
    gt_winner_list list;
    gputune_status status = gt_store_winners(&list, store, scenario, NULL);
    if (status != GPUTUNE_OK) {
        return status;
    }
    if (list.count) {
        *out = list.items[0];
        list.items[0] = (gt_winner){0};
    }
    status = list.count ? GPUTUNE_OK : GPUTUNE_ENOTFOUND;
    gt_winner_list_free(&list);
    return status;
}

static inline gt_winner first_winner(gt_store *store, const gt_scenario *scenario)
{
    gt_winner winner;
    ASSERT_OK(find_first(&winner, store, scenario));
    return winner;
}

static inline double time_at(gt_store *store, int64_t n)
{
    gt_scenario scenario = scenario_at(n);
    gt_winner winner;
    if (find_first(&winner, store, &scenario) != GPUTUNE_OK) {
        return 0;
    }
    double median = winner.median_ns;
    gt_winner_free(&winner);
    return median;
}

static inline bool has_code(gt_store *store, uint64_t number)
{
    gt_code code;
    gputune_status status =
        gt_store_find_cubin(&code, store, hash_of(1000 + number), "sm_90", false, NULL);
    if (status == GPUTUNE_OK) {
        gt_code_free(&code);
    } else {
        assert_int_equal(status, GPUTUNE_ENOTFOUND);
    }
    return status == GPUTUNE_OK;
}

/* Returns a connection that locks the database for others until it is closed. */
static inline sqlite3 *lock_database(const char *path)
{
    sqlite3 *file;
    assert_int_equal(sqlite3_open(path, &file), SQLITE_OK);
    assert_int_equal(sqlite3_exec(file, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    return file;
}

/* Changes the file without going through the store. */
static inline void run_sql(const char *path, const char *sql)
{
    sqlite3 *raw;
    assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
    assert_int_equal(sqlite3_exec(raw, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(raw);
}

static inline int64_t query_number(const char *path, const char *sql)
{
    sqlite3 *raw;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(raw, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(raw);
    return value;
}

/* Returns all winners and rules as text, including their code if `whole` is true. Checks their
 * number. */
static inline char *exported(gt_store *store, uint32_t expected, bool whole)
{
    const gt_wanted all = {.kernels = NULL};
    gt_text text = {0};
    char *out;
    uint32_t count;
    ASSERT_OK(gt_store_export(&text, &count, store, &all, whole));
    assert_int_equal(count, expected);
    ASSERT_OK(gt_text_take(&out, &text));
    return out;
}
