/* The options of `warm` (cmd_warm.c, which also implements compiling alone), its scenarios
 * (warm_find.c), its tuning (warm_tune.c; on several GPUs fleet.c), and what it shows
 * (warm_show.c). */
#pragma once

#include "cli/session.h"
#include "cli/shard.h"
#include "cli/table.h"
#include "cli/turns.h"

#include <gputune_tools.h>

/* What the options of warm alone say. */
extern struct cli_warm {
    cli_list kernels;
    bool compile_only, check, watch, canonical;
    double total_limit_s; /* seconds for all scenarios together; 0: no limit */
    const char *from;     /* a file of misses, or NULL */
    const char *gpus;     /* "all", "0,2"; NULL: the one GPU that --device names */
    const char *report;   /* where the page is written while it tunes, or NULL */
    const char *shard_text;
    cli_shard shard;
} cli_warm;

/* Finds the scenarios that are asked for, on the GPU of that session. Returns CLI_CONTINUE; or an
 * exit code after saying what is wrong, CLI_EXIT_NOTHING if there are none. */
int cli_warm_find(cli_scenarios *out, const cli_session *session);

/* Tunes every scenario, and prints a row for each in the order given; a scenario that fails does
 * not stop the others. The order of tuning is that of cli/turns.h, or for a file of misses the
 * order given. Returns the exit code. */
int cli_warm_tune(const cli_session *session, const cli_scenarios *scenarios);

/* ---- one scenario ---------------------------------------------------------------------------- */

typedef struct cli_progress cli_progress;

/* What came of a scenario. */
typedef struct cli_tuned {
    int status;
    gputune_plan *plan; /* NULL where status < 0; the caller releases it */
    gputune_info info;  /* of the plan */
    bool has_winner;
    const char *why; /* why it ended or failed, without the kernel's name */
} cli_tuned;

/* Tunes a scenario. `force`: also where a result is stored. */
void cli_warm_try(cli_tuned *out, const cli_session *session, const cli_scenario *scenario,
                  double limit_s, bool force, cli_progress *progress);
/* Returns true if an equal GPU may find a winner where one ended with that status and without a
 * winner. */
bool cli_warm_may_be_gpu(int status);
/* The exit code of a scenario without a winner, and the message to print; *out stays as it is where
 * there is none. `gpu` is named in it; NULL: there is one GPU. */
int cli_warm_failure(char **out, const cli_tuned *tuned, const char *label, const char *gpu);
/* The scenarios' turns, in the order in which they are taken: a file of misses has an order of its
 * own. */
cli_turn *cli_warm_turns(const cli_session *session, const cli_scenarios *scenarios);
/* The limit of the turn `at`: --time-limit, and its share of what is left of --total-limit, where
 * so many turns are taken at a time. */
double cli_warm_limit_s(const cli_turn *turns, size_t count, size_t at, int64_t begun_ns,
                        size_t side_by_side);

/* ---- the table ------------------------------------------------------------------------------- */

/* The table of winners, without rows. */
cli_table cli_warm_table(void);
/* Adds the winner of a scenario to the table, and says why variants failed. Rows are printed in the
 * order of their `place`. Returns the exit code of the scenario. */
int cli_warm_add(cli_table *table, double place, const gputune_info *info,
                 const cli_session *session, const cli_scenario *scenario);
/* Adds a row of another process, as cli_table_pack() wrote it. */
void cli_warm_take(cli_table *table, double place, const char *packed, size_t bytes);
/* Prints the table, and a sentence about what was gained in that many seconds. `of_models`: the
 * table shows which GPU model a winner is of. */
void cli_warm_print(cli_table *table, bool of_models, double seconds);

/* Checks the kernels on the emulator, whatever --driver says, and prints mistakes on stderr.
 * CLI_CONTINUE where there are none, else the exit code. */
int cli_check_first(void);

/* ---- progress -------------------------------------------------------------------------------- */

struct cli_progress {
    const char *label;   /* the scenario at hand */
    size_t index, count; /* its index, from 0, and how many scenarios there are */
    double shown_s;      /* when something was last shown, on the scenario's own clock */
    const char *gpu;     /* this GPU's name, where several are at work; else NULL */
};

/* Begins a scenario, the `index`-th. */
void cli_progress_start(cli_progress *progress, const char *label, size_t index);
/* A gputune_progress_fn. `user` is a cli_progress. */
void cli_progress_update(void *user, const gputune_progress *at);
/* Removes the bar from the terminal. */
void cli_progress_end(cli_progress *progress);
/* Draws a line, cut to the terminal's width. Changes `text`. */
void cli_progress_draw(char *text);
