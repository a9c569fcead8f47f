/* The command warm: its options and --watch (cmd_warm.c), its scenarios (warm_find.c, shard.c),
 * tuning on one GPU (warm_tune.c) and on several (fleet.c), its output (warm_show.c), and its page
 * (rewrite.c). */
#pragma once

#include "cli/table.h"
#include "cli/turns.h"

/* The part of the scenarios that this run tunes: --shard INDEX/COUNT. */
typedef struct cli_shard {
    uint32_t index, count; /* count: 0 if scenarios are not divided */
} cli_shard;

/* The options of warm, and how fleet.c started this process. */
extern struct cli_warm {
    cli_list kernels;
    bool compile_only, watch, canonical;
    double total_limit_s; /* seconds for all scenarios together; 0: no limit */
    const char *from;     /* a file of misses, or NULL */
    const char *gpus;     /* "all", "0,2"; NULL: the one GPU that --device names */
    cli_list regions;     /* the texts of --sizes */
    uint32_t variants;    /* --number of variants of a rule; 0: the library's default */
    const char *report;   /* the page to write while tuning, or NULL */
    const char *shard_text;
    cli_shard shard;
    bool is_silent; /* true if no notes are printed, because another child of --gpus prints them */
} cli_warm;

/* Finds the requested scenarios. Returns CLI_CONTINUE, or an exit code after a message, such as
 * CLI_EXIT_NOTHING if there are none. */
int cli_warm_find(cli_scenarios *out, const cli_session *session);

/* Tunes every scenario and prints the rows in the order given. A scenario that fails does not stop
 * the others. Returns the exit code. */
int cli_warm_tune(const cli_session *session, const cli_scenarios *scenarios);

/* Makes the rules for the region of --sizes, one for each kernel (warm_rule.c). Returns the exit
 * code. */
int cli_warm_rules(const cli_session *session);

/* ---- shards ---------------------------------------------------------------------------------- */

/* Reads the text of --shard (NULL: none). Returns CLI_CONTINUE, or CLI_EXIT_USAGE after a
 * message. */
int cli_shard_read(cli_shard *out, const char *text);
/* Drops the scenarios of other shards and prints how many are left. The shard depends only on the
 * kernel and its sizes, so all runs agree. */
void cli_shard_keep(const cli_shard *shard, cli_scenarios *scenarios);
/* Refuses a database on a network file system, whose locks may not hold between machines. Returns
 * CLI_CONTINUE, or an exit code after a message. */
int cli_shard_check(const cli_shard *shard);

/* ---- several GPUs ---------------------------------------------------------------------------- */

/* Tunes on the GPUs of --gpus, each with its own process, and prints one table. Returns the exit
 * code. */
int cli_fleet_run(void);
/* In a child of cli_fleet_run(), sets cli_given.own_gpu and sends messages to the parent. */
void cli_fleet_join(void);
/* Tunes the turns that the parent orders until it closes the channel. Returns the exit code. */
int cli_fleet_serve(const cli_session *session, const cli_scenarios *scenarios);

/* ---- one scenario ---------------------------------------------------------------------------- */

typedef struct cli_progress {
    size_t index, count; /* index of the scenario, from 0, and number of scenarios */
    const char *gpu;     /* the name of this GPU if several GPUs are used; otherwise NULL */
    const char *label;   /* set by cli_warm_try(), like shown_s */
    double shown_s;      /* when progress was last shown, in seconds since the scenario began */
} cli_progress;

/* The result of a scenario. */
typedef struct cli_tuned {
    int status;
    gputune_plan *plan; /* NULL if status < 0; the caller releases it */
    gputune_info info;  /* information about the plan */
    bool has_winner;
    const char *why; /* why the tuning ended or failed, without the kernel's name */
} cli_tuned;

/* Tunes a scenario and shows the progress. With `force`, tunes even if a result is stored. Returns
 * false if the result is new, so the caller must check that it was stored. */
bool cli_warm_try(cli_tuned *out, const cli_session *session, const cli_scenario *scenario,
                  double limit_s, bool force, cli_progress *progress);
/* Returns true if another GPU of the same kind may find a winner although the tuning ended with
 * this status. */
bool cli_warm_may_be_gpu(int status);
/* Returns the exit code of a scenario without a winner. Sets *out to the message, if there is one.
 * The message contains the name `gpu` unless it is NULL. */
int cli_warm_failure(char **out, const cli_tuned *tuned, const char *label, const char *gpu);
/* Returns the turns in the order of tuning, which is the file's order for misses. */
cli_turn *cli_warm_turns(const cli_session *session, const cli_scenarios *scenarios);
/* Returns the time limit of turn `at`: the lesser of --time-limit and the turn's share of the rest
 * of --total-limit. */
double cli_warm_limit_s(const cli_turn *turns, size_t count, size_t at, int64_t start_ns,
                        size_t side_by_side);

/* A gputune_progress_fn. `user` is a cli_progress. */
void cli_progress_update(void *user, const gputune_progress *at);
/* Draws a line, cut to the terminal's width. Changes `text`. */
void cli_progress_draw(char *text);

/* ---- the table ------------------------------------------------------------------------------- */

/* Returns the table of winners, without rows. */
cli_table cli_warm_table(void);
/* Adds the winner of a scenario at `place`, prints why variants failed, and returns the exit code.
 */
int cli_warm_add(cli_table *table, double place, const gputune_info *info,
                 const cli_session *session, const cli_scenario *scenario);
/* Adds a row of another process, as cli_table_pack() wrote it. */
void cli_warm_take(cli_table *table, double place, const char *packed);
/* Prints the table (with GPU models if `of_models`) and how much was gained since `start_ns`, and
 * checks the database of the session unless that is NULL. Returns the exit code of the command. */
int cli_warm_end(cli_table *table, int code, bool of_models, int64_t start_ns,
                 const cli_session *session);

/* ---- the report beside the tuning ------------------------------------------------------------ */

/* Checks that the page of --report can be written. Returns CLI_CONTINUE, or an exit code after a
 * message. These functions do nothing if `file` is NULL. */
int cli_rewrite_begin(const char *file);
/* Starts `gputune report` for the page, unless it is running or was started less than 3 s ago. */
void cli_rewrite(const char *file, const cli_list *labels);
/* Writes the final page. Returns `code`, or if `code` is CLI_EXIT_OK, the exit code of the command
 * that wrote the page. */
int cli_rewrite_end(const char *file, int code);
