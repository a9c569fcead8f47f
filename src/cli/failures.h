/* Counts the variants of a scenario that failed, and why most of them did. */
#pragma once

#include "cli/scenarios.h"

/* Failures of one scenario with the same status and message. */
typedef struct cli_failure {
    gputune_record first; /* the default, where that is among them */
    char *label;          /* "axpy n=1M" */
    uint32_t count;
} cli_failure;

typedef struct cli_failures {
    cli_failure *items; /* those of a scenario in a row */
    size_t count;
} cli_failures;

/* Whether a trial with this status ("wrong", "compile", ...) is a failure, which means that it was
 * not measured. */
bool cli_is_failure(const char *status);
/* Counts the record if it is a failure. Records must come in the order of gputune_records(). */
void cli_failures_add(cli_failures *all, const gputune_record *record);
/* Prints a note for each scenario: how many variants failed, and the commonest reason; and one more
 * if the default failed. */
void cli_failures_say(const cli_failures *all);

/* The exit code of a tuning that tried `variants` variants (0 where a stored result answered) and
 * has a winner. It is the code for the default's failure if the default failed, and CLI_EXIT_WRONG
 * if more than half of the variants are wrong. */
int cli_failures_code(const cli_failures *all, uint32_t variants);

/* Compiles the configuration (NULL: the default) of a kernel again, and shows the compiler's log if
 * that fails. Does nothing without --verbose, since the messages of a tuning have the first line
 * only. */
void cli_compile_log(const cli_session *session, const char *kernel, gputune_sizes sizes,
                     const char *configuration);
/* The same for the scenario's variant that failed to compile last, according to the database. */
void cli_compile_log_of_trials(const cli_session *session, const cli_scenario *scenario);
