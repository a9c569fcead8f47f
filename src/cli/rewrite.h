/* The page of `warm --report FILE`, which is written again and again while scenarios are tuned. */
#pragma once

#include "cli/options.h"

/* CLI_CONTINUE where the page can be written, else an exit code after saying why not. */
int cli_rewrite_begin(const char *file);
/* Lets `gputune report` write the page, unless it does so now or did so lately. It runs beside this
 * process. `labels` are the scenarios that are being tuned. Does nothing without --report. */
void cli_rewrite(const char *file, const cli_list *labels);
/* Writes the page for the last time: nothing is tuned any more. Returns `code`; or, where that was
 * CLI_EXIT_OK and the page was not written, the exit code of that. */
int cli_rewrite_end(const char *file, int code);
