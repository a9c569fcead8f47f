/* The databases of a store: which of them are read and written, and what happens if one fails. */
#pragma once

#include "store/database.h"

/* Reads or writes one database. It may be called again after a failure, so it must not rely on the
 * results of an earlier call. */
typedef gputune_status (*gt_store_fn)(gt_database *database, void *context);

/* Returns how long to wait for a file that another process has locked: a quarter of the patience,
 * but at most 5 s. The rest is for continuing without the file. */
gt_patience gt_layers_file_patience(const gt_patience *patience);

/* Calls `work` on one layer after another, beginning at the top, as long as it returns ENOTFOUND.
 * Returns the last value; ENOTFOUND without a message if no readable layer has a result. */
gputune_status gt_store_read(gt_store *store, gt_store_fn work, void *context,
                             const gt_patience *patience);
/* Calls `work` on all layers, beginning at the top. Stops if `work` fails, except with ENOTFOUND,
 * and returns this failure. If a database fails after some rows were read, these rows are kept, and
 * the next layer is read. Returns EBUSY without a message if the file is locked. */
gputune_status gt_store_read_all(gt_store *store, gt_store_fn work, void *context,
                                 const gt_patience *patience);
/* Calls `work` in an IMMEDIATE transaction on the user's file. If the file fails or stays locked,
 * calls it on the database in memory instead. If `work` fails, except with EDATABASE, rolls back
 * and returns this failure. Does nothing in a forked child or in a read-only store. The caller must
 * block SIGXFSZ (base/signals.h), because even lookups may write files. */
gputune_status gt_store_write(gt_store *store, gt_store_fn work, void *context,
                              const gt_patience *patience);
/* Returns true if the user's file does not exist, but a write would create it. */
bool gt_store_is_missing(const gt_store *store);
/* Like gt_store_write(), but never uses the database in memory. Returns EBUSY without a message if
 * the file stayed locked, and EDATABASE if it cannot be written. */
gputune_status gt_store_write_file(gt_store *store, gt_store_fn work, void *context,
                                   const gt_patience *call, const gt_patience *patience);
/* Like gt_store_write(), but writes the winners that were imported for this store. Never waits. */
gputune_status gt_store_write_wisdom(gt_store *store, gt_store_fn work, void *context);
/* Writes to the file the rows that are in memory because of a lock. Waits for the lock until 0.3 s
 * after the last failed write, but for at least 0.1 s. */
void gt_store_bring(gt_store *store);

/* Returns `path`, or the value of GPUTUNE_DB if `path` is NULL. Returns NULL if neither is set,
 * which means the database in the cache folder. */
const char *gt_store_named_path(const char *path);
/* Returns the path of the user's database; the caller frees it. ENOTFOUND: no cache folder. */
gputune_status gt_store_path(char **out, const char *path);
