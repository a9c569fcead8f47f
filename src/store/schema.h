/* The tables of a database file: creates them, and compares a file's tables with them.
 *
 * A file may come from somebody else, and its schema can make statements run code: by a view in
 * place of a table, a trigger, an index on an expression, a generated column, a CHECK, a default
 * that is an expression, or a virtual table. So no statement runs before gt_schema_check() has
 * compared the text of every object with the steps of db/. A newer version may have added columns,
 * because a column without a parenthesis calls no function. */
#pragma once

#include "store/database.h"

typedef struct gt_schema {
    int64_t version, application, objects;
} gt_schema;

enum { GT_APPLICATION_ID = 0x67707475 /* "gptu" */ };

/* Reads the file's version and application id, and compares its tables, indexes and triggers with
 * gputune's. Describes the first foreign object in `why`, or "". Returns SQLite's extended code. */
int gt_schema_check(gt_schema *out, char why[GT_WHY_MAX], sqlite3 *handle);
/* Creates the tables in one transaction, unless they exist. Returns SQLite's extended code. */
int gt_schema_create(sqlite3 *handle);
/* Sets *out to the first value of a query, or 0 without rows. Returns SQLite's extended code. */
int gt_schema_integer(int64_t *out, sqlite3 *handle, const char *sql);
