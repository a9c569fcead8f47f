/* Waiting for another thread for a limited time, on a clock that cannot be set (CLOCK_MONOTONIC).
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Makes a condition for gt_condition_wait(); for pthread_cond_destroy(). */
void gt_condition_open(pthread_cond_t *condition);
/* Waits for a signal for `seconds` at most, or a little less; the mutex is the caller's. */
void gt_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double seconds);
/* Takes a mutex, or waits for the end of a thread and joins it. False: not in that time. */
bool gt_mutex_wait(pthread_mutex_t *mutex, double seconds);
bool gt_thread_wait(pthread_t thread, double seconds);
