/* What GPUTUNE_DEBUG asks for: a launch's context and pointers are checked before the driver gets
 * them, which tells a wrong one at the next synchronise only, and without its name. */
#pragma once

#include "api/description.h"
#include "gpu/driver.h"

/* EINVAL, with a message that names the kernel and the argument, where the current context is none
 * or of another device than the plan's, or where a buffer is no memory that the device can use: it
 * was freed, lies in host memory, belongs to another context of the device, or is too short for the
 * plan. `items` are the caller's, none of them NULL. What the driver does not tell is not checked.
 */
gputune_status gt_debug_launch(const gt_driver *driver, int ordinal, const char *kernel,
                               const gt_description *description, const void *const *items);
