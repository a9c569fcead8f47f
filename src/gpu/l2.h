/* Sets aside a part of the level-2 cache for persisting accesses. All launchers of a context share
 * this part. Thread-safe. The context must be current. */
#pragma once

#include "gpu/driver.h"

/* Sets aside at least `bytes` until gt_l2_detach() is called. ECUDA or ENOMEM on failure. */
gputune_status gt_l2_attach(const gt_driver *driver, const gt_context *context, size_t bytes);
/* Undoes one gt_l2_attach(). After the last one for a context, the amount is the same as before the
 * first gt_l2_attach(). `alive` is true if the context exists. */
void gt_l2_detach(const gt_driver *driver, const gt_context *context, bool alive);
/* Sets aside exactly `bytes`, or the original amount if `bytes` is 0, and resets all persisting
 * cache lines. Does nothing if gt_l2_attach() was not called for this context. */
gputune_status gt_l2_set(const gt_driver *driver, const gt_context *context, size_t bytes);
