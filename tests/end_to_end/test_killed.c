/* Kills the host, a compile worker or the measure worker at random moments. The database must stay
 * intact, results that were reported as stored must be stored, and the next run must continue.
 * GPUTUNE_TEST_KILLS is the number of kills. */
#include "victim.h"
#include "world.h"

#include "base/random.h"

#include <fcntl.h>
#include <sqlite3.h>

enum { KILLS = 18, SIZES = 3, LONGEST_US = 1500000 };

static gt_random chance = {7};

static void output_path(char *out, size_t bytes)
{
    snprintf(out, bytes, "%s/out", world.folder);
}

/* Starts a program that tunes this round's SIZES scenarios and prints a line after each one. */
static pid_t start(const char *program, int round)
{
    char sizes[64], out[96];
    snprintf(sizes, sizeof sizes, "n=%d,%d,%d", 1000 + 3 * round, 1001 + 3 * round,
             1002 + 3 * round);
    output_path(out, sizeof out);
    const char *const arguments[] = {"gputune",      "warm",     "axpy",   "--size",       sizes,
                                     "--only",       "VEC=1,4",  "--only", "BLOCK=64,128", "--only",
                                     "UNROLL=1",     "--format", "csv",    "-q",           "--db",
                                     world.database, NULL};
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int file = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        dup2(file, 1);
        execv(program, (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    return child;
}

static void kill_one(pid_t host, int round)
{
    static const char *const roles[] = {NULL, "--role compile", "--role measure"};
    const char *role = roles[round % 3];
    usleep((useconds_t)(gt_random_unit(&chance) * LONGEST_US));
    pid_t victim = role ? worker_of(host, role) : host;
    if (victim > 0) {
        kill(victim, SIGKILL);
    }
}

static int64_t query_number(const char *sql)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    int64_t answer = -1;
    assert_int_equal(sqlite3_open(world.database, &database), SQLITE_OK);
    sqlite3_busy_timeout(database, 10000);
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        answer = strcmp((const char *)sqlite3_column_text(statement, 0), "ok")
                     ? sqlite3_column_int64(statement, 0)
                     : 1;
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return answer;
}

static int64_t count_winners(int n)
{
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM winner w JOIN scenario s ON s.id = w.scenario "
             "WHERE s.problem = 'n=%d T=float'",
             n);
    return query_number(sql);
}

/* Checks that each scenario with a complete line of output has a stored winner. Returns the number
 * of these scenarios. */
static int expect_reported_is_stored(void)
{
    char path[96], line[1024];
    int told = 0;
    output_path(path, sizeof path);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, ",n=");
        if (!at || !strchr(line, '\n')) {
            continue;
        }
        told++;
        if (count_winners((int)strtol(at + 3, NULL, 10)) != 1) {
            fail_msg("told, and not stored: %s", line);
        }
    }
    if (file) {
        fclose(file);
    }
    return told;
}

static int wait_for(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(kills_lose_no_stored_result)
{
    const char *asked = getenv("GPUTUNE_TEST_KILLS");
    int kills = asked ? (int)strtol(asked, NULL, 10) : KILLS, told = 0, hosts = 0;
    char *folder, *program;
    SKIP_IF(!world.ready);
    OK(gt_file_own_folder(&folder));
    OK(gt_format(&program, "%s/../../gputune", folder));
    for (int round = 0; round < kills; round++) {
        pid_t host = start(program, round);
        kill_one(host, round);
        int code = wait_for(host);
        bool was_host = code == -SIGKILL;
        hosts += was_host;
        if (!was_host && code != 0) {
            fail_msg("round %d: the command ended with %d", round, code);
        }
        if (access(world.database, F_OK) == 0) {
            assert_int_equal(query_number("PRAGMA integrity_check"), 1);
            told += expect_reported_is_stored();
        }
        if (was_host) {
            assert_int_equal(wait_for(start(program, round)), 0);
            assert_int_equal(expect_reported_is_stored(), SIZES);
        }
    }
    print_message("%d kills, %d of hosts; %d results were told, and all were stored\n", kills,
                  hosts, told);
    char path[96];
    output_path(path, sizeof path);
    unlink(path);
    free(program);
    free(folder);
}

TESTS_WITHIN(open_h200, world_close)
