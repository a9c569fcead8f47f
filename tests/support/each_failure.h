/* Repeats a test in which the first allocation fails, then the second, and so on, until all have
 * failed once. For programs that are linked with fault/failing.c. */
#pragma once

#include "base/status.h"
#include "fault/failing.h"
#include "support/test.h"

#include <errno.h>
#include <malloc.h>
#include <sqlite3.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void __libc_free(void *memory);

static inline void *sqlite_malloc(int bytes)
{
    return failing_now("sqlite", ENOMEM) ? NULL : __libc_malloc((size_t)bytes);
}

static inline void *sqlite_realloc(void *memory, int bytes)
{
    return failing_now("sqlite", ENOMEM) ? NULL : __libc_realloc(memory, (size_t)bytes);
}

static inline int sqlite_size(void *memory)
{
    return (int)malloc_usable_size(memory);
}

static inline int sqlite_round_up(int bytes)
{
    return (bytes + 15) & ~15;
}

static inline int sqlite_begin(void *unused)
{
    return SQLITE_OK;
}

static inline void sqlite_end(void *unused)
{
}

/* Counts SQLite's many allocations separately, as calls of the kind "sqlite". */
static inline void count_sqlite_apart(void)
{
    static const sqlite3_mem_methods methods = {.xMalloc = sqlite_malloc,
                                                .xFree = __libc_free,
                                                .xRealloc = sqlite_realloc,
                                                .xSize = sqlite_size,
                                                .xRoundup = sqlite_round_up,
                                                .xInit = sqlite_begin,
                                                .xShutdown = sqlite_end};
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
}

/* The code to test. It succeeds or fails, releases everything, and asserts what must hold in both
 * cases. */
typedef gputune_status (*each_act)(void *user);
/* Asserts what must hold after the failures. */
typedef void (*each_check)(void *user);

/* Returns the number of allocations that are not released, or of other objects that a test counts.
 * An attempt must not change this number. */
static long (*count_held)(void) = failing_live;

/* Runs `act` repeatedly. Each run makes another call of the kind `call` fail: the first one, then
 * the one `step` calls later, and so on. Then repeats this with all later calls failing, too.
 * `call` is one of FAILING_CALLS, "sqlite", or an argument of failing_now(). `act` must neither
 * crash nor leak. If `act` fails, it must set a message. If memory ran out, the status must be
 * ENOMEM. `afterwards` may be NULL. Returns the number of runs in which a call failed. */
static inline long each_failure(const char *call, long step, each_act act, each_check afterwards,
                                void *user)
{
    long calls = 0, tried = 0;
    if (act(user) != GPUTUNE_OK) { /* the first call makes objects that later calls share */
        fail_msg("with nothing failing: %s", gt_message());
    }
    for (int always = 0; always < 2; always++) {
        calls = 1;
        for (long n = 1; n <= calls; n += step) {
            long held = count_held();
            failing_begin(call, n, always);
            gputune_status status = act(user);
            calls = failing_end() < n ? 0 : n + step;
            tried += calls > 0;
            if (count_held() != held) {
                fail_msg("%s %ld: %ld allocations are left", call, n, count_held() - held);
            }
            if (status < 0 && !gt_message()[0]) {
                fail_msg("%s %ld: status %s, and no message", call, n, gt_status_name(status));
            }
            bool of_memory = strcmp(call, "allocation") == 0 || strcmp(call, "sqlite") == 0;
            if (status < 0 && status != GPUTUNE_ENOMEM && of_memory) {
                fail_msg("%s %ld: %s: %s", call, n, gt_status_name(status), gt_message());
            }
            if (afterwards) {
                afterwards(user);
            }
        }
    }
    return tried;
}

/* Makes every `step`th call fail, or every call with GPUTUNE_TEST_LONG. */
static inline long each_call(const char *call, long step, each_act act, each_check afterwards,
                             void *user)
{
    return each_failure(call, getenv("GPUTUNE_TEST_LONG") ? 1 : step, act, afterwards, user);
}

static inline void each_allocation(long step, each_act act, each_check afterwards, void *user)
{
    assert_true(each_call("allocation", step, act, afterwards, user) > 5);
}

/* Makes every `step`th of SQLite's thousands of allocations fail, or ten times as many with
 * GPUTUNE_TEST_LONG. */
static inline void each_of_sqlite(long step, each_act act, each_check afterwards, void *user)
{
    step = getenv("GPUTUNE_TEST_LONG") ? (step + 9) / 10 : step;
    assert_true(each_failure("sqlite", step, act, afterwards, user) > 0);
}
