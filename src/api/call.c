/* Counts the calls inside a tuner. */
#include "api/call.h"

#include "api/tuner.h"
#include "base/condition.h"
#include "base/readers.h"

#include <unistd.h>

static _Thread_local gt_call *innermost;

gputune_status gt_need(const char *function, const char *what, const void *pointer)
{
    return pointer ? GPUTUNE_OK : gt_fail(GPUTUNE_EINVAL, "%s: %s is NULL", function, what);
}

void gt_calls_open(gt_calls *calls)
{
    pthread_mutex_init(&calls->mutex, NULL);
    pthread_cond_init(&calls->ended, NULL);
    calls->owner = getpid();
}

void gt_calls_free(gt_calls *calls)
{
    pthread_mutex_destroy(&calls->mutex);
    pthread_cond_destroy(&calls->ended);
}

bool gt_calls_closing(const gt_calls *calls)
{
    return __atomic_load_n(&calls->closing, __ATOMIC_SEQ_CST);
}

static gputune_status check_owner(const gt_calls *calls, const char *function)
{
    return getpid() == calls->owner
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EUNSUPPORTED,
                         "%s: this process was forked from the one that opened the tuner; open "
                         "another here",
                         function);
}

gputune_status gt_call_begin(gt_call *out, gputune *tuner, const char *function)
{
    GT_TRY(gt_need(function, "the tuner", tuner));
    gt_calls *calls = &tuner->calls;
    GT_TRY(check_owner(calls, function)); /* first: the mutex is the parent's */
    pthread_mutex_lock(&calls->mutex);
    bool open = !gt_calls_closing(calls);
    calls->inside += open;
    pthread_mutex_unlock(&calls->mutex);
    GT_REFUSE(!open, GPUTUNE_EINVAL, "%s: the tuner has been closed", function);
    *out = (gt_call){.calls = calls, .outer = innermost};
    innermost = out;
    gt_signal_hold(&out->held);
    return GPUTUNE_OK;
}

void gt_call_end(gt_call *call)
{
    gt_calls *calls = call->calls;
    if (!calls) {
        return;
    }
    innermost = call->outer;
    gt_signal_release(&call->held);
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&calls->mutex);
    calls->inside--;
    pthread_cond_broadcast(&calls->ended);
}

static bool is_inside(const gt_calls *calls)
{
    for (const gt_call *call = innermost; call; call = call->outer) {
        if (call->calls == calls) {
            return true;
        }
    }
    return false;
}

gputune_status gt_calls_close(gt_calls *calls)
{
    GT_TRY(check_owner(calls, "gputune_close"));
    GT_REFUSE(is_inside(calls), GPUTUNE_EBUSY,
              "gputune_close: called from a callback of the tuner, which stays open; close it when "
              "the call has returned");
    GT_REFUSE(__atomic_exchange_n(&calls->closing, 1, __ATOMIC_SEQ_CST), GPUTUNE_EINVAL,
              "gputune_close: the tuner has been closed");
    pthread_mutex_lock(&calls->mutex);
    while (calls->inside) {
        pthread_cond_wait(&calls->ended, &calls->mutex);
    }
    pthread_mutex_unlock(&calls->mutex);
    gt_readers_wait();
    return GPUTUNE_OK;
}
