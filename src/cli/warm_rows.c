/* The winners that warm prints, as rows of a table. */
#include "cli/failures.h"
#include "cli/memory.h"
#include "cli/units.h"
#include "cli/warm.h"

#include <stdio.h>
#include <string.h>

/* A finished scenario as a row. */
typedef struct outcome {
    gputune_info info; /* the first member, which columns of it read */
    const char *sizes;
    const char *gpu;         /* the model */
    char default_status[16]; /* of a default that failed, else "" */
    const char *source, *default_time, *speedup, *flags;
    double place; /* by which rows are ordered */
} outcome;

enum { MODELS = CLI_VIEW << 1, VIEWS = CLI_VIEW | MODELS };
enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | VIEWS };
#define SAME(name, title, unit, where) CLI_FIELD(gputune_info, name, title, unit, where)

static const cli_column columns[] = {
    CLI_FIELD(outcome, gpu, "GPU", CLI_TEXT, MODELS),
    SAME(kernel, "kernel", CLI_TEXT, BOTH),
    CLI_FIELD(outcome, sizes, "sizes", CLI_SIZES, BOTH),
    SAME(objective, "objective", CLI_OBJECTIVE, BOTH | CLI_SPARE),
    SAME(configuration, "configuration", CLI_TEXT, BOTH),
    SAME(default_configuration, "", CLI_TEXT, DATA),
    SAME(default_ns, "", CLI_TIME, DATA),
    CLI_FIELD(outcome, default_time, "default", CLI_FIGURE, VIEWS),
    CLI_AS("median_ns", gputune_info, time_ns, "median", CLI_TIME, BOTH),
    CLI_FIELD(outcome, speedup, "speed-up", CLI_TEXT, VIEWS),
    SAME(speedup, "", CLI_RATIO, DATA),
    SAME(speedup_low, "", CLI_RATIO, DATA),
    SAME(speedup_high, "", CLI_RATIO, DATA),
    SAME(registers, "regs", CLI_SOME_COUNT, BOTH | CLI_SPARE),
    SAME(spill_bytes, "", CLI_COUNT, DATA),
    SAME(shared_bytes, "", CLI_COUNT, DATA),
    SAME(variants, "", CLI_COUNT, DATA),
    SAME(variants, "variants", CLI_SOME_COUNT, VIEWS | CLI_SPARE),
    SAME(failed, "", CLI_COUNT, DATA),
    SAME(failed, "failed", CLI_SOME_COUNT, VIEWS),
    CLI_FIELD(outcome, source, "source", CLI_TEXT, BOTH | CLI_SPARE),
    SAME(tie, "", CLI_YES, DATA),
    SAME(noisy, "", CLI_YES, DATA),
    SAME(modelled, "", CLI_YES, DATA),
    CLI_FIELD(outcome, flags, "flags", CLI_TEXT, VIEWS),
    SAME(stop_reason, "stopped", CLI_TEXT, BOTH | CLI_SPARE),
    CLI_FIELD(outcome, default_status, "", CLI_CHARS, DATA),
    CLI_AS("grid", gputune_info, grids, "", CLI_TEXT, DATA),
    CLI_AS("block", gputune_info, blocks, "", CLI_TEXT, DATA),
    SAME(outside_only, "", CLI_YES, DATA),
    CLI_FIELD(outcome, gpu, "", CLI_TEXT, DATA),
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

/* Says why variants failed, and puts down how the default did. Returns the exit code. A stored
 * winner of a default that has no time is explained too, so that asking twice says the same. */
static int explain_failures(outcome *row, const cli_session *session, const cli_scenario *scenario)
{
    failed at = {.cache = cli_tuning_options(scenario).cache, .scenario = scenario, .row = row};
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    void *mark = cli_mark();
    int code = CLI_EXIT_OK;
    filter.kernel = scenario->kernel->name;
    filter.failures = true;
    if (gputune_records(session->tuner, &filter, take_failure, &at) == GPUTUNE_OK) {
        cli_failures_say(&at.failures);
        code = cli_failures_code(&at.failures, row->info.variants);
    }
    cli_release(mark);
    return code;
}

int cli_warm_add(cli_table *table, double place, const gputune_info *info,
                 const cli_session *session, const cli_scenario *scenario)
{
    outcome row = {
        .info = *info, .sizes = scenario->size_text, .gpu = session->device.name, .place = place};
    bool is_lacking = info->failed || info->default_ns <= 0;
    int code = is_lacking ? explain_failures(&row, session, scenario) : CLI_EXIT_OK;
    row.source = gputune_source_name(info->source);
    row.default_time = row.default_status[0]  ? row.default_status
                       : info->default_ns > 0 ? cli_value(info->default_ns, info->objective)
                                              : "";
    row.speedup =
        info->speedup > 0 ? cli_speedup(info->speedup, info->speedup_low, info->speedup_high) : "";
    char *flags = cli_format("%s%s%s%s", info->outside_only ? "default, outside of --only, " : "",
                             info->tie ? "tie, " : "", info->noisy ? "noisy, " : "",
                             info->modelled ? "modelled, " : "");
    flags[strlen(flags) ? strlen(flags) - 2 : 0] = '\0';
    row.flags = flags;
    cli_table_add_measured(table, &row, info->objective);
    return code;
}

cli_table cli_warm_table(void)
{
    return (cli_table)CLI_TABLE("winners", columns, outcome, CLI_VIEW);
}

static double place_of(const void *item)
{
    return ((const outcome *)item)->place;
}

void cli_warm_print(cli_table *table, bool of_models)
{
    cli_table_sort(table, place_of);
    table->view = of_models ? MODELS : CLI_VIEW;
    cli_table_print(table);
}
