/* What layers.c and layers_*.c share: the store's state. */
#pragma once

#include "store/layers.h"

#include <pthread.h>
#include <sys/types.h>

enum { GT_BESIDE_MAX = 9, GT_WARNING_MAX = 768 };
#define GT_LOOKUP_WAIT_S 0.1 /* longer only if the caller can wait longer */

/* Which of the store's files is in use, and whether it is still read and written. */
typedef struct gt_file_state {
    const char *path; /* the pointer stays valid as long as the store; NULL: there is no file */
    int index;        /* index of the path in gt_store.paths */
    bool is_damaged;  /* a lookup has found damage that the writer has not met */
    bool no_file;     /* the store no longer tries to write the file */
    bool unreadable;  /* the store no longer tries to read the file */
    bool unbrought;   /* the database in memory has rows that the locked file lacks */
} gt_file_state;

/* The journal is SQLite's rollback journal, not a write-ahead log. The index of a write-ahead log
 * is in memory that processes share, so that processes of two machines would damage a file on a
 * network file system, where users' folders often are. With such a log a file that only root may
 * write could not be read either. Writes are rare, short and of whole tunings, and a lookup waits
 * for 0.1 s at most.
 *
 * A damaged file stays where it is, and the store begins another one beside it. The damaged file
 * may be another program's, or be whole again when its file system is, and processes that have it
 * open need not know.
 *
 * Reading and writing the user's file have a connection and a mutex each, so that a lookup does not
 * wait behind a write that waits for another process. Mutexes, in the order in which they are taken
 * (but a lookup may try for `writing`):
 * - `writing`: the writer's connection. Held while it waits for another process.
 * - `reading`: the connections of lookups. Held for a lookup's wait, and while a commit changes the
 *   file.
 * - `remembering`: the database in memory, which never waits.
 * - `telling`: which file is used, and what the log is to say of it. Held for moments only. */
struct gt_store {
    pid_t owner;
    gt_log log;
    char *asked, *system_path; /* system_path NULL: none */
    bool only_read;

    pthread_mutex_t writing;
    gt_database *writer;
    double waited_s; /* seconds that writes have waited in vain since the last success */

    pthread_mutex_t reading;
    gt_database *reader, *system;
    gt_database *wisdom; /* what was imported for this store alone; NULL: nothing */
    int reader_path;

    pthread_mutex_t remembering;
    gt_database *memory;
    uint64_t memory_writes;

    pthread_mutex_t telling;
    char *paths[1 + GT_BESIDE_MAX]; /* the paths up to the one in use never change */
    gt_file_state file;
    int64_t blind_since_ns; /* when the last lookup that waited in vain ended; 0: none since the
                               last success */
    double blind_s;         /* seconds that lookups have waited since the last success */
    double closing_s;       /* seconds that gt_layers_bring() has waited by itself since the last
                               successful write */
    bool distrust_told;     /* the log already says that the file's code is not trusted */
    gt_hash left_lease;     /* the owner of a lease that could not be given back */
    bool lock_told; /* the log already says, since the last successful write, that the file is
                       locked */
    char unkept[GT_WHY_MAX];      /* why something is kept in memory only; "": nothing is */
    char unread[GT_WHY_MAX];      /* why the file did not answer the last lookup; "": it did */
    char warning[GT_WARNING_MAX]; /* the next line for the log, written when no mutex is held */
};

/* ---- layers.c: the state, for all that follow ---- */

/* Whether this process may use the connections. A forked child may not. */
bool gt_layers_own(const gt_store *store);
gt_file_state gt_layers_state(gt_store *store);
/* Makes the file paths[index] the one in use. Its path must be set. */
void gt_layers_turn_to(gt_store *store, int index);
/* Remembers whether the user's file answered the last lookup. If it did, the time that lookups have
 * waited in vain counts as 0 again. */
void gt_layers_note_read(gt_store *store, gt_trouble trouble, const char *why);
/* gt_layers_warn() remembers a line for the log, and the next gt_layers_flush() writes it. Call
 * gt_layers_flush() with no mutex held: the log's callback may call the store again. */
GT_PRINTF(2, 3)
void gt_layers_warn(gt_store *store, const char *format, ...);
void gt_layers_flush(gt_store *store);
/* Takes a mutex. False when the patience was over first. A mutex that is free is always taken. */
bool gt_layers_lock(pthread_mutex_t *mutex, const gt_patience *patience);

/* Writes nothing to the user's file from now on. With `keep_reading` the file is still read. */
void gt_layers_give_up(gt_store *store, const char *why, bool keep_reading);
/* Makes a database in memory if *database is NULL. The caller holds the mutex `remembering` for the
 * store's `memory`, and `reading` for its `wisdom`. */
gputune_status gt_layers_open_memory(gt_database **database);

/* ---- layers_write.c, by which layers.c opens the file ---- */

/* Opens the file for writing, unless it is open or was given up. EDATABASE: the file is locked. OK:
 * there is a writer, or the store no longer writes a file. The caller holds `writing`. */
gputune_status gt_layers_open_writer(gt_store *store, const gt_patience *patience);
/* Moves the rows that are in memory only because the file was locked to the file. Does nothing if
 * there are none. `patience` NULL: as long as closing waits, 5 s for all such calls together until
 * the file can be written; the log says so. The caller holds no mutex. */
void gt_layers_bring(gt_store *store, const gt_patience *patience);
