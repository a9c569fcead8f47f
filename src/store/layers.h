/* The store's stack of databases: which are read or written, and what happens if one fails. */
#pragma once

#include "store/database.h"

/* Works on one database. May be called several times for it; each call must start from scratch. */
typedef gputune_status (*gt_store_fn)(gt_database *database, void *context);

/* Returns how long to wait for a file that another process has locked: a quarter of the call's
 * patience, at most 5 s. This leaves time to continue without the file. */
gt_patience gt_layers_file_patience(const gt_patience *patience);

/* Calls `work` on each layer, from the top, until it does not return ENOTFOUND, and returns its
 * status. ENOTFOUND, without a message, if no layer that can be read now has a result. */
gputune_status gt_store_read(gt_store *store, gt_store_fn work, void *context,
                             const gt_patience *patience);
/* Calls `work` on every layer, from the top. Stops at a failure other than ENOTFOUND, and returns
 * it. If a database fails midway, keeps the rows read until then. EBUSY, without a message, if the
 * file is locked. */
gputune_status gt_store_read_all(gt_store *store, gt_store_fn work, void *context,
                                 const gt_patience *patience);
/* Calls `work` in an IMMEDIATE transaction on the user's file. If the file fails or stays locked,
 * uses the database in memory instead. Does nothing in a forked child or in a read-only store. If
 * `work` fails other than with EDATABASE, rolls back and returns the failure. The caller must block
 * SIGXFSZ (base/signals.h), because SQLite may write files even in a lookup. */
gputune_status gt_store_write(gt_store *store, gt_store_fn work, void *context,
                              const gt_patience *patience);
/* Like gt_store_write(), but only on the user's file. EBUSY, without a message, if it stayed
 * locked; EDATABASE if there is none. */
gputune_status gt_store_write_file(gt_store *store, gt_store_fn work, void *context,
                                   const gt_patience *patience);
/* Like gt_store_write(), but on the winners imported for this store. Never waits. */
gputune_status gt_store_write_wisdom(gt_store *store, gt_store_fn work, void *context);
/* Like gt_store_write(), but on the database in memory. Never waits for another process. */
gputune_status gt_store_write_memory(gt_store *store, gt_store_fn work, void *context);

/* Returns `path`, GPUTUNE_DB if `path` is NULL, or NULL if the database is the one of the cache. */
const char *gt_store_named_path(const char *path);
/* Gets the path of the user's database; the caller frees it. ENOTFOUND without a cache folder. */
gputune_status gt_store_path(char **out, const char *path);
