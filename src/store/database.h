/* An SQLite connection with its schema and its prepared statements. The caller must hold the mutex
 * of the store. These functions set no gt_message(), because failed lookups are not reported. */
#pragma once

#include "base/patience.h"
#include "base/status.h"
#include "store/row.h"
#include "store/sql.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Reasons why a database cannot be used. */
typedef enum gt_trouble {
    GT_TROUBLE_NONE,
    GT_TROUBLE_NEWER,     /* made by a newer gputune, so it can be read but not written */
    GT_TROUBLE_READ_ONLY, /* the file or its folder cannot be written */
    GT_TROUBLE_UNUSABLE,  /* damaged, not a database, or made by another program or version */
    GT_TROUBLE_LOCKED,
    GT_TROUBLE_SLOW,  /* a statement exceeded the time limit of the call */
    GT_TROUBLE_FAILED /* the file cannot be opened, the disk is full, or there was an I/O error */
} gt_trouble;

enum { GT_WHY_MAX = 256 };

typedef struct gt_obstacle {
    gt_trouble trouble;
    char why[GT_WHY_MAX];
} gt_obstacle;

typedef enum gt_database_mode {
    GT_DATABASE_WRITE, /* creates the file if it is missing */
    GT_DATABASE_READ,  /* opens an existing file; only undoes what a killed writer did */
    GT_DATABASE_MEMORY
} gt_database_mode;

typedef struct gt_database {
    sqlite3 *handle;
    sqlite3_stmt *statements[GT_SQL_COUNT];
    int code;             /* SQLite's extended code for the last failure */
    bool made;            /* true if the file was created when it was opened */
    const char *distrust; /* why code and results in the file are not trusted, or NULL */
    bool given;           /* true for the system's file, which is always trusted */
    gt_patience patience; /* how long to wait for locks; its cancel flags must stay valid */
    gt_patience limit;    /* how long statements may run; its cancel flags must stay valid */
} gt_database;

/* Opens the database at `path`. Unless `mode` is READ, creates the file (with mode 0600) and its
 * tables if they are missing. `patience` limits how long this call and later statements wait for
 * locks of other processes; it is NULL for a database in memory. Returns EDATABASE, with the reason
 * in *obstacle, or ENOMEM. */
gputune_status gt_database_open(gt_database **out, const char *path, gt_database_mode mode,
                                const gt_patience *patience, gt_obstacle *obstacle);
/* Closes a database and sets the pointer to NULL. Does nothing if it is NULL already. */
void gt_database_close(gt_database **database);
/* Returns true if the file was deleted or replaced. Anything written to it would be lost. */
bool gt_database_is_gone(gt_database *database);
/* Sleeps for `tries` + 1 milliseconds, but at most for `longest_s` and until the patience ends.
 * Returns false without sleeping if the patience has ended. Called in loops that poll for a lock.
 * Loops that may last for seconds pass GT_LONG_STEP_S and disturb the holder less. */
bool gt_wait_step(const gt_patience *patience, int tries, double longest_s);
#define GT_SHORT_STEP_S 20e-3
#define GT_LONG_STEP_S  100e-3
/* Stores SQLite's code for a failure. Returns ENOMEM or EDATABASE. */
gputune_status gt_database_failed(gt_database *database, int code);
/* Returns the kind of the last failure. */
gt_trouble gt_database_trouble(const gt_database *database);
/* Returns an explanation of the last failure. */
const char *gt_database_why(const gt_database *database);

typedef gputune_status (*gt_row_fn)(void *context, gt_rows *row);
/* Runs a statement after binding its parameters as gt_bind() does. Calls `take` for each row until
 * a call fails, and then returns this failure. With `first_only`, calls it only for the first row,
 * and returns ENOTFOUND if there is no row. `take` may be NULL. May return EDATABASE or ENOMEM. */
gputune_status gt_query(gt_database *database, bool first_only, gt_row_fn take, void *context,
                        gt_sql sql, const char *types, ...);
#define gt_query_each(database, ...) gt_query(database, false, __VA_ARGS__)
#define gt_query_one(database, ...)  gt_query(database, true, __VA_ARGS__)
/* Reads the next column of a row. `out` points to an int64_t. */
gputune_status gt_take_integer(void *out, gt_rows *row);
/* gt_execute() runs a statement to its end; gt_query_integer() reads the first column of the first
 * row into *out. The other arguments are the statement and its parameters, as in gt_query(). */
#define gt_execute(database, ...) gt_query_each(database, NULL, NULL, __VA_ARGS__)
#define gt_query_integer(out, database, ...)                                                       \
    gt_query_one(database, gt_take_integer, out, __VA_ARGS__)

/* Returns why a file may contain data of other users, or NULL if it is safe or does not exist. A
 * file is safe if it and its folder belong to this user or to root, and nobody else can write them.
 * A sticky bit of the folder does not help. If the path is a link, the folder of the target is
 * checked too. The text is constant. */
const char *gt_distrust(const char *path);
/* Writes the path of the folder of the file at `path` to `out`; "." if `path` is only a name. */
void gt_folder_of(char *out, size_t bytes, const char *path);
