/* Scoped mutex locks, and waits with a time limit on CLOCK_MONOTONIC. */
#pragma once

#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>

/* Initialises a condition variable for gt_condition_wait(); pthread_cond_destroy() releases it. */
void gt_condition_open(pthread_cond_t *condition);
/* Waits up to `seconds` for a signal; may return earlier. The caller holds the mutex. */
void gt_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double seconds);
/* Locks a mutex. Returns false if that takes longer than `seconds`. */
bool gt_mutex_wait(pthread_mutex_t *mutex, double seconds);

/* Locks a mutex. With GT_SCOPED, the mutex is unlocked at the end of the block:
 *
 *     GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&mutex); */
static inline pthread_mutex_t *gt_lock(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    return mutex;
}
static inline void gt_unlock(pthread_mutex_t **held)
{
    pthread_mutex_unlock(*held);
}
