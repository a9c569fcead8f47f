/* Waits with a time limit on CLOCK_MONOTONIC. */
#include "base/condition.h"

#include "base/clock.h"

#include <errno.h>
#include <sched.h>
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

#ifdef __SANITIZE_THREAD__
static bool is_over(const struct timespec *until)
{
    return gt_now_ns() > (int64_t)until->tv_sec * 1000000000 + until->tv_nsec;
}

/* Polls the lock, because ThreadSanitizer of GCC 12 does not know pthread_mutex_clocklock(). */
static int lock_until(pthread_mutex_t *mutex, const struct timespec *until)
{
    int failed;
    while ((failed = pthread_mutex_trylock(mutex)) == EBUSY && !is_over(until)) {
        sched_yield();
    }
    return failed;
}
#else
static int lock_until(pthread_mutex_t *mutex, const struct timespec *until)
{
    return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, until);
}
#endif

bool gt_mutex_wait(pthread_mutex_t *mutex, double seconds)
{
    const struct timespec until = from_now(seconds);
    return lock_until(mutex, &until) == 0;
}
