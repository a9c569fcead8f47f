/* Shows the progress of warm and, at the end, the table of winners. */
#include "cli/records.h"
#include "cli/warm.h"

#include "base/clock.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAR_CELLS = 12, WIDTH_UNKNOWN = 80 };
static const double redraw_s = 0.1, heartbeat_s = 5;

static void cut_line(char *text, size_t columns)
{
    for (; *text; text++) {
        if (((unsigned char)*text & 0xC0) != 0x80 && columns-- == 0) {
            *text = '\0';
            return;
        }
    }
}

void cli_progress_draw(char *text)
{
    size_t columns = cli_console_columns(stderr);
    cut_line(text, (columns ? columns : WIDTH_UNKNOWN) - 1);
    cli_console_progress("%s", text);
}

/* Returns the finished fraction of the work. Compiling and verifying are 70%, racing is 30%. */
static double variants_done(const gputune_progress *at)
{
    if (at->variants == 0) {
        return 0;
    }
    double all = at->variants;
    double ready = fmin(1, (at->compiled + at->verified + at->failed * 2.0) / (2 * all));
    double raced = ready < 1 ? 0 : 1 - fmin(1, (at->racing > 1 ? at->racing - 1 : 0) / all);
    return 0.7 * ready + 0.3 * raced;
}

/* Appends the numbers, with the most important ones first, because the line may be cut. */
static void append_figures(char **text, const gputune_progress *at)
{
    double done = variants_done(at);
    double by_limit = at->limit_s > 0 ? fmax(0, at->limit_s - at->elapsed_s) : INFINITY;
    double left_s = fmin(by_limit, done > 0.05 ? at->elapsed_s * (1 - done) / done : INFINITY);
    const uint32_t tried = at->verified + at->failed;
    cli_append(text, "%u/%u tried", tried < at->variants ? tried : at->variants, at->variants);
    if (at->best_ns > 0) {
        cli_append(text, ", best %s", cli_value(at->best_ns, at->objective));
    }
    if (at->best_ns > 0 && at->default_ns > 0) {
        cli_append(text, " (%.2fx)", at->default_ns / at->best_ns);
    }
    if (isfinite(left_s)) {
        cli_append(text, ", %.0f s left", ceil(left_s));
    }
    if (at->failed) {
        cli_append(text, ", %u failed", at->failed);
    }
    if (at->racing > 1 && at->round > 0) {
        cli_append(text, ", race round %u, %u variants left", at->round, at->racing);
    }
}

static char *describe_progress(const cli_progress *progress, const gputune_progress *at, bool bar)
{
    char *text = cli_copy("");
    if (progress->count > 1) {
        cli_append(&text, "[%zu/%zu] ", progress->index + 1, progress->count);
    }
    if (progress->gpu) {
        cli_append(&text, "%s: ", progress->gpu);
    }
    cli_append(&text, "%s%s", progress->label, bar ? " " : ": ");
    if (bar) {
        double of_limit = at->limit_s > 0 ? fmin(1, at->elapsed_s / at->limit_s) : 0;
        int full = (int)(fmax(variants_done(at), of_limit) * BAR_CELLS + 0.5);
        for (int i = 0; i < BAR_CELLS; i++) {
            cli_append(&text, "%s", i < full ? "█" : "░");
        }
        cli_append(&text, " ");
    }
    append_figures(&text, at);
    return text;
}

void cli_progress_update(void *user, const gputune_progress *at)
{
    cli_progress *progress = user;
    bool live = cli_console_is_live();
    double since = at->elapsed_s - progress->shown_s;
    bool first = progress->shown_s == 0;
    if (cli_given.quiet || since < (live ? (first ? 0 : redraw_s) : heartbeat_s)) {
        return;
    }
    progress->shown_s = at->elapsed_s;
    CLI_SCOPED(cli_release_at) void *mark = cli_mark();
    char *text = describe_progress(progress, at, live && !progress->gpu);
    if (live && progress->gpu) {
        cut_line(text, WIDTH_UNKNOWN);
        cli_console_progress("%s", text); /* the parent adds this text to its own line */
    } else if (live) {
        cli_progress_draw(text);
    } else {
        cli_note("%s", text);
    }
}

typedef struct outcome {
    gputune_info info; /* must be the first member, because SAME uses offsets */
    const char *sizes;
    const char *gpu;         /* the model */
    char default_status[16]; /* status of the default if it failed; otherwise "" */
    const char *source, *default_time, *speedup, *flags;
    char hardware[512]; /* cli_hardware_text() */
    const char *given;  /* cli_kernel.given */
    bool unfinished;
    double place; /* sorts the rows */
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
    SAME(speedup, "", CLI_SOME_REAL, DATA),
    SAME(speedup_low, "", CLI_SOME_REAL, DATA),
    SAME(speedup_high, "", CLI_SOME_REAL, DATA),
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
    CLI_FIELD(outcome, hardware, "", CLI_CHARS, 0),
    CLI_FIELD(outcome, unfinished, "", CLI_YES, 0),
    CLI_FIELD(outcome, given, "", CLI_TEXT, 0),
};

typedef struct stored {
    const cli_scenario *scenario;
    cli_records records;
} stored;

static int take_stored(void *user, const gputune_record *record)
{
    stored *at = user;
    return cli_is_of_scenario(record, at->scenario) ? cli_records_add(&at->records, record) : 0;
}

/* Describes the winner's code in *row, and prints why variants failed. For a kernel's first winner,
 * also prints the scalars that were verified with only one value. */
static int explain(outcome *row, const cli_session *session, const cli_scenario *scenario)
{
    const char *sizes = scenario->size_text[0] ? scenario->size_text : NULL, *status = "";
    stored at = {scenario, {NULL, 0}};
    const gputune_record_filter filter = {
        .size = sizeof filter, .kernel = scenario->kernel->given, .sizes = sizes, .failures = true};
    CLI_SCOPED(cli_release_at) void *mark = cli_mark();
    int code = CLI_EXIT_OK;
    if (gputune_records(session->tuner, &filter, take_stored, &at) != GPUTUNE_OK) {
        return code;
    }
    for (size_t i = 0; i < at.records.count; i++) {
        const gputune_record *record = &at.records.items[i];
        if (record->is_winner && strcmp(record->configuration, row->info.configuration) == 0) {
            snprintf(row->hardware, sizeof row->hardware, "%s", cli_hardware_text(record));
            row->unfinished = record->unfinished;
        }
    }
    if (row->info.failed || row->info.default_ns <= 0) {
        cli_failures_print(&at.records, &row->info);
        code = cli_failures_code(&status, &at.records, &row->info);
        snprintf(row->default_status, sizeof row->default_status, "%s", status);
    }
    cli_single_print(&at.records);
    return code;
}

int cli_warm_add(cli_table *table, double place, const gputune_info *info,
                 const cli_session *session, const cli_scenario *scenario)
{
    outcome row = {.info = *info,
                   .sizes = scenario->size_text,
                   .gpu = session->device.name,
                   .given = scenario->kernel->given,
                   .place = place};
    int code = explain(&row, session, scenario);
    row.source = gputune_source_name(info->source);
    row.default_time = row.default_status[0]  ? row.default_status
                       : info->default_ns > 0 ? cli_value(info->default_ns, info->objective)
                                              : "";
    row.speedup = cli_speedup(info->speedup, info->speedup_low, info->speedup_high);
    const cli_flag flags[] = {{info->outside_only, "default, outside of --only"},
                              {info->tie, "tie"},
                              {info->noisy, "noisy"},
                              {info->modelled, "modelled"}};
    row.flags = cli_flags_text(flags, sizeof flags / sizeof *flags);
    cli_table_add(table, &row);
    return code;
}

cli_table cli_warm_table(void)
{
    return (cli_table)CLI_TABLE("winners", columns, outcome, CLI_VIEW);
}

void cli_warm_take(cli_table *table, double place, const char *packed)
{
    outcome row;
    cli_table_unpack(&row, table, packed);
    row.place = place;
    cli_table_add(table, &row);
}

static int by_place(const void *left, const void *right)
{
    const outcome *a = *(outcome *const *)left, *b = *(outcome *const *)right;
    return (a->place > b->place) - (a->place < b->place);
}

typedef struct gains {
    size_t count, unfinished; /* of the scenarios that were tuned */
    bool may_continue;        /* true if the stored result of another scenario is unfinished */
    uint64_t variants;
    double least, most; /* smallest and largest known speed-up; 0 if unknown */
    const outcome *last;
} gains;

static gains sum_gains(const cli_table *table)
{
    gains out = {0};
    for (size_t i = 0; i < table->row_count; i++) {
        const outcome *row = table->rows[i];
        double speedup = row->info.speedup;
        if (!row->info.variants || row->info.source == GPUTUNE_SOURCE_ESTIMATED) {
            out.may_continue |= row->unfinished;
            continue;
        }
        out.count++;
        out.unfinished += row->unfinished;
        out.variants += row->info.variants;
        out.last = row;
        if (speedup > 0) {
            out.least = out.least > 0 ? fmin(out.least, speedup) : speedup;
            out.most = fmax(out.most, speedup);
        }
    }
    return out;
}

/* Returns true if a speed-up is a gain worth looking for. */
static bool is_gain(double speedup)
{
    const double usual = 0.005; /* the library's default epsilon */
    return speedup >= 1 + (cli_tuning.options.epsilon > 0 ? cli_tuning.options.epsilon : usual);
}

static char *describe_gain(const outcome *row)
{
    const gputune_info *info = &row->info;
    const char *of = cli_label(info->kernel, row->sizes);
    const char *time = cli_value(info->time_ns, info->objective);
    if (strcmp(info->configuration, info->default_configuration) == 0) {
        return cli_format("%s: the default wins (%s)", of, time);
    }
    if (info->speedup <= 0) {
        return cli_format("%s: the winner takes %s; the default could not be timed", of, time);
    }
    if (!is_gain(info->speedup)) {
        return cli_format("%s: no variant is faster than the default by more than epsilon (%s; the "
                          "default takes %s)",
                          of, time, cli_value(info->default_ns, info->objective));
    }
    return cli_format("%s: the winner is %.*f times as fast as the default (%s instead of %s)", of,
                      info->speedup < 1.005 ? 4 : 2, info->speedup, time,
                      cli_value(info->default_ns, info->objective));
}

static void print_gains(const cli_table *table, double seconds)
{
    const gains all = sum_gains(table);
    if (!all.count) {
        if (table->row_count && !cli_tuning.effort && !cli_tuning.options.force &&
            !cli_given.pinned) {
            cli_note("nothing was tuned, because the winners are stored; %s; next: gputune show",
                     all.may_continue ? "a longer --time-limit continues unfinished tunings"
                                      : "--force tunes again");
        }
        return;
    }
    char *least = cli_format("%.2f", all.least), *most = cli_format("%.2f", all.most);
    const char *gain =
        all.count == 1  ? describe_gain(all.last)
        : all.most <= 0 ? cli_format("%zu scenarios: no default could be timed", all.count)
        : !is_gain(all.most)
            ? cli_format(
                  "%zu scenarios: no variant is faster than the default by more than epsilon",
                  all.count)
            : cli_format("%zu scenarios: the winners are %s%s%s times as fast as the defaults",
                         all.count, least, strcmp(least, most) ? " to " : "",
                         strcmp(least, most) ? most : "");
    const char *time = cli_format(seconds < 10 ? "%.2g" : "%.0f", seconds);
    const char *why =
        all.count == 1 ? cli_format(" %s --why", cli_shell_word(all.last->given)) : "";
    const char *next =
        !all.unfinished || cli_canceled ? cli_format("next: gputune show%s", why)
        : all.count == 1
            ? cli_format("unfinished (%s); raise --time-limit, or choose smaller sizes",
                         all.last->info.stop_reason)
            : cli_format("%zu unfinished; raise --time-limit", all.unfinished);
    cli_note("%s; tried %" PRIu64 " variant%s in %s s; %s", gain, all.variants,
             gt_plural(all.variants), time, next);
    if (all.count == 1 && all.last->hardware[0]) {
        cli_note("%s: %s", all.last->info.kernel, all.last->hardware);
    }
}

int cli_warm_end(cli_table *table, int code, bool of_models, int64_t start_ns,
                 const cli_session *session)
{
    if (table->row_count) {
        qsort(table->rows, table->row_count, sizeof *table->rows, by_place);
    }
    table->view = of_models ? MODELS : CLI_VIEW;
    cli_table_print(table);
    print_gains(table, gt_seconds_since(start_ns));
    code = session ? cli_check_database(session, code) : code;
    if (cli_canceled && code != CLI_EXIT_DATABASE) {
        cli_note("stopped; finished results are stored, and running again continues from there");
    }
    return cli_canceled ? CLI_EXIT_CANCELED : code;
}
