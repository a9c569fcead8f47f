/* warm --shard: selects the scenarios that this run tunes. */
#include "cli/warm.h"

#include "base/network.h"

#include <string.h>

enum { MOST_SHARDS = 1000000 };

int cli_shard_read(const char *text)
{
    if (!text) {
        return CLI_CONTINUE;
    }
    const char *rest = text;
    long index = cli_take_number(&rest, MOST_SHARDS - 1);
    long count = index >= 0 && *rest++ == '/' ? cli_take_number(&rest, MOST_SHARDS) : -1;
    CLI_REFUSE(count <= index || *rest, CLI_EXIT_USAGE,
               "--shard: found '%s'; expected I/N with I from 0 to N-1, as in 0/4", text);
    cli_warm.shard = (cli_shard){(uint32_t)index, (uint32_t)count};
    return CLI_CONTINUE;
}

/* Computes a scenario's shard from an FNV-1a hash. Mixes the bits of the hash before the modulo.
 * The result must never change, because runs of different versions must get the same shards. */
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

void cli_shard_keep(cli_scenarios *scenarios)
{
    const cli_shard *shard = &cli_warm.shard;
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

int cli_shard_check(void)
{
    const char *path = cli_warm.shard.count > 1 ? cli_database_path() : NULL;
    const char *network = path ? gt_network_of(path) : NULL;
    if (path && !network) { /* the file may not exist yet */
        const char *slash = strrchr(path, '/');
        network = gt_network_of(slash ? cli_copy_part(path, (size_t)(slash - path) + 1) : ".");
    }
    CLI_REFUSE(
        network, CLI_EXIT_DATABASE,
        "--shard: the database '%s' is on a network file system, %s, whose locks may not hold "
        "between machines; give each run its own database (--db 'shard-%u.db'), and merge them",
        path, network, cli_warm.shard.index);
    return CLI_CONTINUE;
}
