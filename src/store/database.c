/* An SQLite connection: its file, its journal, its schema and its statements. */
#include "store/database.h"

#include "base/condition.h"
#include "base/file.h"
#include "base/network.h"
#include "store/layers.h"
#include "store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_own(const struct stat *facts)
{
    return facts->st_uid == geteuid() || facts->st_uid == 0;
}

static bool others_write(const struct stat *facts)
{
    return facts->st_mode & (S_IWGRP | S_IWOTH);
}

void gt_folder_of(char *out, size_t bytes, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    snprintf(out, bytes, "%.*s", (int)length, slash ? path : "");
    if (!out[0]) {
        snprintf(out, bytes, ".");
    }
}

static const char *distrust_file(const struct stat *file)
{
    return !is_own(file)        ? "it belongs to another user"
           : others_write(file) ? "other users may write it"
                                : NULL;
}

/* Returns why the folder of a file is not trusted, or NULL. A sticky bit does not help, because
 * other users could still add a journal. */
static const char *distrust_folder(const char *path)
{
    struct stat folder;
    char above[PATH_MAX];
    gt_folder_of(above, sizeof above, path);
    if (stat(above, &folder) != 0) {
        return NULL;
    }
    return !is_own(&folder)        ? "its folder belongs to another user"
           : others_write(&folder) ? "other users may write its folder"
                                   : NULL;
}

const char *gt_distrust(const char *path)
{
    struct stat file;
    char target[PATH_MAX];
    if (stat(path, &file) != 0) {
        return NULL; /* a missing file is reported when it is opened */
    }
    const char *why = distrust_file(&file);
    why = why ? why : distrust_folder(path);
    return why || !realpath(path, target) ? why : distrust_folder(target);
}

static struct {
    pthread_mutex_t mutex;
    bool registered;
    char name[48];
    sqlite3_vfs vfs;
    sqlite3_vfs *system;
} own = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Returns true if another user may have written the file, or if it has several links. */
static bool is_foreign(const struct stat *facts)
{
    return !S_ISREG(facts->st_mode) || facts->st_nlink > 1 || distrust_file(facts);
}

/* Opens a journal if it is new or belongs to this user. If the journal existed before, checks it
 * again after opening, because another user may have replaced it. */
static int open_journal(const char *name, sqlite3_file *file, int flags, int *opened)
{
    struct stat facts;
    int out = 0;
    bool is_new = lstat(name, &facts) != 0;
    bool may_open = is_new ? errno == ENOENT && flags & SQLITE_OPEN_CREATE : !is_foreign(&facts);
    file->pMethods = NULL;
    if (!may_open) {
        return SQLITE_CANTOPEN;
    }
    int code = own.system->xOpen(own.system, name, file,
                                 flags | (is_new ? SQLITE_OPEN_EXCLUSIVE : 0), &out);
    bool is_ours =
        is_new ? !(out & SQLITE_OPEN_READONLY) : lstat(name, &facts) == 0 && !is_foreign(&facts);
    if (code == SQLITE_OK && !is_ours) {
        file->pMethods->xClose(file);
        file->pMethods = NULL;
        code = SQLITE_CANTOPEN;
    }
    if (opened) {
        *opened = out;
    }
    return code;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened)
{
    (void)vfs;
    return flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)
               ? open_journal(name, file, flags, opened)
               : own.system->xOpen(own.system, name, file, flags, opened);
}

/* Registers the VFS under a unique name: a program may contain several copies of gputune. */
static int register_vfs(void)
{
    own.vfs = *own.system;
    own.vfs.xOpen = open_file;
    own.vfs.zName = own.name;
    snprintf(own.name, sizeof own.name, "gputune-%p", (void *)&own);
    return sqlite3_vfs_register(&own.vfs, 0);
}

/* Sets *name to the VFS with which databases are opened, or to NULL if SQLite has no VFS for Unix.
 * This VFS opens a journal only if its owner is this user or root, and nobody else can write to it.
 * Otherwise opening fails with SQLITE_CANTOPEN. Returns SQLite's code. */
static int find_vfs(const char **name)
{
    int code = SQLITE_OK;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&own.mutex);
    if (!own.registered) {
        code = sqlite3_initialize();
        own.system = code == SQLITE_OK ? sqlite3_vfs_find("unix") : NULL;
        code = own.system ? register_vfs() : code;
        own.registered = own.system && code == SQLITE_OK;
    }
    *name = own.registered ? own.name : NULL;
    return code;
}

/* Called at exit, or when dlclose() unloads the library. */
__attribute__((destructor)) static void unregister(void)
{
    if (own.registered) {
        sqlite3_vfs_unregister(&own.vfs);
    }
}

static bool lies_beside(const char *path, const char *suffix)
{
    char name[4096];
    struct stat facts;
    int length = snprintf(name, sizeof name, "%s%s", path, suffix);
    return length < (int)sizeof name && lstat(name, &facts) == 0 && is_foreign(&facts);
}

static const char *const sql_text[GT_SQL_COUNT] = {
#define ROW(name, text) text,
    GT_SQL_LIST(ROW)
#undef ROW
};

gputune_status gt_database_failed(gt_database *database, int code)
{
    database->code = code;
    return (code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM ? gt_fail_memory()
                                                                       : GPUTUNE_EDATABASE;
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
    case SQLITE_ERROR: /* a statement does not fit the tables of the file */
        return GT_TROUBLE_UNUSABLE;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return GT_TROUBLE_READ_ONLY;
    case SQLITE_INTERRUPT:
        return GT_TROUBLE_SLOW;
    default:
        return GT_TROUBLE_FAILED;
    }
}

const char *gt_database_why(const gt_database *database)
{
    const char *path = database->handle ? sqlite3_db_filename(database->handle, "main") : NULL;
    if ((database->code & 0xff) == SQLITE_CANTOPEN && path &&
        (lies_beside(path, "-journal") || lies_beside(path, "-wal"))) {
        return "its journal belongs to another user, or others may write it, so the journal is not "
               "applied; remove the journal, or use a database in a folder that only you may write";
    }
    return (database->code & 0xff) == SQLITE_INTERRUPT
               ? "a statement did not end within the call's time limit"
               : sqlite3_errstr(database->code);
}

bool gt_wait_step(const gt_patience *patience, int tries, double longest_s)
{
    double left_s = gt_patience_left_s(patience);
    double step_s = fmin(1e-3 * ((double)tries + 1), longest_s);
    if (left_s <= 0) {
        return false;
    }
    usleep((useconds_t)(1e6 * fmin(left_s, step_s)) + 1);
    return true;
}

void gt_database_close(gt_database **database)
{
    gt_database *closed = *database;
    if (!closed) {
        return;
    }
    for (int i = 0; i < GT_SQL_COUNT; i++) {
        sqlite3_finalize(closed->statements[i]);
    }
    sqlite3_close(closed->handle);
    free(closed);
    *database = NULL;
}

bool gt_database_is_gone(gt_database *database)
{
    int moved = 0;
    (void)sqlite3_file_control(database->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved != 0;
}

static gputune_status get_statement(sqlite3_stmt **out, gt_database *database, gt_sql sql)
{
    sqlite3_stmt **slot = &database->statements[sql];
    if (!*slot) {
        int code = sqlite3_prepare_v3(database->handle, sql_text[sql], -1,
                                      SQLITE_PREPARE_PERSISTENT, slot, NULL);
        if (code != SQLITE_OK) {
            return gt_database_failed(database, sqlite3_extended_errcode(database->handle));
        }
    }
    *out = *slot;
    return GPUTUNE_OK;
}

static gputune_status begin_rows(gt_rows *rows, gt_database *database, gt_sql sql,
                                 const char *types, va_list values)
{
    sqlite3_stmt *statement = NULL;
    GT_TRY(get_statement(&statement, database, sql));
    int code = gt_bind(statement, types, values);
    if (code != SQLITE_OK) {
        sqlite3_clear_bindings(statement);
        return gt_database_failed(database, code);
    }
    *rows = (gt_rows){database, statement, 0};
    return GPUTUNE_OK;
}

static gputune_status next_row(gt_rows *rows)
{
    rows->column = 0;
    int code = sqlite3_step(rows->statement);
    return code == SQLITE_ROW ? GPUTUNE_OK
           : code == SQLITE_DONE
               ? GPUTUNE_ENOTFOUND
               : gt_database_failed(rows->database,
                                    sqlite3_extended_errcode(rows->database->handle));
}

gputune_status gt_query(gt_database *database, bool first_only, gt_row_fn take, void *context,
                        gt_sql sql, const char *types, ...)
{
    gt_rows rows;
    va_list values;
    va_start(values, types);
    gputune_status status = begin_rows(&rows, database, sql, types, values);
    va_end(values);
    GT_TRY(status);
    do {
        status = next_row(&rows);
        if (status == GPUTUNE_OK && take) {
            status = take(context, &rows);
        }
    } while (status == GPUTUNE_OK && !first_only);
    sqlite3_reset(rows.statement); /* release the lock of the file */
    sqlite3_clear_bindings(rows.statement);
    return status == GPUTUNE_ENOTFOUND && !first_only ? GPUTUNE_OK : status;
}

gputune_status gt_take_integer(void *out, gt_rows *row)
{
    *(int64_t *)out = gt_rows_integer(row);
    return GPUTUNE_OK;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* A busy handler of SQLite. Returns a value other than 0 to keep waiting for a lock. */
static int wait_for_lock(void *user, int tries)
{
    const gt_database *database = user;
    return gt_wait_step(&database->patience, tries, GT_SHORT_STEP_S);
}

/* A progress handler of SQLite. Returns a value other than 0 to interrupt the statement. */
static int ends_statement(void *user)
{
    return gt_patience_left_s(&((const gt_database *)user)->limit) <= 0;
}

/* Limits what SQLite does when a file is malicious. gt_schema_check() does not suffice, because the
 * file may be changed after the check. */
static void restrict_connection(sqlite3 *handle, gt_database *database)
{
    /* check the time limit after few instructions, because each may read GT_LONGEST_BYTES */
    enum { LONGEST_SQL = 100 << 10, STEPS = 100 };
    static const struct {
        int setting, value;
    } settings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        sqlite3_db_config(handle, settings[i].setting, settings[i].value, NULL);
    }
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, GT_LONGEST_BYTES);
    sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, LONGEST_SQL);
    sqlite3_progress_handler(handle, STEPS, ends_statement, database);
    sqlite3_busy_handler(handle, wait_for_lock, database);
}

static int open_connection(sqlite3 **out, gt_database *database, const char *path,
                           gt_database_mode mode)
{
    /* even a reader must be able to roll back a transaction whose writer was killed */
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    flags |= mode == GT_DATABASE_MEMORY ? SQLITE_OPEN_CREATE : 0;
    const char *vfs = NULL;
    int code = find_vfs(&vfs);
    code = code ? code : sqlite3_open_v2(path, out, flags, vfs);
    if (code != SQLITE_OK) {
        return code;
    }
    restrict_connection(*out, database);
    return gt_functions_register(*out);
}

static gt_trouble judge_file(gt_database *database, const gt_schema *facts, gt_database_mode mode,
                             char why[GT_WHY_MAX])
{
    bool ours = facts->application == GT_APPLICATION_ID && facts->version;
    bool empty = !facts->objects && !facts->version;
    if (!ours && (!empty || mode == GT_DATABASE_READ)) {
        snprintf(why, GT_WHY_MAX, empty ? "it is empty" : "it is another program's database");
        return GT_TROUBLE_UNUSABLE;
    }
    if (mode == GT_DATABASE_WRITE && facts->version > GT_SCHEMA_VERSION) {
        snprintf(why, GT_WHY_MAX,
                 "it was made by a newer gputune (schema %lld; this one supports up to %d)",
                 (long long)facts->version, (int)GT_SCHEMA_VERSION);
        return GT_TROUBLE_NEWER;
    }
    if (mode == GT_DATABASE_WRITE && sqlite3_db_readonly(database->handle, "main")) {
        snprintf(why, GT_WHY_MAX, "the file is read-only");
        return GT_TROUBLE_READ_ONLY;
    }
    return GT_TROUBLE_NONE;
}

static gt_trouble prepare_schema(gt_database *database, gt_database_mode mode, char why[GT_WHY_MAX])
{
    gt_schema facts = {0};
    database->code = gt_schema_check(&facts, why, database->handle);
    if (database->code == SQLITE_OK) {
        gt_trouble trouble = why[0] ? GT_TROUBLE_UNUSABLE : judge_file(database, &facts, mode, why);
        if (trouble != GT_TROUBLE_NONE || facts.version >= GT_SCHEMA_VERSION) {
            return trouble;
        }
        database->code = gt_schema_create(database->handle);
    }
    if (database->code != SQLITE_OK) {
        snprintf(why, GT_WHY_MAX, "%s", gt_database_why(database));
    }
    return gt_database_trouble(database);
}

/* Returns true if the path is this user's symbolic link to a file that does not exist. */
static bool is_own_open_link(const char *path)
{
    struct stat link;
    return lstat(path, &link) == 0 && is_own(&link) && access(path, F_OK) != 0 && errno == ENOENT;
}

/* Creates the file for this user only (mode 0600). SQLite gives the same mode to the journal. */
static gt_trouble make_private(bool *made, const char *path, char why[GT_WHY_MAX])
{
    const int follows = is_own_open_link(path) ? 0 : O_EXCL;
    int file = open(path, O_CREAT | follows | O_RDWR | O_CLOEXEC, 0600);
    *made = file >= 0;
    if (*made) {
        close(file);
    } else if (errno != EEXIST) {
        bool forbidden = errno == EROFS || errno == EACCES;
        snprintf(why, GT_WHY_MAX, "%s", strerror(errno));
        return forbidden ? GT_TROUBLE_READ_ONLY : GT_TROUBLE_FAILED;
    }
    return GT_TROUBLE_NONE;
}

/* Accepts only regular files: opening others could block (pipes) or have side effects (devices). */
static gt_trouble check_kind(const char *path, char why[GT_WHY_MAX])
{
    struct stat facts;
    if (stat(path, &facts) != 0 || S_ISREG(facts.st_mode)) {
        return GT_TROUBLE_NONE; /* a missing file is reported when it is opened */
    }
    const char *kind =
        S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode) ? "a pipe or a socket" : "a device";
    snprintf(why, GT_WHY_MAX, "it is %s", S_ISDIR(facts.st_mode) ? "a folder" : kind);
    return GT_TROUBLE_FAILED;
}

/* Explains why SQLite cannot open a file. SQLite itself does not distinguish these causes. */
static void explain_failed_open(char why[GT_WHY_MAX], const gt_database *database, const char *path)
{
    enum { MOST = 504 }; /* SQLite allows 512 bytes for the path of a journal */
    const size_t bytes = strlen(path);
    if (access(path, R_OK) != 0) {
        snprintf(why, GT_WHY_MAX, "%s", strerror(errno));
    } else if ((database->code & 0xff) == SQLITE_CANTOPEN && bytes > MOST) {
        snprintf(why, GT_WHY_MAX,
                 "its absolute path has %zu bytes; SQLite allows %d; use a shorter one", bytes,
                 MOST);
    } else {
        snprintf(why, GT_WHY_MAX, "%s", gt_database_why(database));
    }
}

static gt_trouble open_handle(gt_database *database, const char *path, gt_database_mode mode,
                              char why[GT_WHY_MAX])
{
    database->code = open_connection(&database->handle, database, path, mode);
    if (database->code != SQLITE_OK && mode == GT_DATABASE_MEMORY) {
        snprintf(why, GT_WHY_MAX, "%s", gt_database_why(database));
    } else if (database->code != SQLITE_OK) {
        explain_failed_open(why, database, path);
    }
    return gt_database_trouble(database);
}

gputune_status gt_database_open(gt_database **out, const char *path, gt_database_mode mode,
                                const gt_patience *patience, gt_obstacle *obstacle)
{
    GT_FREED char *whole = NULL; /* an absolute path, so "file:x" is not read as a URI */
    if (mode != GT_DATABASE_MEMORY) {
        GT_TRY(gt_path_absolute(&whole, path));
        path = whole;
    }
    gt_database *database = calloc(1, sizeof *database);
    GT_TRY(gt_allocated(database));
    database->patience = patience ? *patience : gt_patience_for(0, NULL);
    database->limit = gt_patience_for(INFINITY, NULL);
    *obstacle = (gt_obstacle){.trouble = GT_TROUBLE_NONE};
    if (mode == GT_DATABASE_WRITE) {
        obstacle->trouble = make_private(&database->made, path, obstacle->why);
    }
    if (obstacle->trouble == GT_TROUBLE_NONE && mode != GT_DATABASE_MEMORY) {
        obstacle->trouble = check_kind(path, obstacle->why);
    }
    if (obstacle->trouble == GT_TROUBLE_NONE) {
        obstacle->trouble = open_handle(database, path, mode, obstacle->why);
    }
    database->distrust = mode == GT_DATABASE_MEMORY ? NULL : gt_distrust(path);
    if (obstacle->trouble == GT_TROUBLE_NONE) {
        obstacle->trouble = prepare_schema(database, mode, obstacle->why);
    }
    if (obstacle->trouble != GT_TROUBLE_NONE) {
        gputune_status status = gt_database_failed(database, database->code);
        gt_database_close(&database);
        return status;
    }
    *out = database;
    return GPUTUNE_OK;
}

/* --- examining a file ------------------------------------------------------------------------- */

static const char locked_by_another[] = "another process has locked it";

/* Checks all pages of the file. If there are problems, writes the first one to `out`. */
static int read_damage(char *out, size_t bytes, sqlite3 *handle)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(handle, "PRAGMA quick_check(1)", -1, &statement, NULL);
    code = code ? code : sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const char *found = (const char *)sqlite3_column_text(statement, 0);
        if (found && strcmp(found, "ok") != 0) {
            snprintf(out, bytes, "%s", found);
        }
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return code;
}

static void look_inside(gt_store_facts *facts)
{
    /* wait longer than any tuning keeps the file locked */
    const gt_patience patience = gt_patience_for(2, NULL);
    GT_SCOPED(gt_database_close) gt_database *here = NULL;
    gt_obstacle obstacle;
    if (gt_database_open(&here, facts->path, GT_DATABASE_READ, &patience, &obstacle) < 0) {
        bool locked = obstacle.trouble == GT_TROUBLE_LOCKED;
        snprintf(locked ? facts->unwritable : facts->damage, sizeof facts->damage, "%s",
                 locked ? locked_by_another : obstacle.why);
        return;
    }
    int code = gt_schema_integer(&facts->schema, here->handle, "PRAGMA user_version");
    code = code ? code : read_damage(facts->damage, sizeof facts->damage, here->handle);
    code =
        code ? code : gt_schema_integer(&facts->trials, here->handle, "SELECT count(*) FROM trial");
    code = code ? code
                : gt_schema_integer(&facts->winners, here->handle, "SELECT count(*) FROM winner");
    facts->is_read = !code;
    if (code && (code & 0xff) != SQLITE_BUSY) {
        snprintf(facts->damage, sizeof facts->damage, "%s", sqlite3_errstr(code));
    }
    code = sqlite3_exec(here->handle, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (code) { /* no ROLLBACK is needed, because closing the connection ends the transaction */
        snprintf(facts->unwritable, sizeof facts->unwritable, "%s",
                 (code & 0xff) == SQLITE_BUSY ? locked_by_another : sqlite3_errmsg(here->handle));
    }
}

/* Checks whether the file could be created. Folders of the default file would be created, too. */
static void look_at_folder(gt_store_facts *facts, bool is_named)
{
    char folder[PATH_MAX], inner[PATH_MAX];
    gt_folder_of(folder, sizeof folder, facts->path);
    while (!is_named && folder[0] == '/' && !gt_file_exists(folder)) {
        memcpy(inner, folder, sizeof inner);
        gt_folder_of(folder, sizeof folder, inner);
    }
    if (access(folder, W_OK) != 0) {
        snprintf(facts->unwritable, sizeof facts->unwritable, "%.200s: %s", folder,
                 strerror(errno));
    }
}

gputune_status gt_store_inspect(gt_store_facts *out, const char *path)
{
    struct stat file;
    GT_FREED char *chosen = NULL;
    *out = (gt_store_facts){.exists = false};
    GT_TRY(gt_store_path(&chosen, path));
    snprintf(out->path, sizeof out->path, "%s", chosen);
    if (strcmp(out->path, ":memory:") == 0) {
        return GPUTUNE_OK;
    }
    out->exists = stat(out->path, &file) == 0;
    out->distrust = gt_distrust(out->path);
    out->network = gt_network_of(out->path);
    if (out->exists) {
        out->bytes = file.st_size;
        look_inside(out);
    } else {
        look_at_folder(out, gt_store_named_path(path) != NULL);
    }
    return GPUTUNE_OK;
}
