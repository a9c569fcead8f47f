/* Creates the tables of a database file, and compares a file's tables with those expected.
 *
 * A file may come from somebody else, and its schema can make statements run code: by a view in
 * place of a table, a trigger, an index on an expression, a generated column, a CHECK, a default
 * that is an expression, or a virtual table. So no statement runs before gt_schema_check() has
 * compared the text of every object with the SQL files of db/. Columns that a newer version added
 * are allowed if they contain no parenthesis, because they then call no function. */
#pragma once

#include "store/database.h"

typedef struct gt_schema {
    int64_t version, application, objects;
} gt_schema;

enum { GT_APPLICATION_ID = 0x67707475 /* "gptu" */ };

/* Reads the file's version and application id, and compares its tables, indexes and triggers with
 * gputune's. `why` describes the first unknown object, or is "". Returns SQLite's extended code. */
int gt_schema_check(gt_schema *out, char why[GT_WHY_MAX], sqlite3 *handle);
/* Creates the tables in one transaction, unless they exist. Returns SQLite's extended code. */
int gt_schema_create(sqlite3 *handle);
/* Sets *out to a query's first value, or to 0 without rows. Returns SQLite's extended code. */
int gt_schema_integer(int64_t *out, sqlite3 *handle, const char *sql);
