/* Readers that take no lock, and writers that wait until they are gone: what a writer has unlinked
 * may be freed after gt_readers_wait(), as no thread looks at it any more.
 *
 * A thread has a place of its own on its first use, and gives it back when it ends. Entering is one
 * atomic operation on memory that no other thread writes; leaving is a store. */
#ifndef GT_BASE_READERS_H
#define GT_BASE_READERS_H

#include <stdbool.h>

/* The calling thread enters; it must leave soon, and not enter twice. False: there is no memory for
 * its place; the thread must take the writers' lock instead. */
bool gt_readers_enter(void);
void gt_readers_leave(void);

/* Waits until every thread that is inside now has left once. The caller is not inside. */
void gt_readers_wait(void);

/* The number of the calling thread's place: threads that live at the same time have different ones,
 * small as they are few. For things that are kept once for each thread. */
unsigned gt_readers_place(void);

#endif
