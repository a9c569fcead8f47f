/* Growable arrays and arrays of strings. */
#include "base/array.h"

#include <stdint.h>
#include <string.h>

gputune_status gt_array_grow(void **items, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) {
        return GPUTUNE_OK;
    }
    size_t more = *capacity ? *capacity * 2 : 8;
    void *grown = more > SIZE_MAX / size ? NULL : realloc(*items, more * size);
    GT_TRY(gt_allocated(grown));
    *items = grown;
    *capacity = more;
    return GPUTUNE_OK;
}

gputune_status gt_texts_take(gt_texts *texts, char *text)
{
    if (gt_array_push(texts, text) < 0) {
        free(text);
        return GPUTUNE_ENOMEM;
    }
    return GPUTUNE_OK;
}

gputune_status gt_texts_add(gt_texts *texts, const char *text, size_t length)
{
    char *copy = strndup(text, length);
    GT_TRY(gt_allocated(copy));
    return gt_texts_take(texts, copy);
}

void gt_texts_free(gt_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->items[i]);
    }
    gt_array_free(texts);
}
