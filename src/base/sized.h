/* Public structs that may grow. Each begins with `uint32_t size`, its size in the caller's build.
 * Releases only append members, so callers built with older or newer headers still work. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Copies the members that both builds have from the caller's struct *given to *known. The other
 * members of *known keep their defaults. `given` may be NULL. Sets known->size to this build's
 * size. EINVAL if given->size was not set by an _INIT macro. */
#define GT_SIZED_READ(type, known, given)                                                          \
    gt_sized_read(1 ? (known) : (type *)0, 1 ? (given) : (const type *)0, sizeof(type), #type)

/* Copies the members that both builds have from *known to the caller's struct *out. Sets out->size
 * to the number of bytes written. EINVAL if out->size was not set by an _INIT macro. */
#define GT_SIZED_WRITE(type, out, known)                                                           \
    gt_sized_write(1 ? (out) : (type *)0, 1 ? (known) : (const type *)0, sizeof(type), #type)

gputune_status gt_sized_read(void *known, const void *given, size_t bytes, const char *type);
gputune_status gt_sized_write(void *out, const void *known, size_t bytes, const char *type);
