/* Growing the arrays of array.h. */
#include "base/array.h"

#include <stdint.h>

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
