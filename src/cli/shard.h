/* One of several runs that divide the scenarios of a command line between them. */
#pragma once

#include "cli/scenarios.h"

typedef struct cli_shard {
    uint32_t index, count; /* count 0: there are no shards */
} cli_shard;

/* Reads the text of --shard (NULL: none), and for "auto" the environment variables of the launcher.
 * Returns CLI_CONTINUE, or CLI_EXIT_USAGE after a message, also where variables are missing or
 * contradict each other. */
int cli_shard_read(cli_shard *out, const char *text);

/* Drops the scenarios that belong to other shards, and prints how many are left. The shard of a
 * scenario depends on its kernel and sizes alone, so that every run assigns it to the same
 * shard. */
void cli_shard_keep(const cli_shard *shard, cli_scenarios *scenarios);

/* Refuses a database on a network file system, where several runs would write to it from several
 * machines: the locks of some such systems are not seen there. Returns
 * CLI_CONTINUE, or an exit code after a message. */
int cli_shard_check(const cli_shard *shard);
