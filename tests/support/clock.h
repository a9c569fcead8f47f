/* Replaces libc's clocks (except CPU time) and sleeps in this program, so tests neither wait nor
 * depend on the machine's speed. Waits for a mutex or a condition variable use the real clock, so
 * tests in which threads wait for each other must not change the monotonic clock. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t clock_ahead_us; /* offset of the wall clock and of the monotonic clock */
static _Atomic time_t clock_leap_s;    /* offset of the wall clock only */
static atomic_bool sleeps_are_short;   /* sleeps take a tenth of the real time */

static atomic_bool clock_stands; /* true if only sleeps advance the clocks */
static struct timespec clock_stands_at;

/* A stopped clock advances by the program's sleeps, and by a microsecond at each read. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
    int code = 0;
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE) {
        return (int)syscall(SYS_clock_gettime, clock, out);
    }
    if (clock_stands) {
        clock_ahead_us++;
        *out = clock_stands_at;
    } else {
        code = (int)syscall(SYS_clock_gettime, clock, out);
    }
    int64_t us = out->tv_nsec / 1000 + clock_ahead_us;
    out->tv_sec += (time_t)(us / 1000000) + (clock == CLOCK_REALTIME ? clock_leap_s : 0);
    out->tv_nsec = us % 1000000 * 1000 + out->tv_nsec % 1000;
    return code;
}

/* A function to call when a stopped clock reaches a time. */
static struct {
    int64_t at_us;
    void (*act)(void *user);
    void *user;
} clock_alarm;

static inline void clock_skip(double seconds)
{
    clock_ahead_us += (int64_t)(1e6 * seconds);
}

static inline void clock_set_true(void)
{
    clock_ahead_us = 0;
    clock_leap_s = 0;
    clock_stands = false;
    sleeps_are_short = false;
}

static inline void clock_stand(void)
{
    clock_set_true();
    clock_gettime(CLOCK_REALTIME, &clock_stands_at);
    clock_stands = true;
}

static inline void clock_set_alarm(double seconds, void (*act)(void *user), void *user)
{
    clock_alarm.at_us = clock_ahead_us + (int64_t)(1e6 * seconds);
    clock_alarm.act = act;
    clock_alarm.user = user;
}

int nanosleep(const struct timespec *asked, struct timespec *left)
{
    if (clock_stands) {
        clock_skip((double)asked->tv_sec + 1e-9 * (double)asked->tv_nsec);
        void (*act)(void *) = clock_ahead_us < clock_alarm.at_us ? NULL : clock_alarm.act;
        if (act) {
            clock_alarm.act = NULL;
            act(clock_alarm.user);
        }
        return 0;
    }
    return (int)syscall(SYS_nanosleep, asked, left);
}

int usleep(useconds_t us)
{
    const useconds_t slept = sleeps_are_short ? us / 10 : us;
    const struct timespec time = {slept / 1000000, slept % 1000000 * 1000L};
    int code = nanosleep(&time, NULL);
    clock_ahead_us += us - slept;
    return code;
}
