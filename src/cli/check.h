/* The check before a tuning, for `warm --check`. */
#pragma once

#include "cli/scenarios.h"
#include "cli/session.h"

/* Checks the selected kernels on the emulator, whatever the common options' driver is, and prints
 * mistakes on stderr. CLI_CONTINUE where there are none, else the exit code. */
int cli_check_first(const cli_common *common, const cli_selection *selection);
