/* The tables of a database file, made by the steps of db/. */
#include "store/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct embedded {
    const char *name, *text;
} gt_schema_steps[]; /* sorted by name, "001_tables" first, ended by a NULL name */

int gt_schema_integer(int64_t *out, sqlite3 *handle, const char *sql)
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(handle, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
        *out = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
        code = sqlite3_finalize(statement);
    }
    return code == SQLITE_OK ? SQLITE_OK : sqlite3_extended_errcode(handle);
}

static int run(sqlite3 *handle, const char *sql)
{
    int code = sqlite3_exec(handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? SQLITE_OK : sqlite3_extended_errcode(handle);
}

/* Returns true if `sql` is the statement, or (`grown`) with columns inserted at one place. */
static bool is_statement(const char *sql, const char *statement, size_t bytes, bool grown)
{
    size_t length = strlen(sql), same = 0;
    while (same < bytes && sql[same] == statement[same]) {
        same++;
    }
    if (length < bytes || memcmp(sql + length - (bytes - same), statement + same, bytes - same)) {
        return false;
    }
    return length == bytes || (grown && strcspn(sql + same, "()") >= length - bytes);
}

static bool is_known(const char *sql, bool grown)
{
    for (const struct embedded *step = gt_schema_steps; step->name; step++) {
        for (const char *at = strstr(step->text, "\nCREATE "), *end; at;
             at = strstr(at + 1, "\nCREATE ")) {
            end = strstr(at, ";\n");
            if (end && is_statement(sql, at + 1, (size_t)(end - at - 1), grown)) {
                return true;
            }
        }
    }
    return false;
}

/* Returns true if `sql` creates a table of plain columns, without further parentheses. */
static bool is_plain_table(const char *sql, const char *start)
{
    const char *columns = strchr(sql, '(');
    return strncmp(sql, start, strlen(start)) == 0 && columns && !strchr(columns + 1, '(');
}

static int check_objects(char why[GT_WHY_MAX], sqlite3 *handle, int64_t version)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(
        handle, "SELECT coalesce(type, ''), coalesce(name, ''), sql FROM sqlite_schema", -1,
        &statement, NULL);
    while (!code && !why[0] && sqlite3_step(statement) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(statement, 2);
        /* a UNIQUE index has no text; ANALYZE and newer versions add tables */
        bool is_harmless = !sql || is_known(sql, version > 1) ||
                           is_plain_table(sql, "CREATE TABLE sqlite_stat") ||
                           (version > GT_SCHEMA_VERSION && is_plain_table(sql, "CREATE TABLE "));
        if (!is_harmless) {
            snprintf(why, GT_WHY_MAX,
                     "it was made by another version of gputune: this version has no %.20s '%.60s'",
                     (const char *)sqlite3_column_text(statement, 0),
                     (const char *)sqlite3_column_text(statement, 1));
        }
    }
    if (sqlite3_finalize(statement) != SQLITE_OK) {
        code = sqlite3_extended_errcode(handle);
    }
    return code;
}

/* In a transaction, because another process may be creating the tables. */
int gt_schema_check(gt_schema *out, char why[GT_WHY_MAX], sqlite3 *handle)
{
    int code = run(handle, "BEGIN");
    why[0] = '\0';
    code = code ? code : gt_schema_integer(&out->version, handle, "PRAGMA user_version");
    code = code ? code : gt_schema_integer(&out->application, handle, "PRAGMA application_id");
    code = code ? code
                : gt_schema_integer(&out->objects, handle, "SELECT count(*) FROM sqlite_schema");
    if (!code && out->application == GT_APPLICATION_ID) {
        code = check_objects(why, handle, out->version);
    }
    if (!sqlite3_get_autocommit(handle)) {
        int ended = run(handle, "ROLLBACK");
        code = code ? code : ended;
    }
    return code;
}

/* Adds a column of a row's list to its table, if the file is older than the column. */
static int add_column(sqlite3 *handle, const char *table, const gt_column *column)
{
    static const char *const types[] = {
        [GT_COLUMN_HASH] = "BLOB NOT NULL DEFAULT x'00000000000000000000000000000000'",
        [GT_COLUMN_TEXT] = "TEXT NOT NULL DEFAULT ''",
        [GT_COLUMN_OPTIONAL] = "TEXT",
        [GT_COLUMN_INPLACE] = "TEXT NOT NULL DEFAULT ''",
        [GT_COLUMN_INTEGER] = "INTEGER NOT NULL DEFAULT 0",
        [GT_COLUMN_STATUS] = "INTEGER NOT NULL DEFAULT 0",
        [GT_COLUMN_COUNT] = "INTEGER NOT NULL DEFAULT 0",
        [GT_COLUMN_BOOL] = "INTEGER NOT NULL DEFAULT 0",
        [GT_COLUMN_REAL] = "REAL NOT NULL DEFAULT 0"};
    char sql[192];
    int code = sqlite3_table_column_metadata(handle, NULL, table, column->name, NULL, NULL, NULL,
                                             NULL, NULL);
    if (code != SQLITE_ERROR) {
        return code; /* the column exists, or SQLite failed */
    }
    snprintf(sql, sizeof sql, "ALTER TABLE %s ADD COLUMN %s %s", table, column->name,
             types[column->kind]);
    return run(handle, sql);
}

static int add_columns(sqlite3 *handle)
{
    static const struct {
        const char *table;
        const gt_columns *columns;
    } rows[] = {{"compiled", &gt_code_columns},
                {"trial", &gt_trial_columns},
                {"winner", &gt_winner_columns},
                {"rule", &gt_rule_columns}};
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t c = 0; c < rows[i].columns->count && !code; c++) {
            code = add_column(handle, rows[i].table, &rows[i].columns->items[c]);
        }
    }
    return code;
}

static int run_steps(gt_database *database)
{
    static const gt_sql seals[] = {GT_SQL_CODE_SEAL_ALL, GT_SQL_TRIAL_SEAL_ALL,
                                   GT_SQL_WINNER_SEAL_ALL, GT_SQL_RULE_SEAL_ALL};
    int64_t version = 0;
    char pragmas[96];
    int code = gt_schema_integer(&version, database->handle, "PRAGMA user_version");
    if (!code && version >= GT_SCHEMA_VERSION) {
        return SQLITE_OK;
    }
    for (const struct embedded *step = gt_schema_steps; !code && step->name; step++) {
        code = strtol(step->name, NULL, 10) > version ? run(database->handle, step->text) : code;
    }
    code = code ? code : add_columns(database->handle);
    for (size_t i = 0; !code && version && i < sizeof seals / sizeof *seals; i++) {
        /* the checksums of an older file's rows do not cover the new columns */
        code = gt_execute(database, seals[i], "") == GPUTUNE_OK ? SQLITE_OK : database->code;
    }
    snprintf(pragmas, sizeof pragmas, "PRAGMA user_version = %d; PRAGMA application_id = %d",
             (int)GT_SCHEMA_VERSION, (int)GT_APPLICATION_ID);
    return code ? code : run(database->handle, pragmas);
}

/* In a transaction, so another process sees the old or the new tables. */
int gt_schema_upgrade(gt_database *database)
{
    int code = run(database->handle, "BEGIN IMMEDIATE");
    if (code) {
        return code;
    }
    code = run_steps(database);
    code = code ? code : run(database->handle, "COMMIT");
    if (code) {
        run(database->handle, "ROLLBACK");
    }
    return code;
}
