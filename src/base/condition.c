/* Conditions by CLOCK_MONOTONIC. */
#include "base/condition.h"

#include "base/clock.h"

#include <stdint.h>
#include <time.h>

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
    int64_t until_ns = gt_now_ns() + (int64_t)(seconds * 1e9);
    const struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
    pthread_cond_timedwait(condition, mutex, &until);
}
