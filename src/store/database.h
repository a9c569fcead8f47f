/* One SQLite connection with its schema and prepared statements. The caller holds the store's
 * mutex. No function here sets a message, because failed lookups are not reported to users. */
#pragma once

#include "base/patience.h"
#include "base/status.h"
#include "store/row.h"
#include "store/sql.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Why a database cannot be used. */
typedef enum gt_trouble {
    GT_TROUBLE_NONE,
    GT_TROUBLE_NEWER,     /* made by a newer gputune; the file is only read */
    GT_TROUBLE_READ_ONLY, /* the file or its folder is read-only; the file is only read */
    GT_TROUBLE_UNUSABLE,  /* not a database, damaged, or from another program or version */
    GT_TROUBLE_LOCKED,
    GT_TROUBLE_SLOW,  /* a statement did not end within the time limit of the call */
    GT_TROUBLE_FAILED /* cannot be opened, or the disk is full, or an I/O error */
} gt_trouble;

enum { GT_WHY_MAX = 256 };

typedef struct gt_obstacle {
    gt_trouble trouble;
    char why[GT_WHY_MAX];
} gt_obstacle;

typedef enum gt_database_mode {
    GT_DATABASE_WRITE, /* creates a missing file */
    /* the file must exist, and is changed only to undo a killed writer's transaction */
    GT_DATABASE_READ,
    GT_DATABASE_MEMORY
} gt_database_mode;

typedef struct gt_database {
    sqlite3 *handle;
    sqlite3_stmt *statements[GT_SQL_COUNT];
    int code;  /* SQLite's extended code of the last failure */
    bool made; /* true if this connection has created the file */
    /* why the file's code is not launched and its results are not trusted; NULL: trusted */
    const char *distrust;
    bool given;           /* true for the system's file, which is trusted */
    gt_patience patience; /* limits waits for locks; its cancel flags must outlive it */
    gt_patience limit;    /* limits how long statements run; its cancel flags must outlive it */
} gt_database;

/* Opens `path`. Creates the file (mode 0600) and its tables if `mode` allows it. Opening and later
 * statements wait for locks of other processes as long as `patience` allows (NULL for a database in
 * memory). Returns EDATABASE, with the reason in *obstacle, or ENOMEM. */
gputune_status gt_database_open(gt_database **out, const char *path, gt_database_mode mode,
                                const gt_patience *patience, gt_obstacle *obstacle);
/* Closes a database and sets the pointer to NULL. *database may be NULL. */
void gt_database_close(gt_database **database);
/* Returns true if the file was deleted or replaced, so anything written to it would be lost. */
bool gt_database_is_gone(gt_database *database);
/* Sleeps for one step of a polling wait: `tries` + 1 milliseconds, at most `longest_s`, and not
 * beyond the patience. Returns false at once if the patience has ended. For waits of seconds, pass
 * GT_LONG_STEP_S, to disturb the lock's holder less. */
bool gt_wait_step(const gt_patience *patience, int tries, double longest_s);
#define GT_SHORT_STEP_S 20e-3
#define GT_LONG_STEP_S  100e-3
/* Stores the SQLite code of a failure. Returns ENOMEM or EDATABASE. */
gputune_status gt_database_failed(gt_database *database, int code);
/* Returns the kind of the last failure. */
gt_trouble gt_database_trouble(const gt_database *database);
/* Returns a text that explains the last failure. */
const char *gt_database_why(const gt_database *database);

typedef gputune_status (*gt_row_fn)(void *context, gt_rows *row);
/* Runs a statement with ?1, ?2, ... bound as by gt_bind(). Calls `take` (may be NULL) for each row,
 * or only for the first one (`first_only`), until it fails. Returns ENOTFOUND if `first_only` is
 * set and there is no row, EDATABASE, ENOMEM, or the failure of `take`. */
gputune_status gt_query(gt_database *database, bool first_only, gt_row_fn take, void *context,
                        gt_sql sql, const char *types, ...);
#define gt_query_each(database, ...) gt_query(database, false, __VA_ARGS__)
#define gt_query_one(database, ...)  gt_query(database, true, __VA_ARGS__)
/* Sets the int64_t at `out` to the next column of the row. */
gputune_status gt_take_integer(void *out, gt_rows *row);
/* gt_execute() runs a statement to its end. gt_query_integer() sets *out to the first column of the
 * first row. Both take the statement and then its parameters, as gt_query() does. */
#define gt_execute(database, ...) gt_query_each(database, NULL, NULL, __VA_ARGS__)
#define gt_query_integer(out, database, ...)                                                       \
    gt_query_one(database, gt_take_integer, out, __VA_ARGS__)

/* Returns why the file may contain data of other users: it or its folder belongs to another user
 * (except root), or is writable for a group or everybody, even with a sticky bit. If it is a link,
 * also checks the folder of the target. Returns NULL if it is safe or does not exist. The text is
 * constant. */
const char *gt_distrust(const char *path);
/* Writes the folder of the file at `path` to `out`; "." for a bare name. */
void gt_folder_of(char *out, size_t bytes, const char *path);
