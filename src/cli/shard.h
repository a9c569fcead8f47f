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

/* ---- locks ----------------------------------------------------------------------------------- */

/* Watches whether the runs of a --shard that share a database see each other's locks. A file system
 * that keeps each machine's locks apart, as NFS with nolock does, lets two of them write at
 * once. */
/* From now on this run holds a lock of its own in a file beside the database (PATH-ranks), writes
 * there twice a second that it lives, and looks at up to 16 other runs there. If another run goes
 * on writing while this run sees its lock free again and again, the locks do not work, and this run
 * is canceled. `database` is the text of --db; NULL: the user's. A file that cannot be looked at is
 * left alone. */
void cli_locks_begin(const char *database, const cli_shard *shard);
/* Ends the watch. Returns `code`, the run's exit code; or, if the run was canceled because locks do
 * not work, CLI_EXIT_DATABASE after a message. */
int cli_locks_end(int code);
