/* Public structs that may grow. Each begins with `uint32_t size`, its size in the caller's build.
 * Later releases only append members, so a caller that was built with an older or a newer header
 * works, too. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Copies the caller's struct *given to *known, a `type`, up to the end of the caller's struct.
 * Later members of *known keep their defaults. `given` may be NULL. Sets known->size to the size in
 * this build. EINVAL if no _INIT macro sets given->size. */
#define GT_SIZED_READ(type, known, given)                                                          \
    gt_sized_read(1 ? (known) : (type *)0, 1 ? (given) : (const type *)0, sizeof(type), #type)

/* Copies *known, a `type`, to the caller's struct *out, up to the smaller of both sizes, and sets
 * out->size to the bytes written. EINVAL if no _INIT macro sets out->size. */
#define GT_SIZED_WRITE(type, out, known)                                                           \
    gt_sized_write(1 ? (out) : (type *)0, 1 ? (known) : (const type *)0, sizeof(type), #type)

gputune_status gt_sized_read(void *known, const void *given, size_t bytes, const char *type);
gputune_status gt_sized_write(void *out, const void *known, size_t bytes, const char *type);
