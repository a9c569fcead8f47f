/* Waits by CLOCK_MONOTONIC. */
#include "base/condition.h"

#include "base/clock.h"

#include <stdint.h>
#include <time.h>

static struct timespec from_now(double seconds)
{
    int64_t until_ns = gt_now_ns() + (int64_t)(seconds * 1e9);
    return (struct timespec){(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
}

void gt_condition_open(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void gt_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double seconds)
{
    const struct timespec until = from_now(seconds);
    pthread_cond_timedwait(condition, mutex, &until);
}

bool gt_mutex_wait(pthread_mutex_t *mutex, double seconds)
{
    const struct timespec until = from_now(seconds);
    return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until) == 0;
}

bool gt_thread_wait(pthread_t thread, double seconds)
{
    const struct timespec until = from_now(seconds);
    return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until) == 0;
}
