/* A VFS that is SQLite's own, but for opening journals. */
#include "store/journal.h"

#include "store/trust.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    pthread_mutex_t mutex;
    bool registered;
    char name[48];
    sqlite3_vfs vfs;
    sqlite3_vfs *system;
} own = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* A further link to a file of this user's may be made by another one. */
static bool is_foreign(const struct stat *facts)
{
    return !S_ISREG(facts->st_mode) || facts->st_nlink > 1 || gt_distrust_file(facts);
}

static bool is_own_now(const char *name)
{
    struct stat facts;
    return lstat(name, &facts) == 0 && !is_foreign(&facts);
}

/* Where a journal must be new and is not, SQLite opens what is there to read it. */
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
    bool is_ours = is_new ? !(out & SQLITE_OPEN_READONLY) : is_own_now(name);
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

/* A program may hold several copies of this library, so the name is this one's alone. */
static int register_vfs(void)
{
    own.vfs = *own.system;
    own.vfs.xOpen = open_file;
    own.vfs.zName = own.name;
    snprintf(own.name, sizeof own.name, "gputune-%p", (void *)&own);
    return sqlite3_vfs_register(&own.vfs, 0);
}

int gt_journal_vfs(const char **name)
{
    int code = SQLITE_OK;
    pthread_mutex_lock(&own.mutex);
    if (!own.registered) {
        code = sqlite3_initialize();
        own.system = code == SQLITE_OK ? sqlite3_vfs_find("unix") : NULL;
        code = own.system ? register_vfs() : code;
        own.registered = own.system && code == SQLITE_OK;
    }
    *name = own.registered ? own.name : NULL;
    pthread_mutex_unlock(&own.mutex);
    return code;
}

/* The library may be closed by dlclose(). */
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

bool gt_journal_is_foreign(sqlite3 *database)
{
    const char *path = database ? sqlite3_db_filename(database, "main") : NULL;
    return path && (lies_beside(path, "-journal") || lies_beside(path, "-wal"));
}
