/* Looks at a database file through a connection of its own. */
#include "store/inspect.h"

#include "base/file.h"
#include "store/database.h"
#include "store/layers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first line of what SQLite finds when it reads every page. */
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

static void read_tables(gt_store_facts *facts, sqlite3 *handle)
{
    int code = read_damage(facts->damage, sizeof facts->damage, handle);
    code = code ? code : gt_sqlite_integer(&facts->schema, handle, "PRAGMA user_version");
    code = code ? code : gt_sqlite_integer(&facts->trials, handle, "SELECT count(*) FROM trial");
    code = code ? code : gt_sqlite_integer(&facts->winners, handle, "SELECT count(*) FROM winner");
    if (code && (code & 0xff) != SQLITE_BUSY) {
        snprintf(facts->damage, sizeof facts->damage, "%s", sqlite3_errmsg(handle));
    }
}

static void try_to_write(gt_store_facts *facts, sqlite3 *handle)
{
    int code = sqlite3_exec(handle, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (code == SQLITE_OK) {
        sqlite3_exec(handle, "ROLLBACK", NULL, NULL, NULL);
    } else {
        snprintf(facts->unwritable, sizeof facts->unwritable, "%s",
                 (code & 0xff) == SQLITE_BUSY ? "another process has locked it"
                                              : sqlite3_errmsg(handle));
    }
}

static void look_inside(gt_store_facts *facts)
{
    sqlite3 *handle = NULL;
    const char *vfs = NULL;
    int code = gt_journal_vfs(&vfs);
    code = code ? code
                : sqlite3_open_v2(facts->path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                                  vfs);
    if (code) {
        snprintf(facts->damage, sizeof facts->damage, "%s", sqlite3_errstr(code));
    } else {
        read_tables(facts, handle);
        try_to_write(facts, handle);
    }
    sqlite3_close(handle);
}

/* Whether the nearest folder that is there lets a file be made. */
static void look_at_folder(gt_store_facts *facts)
{
    GT_FREED char *folder = strdup(facts->path);
    char *slash;
    while (folder && (slash = strrchr(folder, '/')) != NULL && slash != folder) {
        *slash = '\0';
        if (gt_file_exists(folder)) {
            break;
        }
    }
    if (folder && strchr(folder, '/') && access(folder, W_OK) != 0) {
        snprintf(facts->unwritable, sizeof facts->unwritable, "%.200s: %s", folder,
                 strerror(errno));
    }
}

gputune_status gt_store_inspect(gt_store_facts *out, const char *path)
{
    struct stat file;
    gt_store_facts facts = {.newest_schema = gt_schema_newest()};
    GT_TRY(gt_store_path(&facts.path, path));
    if (strcmp(facts.path, ":memory:") != 0) {
        facts.exists = stat(facts.path, &file) == 0;
        facts.distrust = gt_distrust(facts.path);
        facts.network = gt_network_of(facts.path);
        if (facts.exists) {
            facts.bytes = file.st_size;
            look_inside(&facts);
        } else {
            look_at_folder(&facts);
        }
    }
    *out = facts;
    return GPUTUNE_OK;
}

void gt_store_facts_free(gt_store_facts *facts)
{
    free(facts->path);
}
