/* warm: tunes one scenario after another and prints the winners. */
#include "cli/warm.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/failures.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/turns.h"
#include "cli/units.h"

#include <string.h>
#include <time.h>

/* A finished scenario as a row. */
typedef struct outcome {
    gputune_info info; /* first: a column of it is one of the row */
    const char *sizes;
    char default_status[16]; /* of a default that failed, else "" */
} outcome;

static void source(cli_cell *out, const void *item)
{
    const gputune_info *info = &((const outcome *)item)->info;
    cli_set_text(out, gputune_source_name(info->source));
}

/* The default's time, or why it has none. */
static void default_time(cli_cell *out, const void *item)
{
    const outcome *row = item;
    if (row->default_status[0]) {
        cli_set_text(out, row->default_status);
    } else {
        cli_set_number(out, row->info.default_ns, true);
    }
}

static void speedup(cli_cell *out, const void *item)
{
    const gputune_info *info = &((const outcome *)item)->info;
    if (info->speedup > 0) {
        cli_set_text(out, cli_speedup(info->speedup, info->speedup_low, info->speedup_high));
    }
}

static void flags(cli_cell *out, const void *item)
{
    const gputune_info *info = &((const outcome *)item)->info;
    char *text = cli_format("%s%s%s%s", info->outside_only ? "default, outside of --only, " : "",
                            info->tie ? "tie, " : "", info->noisy ? "noisy, " : "",
                            info->modelled ? "modelled, " : "");
    text[strlen(text) ? strlen(text) - 2 : 0] = '\0';
    cli_set_text(out, text);
}

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW };
#define SAME(name, title, unit, where) CLI_FIELD(gputune_info, name, title, unit, where)

static const cli_column columns[] = {
    SAME(kernel, "kernel", CLI_TEXT, BOTH),
    CLI_FIELD(outcome, sizes, "sizes", CLI_SIZES, BOTH),
    SAME(objective, "objective", CLI_OBJECTIVE, BOTH | CLI_SPARE),
    SAME(configuration, "configuration", CLI_TEXT, BOTH),
    SAME(default_configuration, "", CLI_TEXT, DATA),
    SAME(default_ns, "", CLI_TIME, DATA),
    {NULL, "default", CLI_TIME, CLI_VIEW, 0, default_time},
    {"median_ns", "median", CLI_TIME, BOTH, offsetof(gputune_info, time_ns), NULL},
    CLI_MADE(NULL, "speed-up", CLI_VIEW, speedup),
    SAME(speedup, "", CLI_RATIO, DATA),
    SAME(speedup_low, "", CLI_RATIO, DATA),
    SAME(speedup_high, "", CLI_RATIO, DATA),
    SAME(registers, "regs", CLI_SOME_COUNT, BOTH | CLI_SPARE),
    SAME(spill_bytes, "", CLI_COUNT, DATA),
    SAME(shared_bytes, "", CLI_COUNT, DATA),
    SAME(variants, "", CLI_COUNT, DATA),
    SAME(variants, "variants", CLI_SOME_COUNT, CLI_VIEW | CLI_SPARE),
    SAME(failed, "", CLI_COUNT, DATA),
    SAME(failed, "failed", CLI_SOME_COUNT, CLI_VIEW),
    CLI_MADE("source", "source", BOTH | CLI_SPARE, source),
    SAME(tie, "", CLI_YES, DATA),
    SAME(noisy, "", CLI_YES, DATA),
    SAME(modelled, "", CLI_YES, DATA),
    CLI_MADE(NULL, "flags", CLI_VIEW, flags),
    SAME(stop_reason, "stopped", CLI_TEXT, BOTH),
    CLI_FIELD(outcome, default_status, "", CLI_CHARS, DATA),
    {"grid", "", CLI_TEXT, DATA, offsetof(gputune_info, grids), NULL},
    {"block", "", CLI_TEXT, DATA, offsetof(gputune_info, blocks), NULL},
    SAME(outside_only, "", CLI_YES, DATA),
};

/* The failures that are stored of a scenario. */
typedef struct failed {
    gputune_cache cache;
    const cli_scenario *scenario;
    outcome *row;
    cli_failures failures;
} failed;

static int take_failure(void *user, const gputune_record *record)
{
    failed *at = user;
    if (strcmp(record->sizes, at->scenario->size_text) != 0 ||
        record->objective != at->row->info.objective || record->cache != at->cache ||
        record->outdated) {
        return 0;
    }
    cli_failures_add(&at->failures, record);
    if (record->is_default && cli_is_failure(record->status)) {
        snprintf(at->row->default_status, sizeof at->row->default_status, "%s", record->status);
    }
    return 0;
}

/* Says why variants failed, and puts down how the default did. Returns the exit code. */
static int explain_failures(outcome *row, const cli_warm *warm, const cli_session *session,
                            const cli_scenario *scenario)
{
    failed at = {.cache = cli_tuning_options(&warm->tuning, scenario).cache,
                 .scenario = scenario,
                 .row = row};
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    void *mark = cli_mark();
    int code = CLI_EXIT_OK;
    filter.kernel = scenario->kernel->name;
    filter.failures = true;
    if (gputune_records(session->tuner, &filter, take_failure, &at) == GPUTUNE_OK) {
        cli_failures_say(&at.failures);
        code = cli_failures_code(&at.failures, row->info.variants);
    }
    cli_release(mark, NULL);
    return code;
}

/* Returns the exit code of a scenario that has a winner. */
static int add_row(cli_table *table, const gputune_info *info, const cli_warm *warm,
                   const cli_session *session, const cli_scenario *scenario)
{
    outcome row = {.info = *info, .sizes = scenario->size_text};
    int code = info->failed ? explain_failures(&row, warm, session, scenario) : CLI_EXIT_OK;
    cli_cell *cells = cli_table_add(table, &row);
    for (size_t i = 0; i < table->column_count; i++) {
        cells[i].is_energy =
            info->objective == GPUTUNE_OBJECTIVE_ENERGY && columns[i].unit == CLI_TIME;
    }
    return code;
}

static bool has_winner(const cli_warm *warm, const gputune_info *info)
{
    bool measures = warm->tuning.effort == 0 || warm->tuning.effort == 3;
    return info->source == GPUTUNE_SOURCE_CACHED || info->source == GPUTUNE_SOURCE_MEASURED ||
           (!measures && info->source != GPUTUNE_SOURCE_DEFAULT);
}

/* `*stored` stays as it is where the winner came out of the database. */
static int tune(cli_table *table, const cli_warm *warm, const cli_session *session,
                const cli_scenario *scenario, double limit_s, cli_progress *progress, bool *stored)
{
    gputune_options options = cli_tuning_options(&warm->tuning, scenario);
    options.time_limit_s = limit_s;
    options.progress = cli_progress_update;
    options.user = progress;
    gputune_plan *plan;
    cli_progress_start(progress, scenario->label);
    int status = tune_kernel(&plan, session->tuner, scenario->kernel->name,
                             cli_scenario_sizes(scenario), &options);
    cli_progress_end(progress);
    if (status < 0) {
        int failed = cli_fail_at(status, scenario->label);
        cli_compile_log_of_trials(session, scenario);
        return failed;
    }
    gputune_info info = {.version = GPUTUNE_INFO_VERSION};
    status = gputune_plan_info(&info, plan);
    *stored &= info.source == GPUTUNE_SOURCE_CACHED;
    int code = CLI_EXIT_OK;
    if (status < 0) {
        code = cli_fail(status);
    } else if (has_winner(warm, &info)) {
        code = add_row(table, &info, warm, session, scenario);
    } else if (!*cli_cancel()) {
        cli_error("%s: not tuned%s%s; programs get the %s configuration, %s", scenario->label,
                  info.stop_reason[0] ? ": " : "",
                  cli_without_kernel(info.stop_reason, scenario->label),
                  gputune_source_name(info.source), info.configuration);
        code = CLI_EXIT_NOTHING;
    }
    if (status == GPUTUNE_OK && info.failed) {
        cli_compile_log_of_trials(session, scenario);
    }
    gputune_plan_release(plan);
    return code;
}

/* --- all of them ------------------------------------------------------------------------------ */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The limit of one turn: --time-limit, and its share of what is left of --total-limit. */
static double limit_of(const cli_warm *warm, const cli_turn *turns, size_t count, size_t at,
                       double begun_s)
{
    double each_s = warm->tuning.time_limit_s;
    if (warm->total_limit_s <= 0) {
        return each_s;
    }
    double left_s = warm->total_limit_s - (now_s() - begun_s);
    double share_s = cli_turns_share_s(turns, count, at, left_s);
    return each_s > 0 && each_s < share_s ? each_s : share_s;
}

/* The turns in the order in which they are taken: a file of misses has an order of its own. */
static cli_turn *order_turns(const cli_warm *warm, const cli_session *session,
                             const cli_scenarios *scenarios)
{
    cli_turn *turns = cli_turns_make(session, scenarios, (gputune_objective)warm->tuning.objective,
                                     (gputune_cache)warm->tuning.cache);
    for (size_t i = 0; i < scenarios->count; i++) {
        turns[i].known &= !warm->tuning.force;
        turns[i].begun |= warm->tuning.strategy == GPUTUNE_STRATEGY_EXHAUSTIVE; /* learns nothing */
    }
    if (!warm->from) {
        cli_turns_sort(turns, scenarios->count);
    }
    cli_turns_weigh(turns, scenarios->count);
    return turns;
}

int cli_warm_tune(const cli_warm *warm, const cli_session *session, const cli_scenarios *scenarios)
{
    double begun_s = now_s();
    cli_table table = CLI_TABLE("winners", columns, CLI_VIEW);
    cli_progress progress = {.count = scenarios->count};
    int code = CLI_EXIT_OK;
    bool stored = true;
    size_t count = scenarios->count;
    size_t *places = cli_allocate(count + 1, sizeof *places);
    cli_turn *turns = order_turns(warm, session, scenarios);
    for (size_t i = 0; i < count && !*cli_cancel(); i++) {
        double limit_s = limit_of(warm, turns, count, i, begun_s);
        places[table.row_count] = turns[i].place;
        code = cli_worse(
            code, tune(&table, warm, session, turns[i].scenario, limit_s, &progress, &stored));
    }
    cli_table_sort(&table, places);
    cli_table_write(&table, (cli_format_kind)warm->common.format, stdout);
    bool kept = stored || gputune_check_database(session->tuner) == GPUTUNE_OK;
    if (!kept) {
        code = cli_check_database(session, code);
    }
    if (*cli_cancel()) {
        if (kept) {
            cli_note("stopped; what is finished is stored, running again goes on from there");
        }
        return CLI_EXIT_CANCELED;
    }
    return code;
}
