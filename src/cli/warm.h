/* The command warm: options and --watch (cmd_warm.c), finding scenarios (warm_find.c, shard.c),
 * tuning on one GPU (warm_tune.c) and on several GPUs (fleet.c), output (warm_show.c), and the page
 * of --report (rewrite.c). */
#pragma once

#include "cli/table.h"
#include "cli/turns.h"

/* The value of --shard INDEX/COUNT, which selects the scenarios that this run tunes. */
typedef struct cli_shard {
    uint32_t index, count; /* `count` is 0 without --shard */
} cli_shard;

extern struct cli_warm {
    cli_list kernels;
    bool compile_only, watch, canonical;
    double total_limit_s; /* limit for all scenarios together, in seconds; 0: no limit */
    const char *from;     /* file of misses, or NULL */
    const char *gpus;     /* "all" or "0,2"; NULL for the GPU of --device */
    cli_list regions;     /* values of --sizes */
    uint32_t variants;    /* maximum number of variants of a rule; 0: the library's default */
    const char *report;   /* page to write during the tuning, or NULL */
    const char *shard_text;
    cli_shard shard;
} cli_warm;

/* Finds the requested scenarios. Stops with CLI_EXIT_NOTHING if there are none. */
int cli_warm_find(cli_scenarios *out, const cli_session *session);

/* Tunes every scenario and prints the rows in the user's order. If a scenario fails, the other
 * scenarios are still tuned. Returns the exit code. */
int cli_warm_tune(const cli_session *session, const cli_scenarios *scenarios);

/* Makes a rule for each kernel, for the region of --sizes (warm_rule.c). Returns the exit code. */
int cli_warm_rules(const cli_session *session);

/* ---- shards ---------------------------------------------------------------------------------- */

/* Reads the value of --shard, which may be NULL. */
int cli_shard_read(const char *text);
/* Drops the scenarios of other shards and prints how many are left. A scenario's shard depends only
 * on its kernel and sizes, so all runs agree. */
void cli_shard_keep(cli_scenarios *scenarios);
/* Refuses a database on a network file system, where file locks may not work between machines. */
int cli_shard_check(void);

/* ---- several GPUs ---------------------------------------------------------------------------- */

/* Tunes on the GPUs of --gpus, one process per GPU, and prints one table. Returns the exit code. */
int cli_fleet_run(void);
/* In a child of cli_fleet_run(), sets cli_given.own_gpu and sends progress to the parent. */
void cli_fleet_join(void);
/* Tunes the scenarios that the parent orders. Returns the exit code when the channel is closed. */
int cli_fleet_serve(const cli_session *session, const cli_scenarios *scenarios);

/* ---- one scenario ---------------------------------------------------------------------------- */

typedef struct cli_progress {
    size_t index, count; /* index of the scenario, counted from 0, and number of scenarios */
    const char *gpu;     /* name of this GPU if the run uses several GPUs; otherwise NULL */
    const char *label;   /* label of the scenario; cli_warm_try() sets it */
    double shown_s; /* seconds from the scenario's start to the last update of the progress line */
} cli_progress;

typedef struct cli_tuned {
    int status;
    gputune_plan *plan; /* plan for the caller to release, or NULL after a failure */
    gputune_info info;
    bool has_winner;
    const char *why; /* reason why the tuning ended or failed, without the kernel's name */
} cli_tuned;

/* Tunes a scenario and shows the progress. If `force` is true, tunes even if a result is stored.
 * Returns true if the tuning failed or the result was stored before. Otherwise the caller must
 * check that the new result was stored. */
bool cli_warm_try(cli_tuned *out, const cli_session *session, const cli_scenario *scenario,
                  double limit_s, bool force, cli_progress *progress);
/* Returns true if a tuning with this status may succeed on another GPU of the same kind. */
bool cli_warm_may_be_gpu(int status);
/* Returns the exit code of a scenario without a winner. Sets *out to the message, if there is one.
 * The message mentions `gpu` unless `gpu` is NULL. */
int cli_warm_failure(char **out, const cli_tuned *tuned, const char *label, const char *gpu);
/* Returns the scenarios in the order of tuning. Misses keep the file's order. */
cli_turn *cli_warm_turns(const cli_session *session, const cli_scenarios *scenarios);
/* Returns the time limit of turn `at`: the turn's share of the time that is left until
 * --total-limit, but at most --time-limit. */
double cli_warm_limit_s(const cli_turn *turns, size_t count, size_t at, int64_t start_ns,
                        size_t side_by_side);

/* Cancels the tuning if a file that --watch watches has changed. */
void cli_watch(void);
/* A gputune_progress_fn. `user` is a cli_progress. */
void cli_progress_update(void *user, const gputune_progress *at);
/* Draws a progress line, cut to the terminal's width. Changes `text`. */
void cli_progress_draw(char *text);

/* ---- the table ------------------------------------------------------------------------------- */

/* Returns a new table for winners, which has no rows yet. */
cli_table cli_warm_table(void);
/* Adds a row for a scenario's winner, and prints why variants failed. Returns the exit code. */
int cli_warm_add(cli_table *table, double place, const gputune_info *info,
                 const cli_session *session, const cli_scenario *scenario);
/* Adds a row that another process has packed by cli_table_pack(). */
void cli_warm_take(cli_table *table, double place, const char *packed);
/* Prints the table (with GPU models if `of_models` is true), the gain, and the time since
 * `start_ns`. Checks the database of `session` unless `session` is NULL. Returns the exit code. */
int cli_warm_end(cli_table *table, int code, bool of_models, int64_t start_ns,
                 const cli_session *session);

/* ---- the page of --report -------------------------------------------------------------------- */

/* Checks that the page can be written. The cli_rewrite functions do nothing without --report. */
int cli_rewrite_begin(void);
/* Starts `gputune report` for the page if scenarios are being tuned (`labels`). Does nothing while
 * an earlier report is running, or within 3 s of its start. */
void cli_rewrite(const cli_list *labels);
/* Writes the final page. Returns `code` or, if it is CLI_EXIT_OK, the exit code of the writer. */
int cli_rewrite_end(int code);
