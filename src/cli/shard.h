/* One of several runs that divide the scenarios of a command line between them. */
#pragma once

#include "cli/scenarios.h"

typedef struct cli_shard {
    uint32_t index, count; /* count 0: there are no shards */
} cli_shard;

#define CLI_SHARD_OPTION(text)                                                                     \
    CLI_ROW("shard", 0, CLI_OPTION_TEXT, text, "I/N|auto[/N]", NULL,                               \
            "only the I-th of N parts of the scenarios, I from 0; auto: the process's rank, as "   \
            "Slurm, Open MPI, PMI or a Kubernetes job (with /N) says it")

/* Reads the text of --shard (NULL: none), and for "auto" the environment variables of the launcher.
 * Returns CLI_CONTINUE, or CLI_EXIT_USAGE after a message, also where variables are missing or
 * contradict each other. */
int cli_shard_read(cli_shard *out, const char *text);

/* Drops the scenarios that belong to other shards, and prints how many are left. The shard of a
 * scenario depends on its kernel and sizes alone, so that every run assigns it to the same
 * shard. */
void cli_shard_keep(const cli_shard *shard, cli_scenarios *scenarios);
