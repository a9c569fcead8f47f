/* Structs of the public header that grow with its versions. Each begins with a `version`, and a new
 * version appends members. Callers that were built with an older header, or with a newer one, are
 * served alike. */
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
    size_t bytes[16]; /* bytes[i] is for version i + 1; every call fails where that of the newest is
                         missing */
} gt_layouts;

/* The layouts of a struct that has had one version, GPUTUNE_NAME_VERSION, which ends with the
 * member `last`. */
#define GT_LAYOUT(type, NAME, last)                                                                \
    (&(const gt_layouts){#type, GPUTUNE_##NAME##_VERSION, {GT_BYTES_THROUGH(type, last)}})

/* Copies the members of the caller's struct `given` (NULL: nothing) into *known. Members that an
 * older caller's struct lacks keep the defaults in *known. Members that a newer caller's struct has
 * beyond *known are not read. known->version is the newest afterwards. EINVAL for a version that no
 * header has. */
gputune_status gt_versioned_read(void *known, const void *given, const gt_layouts *layouts);

/* Copies *known into the caller's struct *out, as many members as its version has. The caller has
 * set out->version; afterwards it says how many members are filled in. EINVAL, with *out untouched,
 * for a version that no header has. */
gputune_status gt_versioned_write(void *out, const void *known, const gt_layouts *layouts);
