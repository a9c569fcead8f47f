/* What run, compare, space and emit have in common: they open a tuner, find one kernel at one set
 * of sizes, and work on it. */
#ifndef CLI_SINGLE_H
#define CLI_SINGLE_H

#include "cli/scenarios.h"

typedef int (*cli_work)(void *user, const cli_session *session, const cli_scenario *scenario);

/* Opens as `common` and `mode` say, resolves the kernel `name` with the selection's sizes, and
 * returns what `work` returns (an exit code), or the exit code of what went wrong before. Ctrl-C
 * sets *cli_cancel() meanwhile. */
int cli_single(const cli_common *common, cli_open_mode mode, cli_selection *selection, char **name,
               cli_work work, void *user);

#endif
