/* The store's stack of databases: which one is asked, which one is written, and what happens when
 * one of them fails. */
#ifndef GT_STORE_LAYERS_H
#define GT_STORE_LAYERS_H

#include "store/database.h"
#include "store/store.h"

/* Work on one database; it starts from scratch each time it is called. */
typedef gputune_status (*gt_store_fn)(gt_database *database, void *context);

/* Calls `work` on each layer from the top until one answers OK. ENOTFOUND silently when none does:
 * not there, locked, damaged, or this is a forked child. Other failures of `work` are returned. */
gputune_status gt_store_read(gt_store *store, gt_store_fn work, void *context);
/* Calls `work` on every layer from the top; OK and ENOTFOUND go on, other failures are returned. A
 * layer that fails midway counts as read. */
gputune_status gt_store_read_all(gt_store *store, gt_store_fn work, void *context);
/* Calls `work` in an IMMEDIATE transaction on the topmost layer; when that database fails, again on
 * the one that takes its place. Failures of `work` other than EDATABASE roll back and are returned.
 */
gputune_status gt_store_write(gt_store *store, gt_store_fn work, void *context);

/* Shortens how long writes wait for a lock (30 s), for tests. */
void gt_store_set_write_wait(gt_store *store, int milliseconds);

#endif
