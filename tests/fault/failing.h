/* Calls that fail by number: allocations, and calls to the system, SQLite's like everybody's.
 *
 * Preloaded into a program, FAIL_CALL ("pwrite", "allocation": FAILING_CALLS), FAIL_NUMBER and
 * FAIL_MODE ("once", or "always": every later one too) say what fails; the file FAIL_REACHED is
 * made when it came to that. A program that is linked with it says so by calls. Child processes are
 * left alone. */
#pragma once

#include <stdbool.h>

#define FAILING_CALLS                                                                              \
    "allocation", "open", "fopen", "fwrite", "fclose", "read", "pread", "write", "pwrite",         \
        "fsync", "truncate", "fallocate", "flock", "unlink", "mkdir", "stat", "statfs", "access",  \
        "realpath", "readlink", "mmap", "memfd", "send", "recv", "poll", "fcntl", "socketpair",    \
        "spawn", "waitid", "dlopen", "thread"

/* From now on the call number `number` of this kind fails; 0: none, and all are counted. `call`
 * must stay. */
void failing_begin(const char *call, long number, bool always);
/* Nothing fails any more. How many of these calls there were. */
long failing_end(void);
/* Between these two nothing fails, and nothing is counted. */
void failing_pause(void);
void failing_resume(void);
/* Counts a call, and says whether it fails now, with errno `error`. */
bool failing_now(const char *call, int error);
/* Allocations that have not been freed. */
long failing_live(void);
