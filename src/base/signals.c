/* Signal masks of the library's threads, and protection against SIGXFSZ and pthread_cancel(). */
#include "base/signals.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

int gt_thread_start(pthread_t *out, const pthread_attr_t *attributes, void *(*work)(void *),
                    void *argument)
{
    static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    sigset_t before, mask;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    sigfillset(&mask);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        if (!sigismember(&before, ending[i])) {
            sigdelset(&mask, ending[i]);
        }
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    int error = pthread_create(out, attributes, work, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static sigset_t beyond_limit(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

void gt_signal_hold(gt_held_signal *held)
{
    const sigset_t set = beyond_limit();
    sigset_t pending;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &held->cancel_state);
    pthread_sigmask(SIG_BLOCK, &set, &held->before);
    held->pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ);
}

void gt_signal_release(const gt_held_signal *held)
{
    static const struct timespec at_once = {0, 0};
    const sigset_t set = beyond_limit();
    const int error = errno;
    while (!held->pending && sigtimedwait(&set, NULL, &at_once) == -1 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
    pthread_setcancelstate(held->cancel_state, NULL);
    errno = error;
}
