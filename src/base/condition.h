/* Waiting for another thread for a limited time, on a clock that cannot be set (CLOCK_MONOTONIC).
 */
#ifndef GT_BASE_CONDITION_H
#define GT_BASE_CONDITION_H

#include <pthread.h>

/* Makes a condition for gt_condition_wait(); for pthread_cond_destroy(). */
void gt_condition_open(pthread_cond_t *condition);
/* Waits for a signal for `seconds` at most, or a little less; the mutex is the caller's. */
void gt_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, double seconds);

#endif
