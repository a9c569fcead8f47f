/* Sets level-2 cache aside for persisting accesses. All launchers of a context share one amount.
 * Thread-safe. The context must be current. */
#pragma once

#include "gpu/driver.h"

/* Sets aside at least `bytes` until gt_l2_detach(). ECUDA or ENOMEM on failure. */
gputune_status gt_l2_attach(const gt_driver *driver, const gt_context *context, size_t bytes);
/* Ends an attachment. The last one to end in a context restores the amount from before the first
 * attachment. `alive`: the context exists. */
void gt_l2_detach(const gt_driver *driver, const gt_context *context, bool alive);
/* Sets aside exactly `bytes`; 0: the amount from before the first attachment. Also resets all
 * persisting cache lines. Does nothing in a context without attachments. */
gputune_status gt_l2_set(const gt_driver *driver, const gt_context *context, size_t bytes);
