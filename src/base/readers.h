/* Readers take no lock, and a writer waits until all readers have left: it may free what it has
 * unlinked after gt_readers_wait(), because no thread looks at that any more. This is
 * read-copy-update (McKenney and Slingwine, "Read-Copy Update: Using Execution History to Solve
 * Concurrency Problems", 1998).
 *
 * A thread gets a place of its own when it first enters, and gives the place back when it ends.
 * Entering and leaving are one store each to memory that no other thread writes, where the system
 * has membarrier(2) for the writers (Linux 4.14). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    GT_LINE_BYTES = 128, /* processors fetch lines of 64 bytes in pairs */
    GT_MESSAGE_BYTES = 1024
};

/* A thread's place. `turns` is odd while the thread is inside. */
typedef struct gt_reader {
    _Alignas(GT_LINE_BYTES) atomic_uint turns;
    atomic_bool taken;
    unsigned number;
    struct gt_reader *next;
    char message[GT_MESSAGE_BYTES]; /* the thread's last one (status.c). Here, and not thread-local:
                                       dlopen() has 512 bytes for that, for all libraries of a
                                       process */
} gt_reader;

/* The calling thread's place, NULL before its first use. Every lookup reads this variable; the TLS
 * model makes that work without a function call, also in a shared library. */
extern _Thread_local gt_reader *gt_own_reader __attribute__((tls_model("initial-exec")));
/* True: before a writer looks who is inside, it makes every thread execute a fence, by
 * membarrier(2). */
extern atomic_bool gt_writers_fence;
/* Gives the calling thread a place. NULL: there is no memory for it. */
gt_reader *gt_readers_join(void);

/* The calling thread enters; it must leave soon, and not enter twice. False: there is no memory for
 * the thread's place, and it is not inside. */
static inline bool gt_readers_enter(void)
{
    gt_reader *own = gt_own_reader ? gt_own_reader : gt_readers_join();
    if (!own) {
        return false;
    }
    /* what the reader reads comes after its entry, in the eyes of a writer that unlinks and then
     * looks who is inside: by a fence of the reader's, or by one that the writer has it make */
    if (atomic_load_explicit(&gt_writers_fence, memory_order_relaxed)) {
        unsigned turns = atomic_load_explicit(&own->turns, memory_order_relaxed);
        atomic_store_explicit(&own->turns, turns + 1, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
    } else {
        atomic_fetch_add(&own->turns, 1);
    }
    return true;
}

static inline void gt_readers_leave(void)
{
    atomic_uint *turns = &gt_own_reader->turns;
    atomic_store_explicit(turns, atomic_load_explicit(turns, memory_order_relaxed) + 1,
                          memory_order_release);
}

/* Waits until every thread that is inside now has left once. The caller is not inside. */
void gt_readers_wait(void);

/* The number of the calling thread's place: threads that live at the same time have different
 * numbers, which are small as long as the threads are few. For data that is kept once for each
 * thread. */
static inline unsigned gt_readers_place(void)
{
    const gt_reader *own = gt_own_reader ? gt_own_reader : gt_readers_join();
    return own ? own->number : 0;
}
