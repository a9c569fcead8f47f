/* Creates the tables of a database file, and checks that a file has the tables that gputune
 * creates.
 *
 * A file may come from somebody else. Its schema could make SQLite run code during our statements:
 * with a view or a virtual table in place of a table, a trigger, an index on an expression, a
 * generated column, a CHECK, or a default that is an expression. Therefore gt_schema_check() must
 * compare all objects with the SQL files of db/ before any other statement runs. Columns that a
 * newer version has added are accepted if they contain no parenthesis and thus call no function. */
#pragma once

#include "store/database.h"

typedef struct gt_schema {
    int64_t version, application, objects;
} gt_schema;

enum { GT_APPLICATION_ID = 0x67707475 /* "gptu" */ };

/* Reads the version and the application id of a file, and compares its tables, indexes and triggers
 * with those of gputune. Sets `why` to a description of the first unknown one, or to "" if all are
 * known. Returns SQLite's extended code. */
int gt_schema_check(gt_schema *out, char why[GT_WHY_MAX], sqlite3 *handle);
/* Creates the tables in a transaction if they are missing. Returns SQLite's extended code. */
int gt_schema_create(sqlite3 *handle);
/* Sets *out to the first value of a query; 0 if it has no rows. Returns SQLite's extended code. */
int gt_schema_integer(int64_t *out, sqlite3 *handle, const char *sql);
