/* The options of `warm` (cmd_warm.c, which also implements compiling alone), its scenarios
 * (warm_find.c), its tuning (warm_tune.c), and what it shows (warm_show.c). */
#pragma once

#include "cli/gpus.h"
#include "cli/shard.h"
#include "cli/table.h"

#include <gputune.h>

/* What the options of warm alone say. */
extern struct cli_warm {
    cli_list kernels;
    bool compile_only, check, watch, live, canonical;
    double total_limit_s; /* seconds for all scenarios together; 0: no limit */
    const char *from;     /* a file of misses, or NULL */
    const char *gpus;     /* "all", "0,2"; NULL: the one GPU that --device names */
    const char *shard_text;
    cli_shard shard;
} cli_warm;

/* Finds the scenarios that are asked for, on the GPU of that session. Returns CLI_CONTINUE; or an
 * exit code after saying what is wrong, CLI_EXIT_NOTHING if there are none. */
int cli_warm_find(cli_scenarios *out, const cli_session *session);

/* Tunes every scenario, and prints a row for each in the order given; a scenario that fails does
 * not stop the others. The order of tuning is that of cli/turns.h, or for a file of misses the
 * order given. `scenarios` are those of the GPU that is open. The others are opened meanwhile;
 * equal GPUs divide the scenarios between them. Returns the exit code. */
int cli_warm_tune(cli_gpus *gpus, const cli_scenarios *scenarios);

/* The table of winners, without rows. */
cli_table cli_warm_table(void);
/* Adds the winner of a scenario to the table, and says why variants failed. Rows are printed in the
 * order of their `place`. Returns the exit code of the scenario. */
int cli_warm_add(cli_table *table, double place, const gputune_info *info,
                 const cli_session *session, const cli_scenario *scenario);
/* Prints the table. `of_models`: it shows which model a winner is of. */
void cli_warm_print(cli_table *table, bool of_models);

/* Checks the kernels on the emulator, whatever --driver says, and prints mistakes on stderr.
 * CLI_CONTINUE where there are none, else the exit code. */
int cli_check_first(void);

/* ---- progress -------------------------------------------------------------------------------- */

typedef struct cli_progress {
    const char *label;   /* the scenario at hand */
    size_t index, count; /* its index, from 0, and how many scenarios there are */
    double shown_s;      /* when something was last shown, on the scenario's own clock */
    /* Where several GPUs are at work side by side, each with a progress of its own: */
    const char *gpu;                         /* this GPU's name; NULL with one GPU */
    const struct cli_progress *first, *next; /* of all progresses; NULL: this is the last */
    char shown[160]; /* what is shown of this GPU; "": nothing is at work on it */
} cli_progress;

/* Begins a scenario, the `index`-th. */
void cli_progress_start(cli_progress *progress, const char *label, size_t index);
/* A gputune_progress_fn. `user` is a cli_progress. */
void cli_progress_update(void *user, const gputune_progress *at);
/* Removes the bar from the terminal. */
void cli_progress_end(cli_progress *progress);
