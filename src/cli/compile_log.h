/* The compiler's log of what did not compile, for --verbose. */
#ifndef CLI_COMPILE_LOG_H
#define CLI_COMPILE_LOG_H

#include "cli/scenarios.h"

/* Compiles the configuration (NULL: the default) of a kernel again and shows the log if that fails.
 * Does nothing unless asked to be verbose: what measures gives the first line only. */
void cli_compile_log(const cli_session *session, const char *kernel, gputune_sizes sizes,
                     const char *configuration);
/* The same for the scenario's variant that failed to compile last, according to the database. */
void cli_compile_log_of_trials(const cli_session *session, const cli_scenario *scenario);

#endif
