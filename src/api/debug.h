/* The checks that GPUTUNE_DEBUG asks for: a launch's context and pointers are checked before the
 * driver gets them. The driver reports a wrong pointer only at the next synchronise, and without
 * its name. */
#pragma once

#include "api/description.h"
#include "gpu/driver.h"

/* EINVAL, with a message that names the kernel and the argument, if there is no current context, or
 * it is of another device than the plan, or if the device cannot use a buffer: the buffer was
 * freed, lies in host memory, belongs to another context of the device, or is too short for the
 * plan. `items` are the caller's arguments, none of them NULL. Facts that the driver does not know
 * are not checked. */
gputune_status gt_debug_launch(const gt_driver *driver, int ordinal, const char *kernel,
                               const gt_description *description, const void *const *items);
