/* The store's stack of databases: which databases are read or written, and what happens if one
 * fails. */
#pragma once

#include "store/database.h"

/* Works on one database. May be called several times, each time from scratch. */
typedef gputune_status (*gt_store_fn)(gt_database *database, void *context);

/* Returns how long a call may wait for a file that another process has locked: a quarter of its
 * patience, at most 5 s, so time is left to continue without the file. */
gt_patience gt_layers_file_patience(const gt_patience *patience);

/* Calls `work` on each layer from the top until one answers OK. ENOTFOUND, without a message, if
 * none does or the file cannot be read now. Other failures of `work` are returned. */
gputune_status gt_store_read(gt_store *store, gt_store_fn work, void *context,
                             const gt_patience *patience);
/* Calls `work` on every layer from the top. Stops at a failure other than ENOTFOUND, which is
 * returned. A layer that fails midway counts as read. Returns EBUSY, without a message, if the file
 * was locked. */
gputune_status gt_store_read_all(gt_store *store, gt_store_fn work, void *context,
                                 const gt_patience *patience);
/* Calls `work` in an IMMEDIATE transaction on the user's file. If the file fails or stays locked,
 * calls it on the database in memory. Does nothing in a forked child or if the store is read-only.
 * If `work` fails otherwise than with EDATABASE, the transaction is rolled back and the failure
 * returned. Callers hold SIGXFSZ back (base/signals.h), because SQLite may write files even for a
 * lookup. */
gputune_status gt_store_write(gt_store *store, gt_store_fn work, void *context,
                              const gt_patience *patience);
/* Like gt_store_write(), but on the user's file only. EBUSY, without a message, if the file stayed
 * locked; EDATABASE if there is none. */
gputune_status gt_store_write_file(gt_store *store, gt_store_fn work, void *context,
                                   const gt_patience *patience);
/* Like gt_store_write(), but on the winners imported for this store, a layer below the file. Never
 * waits. */
gputune_status gt_store_write_wisdom(gt_store *store, gt_store_fn work, void *context);
/* Like gt_store_write(), but on the database in memory. Never waits for another process. */
gputune_status gt_store_write_memory(gt_store *store, gt_store_fn work, void *context);

/* Gets the path of the user's database; the caller frees it. ENOTFOUND without a cache folder. */
gputune_status gt_store_path(char **out, const char *path);
