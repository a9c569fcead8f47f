/* The tables of a database file: making them, adding columns to them, and comparing those of a file
 * with them.
 *
 * A file may come from somebody else, and a schema can make statements run code: a view in place of
 * a table, a trigger, an index on an expression, a generated column, a CHECK, a default that is an
 * expression, a virtual table. No statement runs before gt_schema_check() has compared the text of
 * every object with the steps of db/, so none of these can be there. Columns that this or a newer
 * version has added may be there, because a column without a parenthesis calls no function. */
#pragma once

#include "store/database.h"

/* Identifies a file. */
typedef struct gt_schema {
    int64_t version, application, objects;
} gt_schema;

enum { GT_APPLICATION_ID = 0x67707475 /* "gptu" */ };

/* Reads what identifies the file, and compares its objects with gputune's. `why`: a line about the
 * first that gputune does not make, or "". Returns an extended code of SQLite. */
int gt_schema_check(gt_schema *out, char why[GT_WHY_MAX], sqlite3 *handle);
/* Makes the tables, or adds the columns that an older file lacks, in one transaction. Does nothing
 * to a file of this version or a newer one. Returns an extended result code of SQLite. */
int gt_schema_upgrade(gt_database *database);
/* Sets *out to the first value of a query, or 0 without a row. Returns SQLite's extended code. */
int gt_schema_integer(int64_t *out, sqlite3 *handle, const char *sql);
