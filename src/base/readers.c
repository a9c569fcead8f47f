/* Readers that take no lock: a place for each thread, and a wait until all have moved on. */
#include "base/readers.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_PLACES = 64 }; /* the others are allocated; none is ever freed */

static gt_reader first_places[FIRST_PLACES];
static _Atomic(gt_reader *) places; /* newest first */
static atomic_uint count;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t leaver;
static bool has_leaver;

atomic_bool gt_writers_fence;
_Thread_local gt_reader *gt_own_reader __attribute__((tls_model("initial-exec")));

static void give_back(void *gone)
{
    gt_own_reader = NULL;
    atomic_store_explicit(&((gt_reader *)gone)->taken, false, memory_order_release);
}

static bool membarrier_of(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

/* When the library is loaded: in a process that has other threads, as CUDA's, the system takes 6 to
 * 10 ms for it (measured on an H200 machine), which the first lookup would pay. */
__attribute__((constructor)) static void take_fence(void)
{
#ifndef __SANITIZE_THREAD__ /* which does not know membarrier() */
    atomic_store(&gt_writers_fence, membarrier_of(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED));
#endif
}

/* The other threads do not exist in a forked child, and leave nothing. */
static void forget_others(void)
{
    for (gt_reader *at = atomic_load(&places); at; at = at->next) {
        if (at != gt_own_reader) {
            atomic_store(&at->turns, 0);
            atomic_store(&at->taken, false);
        }
    }
    take_fence();
}

static void add(gt_reader *added)
{
    added->number = atomic_fetch_add(&count, 1);
    added->next = atomic_load(&places);
    while (!atomic_compare_exchange_weak(&places, &added->next, added)) {
    }
}

static void start(void)
{
    for (int i = 0; i < FIRST_PLACES; i++) {
        add(&first_places[i]);
    }
    has_leaver = pthread_key_create(&leaver, give_back) == 0;
    pthread_atfork(NULL, NULL, forget_others);
}

/* Threads may outlive the library. */
__attribute__((destructor)) static void stop(void)
{
    if (has_leaver) {
        pthread_key_delete(leaver);
    }
}

/* The free place of the least number, so that few threads have small ones. */
static gt_reader *take_free(void)
{
    for (;;) {
        gt_reader *least = NULL;
        for (gt_reader *at = atomic_load(&places); at; at = at->next) {
            if (!atomic_load_explicit(&at->taken, memory_order_relaxed) &&
                (!least || at->number < least->number)) {
                least = at;
            }
        }
        if (!least || !atomic_exchange_explicit(&least->taken, true, memory_order_acquire)) {
            return least;
        }
    }
}

gt_reader *gt_readers_join(void)
{
    pthread_once(&once, start);
    gt_reader *taken = take_free();
    if (!taken && (taken = aligned_alloc(GT_LINE_BYTES, sizeof *taken))) {
        *taken = (gt_reader){.taken = true};
        add(taken);
    }
    if (taken) {
        taken->message[0] = '\0';
    }
    if (taken && has_leaver) {
        pthread_setspecific(leaver, taken);
    }
    gt_own_reader = taken;
    return taken;
}

void gt_readers_wait(void)
{
    const struct timespec nap = {.tv_nsec = 20000};
    pthread_once(&once, start);
    if (atomic_load(&gt_writers_fence)) {
        (void)membarrier_of(MEMBARRIER_CMD_PRIVATE_EXPEDITED); /* cannot fail once registered */
    }
    for (gt_reader *at = atomic_load(&places); at; at = at->next) {
        unsigned turns = atomic_load(&at->turns);
        while (turns % 2 && atomic_load(&at->turns) == turns) {
            nanosleep(&nap, NULL);
        }
    }
}
