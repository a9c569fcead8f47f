/* Every public function begins a call and ends it, so gputune_close() can wait for the calls in
 * progress. If the table already has the plan, tune_kernel() does not begin a call, because that
 * would cost more than the lookup (plan_table.c). */
#pragma once

#include "base/signals.h"
#include "base/status.h"

#include <gputune_tools.h>
#include <pthread.h>
#include <stdbool.h>

typedef struct gt_calls {
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    unsigned inside;
    volatile int closing; /* nonzero: all calls must end; accessed atomically */
    unsigned forks;       /* the process's number of forks when it opened the tuner */
} gt_calls;

/* A call of a public function; all zero until the call begins. Declare it before other variables
 * that are released automatically: they are released in reverse order, so the call ends last. */
typedef struct gt_call {
    gt_calls *calls;       /* NULL before the call begins */
    bool brief;            /* true if the call does not block signals */
    struct gt_call *outer; /* the enclosing call, if a callback made this call; else NULL */
    gt_held_signal held;
} gt_call;

void gt_calls_open(gt_calls *calls);

/* Returns EINVAL if a required pointer is NULL. `what` names the pointer in the message. */
static inline gputune_status gt_need(const char *function, const char *what, const void *pointer)
{
    return pointer ? GPUTUNE_OK : gt_fail(GPUTUNE_EINVAL, "%s: %s is NULL", function, what);
}
/* Returns EINVAL if a required callback is missing (`given` is false). */
#define gt_need_callback(function, given)                                                          \
    gt_need(function, "the function to call", (given) ? (function) : NULL)

/* Converts ECRASHED to ECUDA and keeps the message. ECRASHED means that a variant has made an
 * illegal access in a worker. In the application's process, the application may be at fault. */
static inline gputune_status gt_application_status(gputune_status status)
{
    return status == GPUTUNE_ECRASHED ? GPUTUNE_ECUDA : status;
}

bool gt_calls_closing(const gt_calls *calls);

/* Begins a call of a public function. Until the call ends, a write beyond the file size limit fails
 * instead of ending the process, and pthread_cancel() does not end the thread. EINVAL if the tuner
 * is closed; EUNSUPPORTED in a forked child, which has neither workers nor a database. */
gputune_status gt_call_begin(gt_call *out, gputune *tuner, const char *function);
/* Begins a call that only computes and allocates, and therefore needs no protection from signals
 * and pthread_cancel(). Fails like gt_call_begin(). */
gputune_status gt_call_begin_briefly(gt_call *out, gputune *tuner, const char *function);
/* Ends a call. Does nothing if the call has not begun. */
void gt_call_end(gt_call *call);
