/* Makes the nth allocation or system call of a kind fail, in all code of the process, including
 * SQLite. As a preloaded library, reads FAIL_CALL ("pwrite", "allocation" or another of
 * FAILING_CALLS), FAIL_NUMBER and FAIL_MODE ("once", or "always" for all later calls, too), and
 * creates the file FAIL_REACHED at the failing call. Programs that are linked with it call the
 * functions below instead. Child processes are not affected. */
#pragma once

#include <stdbool.h>

#define FAILING_CALLS                                                                              \
    "allocation", "open", "fopen", "fwrite", "fclose", "read", "pread", "write", "pwrite",         \
        "fsync", "truncate", "fallocate", "flock", "unlink", "mkdir", "stat", "statfs", "access",  \
        "realpath", "readlink", "mmap", "memfd", "send", "recv", "poll", "fcntl", "socketpair",    \
        "spawn", "waitid", "dlopen", "thread"

/* Makes call `number` of this kind fail; numbers start at 1 with the next call. If `always` is
 * true, all later calls fail, too. If `number` is 0, calls are only counted. `call` must stay
 * valid. */
void failing_begin(const char *call, long number, bool always);
/* Stops failures and returns the number of counted calls. */
long failing_end(void);
/* Until failing_resume(), calls do not fail and are not counted. */
void failing_pause(void);
void failing_resume(void);
/* Counts a call. If the call must fail, sets errno to `error` and returns true. */
bool failing_now(const char *call, int error);
/* Returns the number of allocations that were not freed. */
long failing_live(void);
