/* The store's stack of databases: which one is asked, which one is written, and what happens when
 * one of them fails. Serves layers.c and layers_*.c. */
#pragma once

#include "store/database.h"
#include "store/store.h"

/* Work on one database; it starts from scratch each time it is called. */
typedef gputune_status (*gt_store_fn)(gt_database *database, void *context);

/* How long a wait for a file that another process has locked may take of a caller's patience: a
 * quarter, and 5 s at most, so that the caller can do without the file. */
gt_patience gt_layers_file_patience(const gt_patience *patience);

/* Calls `work` on each layer from the top until one answers OK. ENOTFOUND silently when none does:
 * not there, locked, damaged, or this is a forked child. Other failures of `work` are returned. */
gputune_status gt_store_read(gt_store *store, gt_store_fn work, void *context,
                             const gt_patience *patience);
/* Calls `work` on every layer from the top; OK and ENOTFOUND go on, other failures are returned. A
 * layer that fails midway counts as read. EBUSY silently, after all layers, when the user's file
 * could not be read in time. */
gputune_status gt_store_read_all(gt_store *store, gt_store_fn work, void *context,
                                 const gt_patience *patience);
/* Calls `work` in an IMMEDIATE transaction on the file; when the file fails or stays locked, on the
 * database in memory. Does nothing in a forked child and in a store that is only read. Failures of
 * `work` other than EDATABASE roll back and are returned. Callers hold back SIGXFSZ
 * (base/signals.h): SQLite writes files also where one is only read. */
gputune_status gt_store_write(gt_store *store, gt_store_fn work, void *context,
                              const gt_patience *patience);
/* The same on the file alone. EBUSY, silently, if it stayed locked; EDATABASE if no file can be
 * written. */
gputune_status gt_store_write_file(gt_store *store, gt_store_fn work, void *context,
                                   const gt_patience *patience);
/* The same on the layer of what was imported for this store alone, which is below the user's file.
 * It needs no disk, and never waits for another process. */
gputune_status gt_store_write_wisdom(gt_store *store, gt_store_fn work, void *context);
/* The same on the database in memory alone. It never waits for another process. */
gputune_status gt_store_write_memory(gt_store *store, gt_store_fn work, void *context);

/* Gives the free space of the file that is written back, unless another process uses the file. */
void gt_store_compact(gt_store *store);

/* The path of the user's file where `path` is asked for; NULL: as gt_store_open() takes it.
 * ENOTFOUND where the user has no cache folder. *out is the caller's. */
gputune_status gt_store_path(char **out, const char *path);
