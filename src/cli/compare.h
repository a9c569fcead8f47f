/* Paired comparisons of two configurations: cmd_compare.c and compare_databases.c. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "cli/table.h"
#include "cli/tuning.h"

typedef struct cli_compare {
    cli_common common;
    cli_selection selection;
    cli_tuning tuning;
    char *kernel;         /* before two databases; NULL: none is named */
    const char *sides[2]; /* configurations, or databases */
} cli_compare;

/* What came of one pair: its rows go to `table`. */
typedef struct cli_comparison {
    cli_table *table;
    int code;
    double speedup;      /* A's time over B's */
    const char *verdict; /* of B: "faster", "slower", "same"; "" or NULL: none */
} cli_comparison;

/* Measures a pair. Returns the exit code. */
int cli_compare_pair(cli_comparison *at, const cli_session *session, const char *kernel,
                     gputune_sizes sizes, const char *const pair[2],
                     const gputune_options *options);
/* A line on stderr with the verdict. */
void cli_compare_say(const cli_comparison *at, const char *label);

/* Compares the winners of two databases scenario by scenario. Returns the exit code. */
int cli_compare_databases(const cli_compare *settings);

#endif
