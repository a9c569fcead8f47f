/* Statements of one SQLite connection, and how they wait and fail. */
#include "store/database.h"

#include "store/journal.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const sql_text[GT_SQL_COUNT] = {
#define ROW(name, text) text,
    GT_SQL_LIST(ROW)
#undef ROW
};

bool gt_database_is_memory(int code)
{
    return (code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM;
}

static gputune_status failed(gt_database *database, int code)
{
    database->code = code;
    return gt_database_is_memory(code) ? gt_fail_memory() : GPUTUNE_EDATABASE;
}

gt_trouble gt_database_trouble(const gt_database *database)
{
    switch (database->code & 0xff) {
    case SQLITE_OK:
        return GT_TROUBLE_NONE;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return GT_TROUBLE_LOCKED;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA:
    case SQLITE_ERROR: /* our statements do not fit the file's tables */
        return GT_TROUBLE_DAMAGED;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return GT_TROUBLE_READ_ONLY;
    default:
        return GT_TROUBLE_FAILED;
    }
}

const char *gt_database_why(const gt_database *database)
{
    if ((database->code & 0xff) == SQLITE_CANTOPEN && gt_journal_is_foreign(database->handle)) {
        return "the journal beside it is another user's, or others may write it, and is not played "
               "back; remove it, or use a database in a folder that only you may write";
    }
    return sqlite3_errstr(database->code);
}

/* A millisecond longer each time. */
static bool wait_step(const gt_patience *patience, int tries, double longest_s)
{
    double left_s = gt_patience_left_s(patience);
    double step_s = fmin(1e-3 * ((double)tries + 1), longest_s);
    if (left_s <= 0) {
        return false;
    }
    usleep((useconds_t)(1e6 * fmin(left_s, step_s)) + 1);
    return true;
}

bool gt_wait_a_little(const gt_patience *patience, int tries)
{
    return wait_step(patience, tries, 20e-3);
}

bool gt_wait_a_while(const gt_patience *patience, int tries)
{
    return wait_step(patience, tries, 100e-3);
}

void gt_database_wait(gt_database *database, const gt_patience *patience)
{
    database->patience = *patience;
}

void gt_database_close(gt_database *database)
{
    if (!database) {
        return;
    }
    for (int i = 0; i < GT_SQL_COUNT; i++) {
        sqlite3_finalize(database->statements[i]);
    }
    sqlite3_close(database->handle);
    free(database);
}

static gputune_status prepared(sqlite3_stmt **out, gt_database *database, gt_sql sql)
{
    sqlite3_stmt **slot = &database->statements[sql];
    if (!*slot) {
        int code = sqlite3_prepare_v3(database->handle, sql_text[sql], -1,
                                      SQLITE_PREPARE_PERSISTENT, slot, NULL);
        if (code != SQLITE_OK) {
            return failed(database, sqlite3_extended_errcode(database->handle));
        }
    }
    *out = *slot;
    return GPUTUNE_OK;
}

static gputune_status begin(gt_rows *rows, gt_database *database, gt_sql sql, const char *types,
                            va_list values)
{
    sqlite3_stmt *statement = NULL;
    GT_TRY(prepared(&statement, database, sql));
    int code = gt_bind(statement, types, values);
    if (code != SQLITE_OK) {
        sqlite3_clear_bindings(statement);
        return failed(database, code);
    }
    *rows = (gt_rows){database, statement, 0};
    return GPUTUNE_OK;
}

gputune_status gt_rows_begin(gt_rows *rows, gt_database *database, gt_sql sql, const char *types,
                             ...)
{
    va_list values;
    va_start(values, types);
    gputune_status status = begin(rows, database, sql, types, values);
    va_end(values);
    return status;
}

gputune_status gt_rows_next(gt_rows *rows)
{
    rows->column = 0;
    int code = sqlite3_step(rows->statement);
    if (code == SQLITE_ROW) {
        return GPUTUNE_OK;
    }
    if (code == SQLITE_DONE) {
        return GPUTUNE_ENOTFOUND;
    }
    return failed(rows->database, sqlite3_extended_errcode(rows->database->handle));
}

void gt_rows_end(gt_rows *rows)
{
    sqlite3_reset(rows->statement);
    sqlite3_clear_bindings(rows->statement);
}

gputune_status gt_execute(gt_database *database, gt_sql sql, const char *types, ...)
{
    gt_rows rows = {0};
    va_list values;
    va_start(values, types);
    gputune_status status = begin(&rows, database, sql, types, values);
    va_end(values);
    if (status != GPUTUNE_OK) {
        return status;
    }
    do {
        status = gt_rows_next(&rows);
    } while (status == GPUTUNE_OK);
    gt_rows_end(&rows);
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

gputune_status gt_query_integer(int64_t *out, gt_database *database, gt_sql sql, const char *types,
                                ...)
{
    gt_rows rows = {0};
    va_list values;
    va_start(values, types);
    gputune_status status = begin(&rows, database, sql, types, values);
    va_end(values);
    if (status != GPUTUNE_OK) {
        return status;
    }
    status = gt_rows_next(&rows);
    if (status == GPUTUNE_OK) {
        *out = gt_rows_integer(&rows);
    }
    gt_rows_end(&rows);
    return status;
}
