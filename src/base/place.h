/* A place for each thread, where its last message is kept (status.c). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

enum { GT_MESSAGE_BYTES = 1024 };

/* Not thread-local as a whole: dlopen() has 512 bytes for that, for all libraries of a process. */
typedef struct gt_message_place {
    struct gt_message_place *next;
    atomic_bool taken;
    char message[GT_MESSAGE_BYTES];
} gt_message_place;

/* The calling thread's place, which it gets at the first call and gives back when it ends. NULL:
 * there is no memory for it. */
gt_message_place *gt_place_own(void);
