/* Creates and checks the tables of a database file. The SQL files of db/ define them. */
#include "store/schema.h"

#include <stdio.h>
#include <string.h>

extern const struct embedded {
    const char *name, *text;
} gt_schema_steps[]; /* SQL files of db/ sorted by name; the last name is NULL */

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

static int run_sql(sqlite3 *handle, const char *sql)
{
    int code = sqlite3_exec(handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? SQLITE_OK : sqlite3_extended_errcode(handle);
}

/* Returns true if `sql` equals `statement`. With `grown`, `sql` may have additional columns. */
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

/* Returns true if `sql` creates a table without any expression. */
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
        /* indexes of UNIQUE constraints have no SQL text; ANALYZE and newer versions add tables */
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

/* The schema is read in a transaction, because another process may be creating the tables. */
int gt_schema_check(gt_schema *out, char why[GT_WHY_MAX], sqlite3 *handle)
{
    int code = run_sql(handle, "BEGIN");
    why[0] = '\0';
    code = code ? code : gt_schema_integer(&out->version, handle, "PRAGMA user_version");
    code = code ? code : gt_schema_integer(&out->application, handle, "PRAGMA application_id");
    code = code ? code
                : gt_schema_integer(&out->objects, handle, "SELECT count(*) FROM sqlite_schema");
    if (!code && out->application == GT_APPLICATION_ID) {
        code = check_objects(why, handle, out->version);
    }
    if (!sqlite3_get_autocommit(handle)) {
        int ended = run_sql(handle, "ROLLBACK");
        code = code ? code : ended;
    }
    return code;
}

static int run_steps(sqlite3 *handle)
{
    int64_t version = 0;
    char pragmas[96];
    int code = gt_schema_integer(&version, handle, "PRAGMA user_version");
    if (!code && version >= GT_SCHEMA_VERSION) {
        return SQLITE_OK; /* another process has just created the tables */
    }
    for (const struct embedded *step = gt_schema_steps; !code && step->name; step++) {
        code = run_sql(handle, step->text);
    }
    snprintf(pragmas, sizeof pragmas, "PRAGMA user_version = %d; PRAGMA application_id = %d",
             (int)GT_SCHEMA_VERSION, (int)GT_APPLICATION_ID);
    return code ? code : run_sql(handle, pragmas);
}

/* The tables are created in a transaction, so other processes see all of them or none. */
int gt_schema_create(sqlite3 *handle)
{
    int code = run_sql(handle, "BEGIN IMMEDIATE");
    if (code) {
        return code;
    }
    code = run_steps(handle);
    code = code ? code : run_sql(handle, "COMMIT");
    if (code) {
        run_sql(handle, "ROLLBACK");
    }
    return code;
}
