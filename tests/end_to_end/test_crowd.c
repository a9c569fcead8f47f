/* Tests many processes, each with many threads, that use one database. Only one process may measure
 * a scenario, and the others must get its result. On a busy machine, a process may fail to renew
 * its lease for 5 s. Another process may then take over the lease and measure again. The log
 * reports this, and the second measurement is not counted. GPUTUNE_TEST_CROWD is the number of
 * processes. */
#include "world.h"

#include <sqlite3.h>
#include <stdatomic.h>

enum { PROCESSES = 16, THREADS = 4, SCENARIOS = 6, SHARING = 4, FAILED = 200 };

static atomic_bool taken_over; /* true if another process has taken over the lease */
static char lines[4096];

static void note_line(void *user, gputune_log_level level, const char *line)
{
    size_t used = strlen(lines);
    if (strstr(line, "taken over")) {
        atomic_store(&taken_over, true);
    }
    if (level <= GPUTUNE_LOG_WARNING || strstr(line, "taken over") || strstr(line, "(measured)")) {
        snprintf(lines + used, sizeof lines - used, "  %d: %s\n", (int)getpid(), line);
    }
}

typedef struct member {
    gputune *tuner;
    int first; /* index of the scenario that the process requests first */
    int scenarios, measured, failed;
} member;

static void *ask_for_all(void *user)
{
    member *m = user;
    const gputune_options options = few_variants();
    for (int i = 0; i < m->scenarios; i++) {
        gputune_plan *plan;
        int n = 2000 + (m->first + i) % m->scenarios;
        if (tune_kernel(&plan, m->tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options) < 0) {
            m->failed++;
            continue;
        }
        gputune_info info = GPUTUNE_INFO_INIT;
        gputune_plan_info(&info, plan);
        m->measured += info.source == GPUTUNE_SOURCE_MEASURED && !atomic_exchange(&taken_over, 0);
        m->failed += info.source != GPUTUNE_SOURCE_MEASURED && info.source != GPUTUNE_SOURCE_CACHED;
        gputune_plan_release(plan);
    }
    return NULL;
}

/* Returns how many tunings this process measured, or FAILED. If several threads wait for one
 * measurement, only the first thread counts it. */
static int join(const char *database, int first, int threads, int scenarios)
{
    gputune *tuner;
    pthread_t ids[THREADS];
    member members[THREADS];
    int measured = 0, failed = 0;
    if (gputune_open(&tuner, &OPEN_OPTIONS(.database = database, .driver = "emu:h200",
                                           .compile_workers = 1, .log = note_line)) < 0) {
        return FAILED;
    }
    for (int i = 0; i < threads; i++) {
        members[i] = (member){tuner, first + i, scenarios, 0, 0};
        pthread_create(&ids[i], NULL, ask_for_all, &members[i]);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        failed += members[i].failed;
        measured = members[i].measured > measured ? members[i].measured : measured;
    }
    gputune_close(tuner);
    fputs(lines, stderr); /* a single write, so lines of different processes do not mix */
    return failed ? FAILED : measured;
}

/* Returns the number of measurements, except those that followed the takeover of a lease. */
static int run_all(int processes, int threads, int scenarios)
{
    pid_t children[256];
    int measured = 0;
    char texts[3][16];
    for (int i = 0; i < processes; i++) {
        snprintf(texts[0], sizeof texts[0], "%d", i);
        snprintf(texts[1], sizeof texts[1], "%d", threads);
        snprintf(texts[2], sizeof texts[2], "%d", scenarios);
        children[i] = fork();
        if (children[i] == 0) { /* neither SQLite nor the driver survives a fork */
            execl("/proc/self/exe", "test_crowd", world.database, texts[0], texts[1], texts[2],
                  (char *)NULL);
            _exit(FAILED);
        }
    }
    for (int i = 0; i < processes; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        assert_int_not_equal(WEXITSTATUS(status), FAILED);
        measured += WEXITSTATUS(status);
    }
    return measured;
}

static int count_winners(void)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(world.database, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(database, "SELECT count(*) FROM winner", -1, &statement, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return count;
}

static int size_of(int standard)
{
    const char *asked = getenv("GPUTUNE_TEST_CROWD");
    int count = asked ? (int)strtol(asked, NULL, 10) : standard;
    return count < 256 ? count : 255;
}

TEST(one_of_many_processes_measures)
{
    SKIP_IF(!world.ready);
    assert_int_equal(run_all(size_of(PROCESSES), THREADS, 1), 1);
    assert_int_equal(count_winners(), 1);
    unlink(world.database);
}

TEST(processes_measure_each_scenario_once)
{
    SKIP_IF(!world.ready);
    assert_int_equal(run_all(size_of(SHARING), 1, size_of(SCENARIOS)), size_of(SCENARIOS));
    assert_int_equal(count_winners(), size_of(SCENARIOS));
    unlink(world.database);
}

int main(int argc, char **argv)
{
    if (argc == 5) {
        return join(argv[1], (int)strtol(argv[2], NULL, 10), (int)strtol(argv[3], NULL, 10),
                    (int)strtol(argv[4], NULL, 10));
    }
    return tests_run(open_h200, world_close);
}
