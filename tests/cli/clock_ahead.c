/* To be preloaded: a machine whose clocks are CLOCK_AHEAD_S seconds ahead of this one's. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *out)
{
    const char *ahead = getenv("CLOCK_AHEAD_S");
    int failed = (int)syscall(SYS_clock_gettime, clock, out);
    out->tv_sec += ahead && !failed && clock <= CLOCK_MONOTONIC ? strtol(ahead, NULL, 10) : 0;
    return failed;
}

time_t time(time_t *out)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}
