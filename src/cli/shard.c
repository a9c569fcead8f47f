/* --shard: selects the part of the scenarios that this run tunes, given by the option or by the
 * environment variables of a launcher. */
#include "cli/warm.h"

#include "base/network.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHARDS = 1000000 };

/* The variables in which a launcher, such as Slurm or MPI, stores a process's rank. */
typedef struct engine {
    const char *rank, *size; /* size: NULL if --shard auto/N must give it */
    const char *task;        /* set only in tasks of the launcher; NULL: no such variable */
} engine;

static const engine engines[] = {
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID"}, /* the batch script has rank 0, too */
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL},
    {"PMI_RANK", "PMI_SIZE", NULL},
    {"JOB_COMPLETION_INDEX", NULL, NULL},
};

static bool read_whole(long *out, const char *text, long most)
{
    *out = cli_take_number(&text, most);
    return *out >= 0 && !*text;
}

/* Returns "SLURM_PROCID=3 of SLURM_NTASKS=8". */
static char *describe(const engine *engine, const cli_shard *shard)
{
    return engine->size ? cli_format("%s=%u of %s=%u", engine->rank, shard->index, engine->size,
                                     shard->count)
                        : cli_format("%s=%u of /%u", engine->rank, shard->index, shard->count);
}

/* Returns true if this process starts the engine's tasks and is not one of them. */
static bool is_outside(const engine *engine)
{
    return engine->task && getenv(engine->rank) && !getenv(engine->task);
}

/* Reads the shard from one engine's variables. If they are not set, the count is 0. */
static int ask(cli_shard *out, const engine *engine, uint32_t given)
{
    const char *rank = getenv(engine->rank), *size = engine->size ? getenv(engine->size) : NULL;
    long index, count = given;
    *out = (cli_shard){0, 0};
    if ((!rank && !size) || is_outside(engine)) {
        return CLI_CONTINUE;
    }
    CLI_REFUSE(!engine->size && !given, CLI_EXIT_USAGE,
               "--shard auto: %s does not give the number of parts; write auto/N, where N is the "
               "job's .spec.completions",
               engine->rank);
    CLI_REFUSE(!rank || (engine->size && !size), CLI_EXIT_USAGE,
               "--shard auto: %s is set but %s is not; start the command as a task (srun, "
               "mpirun), or write --shard I/N",
               rank ? engine->rank : engine->size, rank ? engine->size : engine->rank);
    bool good = !size || (read_whole(&count, size, MOST_SHARDS) && count > 0);
    CLI_REFUSE(!good || !read_whole(&index, rank, count - 1), CLI_EXIT_USAGE,
               "--shard auto: found %s='%s' and %s='%s'; expected a rank from 0 to the number of "
               "ranks minus 1",
               engine->rank, rank, size ? engine->size : "/N",
               size ? size : cli_format("%u", given));
    *out = (cli_shard){(uint32_t)index, (uint32_t)count};
    return CLI_CONTINUE;
}

/* Reads the shard from all engines' variables, which must agree. */
static int ask_all(cli_shard *out, uint32_t given)
{
    const engine *first = NULL, *outside = NULL;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        cli_shard told;
        outside = is_outside(&engines[i]) ? &engines[i] : outside;
        CLI_TRY(ask(&told, &engines[i], given));
        CLI_REFUSE(told.count && first && (told.index != out->index || told.count != out->count),
                   CLI_EXIT_USAGE,
                   "--shard auto: %s contradicts %s; to choose one, start each task as sh -c "
                   "'gputune ... --shard \"$%s/N\"'",
                   describe(first, out), describe(&engines[i], &told), engines[i].rank);
        if (told.count && !first) {
            first = &engines[i];
            *out = told;
        }
    }
    CLI_REFUSE(!first && outside, CLI_EXIT_USAGE,
               "--shard auto: %s is set but %s is not, so this is the batch script itself; start "
               "the command with srun there, or write --shard I/N",
               outside->rank, outside->task);
    CLI_REFUSE(!first, CLI_EXIT_USAGE,
               "--shard auto: none of SLURM_PROCID, OMPI_COMM_WORLD_RANK, PMI_RANK and "
               "JOB_COMPLETION_INDEX is set; write --shard I/N");
    CLI_REFUSE(given && given != out->count, CLI_EXIT_USAGE,
               "--shard auto/%u: %s contradicts this; leave out /%u", given, describe(first, out),
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

/* Hashes a scenario (FNV-1a, mixed for the remainder). The result must never change: later runs, on
 * other machines and with other versions, continue what earlier ones stored. */
static uint32_t shard_of(const cli_scenario *scenario, uint32_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *text = cli_format("%s %s", scenario->kernel->name, scenario->size_text);
    for (const char *at = text; *at; at++) {
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    }
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
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

int cli_shard_check(const cli_shard *shard)
{
    const char *path = shard->count > 1 ? cli_database_path() : NULL;
    const char *network = path ? gt_network_of(path) : NULL;
    if (path && !network) { /* the file may not exist yet */
        const char *slash = strrchr(path, '/');
        network = gt_network_of(slash ? cli_copy_part(path, (size_t)(slash - path) + 1) : ".");
    }
    CLI_REFUSE(
        network, CLI_EXIT_DATABASE,
        "--shard: the database %s is on a network file system, %s, whose locks may not hold "
        "between machines; give each run one of its own (--db 'shard-%u.db'), and merge them",
        path, network, shard->index);
    return CLI_CONTINUE;
}
