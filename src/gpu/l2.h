/* Level-2 cache that is set aside for persisting accesses. The amount belongs to a context, so all
 * launchers of a context share it. Thread-safe; call these functions in that context. */
#pragma once

#include "gpu/driver.h"

/* Sets aside at least `bytes` bytes until gt_l2_detach(). Returns ECUDA or ENOMEM on failure. */
gputune_status gt_l2_attach(const gt_driver *driver, const gt_context *context, size_t bytes);
/* Ends an attachment. At the end of a live context's last attachment, restores the amount from
 * before the first attachment. */
void gt_l2_detach(const gt_driver *driver, const gt_context *context, bool alive);
/* Sets aside exactly `bytes` bytes (0: the amount from before the first attachment), and resets the
 * lines that persist. Does nothing in a context without an attachment. */
gputune_status gt_l2_set(const gt_driver *driver, const gt_context *context, size_t bytes);
