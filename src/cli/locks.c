/* Holds a lock, and looks whether the locks of others that live are seen. */
#include "cli/locks.h"

#include "base/text.h"
#include "cli/console.h"
#include "cli/session.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOKED_AT = 16,
    FREE_MAX = 3, /* in a row: a record may come late, one that changes again and again does not */
    PERIOD_MS = 500
};

/* What a run writes at its place in the file. The lock of the run is on the first byte of that
 * place. */
typedef struct record {
    char run[64]; /* "HOST PID START": two runs never have the same */
    char host[64];
    uint64_t counter;
} record;

typedef struct neighbour {
    record last;
    bool was_free;
    unsigned times_free; /* in a row, and it went on */
} neighbour;

static struct {
    char *path, *database;
    cli_shard shard;
    int file; /* with this run's lock; -1: nothing is looked at */
    record own;
    neighbour others[LOOKED_AT];
    const neighbour *unseen; /* whose locks are not */
    uint32_t unseen_shard;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool ends;
} watch = {.file = -1, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static off_t place_of(uint32_t shard)
{
    return (off_t)shard * (off_t)sizeof(record);
}

/* An open file's lock, as a process's is that SQLite takes; closing another file keeps it. */
static int lock(int file, int command, struct flock *out, off_t from, off_t bytes)
{
    *out = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from, .l_len = bytes};
    return fcntl(file, command, out);
}

/* --- the others ------------------------------------------------------------------------------- */

/* Looks at another run. If the run has written since its lock was seen free, it held its lock then,
 * and this process did not see it. */
static void look_at(neighbour *other, int file, uint32_t shard)
{
    record now;
    struct flock held;
    if (pread(file, &now, sizeof now, place_of(shard)) != (ssize_t)sizeof now || !now.counter) {
        return;
    }
    bool is_same = memcmp(now.run, other->last.run, sizeof now.run) == 0;
    if (is_same && now.counter == other->last.counter) {
        return;
    }
    other->times_free = is_same && other->was_free ? other->times_free + 1 : 0;
    other->last = now;
    other->was_free =
        lock(file, F_OFD_GETLK, &held, place_of(shard), 1) == 0 && held.l_type == F_UNLCK;
    if (other->times_free >= FREE_MAX && !watch.unseen) {
        watch.unseen = other;
        watch.unseen_shard = shard;
        cli_set_canceled(true);
    }
}

/* A file that is opened anew is read anew. */
static void look(void)
{
    int file = open(watch.path, O_RDONLY | O_CLOEXEC);
    uint32_t count = watch.shard.count - 1 < LOOKED_AT ? watch.shard.count - 1 : LOOKED_AT;
    for (uint32_t i = 0; i < count && file >= 0; i++) {
        look_at(&watch.others[i], file, (watch.shard.index + 1 + i) % watch.shard.count);
    }
    if (file >= 0) {
        close(file);
    }
}

static void *work(void *unused)
{
    pthread_mutex_lock(&watch.mutex);
    while (!watch.ends) {
        struct timespec until;
        watch.own.counter++;
        (void)!pwrite(watch.file, &watch.own, sizeof watch.own, place_of(watch.shard.index));
        look();
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PERIOD_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&watch.changed, &watch.mutex, &until);
    }
    pthread_mutex_unlock(&watch.mutex);
    return unused;
}

/* --- beginning, ending ------------------------------------------------------------------------ */

/* The path of the database, as the library finds it; NULL: it is in memory, or nowhere. */
static char *path_of(const char *database)
{
    const char *given = database ? database : getenv("GPUTUNE_DB");
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (given && given[0]) {
        return strcmp(given, ":memory:") == 0 ? NULL : cli_format("%s", given);
    }
    return cache && cache[0] == '/' ? cli_format("%s/gputune/gputune.db", cache)
           : home                   ? cli_format("%s/.cache/gputune/gputune.db", home)
                                    : NULL;
}

static void name_run(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (gethostname(watch.own.host, sizeof watch.own.host - 1) != 0) {
        snprintf(watch.own.host, sizeof watch.own.host, "another machine");
    }
    snprintf(watch.own.run, sizeof watch.own.run, "%.20s %ld %lld.%09ld", watch.own.host,
             (long)getpid(), (long long)now.tv_sec, now.tv_nsec);
}

void cli_locks_begin(const char *database, const cli_shard *shard)
{
    struct flock unused;
    watch.database = shard->count > 1 ? path_of(database) : NULL;
    watch.shard = *shard;
    if (!watch.database) {
        return;
    }
    watch.path = cli_format("%s-ranks", watch.database);
    name_run();
    watch.file = open(watch.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (watch.file >= 0 &&
        (lock(watch.file, F_OFD_SETLK, &unused, place_of(shard->index), 1) != 0 ||
         pthread_create(&watch.thread, NULL, work, NULL) != 0)) {
        close(watch.file);
        watch.file = -1;
    }
}

/* Removes the file if this run is the last one: only the last run can lock the whole file. */
static void remove_if_last(void)
{
    struct flock unused;
    if (lock(watch.file, F_OFD_SETLK, &unused, 0, 0) == 0) {
        unlink(watch.path);
    }
}

int cli_locks_end(int code)
{
    if (watch.file < 0) {
        return code;
    }
    pthread_mutex_lock(&watch.mutex);
    watch.ends = true;
    pthread_cond_signal(&watch.changed);
    pthread_mutex_unlock(&watch.mutex);
    pthread_join(watch.thread, NULL);
    remove_if_last();
    close(watch.file);
    watch.file = -1;
    return watch.unseen
               ? cli_stop(CLI_EXIT_DATABASE,
                          "the locks that shard %u on %s holds on %s are not seen here: this file "
                          "system keeps those of each machine apart, as NFS with nolock does; give "
                          "each run a database of its own (--db RANK.db), and merge them",
                          watch.unseen_shard, watch.unseen->last.host, watch.database)
               : code;
}
