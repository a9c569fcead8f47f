/* Watches whether the runs of a --shard that share a database see each other's locks. A file system
 * that keeps each machine's locks apart, as NFS with nolock does, lets two of them write at
 * once. */
#pragma once

#include "cli/shard.h"

/* From now on this run holds a lock of its own in a file beside the database (PATH-ranks), writes
 * there twice a second that it lives, and looks at up to 16 other runs there. If another run goes
 * on writing while this run sees its lock free again and again, the locks do not work, and this run
 * is canceled. `database` is the text of --db; NULL: the user's. A file that cannot be looked at is
 * left alone. */
void cli_locks_begin(const char *database, const cli_shard *shard);
/* Ends the watch. Returns `code`, the run's exit code; or, if the run was canceled because locks do
 * not work, CLI_EXIT_DATABASE after a message. */
int cli_locks_end(int code);
