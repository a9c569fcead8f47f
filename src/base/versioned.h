/* Structs of the public header that grow: each begins with a `version`, and a new version appends
 * members. Callers that were built with an older header, and with a newer one, are served alike. */
#pragma once

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes of a struct up to the end of a member. */
#define GT_BYTES_THROUGH(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* How long a struct is at each of its versions. */
typedef struct gt_layouts {
    const char *name; /* "gputune_options" */
    uint32_t newest;
    size_t bytes[16]; /* of version 1 to the newest; no call goes well where one is missing */
} gt_layouts;

/* Copies what the caller's struct has (NULL: nothing) onto *known, which has the defaults for
 * callers that are older. What a newer caller has beyond that is not read. known->version is the
 * newest afterwards. EINVAL for a version that no header has. */
gputune_status gt_versioned_read(void *known, const void *given, const gt_layouts *layouts);

/* Copies *known into the caller's struct as far as that goes. out->version, which the caller has
 * set, then says how much is filled in. EINVAL, with *out untouched, for a version that no header
 * has. */
gputune_status gt_versioned_write(void *out, const void *known, const gt_layouts *layouts);
