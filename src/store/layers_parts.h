/* What layers.c and layers_*.c share: the store's state. */
#pragma once

#include "store/layers.h"

#include <pthread.h>
#include <sys/types.h>

enum { GT_BESIDE_MAX = 9, GT_WARNING_MAX = 768 };
#define GT_LOOKUP_WAIT_S 0.1 /* longer only if the caller can wait longer */

/* Which file is used, and how far. */
typedef struct gt_file_state {
    const char *path; /* stays as it is; NULL: there is no file */
    int index;        /* of the path */
    bool is_damaged;  /* a lookup has found damage that the writer did not meet */
    bool no_file;     /* writing it was given up */
    bool unreadable;  /* reading it was given up */
    bool unbrought;   /* memory holds what the file lacks because it was locked */
} gt_file_state;

/* The journal is SQLite's rollback journal, not a write-ahead log: that has its index in memory
 * that processes share, so that processes of two machines would damage a file on a network file
 * system, where users' folders often are; and a file that only root may write could not be read.
 * Writes are rare, short and of whole tunings, and a lookup waits for 0.1 s at most.
 *
 * A damaged file stays where it is, and others begin beside it: it may be another program's, or be
 * whole again when its file system is, and processes that have it open need not hear of it.
 *
 * Reading and writing the user's file have a connection and a mutex each, so that a lookup does not
 * wait behind a write that waits for another process. Mutexes, in the order in which they are taken
 * (but a lookup may try for `writing`):
 * - `writing`: the writer's connection. Held while it waits for another process.
 * - `reading`: the connections of lookups. Held for a lookup's wait, and while a commit changes the
 *   file.
 * - `remembering`: the database in memory, which never waits.
 * - `telling`: which file is used, and what is to be said of it. Held for moments. */
struct gt_store {
    pid_t owner;
    gt_log log;
    char *asked, *system_path; /* system_path NULL: none */
    bool only_read;

    pthread_mutex_t writing;
    gt_database *writer;
    double waited_s; /* waited by writes without success, since the last success */

    pthread_mutex_t reading;
    gt_database *reader, *system;
    gt_database *wisdom; /* what was imported for this store alone; NULL: nothing */
    int reader_path;

    pthread_mutex_t remembering;
    gt_database *memory;
    uint64_t memory_writes;

    pthread_mutex_t telling;
    char *paths[1 + GT_BESIDE_MAX]; /* those up to the one in use stay as they are */
    gt_file_state file;
    int64_t blind_since_ns;  /* end of the last lookup that waited without success; 0: none since */
    double blind_s;          /* seconds that lookups have waited since the last success */
    bool distrust_told;      /* the log has the line that the file's code is not trusted */
    gt_hash left_lease;      /* owner of a lease that could not be given back */
    bool lock_told;          /* the lock was reported since the last successful write */
    char unkept[GT_WHY_MAX]; /* why something is kept in memory only; "": nothing is */
    char unread[GT_WHY_MAX]; /* why the file did not answer the last lookup; "": it did */
    char warning[GT_WARNING_MAX]; /* to be logged when no mutex is held */
};

/* ---- layers.c: the state, for all that follow ---- */

/* Whether this process may use the connections: not after a fork. */
bool gt_layers_own(const gt_store *store);
gt_file_state gt_layers_state(gt_store *store);
/* Goes on to the file of that index, whose path is known. */
void gt_layers_turn_to(gt_store *store, int index);
/* Remembers whether the user's file answers. Where it does, waits for it were not in vain. */
void gt_layers_note_read(gt_store *store, gt_trouble trouble, const char *why);
/* A line for the log, written by the next gt_layers_flush(), which is called with no mutex held:
 * the callback may call the store again. */
GT_PRINTF(2, 3)
void gt_layers_warn(gt_store *store, const char *format, ...);
void gt_layers_flush(gt_store *store);
/* Takes a mutex. False when the patience was over first; a free one is always taken. */
bool gt_layers_lock(pthread_mutex_t *mutex, const gt_patience *patience);

/* From now on nothing is written to the file; what it says is read on if `keep_reading`. */
void gt_layers_give_up(gt_store *store, const char *why, bool keep_reading);
/* Makes a database in memory if there is none: `memory` under `remembering`, `wisdom` under
 * `reading`. */
gputune_status gt_layers_open_memory(gt_database **database);

/* ---- layers_write.c, by which layers.c opens the file ---- */

/* Opens the file for writing unless that is done or given up. EDATABASE: it is locked. OK: there is
 * a writer, or nothing is written any more. Under `writing`. */
gputune_status gt_layers_open_writer(gt_store *store, const gt_patience *patience);
/* Writes what memory holds for want of a lock to the file, if there is such, and forgets it there.
 * NULL: the patience of closing. Under no mutex. */
void gt_layers_bring(gt_store *store, const gt_patience *patience);
