/* Calls of the application: each public function begins a call and ends it, so gputune_close() can
 * wait for all calls before it frees anything. Calls that find their plan in the table are not
 * counted, because counting would cost more than the lookup (plan_table.c). */
#pragma once

#include "base/signals.h"
#include "base/status.h"

#include <gputune_tools.h>
#include <pthread.h>
#include <stdbool.h>

/* The calls in progress on one tuner. */
typedef struct gt_calls {
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    unsigned inside;
    volatile int closing; /* non-zero cancels every call; accessed atomically */
    unsigned forks;       /* value of the counter of forks in the process that opened the tuner */
} gt_calls;

/* A call, zero until it begins. Declare it before everything that must be freed within it. */
typedef struct gt_call {
    gt_calls *calls;       /* NULL: the call has not begun */
    bool brief;            /* true if signals are not held back during the call */
    struct gt_call *outer; /* the call whose callback made this call; NULL: none */
    gt_held_signal held;
} gt_call;

void gt_calls_open(gt_calls *calls);

/* Returns EINVAL if a pointer that a public function needs is NULL; `what` is the pointer's name
 * for the message. */
static inline gputune_status gt_need(const char *function, const char *what, const void *pointer)
{
    return pointer ? GPUTUNE_OK : gt_fail(GPUTUNE_EINVAL, "%s: %s is NULL", function, what);
}
/* Returns EINVAL if a callback that a public function needs is missing (`given` is false). */
#define gt_need_callback(function, given)                                                          \
    gt_need(function, "the function to call", (given) ? (function) : NULL)

/* Converts ECRASHED, which means that a variant crashed, to ECUDA: in the application's process,
 * the application's own code caused the illegal address. The message stays. */
static inline gputune_status gt_application_status(gputune_status status)
{
    return status == GPUTUNE_ECRASHED ? GPUTUNE_ECUDA : status;
}

/* Returns true if gputune_close() was called. */
bool gt_calls_closing(const gt_calls *calls);

/* Begins a call of a public function. Until the call ends, a write beyond the limit of file sizes
 * fails instead of ending the process, and pthread_cancel() does not end the thread. EINVAL if the
 * tuner is closed; EUNSUPPORTED in a forked child, which has no workers and no database.
 */
gputune_status gt_call_begin(gt_call *out, gputune *tuner, const char *function);
/* Begins a call that needs no protection from signals and pthread_cancel(), because it only
 * computes and allocates. Fails like gt_call_begin(). */
gputune_status gt_call_begin_briefly(gt_call *out, gputune *tuner, const char *function);
/* Ends a call. Does nothing if the call has not begun. */
void gt_call_end(gt_call *call);
