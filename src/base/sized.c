/* Reads and writes public structs by their size. */
#include "base/sized.h"

#include <stdint.h>
#include <string.h>

/* A struct is taken for uninitialised memory if its size is outside these limits. */
enum { SMALLEST = 8, LARGEST = 4096 };

/* Sets *common to the smaller of the struct's sizes in the caller's build and in this build. */
static gputune_status check_size(uint32_t *common, const void *theirs, size_t bytes,
                                 const char *type)
{
    memcpy(common, theirs, sizeof *common);
    GT_REFUSE(
        *common < SMALLEST || *common > LARGEST || *common % sizeof(uint32_t), GPUTUNE_EINVAL,
        "the size of a %s is %u; expected its sizeof, %zu: initialise it with its _INIT macro",
        type, *common, bytes);
    *common = *common < bytes ? *common : (uint32_t)bytes;
    return GPUTUNE_OK;
}

gputune_status gt_sized_read(void *known, const void *given, size_t bytes, const char *type)
{
    uint32_t common;
    if (!given) {
        return GPUTUNE_OK;
    }
    GT_TRY(check_size(&common, given, bytes, type));
    memcpy(known, given, common);
    memcpy(known, &(uint32_t){(uint32_t)bytes}, sizeof(uint32_t));
    return GPUTUNE_OK;
}

gputune_status gt_sized_write(void *out, const void *known, size_t bytes, const char *type)
{
    uint32_t common;
    GT_TRY(check_size(&common, out, bytes, type));
    memcpy(out, known, common);
    memcpy(out, &common, sizeof common);
    return GPUTUNE_OK;
}
