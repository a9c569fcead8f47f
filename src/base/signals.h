/* Deals with the signals of the process in which the library is a guest. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* Starts a thread of the library, as pthread_create() does. The new thread blocks signals, since
 * the application's own threads handle them. It blocks signals that ask a process to end (SIGHUP,
 * SIGINT, SIGQUIT, SIGTERM) only where the caller's thread does, so that the process receives them
 * even when the application's threads have ended. */
int gt_thread_start(pthread_t *out, const pthread_attr_t *attributes, void *(*work)(void *),
                    void *argument);

/* A write beyond the file-size limit (RLIMIT_FSIZE) raises SIGXFSZ, which ends a process that does
 * not expect it. Between gt_signal_hold() and gt_signal_release() such a write only fails: the
 * calling thread holds the signal back and discards it. pthread_cancel() does not end the thread
 * between the two either, which would leave locks and workers behind; it ends the thread later.
 * Pairs of calls may be nested. errno stays. */
typedef struct gt_held_signal {
    sigset_t before;
    bool pending;
    int cancel_state;
} gt_held_signal;
void gt_signal_hold(gt_held_signal *held);
void gt_signal_release(const gt_held_signal *held);
