/* Growable arrays: a struct with `items`, `count` and `capacity` of any element type. */
#pragma once

#include "base/status.h"

#include <stdlib.h>

#define GT_ARRAY(type)                                                                             \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count, capacity;                                                                    \
    }

/* Makes room for one more element. Evaluates to OK or ENOMEM; on failure the array is unchanged. */
#define gt_array_reserve(array)                                                                    \
    gt_array_grow((void **)&(array)->items, &(array)->capacity, (array)->count,                    \
                  sizeof *(array)->items)

/* Appends `value`; evaluates to a status. */
#define gt_array_push(array, value)                                                                \
    (gt_array_reserve(array) == GPUTUNE_OK                                                         \
         ? ((array)->items[(array)->count++] = (value), GPUTUNE_OK)                                \
         : GPUTUNE_ENOMEM)

/* Sorts the array. Skips an empty array, because qsort() does not accept its NULL pointer. */
#define gt_array_sort(array, compare)                                                              \
    ((array)->count ? qsort((array)->items, (array)->count, sizeof *(array)->items, compare)       \
                    : (void)0)

#define gt_array_free(array)                                                                       \
    do {                                                                                           \
        free((array)->items);                                                                      \
        (array)->items = NULL;                                                                     \
        (array)->count = (array)->capacity = 0;                                                    \
    } while (0)

gputune_status gt_array_grow(void **items, size_t *capacity, size_t count, size_t size);

/* An array that owns its strings. */
typedef GT_ARRAY(char *) gt_texts;
/* Appends `text`, which malloc() returned, and takes ownership of it even on ENOMEM. */
gputune_status gt_texts_take(gt_texts *texts, char *text);
/* Appends a copy of the first `length` bytes of a text. Fails only with ENOMEM. */
gputune_status gt_texts_add(gt_texts *texts, const char *text, size_t length);
void gt_texts_free(gt_texts *texts);
