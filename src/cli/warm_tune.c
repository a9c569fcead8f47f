/* Implements warm on one GPU, scenario by scenario. */
#include "cli/records.h"
#include "cli/warm.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

static bool measures(void)
{
    return cli_tuning.effort == 0 || cli_tuning.effort == 3;
}

static void show_progress(void *user, const gputune_progress *at)
{
    cli_progress *progress = user;
    cli_list labels = {NULL, 0};
    CLI_SCOPED(cli_release_at) void *mark = cli_mark();
    cli_add(&labels, progress->label);
    cli_progress_update(user, at);
    cli_rewrite(&labels);
    cli_watch();
}

static void tune_scenario(cli_tuned *out, const cli_session *session, const cli_scenario *scenario,
                          const gputune_options *options)
{
    const gputune_source *source = &out->info.source;
    *out = (cli_tuned){.info = {.size = sizeof(gputune_info)}};
    out->status =
        tune_kernel(&out->plan, session->tuner, scenario->kernel->given, scenario->sizes, options);
    if (out->status == GPUTUNE_OK) {
        out->status = gputune_plan_info(&out->info, out->plan);
    }
    const char *why = out->status < 0 ? gputune_error() : out->info.stop_reason;
    out->why = cli_copy(cli_without_kernel(why, scenario->label));
    out->has_winner = out->status == GPUTUNE_OK &&
                      (*source == GPUTUNE_SOURCE_CACHED || *source == GPUTUNE_SOURCE_MEASURED ||
                       (!measures() && *source != GPUTUNE_SOURCE_DEFAULT));
}

/* Raises a time limit. Returns true if --canonical must tune again because time ran out. */
static bool raise_limit(const cli_tuned *tuned, gputune_options *options)
{
    static const double most_s = 60, factor = 4, usual_s = 10; /* usual_s: the library's default */
    bool lacked_time = tuned->status == GPUTUNE_ETIMEOUT || tuned->status == GPUTUNE_OK;
    double limit_s = options->time_limit_s > 0 ? options->time_limit_s : usual_s;
    options->time_limit_s = fmin(factor * limit_s, most_s);
    return cli_warm.canonical && !cli_warm.total_limit_s && measures() && lacked_time &&
           !tuned->has_winner && !cli_canceled && limit_s < most_s;
}

bool cli_warm_try(cli_tuned *out, const cli_session *session, const cli_scenario *scenario,
                  double limit_s, bool force, cli_progress *progress)
{
    gputune_options options = cli_tuning_options(scenario);
    progress->label = scenario->label;
    progress->shown_s = 0;
    options.force |= force;
    options.time_limit_s = cli_limit_s(session, limit_s);
    options.progress = show_progress;
    options.user = progress;
    tune_scenario(out, session, scenario, &options);
    while (raise_limit(out, &options)) {
        gputune_plan_release(out->plan);
        tune_scenario(out, session, scenario, &options);
    }
    if (out->status < 0 || out->info.failed) {
        cli_compile_log_of_trials(session, scenario);
    }
    cli_console_progress_end();
    return out->status < 0 || out->info.source == GPUTUNE_SOURCE_CACHED;
}

bool cli_warm_may_be_gpu(int status)
{
    return status == GPUTUNE_OK || status == GPUTUNE_ENODRIVER || status == GPUTUNE_ECUDA ||
           status == GPUTUNE_ECRASHED || status == GPUTUNE_EWRONG || status == GPUTUNE_EWORKER ||
           status == GPUTUNE_EDEVMEM;
}

/* Returns the name of a size that is 0 in a label such as "axpy n=0 T=float", or NULL. */
static const char *empty_size(const char *label)
{
    char *name, *value;
    while (cli_next_pair(&label, &name, &value)) {
        if (strcmp(value, "0") == 0) {
            return name;
        }
    }
    return NULL;
}

int cli_warm_failure(char **out, const cli_tuned *tuned, const char *label, const char *gpu)
{
    const char *of = gpu ? cli_format("%s: %s", label, gpu) : label;
    const char *why = tuned->why, *gets = tuned->info.configuration;
    if (tuned->status < 0) {
        *out = cli_format("%s: %s", of, why[0] ? why : gputune_status_text(tuned->status));
        return cli_exit_code(tuned->status);
    }
    if (cli_canceled) {
        return CLI_EXIT_OK;
    }
    const char *empty = empty_size(label);
    if (empty && tuned->info.source == GPUTUNE_SOURCE_DEFAULT && !tuned->info.grid[0]) {
        *out = cli_format("%s: nothing to tune, because nothing is launched at %s=0", of, empty);
        return CLI_EXIT_OK;
    }
    *out = cli_format("%s: not tuned%s%s; programs launch the %s%s%s", of, why[0] ? ": " : "", why,
                      tuned->info.source == GPUTUNE_SOURCE_NEAREST
                          ? "winner of the nearest size"
                          : cli_format("%s configuration", gputune_source_name(tuned->info.source)),
                      gets[0] ? ", " : "", gets);
    return CLI_EXIT_NOTHING;
}

cli_turn *cli_warm_turns(const cli_session *session, const cli_scenarios *scenarios)
{
    cli_turn *turns = cli_turns_make(session, scenarios);
    for (size_t i = 0; i < scenarios->count; i++) {
        turns[i].known &= !cli_tuning.options.force;
        turns[i].started |=
            cli_tuning.options.strategy == GPUTUNE_STRATEGY_EXHAUSTIVE; /* it learns nothing */
    }
    if (!cli_warm.from) {
        cli_turns_sort(turns, scenarios->count);
    }
    cli_turns_weigh(turns, scenarios->count);
    return turns;
}

double cli_warm_limit_s(const cli_turn *turns, size_t count, size_t at, int64_t start_ns,
                        size_t side_by_side)
{
    double each_s = cli_tuning.options.time_limit_s;
    if (cli_warm.total_limit_s <= 0) {
        return each_s;
    }
    double left_s = cli_warm.total_limit_s - gt_seconds_since(start_ns);
    double share_s = cli_turns_share_s(turns, count, at, left_s, side_by_side);
    return each_s > 0 && each_s < share_s ? each_s : share_s;
}

int cli_warm_tune(const cli_session *session, const cli_scenarios *scenarios)
{
    const int64_t start_ns = gt_now_ns();
    cli_turn *turns = cli_warm_turns(session, scenarios);
    cli_table table = cli_warm_table();
    cli_progress progress = {.count = scenarios->count};
    int code = CLI_EXIT_OK;
    bool stored = true; /* true if every winner was in the database */
    for (size_t i = 0; i < scenarios->count && !cli_canceled; i++) {
        const cli_scenario *scenario = turns[i].scenario;
        cli_tuned tuned;
        char *failure = NULL;
        double limit_s = cli_warm_limit_s(turns, scenarios->count, i, start_ns, 1);
        progress.index = i;
        stored &= cli_warm_try(&tuned, session, scenario, limit_s, false, &progress);
        int its_code = tuned.has_winner ? cli_warm_add(&table, (double)turns[i].place, &tuned.info,
                                                       session, scenario)
                                        : cli_warm_failure(&failure, &tuned, scenario->label, NULL);
        if (failure) {
            cli_console_print(its_code != CLI_EXIT_OK, "%s", failure);
        }
        code = cli_worse(code, its_code);
        gputune_plan_release(tuned.plan);
    }
    if (cli_canceled && !cli_interrupted) { /* canceled by --watch, which tunes again */
        return CLI_EXIT_CANCELED;
    }
    return cli_warm_end(&table, code, false, start_ns, stored ? NULL : session);
}
