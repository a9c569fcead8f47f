/* The store's stack of databases: which one is asked or written, and what a failure of one means.
 */
#pragma once

#include "store/database.h"

/* Work on one database. It may be called several times, and starts from scratch each time. */
typedef gputune_status (*gt_store_fn)(gt_database *database, void *context);

/* The part of a caller's patience that a wait for a file locked by another process may take: a
 * quarter, and 5 s at most, so that the caller has time left to do without the file. */
gt_patience gt_layers_file_patience(const gt_patience *patience);

/* Calls `work` on each layer from the top until one answers OK. ENOTFOUND, without a message: none
 * does, or the file cannot be read now. Other failures of `work` are returned. */
gputune_status gt_store_read(gt_store *store, gt_store_fn work, void *context,
                             const gt_patience *patience);
/* Calls `work` on every layer from the top, until a failure other than ENOTFOUND. A layer that
 * fails midway counts as read. EBUSY, without a message, at the end: the file was locked. */
gputune_status gt_store_read_all(gt_store *store, gt_store_fn work, void *context,
                                 const gt_patience *patience);
/* Calls `work` in an IMMEDIATE transaction on the user's file; when the file fails or stays locked,
 * `work` runs on the database in memory. Does nothing in a forked child and in a store that is only
 * read. Failures of `work` other than EDATABASE roll back and are returned. Callers hold back
 * SIGXFSZ (base/signals.h): SQLite writes files even where a database is only read. */
gputune_status gt_store_write(gt_store *store, gt_store_fn work, void *context,
                              const gt_patience *patience);
/* The same on the user's file only. EBUSY, without a message: it stayed locked; EDATABASE: none. */
gputune_status gt_store_write_file(gt_store *store, gt_store_fn work, void *context,
                                   const gt_patience *patience);
/* The same on the winners imported for this store alone, below the file. It never waits. */
gputune_status gt_store_write_wisdom(gt_store *store, gt_store_fn work, void *context);
/* The same on the database in memory alone. This never waits for another process. */
gputune_status gt_store_write_memory(gt_store *store, gt_store_fn work, void *context);

/* Returns true if the user's file is there; a write would make it. */
bool gt_store_has_file(const gt_store *store);

/* Shrinks the file that is written by its free space, unless another process uses the file. */
void gt_store_compact(gt_store *store);

/* Sets *out to the database's path, for free(). ENOTFOUND if the user has no cache folder. */
gputune_status gt_store_path(char **out, const char *path);
