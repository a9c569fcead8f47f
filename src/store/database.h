/* One SQLite connection with its schema and prepared statements. The caller holds the store's mutex
 * for it. No function sets a message, because a failed lookup is nothing to report. */
#pragma once

#include "base/patience.h"
#include "base/status.h"
#include "store/row.h"
#include "store/sql.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Why a database cannot be used as wanted. */
typedef enum gt_trouble {
    GT_TROUBLE_NONE,
    GT_TROUBLE_NEWER,     /* a newer gputune made the file: it is only read */
    GT_TROUBLE_READ_ONLY, /* the file or its folder cannot be written: it is only read */
    GT_TROUBLE_UNUSABLE,  /* not a database, malformed, or of another program or version */
    GT_TROUBLE_LOCKED,
    GT_TROUBLE_SLOW,  /* a statement did not end within the call's time limit */
    GT_TROUBLE_FAILED /* cannot be opened, disk full, I/O error */
} gt_trouble;

enum { GT_WHY_MAX = 256 };

/* A reason for which a database cannot be used, with one line about it. */
typedef struct gt_obstacle {
    gt_trouble trouble;
    char why[GT_WHY_MAX];
} gt_obstacle;

typedef enum gt_database_mode {
    GT_DATABASE_WRITE, /* the file is made where it is missing */
    GT_DATABASE_READ, /* the file must exist; it is not changed, except that what a dead writer left
                        half done is undone; a file with an older schema is read from a copy */
    GT_DATABASE_MEMORY
} gt_database_mode;

typedef struct gt_database {
    sqlite3 *handle;
    sqlite3_stmt *statements[GT_SQL_COUNT];
    int code;             /* SQLite's extended code of the last failure */
    bool made;            /* the file was made by this connection */
    const char *distrust; /* why code from the file is not launched and its results do not count as
                             proved; NULL: the file is trusted */
    bool given; /* this is the system's file: whoever installed it decided what is in it */
    gt_patience
        patience;      /* for which statements wait for locks; its cancel flag must outlive them */
    gt_patience limit; /* for which statements run; its flags must outlive them */
} gt_database;

/* Opens `path`, making the file (0600) where it may be written, and brings its schema up to date.
 * This call and later statements wait for other processes' locks as long as `patience` says (NULL
 * for a database in memory). EDATABASE: *met says why, and its trouble is not NONE; ENOMEM. */
gputune_status gt_database_open(gt_database **out, const char *path, gt_database_mode mode,
                                const gt_patience *patience, gt_obstacle *met);
/* Closes a database and sets the pointer to NULL; nothing where it is NULL. */
void gt_database_close(gt_database **database);
/* Returns true if the file was deleted or replaced, so others do not see what is written to it. */
bool gt_database_is_gone(gt_database *database);
/* One step of a wait that polls: sleeps for 1 ms, at later `tries` for up to `longest_s`, never
 * beyond the end of the patience. False, without sleeping, when the patience is over. Many
 * processes that wait for seconds leave the file to the one that works by GT_LONG_STEP_S. */
bool gt_wait_step(const gt_patience *patience, int tries, double longest_s);
#define GT_SHORT_STEP_S 20e-3
#define GT_LONG_STEP_S  100e-3
/* Notes a result code of SQLite as the last failure. ENOMEM if memory was short, else EDATABASE. */
gputune_status gt_database_failed(gt_database *database, int code);
/* Returns the kind of trouble of the connection's last failure. */
gt_trouble gt_database_trouble(const gt_database *database);
/* SQLite's text for the connection's last failure. */
const char *gt_database_why(const gt_database *database);

/* Reads what the caller needs from a row. */
typedef gputune_status (*gt_row_fn)(void *context, gt_rows *row);
/* Calls `take` (NULL: nothing) for the first row, ENOTFOUND without one, or for each row, until
 * `take` fails; ?1, ?2, ... are bound as gt_bind() does. EDATABASE or ENOMEM. */
gputune_status gt_query(gt_database *database, bool first_only, gt_row_fn take, void *context,
                        gt_sql sql, const char *types, ...);
#define gt_query_each(database, ...) gt_query(database, false, __VA_ARGS__)
#define gt_query_one(database, ...)  gt_query(database, true, __VA_ARGS__)
/* Sets the int64_t at `out` to the next column of the row. */
gputune_status gt_take_integer(void *out, gt_rows *row);
/* gt_execute() runs a statement to its end; gt_query_integer() sets *out to the first column of the
 * first row. Both take the statement and what gt_query_each() takes behind it. */
#define gt_execute(database, ...) gt_query_each(database, NULL, NULL, __VA_ARGS__)
#define gt_query_integer(out, database, ...)                                                       \
    gt_query_one(database, gt_take_integer, out, __VA_ARGS__)

/* Why the file at `path` may hold what other users wrote: the file, or a folder that holds it,
 * belongs to another user (but not root), or may be written by a group or by everybody, with a
 * sticky bit or without. For a link, its own folder and that of the file it names both count. NULL:
 * nobody else may write it, or there is no such file. The text is constant. */
const char *gt_distrust(const char *path);
/* Writes the folder that holds the file at `path` into out: "." for a name alone. */
void gt_folder_of(char *out, size_t bytes, const char *path);
