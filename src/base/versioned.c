/* Reads and writes structs of the public header by their version. */
#include "base/versioned.h"

#include <string.h>

/* Beyond this a version is memory that was not initialised. */
enum { LARGEST_VERSION = 255 };

static gputune_status check(uint32_t *version, const void *theirs, const gt_layouts *layouts)
{
    memcpy(version, theirs, sizeof *version);
    GT_REFUSE(*version < 1 || *version > LARGEST_VERSION || !layouts->bytes[layouts->newest - 1],
              GPUTUNE_EINVAL,
              "a %s of version %u; initialise it with its _INIT macro, or set its version to the "
              "_VERSION of the header (here %u)",
              layouts->name, *version, layouts->newest);
    *version = *version < layouts->newest ? *version : layouts->newest;
    return GPUTUNE_OK;
}

gputune_status gt_versioned_read(void *known, const void *given, const gt_layouts *layouts)
{
    uint32_t version;
    if (!given) {
        return GPUTUNE_OK;
    }
    GT_TRY(check(&version, given, layouts));
    memcpy(known, given, layouts->bytes[version - 1]);
    memcpy(known, &layouts->newest, sizeof layouts->newest);
    return GPUTUNE_OK;
}

gputune_status gt_versioned_write(void *out, const void *known, const gt_layouts *layouts)
{
    uint32_t version;
    GT_TRY(check(&version, out, layouts));
    memcpy(out, known, layouts->bytes[version - 1]);
    memcpy(out, &version, sizeof version);
    return GPUTUNE_OK;
}
