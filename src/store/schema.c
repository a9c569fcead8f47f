/* Opening a file and bringing its tables up to date: the steps of db/, embedded at build. */
#include "store/database.h"
#include "store/journal.h"
#include "store/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct embedded {
    const char *name, *text;
} gt_schema_steps[]; /* sorted by name, "001_tables" first, ended by a NULL name */

enum { APPLICATION_ID = 0x67707475 /* "gptu" */ };

static int64_t step_number(const char *name)
{
    return strtol(name, NULL, 10);
}

int64_t gt_schema_newest(void)
{
    int64_t newest = 0;
    for (const struct embedded *step = gt_schema_steps; step->name; step++) {
        newest = step_number(step->name);
    }
    return newest;
}

static int pragma_integer(gt_database *database, const char *sql, int64_t *out)
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
        *out = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
        code = sqlite3_finalize(statement);
    }
    return code == SQLITE_OK ? SQLITE_OK : sqlite3_extended_errcode(database->handle);
}

static int run(gt_database *database, const char *sql)
{
    int code = sqlite3_exec(database->handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? SQLITE_OK : sqlite3_extended_errcode(database->handle);
}

/* The rows of an older schema have no checksums yet, or checksums over other columns. */
static int seal_rows(gt_database *database)
{
    static const gt_sql seals[] = {GT_SQL_CODE_SEAL_ALL, GT_SQL_TRIAL_SEAL_ALL,
                                   GT_SQL_WINNER_SEAL_ALL};
    for (size_t i = 0; i < sizeof seals / sizeof *seals; i++) {
        if (gt_execute(database, seals[i], "") != GPUTUNE_OK) {
            return database->code;
        }
    }
    return SQLITE_OK;
}

static int run_steps(gt_database *database)
{
    int64_t version = 0;
    int code = pragma_integer(database, "PRAGMA user_version", &version);
    if (!code && version >= gt_schema_newest()) {
        return SQLITE_OK;
    }
    for (const struct embedded *step = gt_schema_steps; !code && step->name; step++) {
        if (step_number(step->name) > version) {
            char pragma[64];
            snprintf(pragma, sizeof pragma, "PRAGMA user_version = %ld",
                     (long)step_number(step->name));
            code = run(database, step->text);
            code = code ? code : run(database, pragma);
        }
    }
    return code ? code : seal_rows(database);
}

/* All missing steps in one transaction, so that another process sees the old or the new tables. */
static int migrate(gt_database *database)
{
    char pragma[64];
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d", APPLICATION_ID);
    int code = run(database, "BEGIN IMMEDIATE");
    if (code) {
        return code;
    }
    code = run_steps(database); /* reads the version again: another process may have been faster */
    code = code ? code : run(database, pragma);
    code = code ? code : run(database, "COMMIT");
    if (code) {
        run(database, "ROLLBACK");
    }
    return code;
}

/* SQLite asks whether to go on waiting for a lock. */
static int wait_for_lock(void *user, int tries)
{
    const gt_database *database = user;
    return gt_wait_a_little(&database->patience, tries);
}

static int open_connection(sqlite3 **out, gt_database *database, const char *path,
                           gt_database_mode mode)
{
    static const int flags[] = {[GT_DATABASE_WRITE] = SQLITE_OPEN_READWRITE,
                                [GT_DATABASE_LOOKUP] = SQLITE_OPEN_READWRITE,
                                [GT_DATABASE_READ] = SQLITE_OPEN_READONLY,
                                [GT_DATABASE_MEMORY] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE};
    const char *vfs = NULL;
    int code = gt_journal_vfs(&vfs);
    code = code ? code
                : sqlite3_open_v2(path, out,
                                  flags[mode] | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs);
    if (code != SQLITE_OK) {
        return code;
    }
    /* a tampered schema must not be able to call functions */
    sqlite3_db_config(*out, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(*out, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_busy_handler(*out, wait_for_lock, database);
    return gt_checksum_register(*out);
}

typedef struct file_facts {
    int64_t version, application, tables;
} file_facts;

/* In one transaction: another process may be making the tables between two reads. */
static int read_facts(file_facts *out, gt_database *database)
{
    int code = run(database, "BEGIN");
    code = code ? code : pragma_integer(database, "PRAGMA user_version", &out->version);
    code = code ? code : pragma_integer(database, "PRAGMA application_id", &out->application);
    code =
        code ? code : pragma_integer(database, "SELECT count(*) FROM sqlite_schema", &out->tables);
    if (!sqlite3_get_autocommit(database->handle)) {
        int ended = run(database, "ROLLBACK");
        code = code ? code : ended;
    }
    return code;
}

static gt_trouble judge(gt_database *database, const file_facts *facts, gt_database_mode mode,
                        char *why, size_t bytes)
{
    bool ours = facts->application == APPLICATION_ID;
    bool empty = !facts->tables && !facts->version;
    if (!ours && (!empty || mode == GT_DATABASE_READ)) {
        snprintf(why, bytes, empty ? "it is empty" : "it is another program's database");
        return GT_TROUBLE_DAMAGED;
    }
    if (mode == GT_DATABASE_LOOKUP && facts->version < gt_schema_newest()) {
        snprintf(why, bytes, "%s",
                 empty ? "another process is making it"
                       : "it was made by an older gputune and is not yet brought up to date");
        return GT_TROUBLE_LOCKED;
    }
    if (mode == GT_DATABASE_WRITE && facts->version > gt_schema_newest()) {
        snprintf(why, bytes, "it was made by a newer gputune (schema %lld, this one knows %lld)",
                 (long long)facts->version, (long long)gt_schema_newest());
        return GT_TROUBLE_NEWER;
    }
    if (mode == GT_DATABASE_WRITE && sqlite3_db_readonly(database->handle, "main")) {
        snprintf(why, bytes, "the file is read-only");
        return GT_TROUBLE_READ_ONLY;
    }
    return GT_TROUBLE_NONE;
}

/* Goes on with a copy in memory, which may be brought up to date. */
static int continue_in_copy(gt_database *database)
{
    sqlite3 *copy;
    int code = open_connection(&copy, database, ":memory:", GT_DATABASE_MEMORY);
    sqlite3_backup *backup =
        code ? NULL : sqlite3_backup_init(copy, "main", database->handle, "main");
    if (backup) {
        int step = sqlite3_backup_step(backup, -1);
        code = step == SQLITE_DONE ? SQLITE_OK : step;
        sqlite3_backup_finish(backup);
    } else {
        code = code ? code : sqlite3_extended_errcode(copy);
    }
    sqlite3_close(code ? copy : database->handle);
    database->handle = code ? database->handle : copy;
    return code;
}

static gt_trouble prepare_schema(gt_database *database, gt_database_mode mode, char *why,
                                 size_t bytes)
{
    file_facts facts = {0};
    database->code = read_facts(&facts, database);
    if (database->code == SQLITE_OK) {
        gt_trouble trouble = judge(database, &facts, mode, why, bytes);
        database->current =
            facts.version == gt_schema_newest() && !sqlite3_db_readonly(database->handle, "main");
        if (trouble != GT_TROUBLE_NONE || facts.version >= gt_schema_newest()) {
            return trouble;
        }
        database->code = mode == GT_DATABASE_READ ? continue_in_copy(database) : SQLITE_OK;
        database->code = database->code ? database->code : migrate(database);
    }
    if (database->code != SQLITE_OK) {
        snprintf(why, bytes, "%s", gt_database_why(database));
    }
    return gt_database_trouble(database);
}

/* SQLite gives its journal the mode of the file, so the file is made here, private. */
static gt_trouble make_private(bool *made, const char *path, char *why, size_t bytes)
{
    int file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    *made = file >= 0;
    if (*made) {
        close(file);
    } else if (errno != EEXIST) {
        bool forbidden = errno == EROFS || errno == EACCES;
        snprintf(why, bytes, "%s", strerror(errno));
        return forbidden ? GT_TROUBLE_READ_ONLY : GT_TROUBLE_FAILED;
    }
    return GT_TROUBLE_NONE;
}

/* SQLite has one text for all of them. */
static const char *why_not_open(const gt_database *database, const char *path)
{
    return access(path, R_OK) != 0 ? strerror(errno) : gt_database_why(database);
}

/* Opening a pipe waits for whoever opens its other end, and a device may do anything. */
static gt_trouble check_kind(const char *path, char *why, size_t bytes)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || S_ISREG(facts.st_mode)) {
        return GT_TROUBLE_NONE; /* opening a missing one says why */
    }
    snprintf(why, bytes, "it is %s",
             S_ISDIR(facts.st_mode)    ? "a folder"
             : S_ISFIFO(facts.st_mode) ? "a pipe"
             : S_ISSOCK(facts.st_mode) ? "a socket"
                                       : "a device");
    return GT_TROUBLE_FAILED;
}

static gt_trouble open_handle(gt_database *database, const char *path, gt_database_mode mode,
                              char *why, size_t bytes)
{
    bool is_relative = mode != GT_DATABASE_MEMORY && path[0] != '/';
    char *name = sqlite3_mprintf("%s%s", is_relative ? "./" : "", path); /* "file:" begins a URI */
    database->code = name ? open_connection(&database->handle, database, name, mode) : SQLITE_NOMEM;
    sqlite3_free(name);
    if (database->code != SQLITE_OK) {
        snprintf(why, bytes, "%s",
                 mode == GT_DATABASE_MEMORY ? gt_database_why(database)
                                            : why_not_open(database, path));
    }
    return gt_database_trouble(database);
}

gputune_status gt_database_open(gt_database **out, const char *path, gt_database_mode mode,
                                const gt_patience *patience, gt_trouble *trouble, char *why,
                                size_t why_bytes)
{
    gt_database *database = calloc(1, sizeof *database);
    GT_TRY(gt_allocated(database));
    database->patience = patience ? *patience : gt_patience_for(0, NULL);
    *trouble = mode == GT_DATABASE_WRITE ? make_private(&database->made, path, why, why_bytes)
                                         : GT_TROUBLE_NONE;
    if (*trouble == GT_TROUBLE_NONE && mode != GT_DATABASE_MEMORY) {
        *trouble = check_kind(path, why, why_bytes);
    }
    if (*trouble == GT_TROUBLE_NONE) {
        *trouble = open_handle(database, path, mode, why, why_bytes);
    }
    database->distrust = mode == GT_DATABASE_MEMORY ? NULL : gt_distrust(path);
    if (*trouble == GT_TROUBLE_NONE) {
        *trouble = prepare_schema(database, mode, why, why_bytes);
    }
    if (database->code == SQLITE_READONLY_ROLLBACK && mode == GT_DATABASE_READ) {
        sqlite3_close(database->handle); /* undoing what a killed writer began needs to write */
        *trouble = open_handle(database, path, GT_DATABASE_LOOKUP, why, why_bytes);
        *trouble = *trouble ? *trouble : prepare_schema(database, mode, why, why_bytes);
    }
    if (*trouble != GT_TROUBLE_NONE) {
        bool memory = gt_database_is_memory(database->code);
        gt_database_close(database);
        return memory ? gt_fail_memory() : GPUTUNE_EDATABASE;
    }
    *out = database;
    return GPUTUNE_OK;
}
