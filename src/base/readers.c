/* Slots of threads, and the wait until all readers have moved on. */
#include "base/readers.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_SLOTS = 64 }; /* further ones are allocated; none is ever freed */

static gt_reader first_slots[FIRST_SLOTS];
static _Atomic(gt_reader *) slots; /* newest first */
static atomic_uint count;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t leaver;
static bool has_leaver;

atomic_bool gt_writers_fence;
_Thread_local gt_reader *gt_own_reader __attribute__((tls_model("initial-exec")));

static void release_slot(void *gone)
{
    gt_own_reader = NULL;
    atomic_store_explicit(&((gt_reader *)gone)->taken, false, memory_order_release);
}

static bool membarrier_of(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

/* Registers when the library is loaded. With other threads running, such as CUDA's, registering
 * takes 6 to 10 ms (H200), which the first lookup would otherwise pay. */
__attribute__((constructor)) static void register_fence(void)
{
#ifndef __SANITIZE_THREAD__ /* it does not know membarrier() */
    atomic_store(&gt_writers_fence, membarrier_of(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED));
#endif
}

/* Releases the slots of the other threads, which do not exist in a forked child. */
static void release_other_slots(void)
{
    for (gt_reader *at = atomic_load(&slots); at; at = at->next) {
        if (at != gt_own_reader) {
            atomic_store(&at->turns, 0);
            atomic_store(&at->taken, false);
        }
    }
    register_fence();
}

static void add_slot(gt_reader *added)
{
    added->number = atomic_fetch_add(&count, 1);
    added->next = atomic_load(&slots);
    while (!atomic_compare_exchange_weak(&slots, &added->next, added)) {
    }
}

static void init_slots(void)
{
    for (int i = 0; i < FIRST_SLOTS; i++) {
        add_slot(&first_slots[i]);
    }
    has_leaver = pthread_key_create(&leaver, release_slot) == 0;
    pthread_atfork(NULL, NULL, release_other_slots);
}

/* Deletes the key, because threads may outlive the library. */
__attribute__((destructor)) static void delete_key(void)
{
    if (has_leaver) {
        pthread_key_delete(leaver);
    }
}

/* Takes the free slot with the lowest number, so numbers stay small. */
static gt_reader *take_free_slot(void)
{
    for (;;) {
        gt_reader *least = NULL;
        for (gt_reader *at = atomic_load(&slots); at; at = at->next) {
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
    pthread_once(&once, init_slots);
    gt_reader *taken = take_free_slot();
    if (!taken && (taken = aligned_alloc(GT_LINE_BYTES, sizeof *taken))) {
        *taken = (gt_reader){.taken = true};
        add_slot(taken);
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
    pthread_once(&once, init_slots);
    if (atomic_load(&gt_writers_fence)) {
        (void)membarrier_of(MEMBARRIER_CMD_PRIVATE_EXPEDITED); /* cannot fail once registered */
    }
    for (gt_reader *at = atomic_load(&slots); at; at = at->next) {
        unsigned turns = atomic_load(&at->turns);
        while (turns % 2 && atomic_load(&at->turns) == turns) {
            nanosleep(&nap, NULL);
        }
    }
}
