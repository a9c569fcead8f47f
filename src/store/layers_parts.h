/* What layers.c and layers_*.c share: the store's state. */
#pragma once

#include "store/layers.h"

#include <pthread.h>
#include <sys/types.h>

enum { GT_WARNING_MAX = 768 };
#define GT_LOOKUP_WAIT_S 0.1 /* longer only if the caller can wait longer */

/* The journal is SQLite's rollback journal, not a write-ahead log. The index of a write-ahead log
 * is in memory that processes share, so that processes of two machines would damage a file on a
 * network file system, where users' folders often are. With such a log a file that only root may
 * write could not be read either. Writes are rare, short and of whole tunings, and a lookup waits
 * for 0.1 s at most.
 *
 * A damaged file stays as it is, and results are kept in memory. The file may be another program's,
 * or be whole again when its file system is.
 *
 * All threads use one connection to the user's file, and each use of it tries at once. A thread
 * that finds the file locked by another process gives the connection back, waits, and tries again
 * from the beginning. So no thread waits behind another one's wait for a process. Mutexes, in the
 * order in which they are taken:
 * - `using`: the connections to files. Held while the disk is at work,
 *   never while another process is waited for, but for the moment that ends a commit.
 * - `remembering`: the database in memory.
 * - `telling`: what the log is to say, and how long was waited. Held for moments only. What is told
 *   of the file in use changes under `using` and `telling`, and is read under either. */
struct gt_store {
    pid_t owner;
    gt_log log;
    char *asked, *system_path; /* the user's file; system_path NULL: none */
    bool only_read;

    pthread_mutex_t using;
    gt_database *file; /* the user's; NULL: it is not open */
    gt_database *system;
    gt_database *wisdom; /* what was imported for this store alone; NULL: nothing */

    pthread_mutex_t remembering;
    gt_database *memory;
    uint64_t memory_writes;

    pthread_mutex_t telling;
    bool no_file;          /* the store no longer tries to write the file */
    bool unreadable;       /* the store no longer tries to read the file */
    int64_t lags_since_ns; /* when a call last gave up waiting for the locked file, which lacks rows
                              that are in memory since; 0: it lacks none */
    int64_t locked_since_ns; /* when a lookup last waited in vain; 0: not since the last success */
    bool distrust_told;      /* the log already says that the file's code is not trusted */
    gt_hash left_lease;      /* the owner of a lease that could not be given back */
    bool lock_told; /* the log already says, since the last successful write, that the file is
                       locked */
    char unkept[GT_WHY_MAX];      /* why something is kept in memory only; "": nothing is */
    gt_obstacle unread;           /* why the file did not answer the last lookup */
    char warning[GT_WARNING_MAX]; /* the next line for the log, written when no mutex is held */
};

/* ---- layers.c: the state, and the user's file, for all that follow ---- */

/* Whether this process may use the connections. A forked child may not. */
bool gt_layers_own(const gt_store *store);
/* gt_layers_warn() remembers a line for the log, and the next gt_layers_flush() writes it. Call
 * gt_layers_flush() with no mutex held: the log's callback may call the store again. */
GT_PRINTF(2, 3)
void gt_layers_warn(gt_store *store, const char *format, ...);
void gt_layers_flush(gt_store *store);

/* Calls `work` on the user's file. While another process locks it, tries again until `limit` is
 * over: EBUSY, without a message. So it does if a statement runs past the end of the call's
 * patience, `call` (NULL: statements run to their end). A lookup waits for other threads of this
 * process as long as `call` says, a write as long as `limit` says. A
 * file that `work` cannot read counts as empty: ENOTFOUND. A file that is damaged, or that fails
 * with `writes`, is given up: EDATABASE. */
gputune_status gt_layers_use_file(gt_store *store, gt_store_fn work, void *context, bool writes,
                                  const gt_patience *call, const gt_patience *limit);
/* Makes a database in memory if *database is NULL. The caller holds the mutex `remembering` for the
 * store's `memory`, and `using` for its `wisdom`. */
gputune_status gt_layers_open_memory(gt_database **database);

/* ---- layers_write.c ---- */

/* Moves the rows that are in memory only because the file was locked to the file. Does nothing if
 * there are none. The caller holds no mutex. */
void gt_layers_bring(gt_store *store, const gt_patience *patience);
