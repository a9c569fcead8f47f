/* Which part of the scenarios is this run's, from the option or from what started the process; and
 * whether the locks of the runs that have the other parts are seen. */
#include "cli/shard.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SHARDS = 1000000 };

/* ---- the option ------------------------------------------------------------------------------ */

static bool read_whole(long *out, const char *text, long most)
{
    *out = cli_take_number(&text, most);
    return *out >= 0 && !*text;
}

/* ---- the environment ------------------------------------------------------------------------- */

/* How an engine tells a process which one of how many it is. */
typedef struct engine {
    const char *rank, *size; /* variables; size NULL: the option tells */
    const char *task;        /* set in tasks alone; NULL: `rank` is */
} engine;

static const engine engines[] = {
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID"}, /* a batch script has rank 0 of all */
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL},
    {"PMI_RANK", "PMI_SIZE", NULL},
    {"JOB_COMPLETION_INDEX", NULL, NULL},
};

/* "SLURM_PROCID=3 of SLURM_NTASKS=8". */
static char *describe(const engine *engine, const cli_shard *shard)
{
    return engine->size ? cli_format("%s=%u of %s=%u", engine->rank, shard->index, engine->size,
                                     shard->count)
                        : cli_format("%s=%u of /%u", engine->rank, shard->index, shard->count);
}

/* Whether this process is not one of the engine's tasks, but starts them. */
static bool is_outside(const engine *engine)
{
    return engine->task && getenv(engine->rank) && !getenv(engine->task);
}

/* Asks the environment variables of one engine for the shard; count 0: they say nothing. */
static int ask(cli_shard *out, const engine *engine, uint32_t given)
{
    const char *rank = getenv(engine->rank), *size = engine->size ? getenv(engine->size) : NULL;
    long index, count = given;
    *out = (cli_shard){0, 0};
    if ((!rank && !size) || is_outside(engine)) {
        return CLI_CONTINUE;
    }
    CLI_REFUSE(!engine->size && !given, CLI_EXIT_USAGE,
               "--shard auto: %s does not tell of how many; write auto/N, N being the job's "
               "completions",
               engine->rank);
    if (!rank || (engine->size && !size)) {
        return cli_stop(CLI_EXIT_USAGE,
                        "--shard auto: %s is set and %s is not; start the command as a task (srun, "
                        "mpirun), or write --shard I/N",
                        rank ? engine->rank : engine->size, rank ? engine->size : engine->rank);
    }
    bool good = !size || (read_whole(&count, size, MOST_SHARDS) && count > 0);
    CLI_REFUSE(!good || !read_whole(&index, rank, count - 1), CLI_EXIT_USAGE,
               "--shard auto: found %s='%s' and %s='%s'; expected a rank from 0, below the "
               "number of ranks",
               engine->rank, rank, size ? engine->size : "/N",
               size ? size : cli_format("%u", given));
    *out = (cli_shard){(uint32_t)index, (uint32_t)count};
    return CLI_CONTINUE;
}

/* Asks all engines for the shard. Those that say something must say the same. */
static int ask_all(cli_shard *out, uint32_t given)
{
    const engine *first = NULL, *outside = NULL;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        cli_shard told;
        outside = is_outside(&engines[i]) ? &engines[i] : outside;
        CLI_TRY(ask(&told, &engines[i], given));
        CLI_REFUSE(told.count && first && (told.index != out->index || told.count != out->count),
                   CLI_EXIT_USAGE,
                   "--shard auto: %s contradicts %s; write --shard with the right ones: "
                   "\"$%s/N\" in a shell that each task starts",
                   describe(first, out), describe(&engines[i], &told), engines[i].rank);
        if (told.count && !first) {
            first = &engines[i];
            *out = told;
        }
    }
    CLI_REFUSE(!first && outside, CLI_EXIT_USAGE,
               "--shard auto: %s is set and %s is not, so this is the batch script itself; start "
               "the command by srun there, or write --shard I/N",
               outside->rank, outside->task);
    if (!first) {
        return cli_stop(CLI_EXIT_USAGE,
                        "--shard auto: none of SLURM_PROCID, OMPI_COMM_WORLD_RANK, PMI_RANK and "
                        "JOB_COMPLETION_INDEX is set; write --shard I/N");
    }
    CLI_REFUSE(given && given != out->count, CLI_EXIT_USAGE,
               "--shard auto/%u: %s contradicts it; leave out /%u", given, describe(first, out),
               given);
    return CLI_CONTINUE;
}

int cli_shard_read(cli_shard *out, const char *text)
{
    long count = 0;
    *out = (cli_shard){0, 0};
    if (!text) {
        return CLI_CONTINUE;
    }
    bool is_auto = strncmp(text, "auto", 4) == 0;
    const char *rest = is_auto ? text + 4 : text;
    long index = is_auto ? 0 : cli_take_number(&rest, MOST_SHARDS - 1);
    bool has_count = *rest == '/' && read_whole(&count, rest + 1, MOST_SHARDS) && count > index;
    CLI_REFUSE(index < 0 || !(has_count || (is_auto && !*rest)), CLI_EXIT_USAGE,
               "--shard: found '%s'; expected I/N with I from 0 to N-1, as in 0/4, or auto", text);
    *out = (cli_shard){(uint32_t)index, (uint32_t)count};
    return is_auto ? ask_all(out, (uint32_t)count) : CLI_CONTINUE;
}

/* ---- the scenarios --------------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t add_text(uint64_t hash, const char *text)
{
    for (const char *at = text; *at; at++) {
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* The same in every run, on every machine and in every version: runs of later days go on with what
 * earlier ones stored. */
static uint32_t shard_of(const cli_scenario *scenario, uint32_t count)
{
    uint64_t hash = add_text(UINT64_C(0xcbf29ce484222325), scenario->kernel->name);
    hash = add_text(add_text(hash, " "), scenario->size_text);
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd); /* what a remainder takes is even */
    return (uint32_t)((hash ^ hash >> 33) % count);
}

void cli_shard_keep(const cli_shard *shard, cli_scenarios *scenarios)
{
    size_t kept = 0;
    for (size_t i = 0; i < scenarios->count && shard->count; i++) {
        if (shard_of(&scenarios->items[i], shard->count) == shard->index) {
            scenarios->items[kept++] = scenarios->items[i];
        }
    }
    if (shard->count) {
        cli_note("shard %u/%u: %zu of %zu scenarios", shard->index, shard->count, kept,
                 scenarios->count);
        scenarios->count = kept;
    }
}

/* ---- locks ----------------------------------------------------------------------------------- */

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
    int end[2]; /* a pipe: a byte ends the thread */
} watch = {.file = -1};

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
    struct pollfd end = {watch.end[0], POLLIN, 0};
    do {
        watch.own.counter++;
        (void)!pwrite(watch.file, &watch.own, sizeof watch.own, place_of(watch.shard.index));
        look();
    } while (poll(&end, 1, PERIOD_MS) <= 0);
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
         pipe2(watch.end, O_CLOEXEC) != 0 ||
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
    (void)!write(watch.end[1], "", 1);
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
