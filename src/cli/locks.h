/* Whether the runs of a --shard that have one database see each other's locks. A file system that
 * keeps each machine's locks apart, as NFS with nolock does, lets two of them write at once. */
#pragma once

#include "cli/shard.h"

/* From now on this run holds a lock of its own and says twice a second that it lives, in a file
 * beside the database (PATH-ranks), and looks at up to 16 other runs there. One that goes on saying
 * so, while its lock is seen free again and again, is one whose locks are not seen: the run is
 * canceled. `database`: as --db says it; NULL: the user's. What cannot be looked at is not. */
void cli_locks_begin(const char *database, const cli_shard *shard);
/* Ends that. Returns the run's exit code, or after a message CLI_EXIT_DATABASE. */
int cli_locks_end(int code);
