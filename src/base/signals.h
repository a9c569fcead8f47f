/* The signals of the process that the library is a guest in. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* Starts a thread of the library, as pthread_create(). The application's signals are for its own
 * threads, so that this one blocks them. It blocks those that ask a process to end (SIGHUP, SIGINT,
 * SIGQUIT, SIGTERM) only where the caller's thread does: they are heard also when the application's
 * threads have ended. */
int gt_thread_start(pthread_t *out, const pthread_attr_t *attributes, void *(*work)(void *),
                    void *argument);

/* A write beyond the file-size limit (RLIMIT_FSIZE) ends a process that does not expect the signal.
 * Between these two it is only a failed write: the signal is held back, and taken away. Nor does
 * pthread_cancel() end the thread there, which would leave locks and workers behind: it does so
 * later. For the calling thread; pairs may be nested. errno stays. */
typedef struct gt_held_signal {
    sigset_t before;
    bool pending;
    int cancel_state;
} gt_held_signal;
void gt_signal_hold(gt_held_signal *held);
void gt_signal_release(const gt_held_signal *held);
