/* What `warm` asks for, and its two ways of work: warm_tune.c and warm_compile.c. */
#ifndef CLI_WARM_H
#define CLI_WARM_H

#include "cli/tuning.h"

typedef struct cli_warm {
    cli_common common;
    cli_selection selection;
    cli_tuning tuning;
    bool compile_only, any_gpu, check;
    double total_limit_s; /* for all scenarios together; 0: none */
    const char *from;     /* a file of misses, or NULL */
    const char *arch;
} cli_warm;

/* Tunes every scenario, in the order of cli/turns.h where they are not of a file of misses, and
 * prints a row for each in the order given; a scenario that fails does not stop the others.
 * Returns the exit code. */
int cli_warm_tune(const cli_warm *warm, const cli_session *session, const cli_scenarios *scenarios);

/* Compiles every variant of every scenario, and prints registers and spills of each. Returns the
 * exit code. */
int cli_warm_compile(const cli_warm *warm, const cli_session *session,
                     const cli_scenarios *scenarios);

#endif
