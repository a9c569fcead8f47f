/* What `warm` asks for, and its two ways of work: warm_tune.c, with warm_rows.c, and
 * warm_compile.c. warm_watch.c does the work again when a template is saved. */
#pragma once

#include "cli/gpus.h"
#include "cli/shard.h"
#include "cli/table.h"
#include "cli/tuning.h"

typedef struct cli_warm {
    cli_common common;
    cli_selection selection;
    cli_tuning tuning;
    bool compile_only, any_gpu, check, watch, live, canonical;
    double total_limit_s; /* for all scenarios together; 0: none */
    const char *from;     /* a file of misses, or NULL */
    const char *arch;
    const char *gpus; /* "all", "0,2"; NULL: the one that `common` says */
    cli_list compile_on;
    const char *shard_text;
    cli_shard shard;
} cli_warm;

/* Tunes every scenario, in the order of cli/turns.h where they are not of a file of misses, and
 * prints a row for each in the order given; a scenario that fails does not stop the others.
 * scenarios[i] are those of GPU i; equal GPUs, which have the same, divide them between them.
 * Returns the exit code. */
int cli_warm_tune(const cli_warm *warm, const cli_gpus *gpus, const cli_scenarios *scenarios);

/* Calls `tune` (an exit code), and again whenever one of the selected templates, or what they
 * include in quotes, is saved: work at what is outdated by then is canceled. Ends with Ctrl-C, or
 * where the first call shows that saving will not help. Returns the exit code, which is 0 where
 * Ctrl-C came while it was only waiting. */
int cli_warm_watch(const cli_warm *warm, int (*tune)(const cli_warm *warm));

/* The table of winners, without rows yet. `of_models`: it shows which model a winner is of. */
cli_table cli_warm_table(bool of_models);
/* Adds the winner of a scenario to it, and says why variants failed. Returns the exit code of the
 * scenario. */
int cli_warm_add(cli_table *table, const gputune_info *info, const cli_warm *warm,
                 const cli_session *session, const cli_scenario *scenario);

/* Compiles every variant of every scenario, and prints registers and spills of each. Returns the
 * exit code. */
int cli_warm_compile(const cli_warm *warm, const cli_session *session,
                     const cli_scenarios *scenarios);
