/* The command warm: its options and --watch (cmd_warm.c), its scenarios (warm_find.c, shard.c),
 * tuning on one GPU (warm_tune.c) and on several (fleet.c), its output (warm_show.c), and its page
 * (rewrite.c). */
#pragma once

#include "cli/table.h"
#include "cli/turns.h"

/* One of several runs that divide the scenarios of a command line. */
typedef struct cli_shard {
    uint32_t index, count; /* count 0: there are no shards */
} cli_shard;

/* The options of warm, and how fleet.c started this process. */
extern struct cli_warm {
    cli_list kernels;
    bool compile_only, check, watch, canonical;
    double total_limit_s; /* seconds for all scenarios together; 0: no limit */
    const char *from;     /* a file of misses, or NULL */
    const char *gpus;     /* "all", "0,2"; NULL: the one GPU that --device names */
    const char *report;   /* where the page is written while it tunes, or NULL */
    const char *shard_text;
    cli_shard shard;
    bool is_silent; /* another child prints what each of them finds */
} cli_warm;

/* Finds the requested scenarios. An exit code comes after a message: CLI_EXIT_NOTHING: none. */
int cli_warm_find(cli_scenarios *out, const cli_session *session);

/* Tunes every scenario and prints its row, in the order given, though tuned in the order of
 * cli/turns.h (misses: as given). One that fails stops no other. Returns the exit code. */
int cli_warm_tune(const cli_session *session, const cli_scenarios *scenarios);

/* ---- shards ---------------------------------------------------------------------------------- */

/* Reads the text of --shard (NULL: none), and for "auto" the launcher's environment. Returns
 * CLI_CONTINUE, or CLI_EXIT_USAGE after a message, also for missing or contrary variables. */
int cli_shard_read(cli_shard *out, const char *text);
/* Drops the scenarios that belong to other shards and prints how many are left. The shard depends
 * only on the scenario's kernel and sizes, so every run assigns it to the same shard. */
void cli_shard_keep(const cli_shard *shard, cli_scenarios *scenarios);
/* Refuses a database on a network file system for several machines, as its locks may not hold
 * between them. Returns CLI_CONTINUE, or an exit code after a message. */
int cli_shard_check(const cli_shard *shard);

/* ---- several GPUs ---------------------------------------------------------------------------- */

/* Tunes on the GPUs of --gpus, each with a process of its own, and prints one table. Returns the
 * exit code. */
int cli_fleet_run(void);
/* In a child of cli_fleet_run(): sets cli_given.own_gpu, and sends messages to the parent. */
void cli_fleet_join(void);
/* Tunes what the parent orders until it closes the channel. Returns the exit code. */
int cli_fleet_serve(const cli_session *session, const cli_scenarios *scenarios);

/* ---- one scenario ---------------------------------------------------------------------------- */

typedef struct cli_progress {
    size_t index, count; /* the scenario's index, from 0, and how many scenarios there are */
    const char *gpu;     /* this GPU's name if several are used; otherwise NULL */
    const char *label;   /* set by cli_warm_try(), like shown_s */
    double shown_s;      /* when something was last shown, on the scenario's own clock */
} cli_progress;

/* The result of a scenario. */
typedef struct cli_tuned {
    int status;
    gputune_plan *plan; /* NULL if status < 0; the caller releases it */
    gputune_info info;  /* of the plan */
    bool has_winner;
    const char *why; /* why it ended or failed, without the kernel's name */
} cli_tuned;

/* Tunes a scenario, even if a result is stored with `force`, and shows the progress. Returns false
 * if the result is new: the caller then checks that it was stored. */
bool cli_warm_try(cli_tuned *out, const cli_session *session, const cli_scenario *scenario,
                  double limit_s, bool force, cli_progress *progress);
/* Returns true if an equal GPU may find a winner after one ended with that status and without a
 * winner. */
bool cli_warm_may_be_gpu(int status);
/* The exit code without a winner, and *out its message, if any, which names `gpu` unless NULL. */
int cli_warm_failure(char **out, const cli_tuned *tuned, const char *label, const char *gpu);
/* Returns the scenarios' turns in the order in which they are taken; a file of misses has an order
 * of its own. */
cli_turn *cli_warm_turns(const cli_session *session, const cli_scenarios *scenarios);
/* Returns the limit of turn `at`: --time-limit, and its share of what --total-limit leaves. */
double cli_warm_limit_s(const cli_turn *turns, size_t count, size_t at, int64_t begun_ns,
                        size_t side_by_side);

/* A gputune_progress_fn. `user` is a cli_progress. */
void cli_progress_update(void *user, const gputune_progress *at);
/* Draws a line, cut to the terminal's width. Changes `text`. */
void cli_progress_draw(char *text);

/* ---- the table ------------------------------------------------------------------------------- */

/* Returns the table of winners, without rows. */
cli_table cli_warm_table(void);
/* Adds a scenario's winner by `place`, and prints why variants failed. Returns its exit code. */
int cli_warm_add(cli_table *table, double place, const gputune_info *info,
                 const cli_session *session, const cli_scenario *scenario);
/* Adds a row of another process, as cli_table_pack() wrote it. */
void cli_warm_take(cli_table *table, double place, const char *packed);
/* Prints the table, with the GPU model of each winner if `of_models`, and a sentence about the gain
 * since `begun_ns`; then checks the session's database unless `session` is NULL. Returns the exit
 * code of the command, `code` if all is well. */
int cli_warm_end(cli_table *table, int code, bool of_models, int64_t begun_ns,
                 const cli_session *session);

/* ---- before and beside the tuning ------------------------------------------------------------ */

/* Checks the kernels on the emulator and prints mistakes. CLI_CONTINUE, or the exit code. */
int cli_check_first(void);

/* Checks that the page of --report can be written. Returns CLI_CONTINUE, or an exit code after a
 * message. `file` may be NULL here and below: then nothing is done. */
int cli_rewrite_begin(const char *file);
/* Starts `gputune report` beside this process for the page, unless it runs or did lately. */
void cli_rewrite(const char *file, const cli_list *labels);
/* Writes the page for the last time, without a scenario that is being tuned. Returns `code`, or if
 * that is CLI_EXIT_OK and the page was not written, the exit code for that. */
int cli_rewrite_end(const char *file, int code);
