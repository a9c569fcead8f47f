/* Readers that take no lock, and writers that wait until they are gone: what a writer has unlinked
 * may be freed after gt_readers_wait(), as no thread looks at it any more.
 *
 * A thread has a place of its own on its first use, and gives it back when it ends. Entering is one
 * atomic operation on memory that no other thread writes; leaving is a store. */
#ifndef GT_BASE_READERS_H
#define GT_BASE_READERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { GT_LINE_BYTES = 128 }; /* processors fetch lines of 64 bytes in pairs */

/* A thread's place. `turns` is odd while the thread is inside. */
typedef struct gt_reader {
    _Alignas(GT_LINE_BYTES) atomic_uint turns;
    atomic_bool taken;
    unsigned number;
    struct gt_reader *next;
} gt_reader;

/* The calling thread's place, NULL before its first use. It is read in every lookup: without a
 * function call, also in a shared library. */
extern _Thread_local gt_reader *gt_own_reader __attribute__((tls_model("initial-exec")));
/* Gives the calling thread a place. NULL: there is no memory for it. */
gt_reader *gt_readers_join(void);

/* The calling thread enters; it must leave soon, and not enter twice. False: there is no memory for
 * its place; it cannot be a reader. */
static inline bool gt_readers_enter(void)
{
    gt_reader *own = gt_own_reader ? gt_own_reader : gt_readers_join();
    if (own) {
        atomic_fetch_add(&own->turns, 1); /* in order with what a writer unlinks and then reads */
    }
    return own != NULL;
}

static inline void gt_readers_leave(void)
{
    atomic_uint *turns = &gt_own_reader->turns;
    atomic_store_explicit(turns, atomic_load_explicit(turns, memory_order_relaxed) + 1,
                          memory_order_release);
}

/* Waits until every thread that is inside now has left once. The caller is not inside. */
void gt_readers_wait(void);

/* The number of the calling thread's place: threads that live at the same time have different ones,
 * small as they are few. For things that are kept once for each thread. */
static inline unsigned gt_readers_place(void)
{
    const gt_reader *own = gt_own_reader ? gt_own_reader : gt_readers_join();
    return own ? own->number : 0;
}

#endif
