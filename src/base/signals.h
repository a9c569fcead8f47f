/* Keeps signals away from the library's threads, and protects writes from SIGXFSZ. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* Starts a thread like pthread_create(), with signals blocked, so the application's threads handle
 * them. SIGHUP, SIGINT, SIGQUIT and SIGTERM keep the caller's mask, because the process must
 * receive these even after the application's threads have ended. */
int gt_thread_start(pthread_t *out, const pthread_attr_t *attributes, void *(*work)(void *),
                    void *argument);

/* gt_signal_hold() and gt_signal_release() protect writes of the calling thread. Pairs may be
 * nested. Between the two calls, SIGXFSZ is discarded, so a write beyond RLIMIT_FSIZE fails but
 * does not end the process. pthread_cancel() takes effect after the release, because ending the
 * thread earlier would leave locks and workers behind. Both preserve errno. */
typedef struct gt_held_signal {
    sigset_t before;
    bool pending;
    int cancel_state;
} gt_held_signal;
void gt_signal_hold(gt_held_signal *held);
void gt_signal_release(const gt_held_signal *held);
