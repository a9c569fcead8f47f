/* One SQLite connection with its schema and its prepared statements. Not thread-safe: a mutex of
 * the store is held. Nothing here records a message: a failed lookup is no news to the caller. */
#pragma once

#include "base/hash.h"
#include "base/patience.h"
#include "base/status.h"
#include "store/row.h"
#include "store/sql.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Why a database cannot be used as wanted. */
typedef enum gt_trouble {
    GT_TROUBLE_NONE,
    GT_TROUBLE_NEWER,     /* made by a newer gputune: only read */
    GT_TROUBLE_READ_ONLY, /* file or folder cannot be written: only read */
    GT_TROUBLE_DAMAGED,   /* not a database, malformed, or another program's */
    GT_TROUBLE_LOCKED,
    GT_TROUBLE_FAILED /* cannot be opened, disk full, I/O error */
} gt_trouble;

enum { GT_WHY_MAX = 256 };

/* What keeps a database from being used, with one line that says why. */
typedef struct gt_obstacle {
    gt_trouble trouble;
    char why[GT_WHY_MAX];
} gt_obstacle;

typedef enum gt_database_mode {
    GT_DATABASE_WRITE,  /* made where it is missing */
    GT_DATABASE_LOOKUP, /* must exist with today's schema; what a writer that died left is undone */
    GT_DATABASE_READ,   /* must exist; nothing is changed but what a writer that died left, which
                           is undone; an older schema is read from a copy */
    GT_DATABASE_MEMORY
} gt_database_mode;

typedef struct gt_database {
    sqlite3 *handle;
    sqlite3_stmt *statements[GT_SQL_COUNT];
    int code;             /* SQLite's extended code of the last failure */
    bool made;            /* the file was made by this connection */
    bool current;         /* the file can be written, and its schema is today's */
    const char *distrust; /* why its code is not launched and its results are not proved; NULL */
    bool given;           /* the system's file: who installed it decided what is in it */
    gt_patience patience;
} gt_database;

/* Opens `path`, making the file (0600) where it may be written, and brings its schema up to date.
 * Waits for the locks of others as long as `patience` says, then and from then on (NULL for a
 * database in memory). EDATABASE with *met, whose trouble is not NONE then; ENOMEM. */
gputune_status gt_database_open(gt_database **out, const char *path, gt_database_mode mode,
                                const gt_patience *patience, gt_obstacle *met);
void gt_database_close(gt_database *database);
/* Whether its file was deleted or replaced since it was opened: others do not see what is written.
 */
bool gt_database_is_gone(gt_database *database);
/* The version of the schema that this build makes. */
int64_t gt_schema_newest(void);
/* Sets how long statements wait for locks from now on. Its cancel flag must outlive them. */
void gt_database_wait(gt_database *database, const gt_patience *patience);
/* One step of any wait: sleeps for 1 ms, at later `tries` for up to 20 ms, never beyond the end.
 * False at once when the patience is over. */
bool gt_wait_a_little(const gt_patience *patience, int tries);
/* The same for what takes others seconds: up to 100 ms, so that many who wait leave them the file.
 */
bool gt_wait_a_while(const gt_patience *patience, int tries);
/* Whether this code of SQLite's means that memory was short. */
bool gt_database_is_memory(int code);
/* What the last failure means. */
gt_trouble gt_database_trouble(const gt_database *database);
/* SQLite's text for it. */
const char *gt_database_why(const gt_database *database);

/* Runs a statement to its end; ?1, ?2, ... are bound as gt_bind() does. EDATABASE or ENOMEM. */
gputune_status gt_execute(gt_database *database, gt_sql sql, const char *types, ...);
/* The same for a statement of SQLite's own, of whatever connection: the first column of the first
 * row, 0 without one. An extended code of SQLite's. */
int gt_sqlite_integer(int64_t *out, sqlite3 *handle, const char *sql);
/* Takes what it needs of a row. */
typedef gputune_status (*gt_row_fn)(void *context, gt_rows *row);
/* Calls `take` for each row, until that fails. */
gputune_status gt_query_each(gt_database *database, gt_row_fn take, void *context, gt_sql sql,
                             const char *types, ...);
/* Calls `take` for the first row; ENOTFOUND without one. */
gputune_status gt_query_one(gt_database *database, gt_row_fn take, void *context, gt_sql sql,
                            const char *types, ...);
/* The first column of the first row as an integer; ENOTFOUND without a row. */
gputune_status gt_query_integer(int64_t *out, gt_database *database, gt_sql sql, const char *types,
                                ...);

/* The name of the VFS that databases are opened with: it opens no journal but this user's or
 * root's, which others may not write, and fails with SQLITE_CANTOPEN at others. NULL where the
 * system has no such VFS. A code of SQLite's. */
int gt_journal_vfs(const char **name);

/* Why the file at `path` may hold what other users wrote: it or a folder that holds it (that of a
 * link, and that of the file itself) is another user's (but not root's), or may be written by a
 * group or by everybody, with a sticky bit or without. NULL: it may not, or there is no such file.
 * The text is constant. */
const char *gt_distrust(const char *path);
/* The name of the network file system that the file lies on ("NFS"), whose locks may not hold; NULL
 * for a local one, or if there is no such file. */
const char *gt_network_of(const char *path);
/* The same by the type that statfs() tells. */
const char *gt_network_name(uint64_t type);
