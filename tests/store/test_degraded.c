/* Tests that an unusable database never makes a call fail: there is one warning, and results are
 * kept in memory. */
#include "store_support.h"

#include "base/file.h"
#include "base/signals.h"
#include "support/folder.h"

#include <dirent.h>
#include <sqlite3.h>
#include <sys/resource.h>

static void put_raw(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static const char *system_path(const world *w)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/system.db", w->folder);
    return path;
}

static void make_database(world *w, int64_t n)
{
    put_into(w, w->path, n, 10);
    assert_int_equal(w->warnings, 0);
}

/* Checks that results are kept in memory after exactly one warning, which contains `why`. */
static void goes_on_in_memory(world *w, gt_store *store, const char *why)
{
    put_size(store, 2048, 20);
    put_size(store, 8192, 80);
    assert_true(time_at(store, 2048) == 20);
    assert_int_equal(gt_store_check(store, true), GPUTUNE_EDATABASE);
    assert_int_equal(w->warnings, 1);
    if (!strstr(w->warning, why) || !strstr(w->warning, "GPUTUNE_DB")) {
        fail_msg("%s", w->warning);
    }
}

/* Checks what gt_store_check() reports for reading and for writing; "" means no error. */
static void check_reasons(gt_store *store, const char *reading, const char *writing)
{
    const char *const wanted[] = {reading, writing};
    for (int i = 0; i < 2; i++) {
        gputune_status status = gt_store_check(store, i == 1);
        assert_int_equal(status, wanted[i][0] ? GPUTUNE_EDATABASE : GPUTUNE_OK);
        if (status && !strstr(gt_message(), wanted[i])) {
            fail_msg("%s", gt_message());
        }
    }
}

TEST_OF(memory_on_request_is_no_warning, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_over(w, ":memory:", NULL);
    put_size(store, 2048, 20);
    assert_true(time_at(store, 2048) == 20);
    assert_int_equal(w->warnings, 0);
    check_reasons(store, "", "");
}

TEST_OF(newer_file_is_only_read, world *w, open_world, close_world)
{
    make_database(w, 1024);
    run_sql(w->path, "PRAGMA user_version = 999");
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    assert_true(time_at(store, 1024) == 10);
    goes_on_in_memory(w, store, "newer gputune");
    assert_true(time_at(store, 1024) == 10);
    check_reasons(store, "", "newer gputune");
    gt_store_close(store);
    store = open_store(w);
    assert_true(time_at(store, 2048) == 0);
}

/* A file of a newer gputune is never written to. If it is moved away and back, it is read again. */
TEST_OF(newer_file_that_was_away_is_read_again, world *w, open_world, close_world)
{
    char away[128];
    make_database(w, 1024);
    run_sql(w->path, "PRAGMA user_version = 999");
    sqlite3 *lock = lock_database(w->path);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    sqlite3_close(lock);
    put_size(store, 2048, 20);
    snprintf(away, sizeof away, "%s.away", w->path);
    assert_int_equal(rename(w->path, away), 0);
    assert_true(time_at(store, 1024) == 0);
    check_reasons(store, "newer gputune", "newer gputune");
    assert_int_equal(rename(away, w->path), 0);
    assert_true(time_at(store, 1024) == 10);
    check_reasons(store, "", "newer gputune");
}

/* The path is too long for SQLite, but not for the system. */
TEST_OF(a_path_that_is_too_long, world *w, open_world, close_world)
{
    char path[600];
    int length = snprintf(path, sizeof path, "%s", w->folder);
    for (int i = 0; i < 5; i++) {
        length += snprintf(path + length, sizeof path - (size_t)length, "/%0100d", i);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    (void)snprintf(path + length, sizeof path - (size_t)length, "/x.db");
    gt_store *store = open_over(w, path, NULL);
    goes_on_in_memory(w, store, "use a shorter one");
    gt_store_close(store);
    ASSERT_FAILS(gt_store_open(&store, path, NULL, &w->log, true), GPUTUNE_EDATABASE,
                 "use a shorter one");
}

TEST_OF(no_folder, world *w, open_world, close_world)
{
    char file[96];
    snprintf(file, sizeof file, "%s/deep", w->folder);
    assert_int_equal(rmdir(file), 0);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    goes_on_in_memory(w, store, "does not exist; create it first");
    check_reasons(store, "deep", "deep");
    gt_store_close(store);
    assert_int_equal(access(file, F_OK), -1);
    put_raw(file, "x", 1);
    w->warnings = 0;
    store = open_store(w);
    goes_on_in_memory(w, store, "cannot be written");
    check_reasons(store, "deep", "deep");
}

TEST_OF(makes_its_folder_in_the_cache, world *w, open_world, close_world)
{
    char cache[96], path[128];
    snprintf(cache, sizeof cache, "%s/a/b", w->folder);
    snprintf(path, sizeof path, "%s/gputune/gputune.db", cache);
    setenv("XDG_CACHE_HOME", cache, 1);
    unsetenv("GPUTUNE_DB");
    gt_store *store = open_over(w, NULL, NULL);
    check_reasons(store, "", "");
    assert_int_equal(access(path, F_OK), -1);
    put_size(store, 1024, 10);
    gt_store_close(store);
    assert_int_equal(access(path, F_OK), 0);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    gt_store_close(open_over(w, NULL, NULL));
    assert_string_equal(w->warning,
                        "the default database cannot be written (no cache folder: neither "
                        "XDG_CACHE_HOME nor HOME is set; set GPUTUNE_DB or one of them): results "
                        "are kept in memory only");
    w->warnings = 0; /* opened only for reading, a store warns of nothing: its calls fail instead */
    ASSERT_OK(gt_store_open(&store, NULL, NULL, &w->log, true));
    ASSERT_FAILS(gt_store_check(store, false), GPUTUNE_EDATABASE, "neither XDG_CACHE_HOME nor");
    gt_store_close(store);
    assert_int_equal(w->warnings, 0);
}

/* Kills a writer in the middle of a transaction that is partly in the file. */
static void die_while_writing(const char *path)
{
    int code;
    pid_t child = fork();
    if (child == 0) {
        sqlite3 *raw;
        bool begun = sqlite3_open(path, &raw) == SQLITE_OK &&
                     sqlite3_exec(raw, "BEGIN; DELETE FROM winner; DELETE FROM trial", NULL, NULL,
                                  NULL) == SQLITE_OK &&
                     sqlite3_db_cacheflush(raw) == SQLITE_OK;
        _exit(begun ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
}

TEST_OF(reader_rolls_back_a_killed_writer, world *w, open_world, close_world)
{
    gt_store *store;
    put_into(w, w->path, 1024, 100);
    die_while_writing(w->path);
    ASSERT_OK(gt_store_open(&store, w->path, NULL, &w->log, true));
    assert_float_equal(time_at(store, 1024), 100, 0);
    gt_store_close(store);
    assert_int_equal(w->warnings, 0);
}

/* Opening a pipe would wait for a process that opens the other end. */
TEST_OF(folders_pipes_and_devices_are_left_alone, world *w, open_world, close_world)
{
    static const char *const cases[][2] = {{"folder", "it is a folder"},
                                           {"pipe", "it is a pipe"},
                                           {"/dev/zero", "it is a device"},
                                           {"/dev/full", "it is a device"},
                                           {"/dev/null", "it is a device"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_device = cases[i][0][0] == '/';
        gt_store *only_read;
        snprintf(w->path, sizeof w->path, "%s/%s", is_device ? "" : w->folder, cases[i][0]);
        assert_int_equal(i == 0 ? mkdir(w->path, 0700) : i == 1 ? mkfifo(w->path, 0600) : 0, 0);
        w->warnings = 0;
        GT_SCOPED(close_store) gt_store *store = open_store(w);
        goes_on_in_memory(w, store, cases[i][1]);
        check_reasons(store, cases[i][1], cases[i][1]);
        ASSERT_FAILS(gt_store_open(&only_read, w->path, NULL, NULL, true), GPUTUNE_EDATABASE,
                     cases[i][1]);
    }
}

/* The file accepts the first part of a transaction, and writing the rest fails. */
TEST_OF(full_disk, world *w, open_world, close_world)
{
    make_database(w, 1024);
    struct stat facts;
    struct rlimit old, small;
    assert_int_equal(stat(w->path, &facts), 0);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){(rlim_t)facts.st_size, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    char *image = calloc(1, 1 << 20);
    gt_code code = code_of(9, "x");
    code.image = (gt_image){image, 1 << 20};
    gt_held_signal held;
    gt_signal_hold(&held);
    ASSERT_OK(gt_store_put_cubins(store, &code, 1, NULL));
    gt_signal_release(&held);
    setrlimit(RLIMIT_FSIZE, &old);
    goes_on_in_memory(w, store, "cannot be written");
    gt_code found;
    ASSERT_OK(gt_store_find_cubin(&found, store, code.source, "sm_90", false, NULL));
    gt_code_free(&found);
    assert_true(time_at(store, 1024) == 10);
    free(image);
    gt_store_close(store);
    store = open_store(w);
    assert_true(time_at(store, 1024) == 10);
}

static bool is_beside(const world *w, const char *ending)
{
    char path[128];
    snprintf(path, sizeof path, "%s%s", w->path, ending);
    return access(path, F_OK) == 0;
}

/* Checks that the file is not modified and that no file is created beside it. */
static void stays_as_it_is(world *w, const void *bytes, size_t count)
{
    GT_FREED char *kept = NULL;
    size_t kept_bytes;
    gt_store *store = open_store(w);
    assert_true(time_at(store, 512) == 0);
    goes_on_in_memory(w, store, "cannot be used");
    gt_store_close(store);
    ASSERT_OK(gt_file_read(&kept, &kept_bytes, w->path));
    assert_int_equal(kept_bytes, count);
    assert_memory_equal(kept, bytes, count);
    assert_false(is_beside(w, ".1"));
}

TEST_OF(not_a_database, world *w, open_world, close_world)
{
    char text[4096];
    memset(text, 'x', sizeof text);
    put_raw(w->path, text, sizeof text);
    stays_as_it_is(w, text, sizeof text);
}

TEST_OF(another_programs_database, world *w, open_world, close_world)
{
    GT_FREED char *bytes = NULL;
    size_t count;
    run_sql(w->path, "CREATE TABLE notes (text TEXT)");
    ASSERT_OK(gt_file_read(&bytes, &count, w->path));
    stays_as_it_is(w, bytes, count);
}

/* The damage only shows when tables are read. */
TEST_OF(malformed_tables, world *w, open_world, close_world)
{
    make_database(w, 1024);
    FILE *file = fopen(w->path, "r+");
    char noise[4096];
    memset(noise, 0xa5, sizeof noise);
    fseek(file, 0, SEEK_END);
    long pages = ftell(file) / 4096;
    /* all pages except the first, which holds the schema */
    for (long page = 1; page < pages; page++) {
        fseek(file, page * 4096, SEEK_SET);
        fwrite(noise, 1, sizeof noise, file);
    }
    fclose(file);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    assert_true(time_at(store, 1024) == 0);
    put_size(store, 512, 5);
    assert_true(time_at(store, 512) == 5);
    assert_int_equal(gt_store_check(store, true), GPUTUNE_EDATABASE);
    assert_int_equal(w->warnings, 1);
}

TEST_OF(empty_file_is_a_new_database, world *w, open_world, close_world)
{
    put_raw(w->path, "", 0);
    make_database(w, 1024);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    assert_true(time_at(store, 1024) == 10);
}

TEST_OF(a_write_creates_the_file_of_a_link, world *w, open_world, close_world)
{
    char target[128];
    snprintf(target, sizeof target, "%s/target.db", w->folder);
    assert_int_equal(symlink(target, w->path), 0);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    check_reasons(store, "", "");
    assert_int_equal(access(target, F_OK), -1);
    make_database(w, 1024);
    assert_true(time_at(store, 1024) == 10);
    assert_int_equal(access(target, F_OK), 0);
}

static int take_record(void *user, const gputune_record *record)
{
    char *line = user;
    size_t used = strlen(line);
    snprintf(line + used, 512 - used, "%s %s %g;", record->sizes, record->configuration,
             record->median_ns);
    return 0;
}

TEST_OF(users_database_wins_over_the_systems, world *w, open_world, close_world)
{
    const char *system = system_path(w);
    char lines[512] = "";
    gt_store *store = open_over(w, system, NULL);
    put_size(store, 1024, 11);
    put_size(store, 4096, 44);
    gt_store_close(store);
    store = open_over(w, w->path, system);
    assert_true(time_at(store, 1024) == 11);
    put_size(store, 1024, 10);
    assert_true(time_at(store, 1024) == 10);
    assert_true(time_at(store, 4096) == 44);
    const gt_records_filter filter = {0};
    assert_int_equal(gt_store_records(store, &filter, take_record, lines), 0);
    assert_string_equal(lines, "n=1024 T=half VEC=4 10;n=4096 T=half VEC=4 44;");
    gt_store_close(store);
    store = open_over(w, system, NULL);
    assert_true(time_at(store, 1024) == 11);
    gt_store_close(store);
    assert_int_equal(w->warnings, 0);
}

/* Returns the time of the first winner at n = 1024, and sets *final to whether it is final. */
static double time_of_first(gt_store *store, bool *final)
{
    gt_scenario scenario = scenario_at(1024);
    GT_SCOPED(gt_winner_free) gt_winner winner = first_winner(store, &scenario);
    double median = winner.median_ns;
    *final = winner.terms.final;
    return median;
}

/* An unfinished result in the system-wide database counts as final. So does a user's own unfinished
 * result if it is at least as fast. */
TEST_OF(installed_result_is_final, world *w, open_world, close_world)
{
    const char *system = system_path(w);
    const gt_scenario scenario = scenario_at(1024);
    gt_terms limited = terms_of(GPUTUNE_MEASURE);
    limited.final = false;
    bool final;
    GT_SCOPED(close_store) gt_store *store = open_over(w, system, NULL);
    ASSERT_OK(put_under(store, &scenario, 11, &limited, false, NULL));
    assert_true(time_of_first(store, &final) == 11 && !final);
    gt_store_close(store);
    store = open_over(w, w->path, system);
    assert_true(time_of_first(store, &final) == 11 && final);
    ASSERT_OK(put_under(store, &scenario, 12, &limited, true, NULL));
    assert_true(time_of_first(store, &final) == 12 && !final);
    ASSERT_OK(put_under(store, &scenario, 10, &limited, true, NULL));
    assert_true(time_of_first(store, &final) == 10 && final);
}

TEST_OF(system_database_that_breaks_later_is_left_out, world *w, open_world, close_world)
{
    const char *system = system_path(w);
    put_into(w, system, 4096, 30);
    GT_SCOPED(close_store) gt_store *store = open_over(w, w->path, system);
    put_size(store, 1024, 10);
    assert_true(time_at(store, 4096) == 30);
    FILE *file = fopen(system, "r+");
    for (int i = 0; i < 100000; i++) {
        fputc('x', file);
    }
    fclose(file);
    assert_true(time_at(store, 4096) == 0);
    assert_true(time_at(store, 1024) == 10);
    assert_int_equal(w->warnings, 1);
    assert_non_null(strstr(w->warning, "is not used"));
}

TEST_OF(broken_system_database_is_left_out, world *w, open_world, close_world)
{
    const char *system = system_path(w);
    put_raw(system, "this is no database, though long enough to be looked at as one", 62);
    GT_SCOPED(close_store) gt_store *store = open_over(w, w->path, system);
    put_size(store, 1024, 10);
    assert_true(time_at(store, 1024) == 10);
    ASSERT_OK(gt_store_check(store, true));
    assert_int_equal(w->warnings, 1);
    gt_store_close(store);
    store = open_over(w, w->path, "/nonexistent/system.db");
    assert_int_equal(w->warnings, 1); /* a missing file causes no warning */
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int count_files(const world *w)
{
    char folder[96];
    struct dirent **names;
    snprintf(folder, sizeof folder, "%s/deep", w->folder);
    int count = scandir(folder, &names, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        free(names[i]);
    }
    free(names);
    return count;
}

TEST_OF(reading_makes_nothing, world *w, open_world, close_world)
{
    make_database(w, 1024);
    gt_store *store;
    ASSERT_OK(gt_store_open(&store, w->path, NULL, &w->log, true));
    assert_true(time_at(store, 1024) == 10);
    put_size(store, 2048, 20);
    assert_true(time_at(store, 2048) == 0);
    check_reasons(store, "", "opened for reading only");
    gputune_merged merged;
    assert_int_equal(gt_store_merge(&merged, store, (const char *[]){w->path}, 1),
                     GPUTUNE_EDATABASE);
    gt_store_close(store);
    for (size_t bytes = 0; bytes <= 5; bytes += 5) {
        put_raw(w->path, "hello", bytes);
        ASSERT_FAILS(gt_store_open(&store, w->path, NULL, &w->log, true), GPUTUNE_EDATABASE,
                     "is not a gputune database");
        assert_int_equal(count_files(w), 1);
    }
    unlink(w->path);
    ASSERT_FAILS(gt_store_open(&store, w->path, NULL, &w->log, true), GPUTUNE_EDATABASE,
                 "No such file");
    assert_int_equal(count_files(w), 0);
    assert_int_equal(w->warnings, 0);
}

TEST_WITH_STORE(records_come_whole_and_in_order)
{
    char lines[512] = "";
    put_size(store, 16384, 160);
    put_size(store, 1024, 10);
    const gt_records_filter all = {.wanted = ONE_KERNEL("axpy"), .all_trials = true};
    const char *const elsewhere[] = {"another"};
    const gt_records_filter nothing = {
        .wanted = {.environments = elsewhere, .environment_count = 1}};
    assert_int_equal(gt_store_records(store, &all, take_record, lines), 0);
    assert_string_equal(lines, "n=1024 T=half VEC=4 10;n=1024 T=half VEC=1 20;"
                               "n=1024 T=half VEC=8 0;"
                               "n=16384 T=half VEC=4 160;n=16384 T=half VEC=1 320;"
                               "n=16384 T=half VEC=8 0;");
    lines[0] = '\0';
    assert_int_equal(gt_store_records(store, &nothing, take_record, lines), 0);
    assert_string_equal(lines, "");
    const gt_records_filter failures = {.wanted = ONE_KERNEL("axpy"), .failures = true};
    assert_int_equal(gt_store_records(store, &failures, take_record, lines), 0);
    assert_string_equal(lines, "n=1024 T=half VEC=4 10;n=1024 T=half VEC=8 0;"
                               "n=16384 T=half VEC=4 160;n=16384 T=half VEC=8 0;");
}

static int count_scenario(void *user, const gputune_record *record)
{
    char(*last)[GT_HASH_HEX] = user;
    const bool is_new = strcmp(last[0], record->scenario) != 0;
    snprintf(last[0], sizeof last[0], "%s", record->scenario);
    last[1][0] = (char)(last[1][0] + is_new);
    return 0;
}

TEST_WITH_STORE(records_of_a_scenario_come_in_a_row)
{
    static const char *const alignments[] = {"16", "8", "4"};
    const gt_records_filter all = {.all_trials = true};
    char last[2][GT_HASH_HEX] = {"", ""};
    /* sorted by time, trials of the three scenarios would not be grouped by scenario */
    for (int i = 0; i < 3; i++) {
        gt_scenario scenario = scenario_at(1024);
        scenario.alignment = alignments[i];
        ASSERT_OK(put_outcome(store, &scenario, 10 + i, GPUTUNE_MEASURE, false));
    }
    assert_int_equal(gt_store_records(store, &all, count_scenario, last), 0);
    assert_int_equal(last[1][0], 3);
}

TEST_OF(records_of_two_layers_come_once, world *w, open_world, close_world)
{
    const char *system = system_path(w);
    char lines[512] = "";
    const gt_records_filter all = {.all_trials = true}, failures = {.failures = true};
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    put_size(store, 1024, 10);
    put_size(store, 2048, 20);
    gt_store_close(store);
    assert_int_equal(rename(w->path, system), 0);
    store = open_over(w, w->path, system);
    put_size(store, 1024, 8);
    assert_int_equal(gt_store_records(store, &all, take_record, lines), 0);
    assert_string_equal(lines, "n=1024 T=half VEC=4 8;n=1024 T=half VEC=1 16;"
                               "n=1024 T=half VEC=8 0;"
                               "n=2048 T=half VEC=4 20;n=2048 T=half VEC=1 40;"
                               "n=2048 T=half VEC=8 0;");
    lines[0] = '\0';
    assert_int_equal(gt_store_records(store, &failures, take_record, lines), 0);
    assert_string_equal(lines, "n=1024 T=half VEC=4 8;n=1024 T=half VEC=8 0;"
                               "n=2048 T=half VEC=4 20;n=2048 T=half VEC=8 0;");
}

static int check_winner(void *user, const gputune_record *r)
{
    assert_string_equal(r->kernel, "axpy");
    assert_string_equal(r->gpu, "Test GPU");
    assert_string_equal(r->origin, "emu:h200:model1");
    assert_string_equal(r->status, "ok");
    assert_string_equal(r->stop_reason, "no other variant is as fast");
    assert_true(r->is_winner && !r->is_default && r->tie && r->modelled);
    assert_true(r->default_ns == 20 && r->speedup == 2 && r->speedup_high == 2.1);
    assert_true(r->bytes == 12 * 1024 && r->flops == 2 * 1024 && r->copy_bytes_per_s == 1e12);
    assert_true(r->samples == 9 && r->min_ns == 6 && r->low_ns == 7 && r->stddev_ns == 2);
    assert_true(r->registers == 32 && r->shared_bytes == 3072 && r->occupancy == 0.75);
    assert_int_equal(strlen(r->created), 20);
    assert_true(r->driver_version == 13000 && r->nvrtc_version == 13000 && r->order > 0);
    assert_string_equal(r->arch, "sm_90");
    assert_true(r->sm_count == 132 && r->sm_clock_khz == 1980000 && r->tuning_s == 1.5);
    assert_true(r->unreferenced && r->unfinished);
    assert_string_equal(r->only, "VEC=1,4,8");
    return 42;
}

TEST_WITH_STORE(every_field_of_a_record_is_served)
{
    const gt_device device = {.name = "Test GPU",
                              .arch = "sm_90",
                              .origin = "emu:h200:model1",
                              .sm_count = 132,
                              .sm_clock_khz = 1980000};
    const gt_records_filter filter = {0};
    gt_scenario scenario = scenario_at(1024);
    gt_terms terms = terms_of(GPUTUNE_MEASURE);
    scenario.unreferenced = true;
    terms.limit = 2;
    terms.final = false;
    ASSERT_OK(put_under(store, &scenario, 10, &terms, false, NULL));
    put_gpu(store, ENVIRONMENT, &device, NULL, 1e12);
    assert_int_equal(gt_store_records(store, &filter, check_winner, NULL), 42);
}

TEST_OF(forked_child_leaves_the_database_alone, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    put_size(store, 1024, 10);
    pid_t child = fork();
    if (child == 0) {
        bool quiet = time_at(store, 1024) == 0;
        gt_scenario scenario = scenario_at(2048);
        quiet = quiet && put_outcome(store, &scenario, 1, GPUTUNE_MEASURE, false) == GPUTUNE_OK;
        gt_store_close(store);
        _exit(quiet ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(time_at(store, 1024) == 10);
    assert_true(time_at(store, 2048) == 0);
}

/* After the file was deleted, the next write creates a file, and the next lookup finds nothing. */
TEST_OF(a_deleted_file_is_created_again, world *w, open_world, close_world)
{
    gt_store *store = open_store(w);
    put_size(store, 1024, 10);
    assert_int_equal(unlink(w->path), 0);
    put_size(store, 2048, 20);
    check_reasons(store, "", "");
    gt_store *other = open_store(w);
    assert_true(time_at(other, 2048) == 20);
    gt_store_close(other);
    assert_true(time_at(store, 2048) == 20);
    assert_int_equal(unlink(w->path), 0);
    assert_true(time_at(store, 2048) == 0);
    gt_store_close(store);
    assert_int_equal(w->warnings, 0);
}

TEST_OF(a_file_that_was_replaced_is_read_and_written, world *w, open_world, close_world)
{
    char first[sizeof w->path];
    memcpy(first, w->path, sizeof first);
    snprintf(w->path, sizeof w->path, "%s/other.db", w->folder);
    make_database(w, 4096);
    gt_store *store = open_over(w, first, NULL);
    put_size(store, 1024, 10);
    assert_int_equal(rename(w->path, first), 0);
    assert_true(time_at(store, 4096) == 10);
    put_size(store, 2048, 20);
    gt_store_close(store);
    memcpy(w->path, first, sizeof first);
    store = open_store(w);
    assert_true(time_at(store, 2048) == 20 && time_at(store, 4096) == 10);
    gt_store_close(store);
    assert_int_equal(w->warnings, 0);
}

/* Runs `work` in `count` concurrent processes, each of which must succeed. */
static void run_processes(world *w, int count, bool (*work)(world *w, int process))
{
    for (int p = 0; p < count; p++) {
        if (fork() == 0) {
            _exit(work(w, p) ? 0 : 1);
        }
    }
    int failures = 0;
    for (int p = 0; p < count; p++) {
        int status;
        assert_true(wait(&status) > 0);
        failures += status != 0;
    }
    assert_int_equal(failures, 0);
}

static bool open_only(world *w, int process)
{
    gt_store *store;
    return gt_store_open(&store, w->path, NULL, NULL, false) == GPUTUNE_OK;
}

/* A process that opens a file while another process creates it sees an empty or a complete file. */
TEST_OF(processes_make_a_file_together, world *w, open_world, close_world)
{
    enum { ROUNDS = 40, PROCESSES = 8 };
    for (int round = 0; round < ROUNDS; round++) {
        snprintf(w->path, sizeof w->path, "%s/%d.db", w->folder, round);
        run_processes(w, PROCESSES, open_only);
        assert_false(is_beside(w, ".1")); /* a damaged file would be kept under this name */
    }
}
