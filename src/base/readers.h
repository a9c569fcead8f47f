/* Read-copy-update (McKenney and Slingwine, "Read-Copy Update: Using Execution History to Solve
 * Concurrency Problems", 1998). Readers take no lock. A writer unlinks an object, waits in
 * gt_readers_wait() until all current readers have left, and may then free it.
 *
 * A thread gets a slot when it first enters, and releases it when it ends. With membarrier(2)
 * (Linux 4.14), entering and leaving are one store each to memory that no other thread writes. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    GT_LINE_BYTES = 128, /* processors fetch 64-byte lines in pairs */
    GT_MESSAGE_BYTES = 1024
};

/* A thread's slot. `turns` is odd while the thread is inside. */
typedef struct gt_reader {
    _Alignas(GT_LINE_BYTES) atomic_uint turns;
    atomic_bool taken;
    unsigned number;
    struct gt_reader *next;
    char message[GT_MESSAGE_BYTES]; /* the thread's last message (status.c). Not thread-local,
                                       because dlopen() has only 512 bytes of that for all libraries
                                       of a process */
} gt_reader;

/* The calling thread's slot, NULL before its first use. Each lookup reads this variable; the TLS
 * model avoids a function call for that, also in a shared library. */
extern _Thread_local gt_reader *gt_own_reader __attribute__((tls_model("initial-exec")));
/* True if a writer makes every thread execute a fence, with membarrier(2), before it checks which
 * threads are inside. */
extern atomic_bool gt_writers_fence;
/* Assigns a slot to the calling thread. Returns NULL if out of memory. */
gt_reader *gt_readers_join(void);

/* Enters a read section. The thread must leave soon, and must not enter twice. Returns false if
 * there is no memory for a slot; then it has not entered. */
static inline bool gt_readers_enter(void)
{
    gt_reader *own = gt_own_reader ? gt_own_reader : gt_readers_join();
    if (!own) {
        return false;
    }
    /* A writer that unlinks and then checks who is inside must see this entry before the reader's
     * loads. That takes a fence here, or one that the writer forces with membarrier(). */
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

/* Waits until every thread that is inside now has left once. The caller must not be inside. */
void gt_readers_wait(void);

/* Returns the number of the calling thread's slot, for per-thread data. Threads that live at the
 * same time have different numbers, which are small if there are few threads. */
static inline unsigned gt_readers_place(void)
{
    const gt_reader *own = gt_own_reader ? gt_own_reader : gt_readers_join();
    return own ? own->number : 0;
}
