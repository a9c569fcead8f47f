/* Writes a report as a page, in which the data stand as JSON, or as Markdown. */
#include "cli/report.h"

#include "cli/files.h"
#include "cli/memory.h"
#include "cli/record_columns.h"
#include "cli/units.h"
#include "cli/why.h"

#include <stdlib.h>
#include <string.h>

extern const char cli_report_page[]; /* made by tools/report-page */
static const char place_of_data[] = "@data@\n", policy_of_all[] = "default-src 'none'";

#define OF_TRIAL(member, unit) CLI_FIELD(cli_trial, member, "", unit, CLI_IN_DATA)

static const cli_column trial_columns[] = {
    OF_TRIAL(configuration, CLI_TEXT), OF_TRIAL(status, CLI_CHARS),
    OF_TRIAL(message, CLI_TEXT),       OF_TRIAL(median_ns, CLI_TIME),
    OF_TRIAL(low_ns, CLI_TIME),        OF_TRIAL(high_ns, CLI_TIME),
    OF_TRIAL(samples, CLI_COUNT),      OF_TRIAL(eliminated_round, CLI_COUNT),
    OF_TRIAL(registers, CLI_COUNT),    OF_TRIAL(spill_bytes, CLI_COUNT),
    OF_TRIAL(shared_bytes, CLI_COUNT), OF_TRIAL(occupancy, CLI_REAL),
    OF_TRIAL(compile_ns, CLI_TIME),    OF_TRIAL(is_default, CLI_YES),
    OF_TRIAL(order, CLI_WHOLE),        OF_TRIAL(created, CLI_TEXT),
};

static void write_text(const char *key, const char *text, FILE *file)
{
    fprintf(file, "\"%s\": ", key);
    cli_json_text(text ? text : "", file);
    fputs(", ", file);
}

static void write_scenario(const cli_measured *from, const char *source, FILE *file)
{
    cli_table trials = CLI_TABLE("trials", trial_columns, CLI_VIEW);
    void *mark = cli_mark();
    for (size_t i = 0; i < from->count; i++) {
        cli_table_add(&trials, &from->trials[i]);
    }
    fputs("{", file);
    write_text("scenario", from->scenario, file);
    write_text("environment", from->environment, file);
    write_text("kernel", from->kernel, file);
    write_text("sizes", from->sizes, file);
    write_text("gpu", from->gpu, file);
    write_text("objective", gputune_objective_name(from->objective), file);
    write_text("configuration", from->winner, file);
    write_text("default_configuration", from->winner_default, file);
    write_text("stop_reason", from->stop_reason, file);
    write_text("code", source, file);
    fprintf(file, "\"variants\": %zu, \"trials\": ", from->count);
    cli_table_write_columns(&trials, file);
    fputs("}", file);
    cli_release(mark, NULL);
}

void cli_report_write_data(const cli_report *report, FILE *file)
{
    cli_table tables[] = {report->standing, cli_why_values(), cli_why_pairs()};
    const cli_measured_list *list = &report->measured;
    for (size_t i = 0; i < list->count; i++) {
        cli_export data;
        cli_table axes = cli_why_axes();
        cli_export_make(&data, &list->items[i]);
        cli_why_explain(&tables[1], &axes, &tables[2], &data);
    }
    fprintf(file,
            "{\"schema\": \"gputune/report/%d\", \"gputune\": \"%s\", \"live\": %s, \"shown\": ",
            CLI_SCHEMA_VERSION, gputune_version(), report->live ? "true" : "false");
    cli_tables_write("why", tables, 3, CLI_FORMAT_JSON, file);
    fputs(", \"scenarios\": [", file);
    for (size_t i = 0; i < list->count; i++) {
        fputs(i ? ",\n" : "\n", file);
        write_scenario(&list->items[i], report->sources[i], file);
    }
    fputs("]}\n", file);
}

/* In JSON a '<' stands in strings only. Written as an escape, none of them can end the element that
 * the data are in, or begin another. */
static void write_safely(const char *json, size_t bytes, FILE *file)
{
    for (const char *end = json + bytes; json < end;) {
        const char *bracket = memchr(json, '<', (size_t)(end - json));
        size_t plain = (size_t)((bracket ? bracket : end) - json);
        (void)fwrite(json, 1, plain, file);
        fputs(bracket ? "\\u003c" : "", file);
        json += plain + (bracket != NULL);
    }
}

void cli_report_write_page(const cli_report *report, FILE *file)
{
    char *json = NULL;
    size_t bytes = 0;
    FILE *memory = cli_present(open_memstream(&json, &bytes));
    cli_report_write_data(report, memory);
    cli_present(fclose(memory) == 0 ? json : NULL);
    const char *place = strstr(cli_report_page, place_of_data);
    const char *policy = strstr(cli_report_page, policy_of_all) + strlen(policy_of_all);
    (void)fwrite(cli_report_page, 1, (size_t)(policy - cli_report_page), file);
    fputs(report->live ? "; connect-src 'self'" : "", file);
    (void)fwrite(policy, 1, (size_t)(place - policy), file);
    write_safely(json, bytes, file);
    fputs(place + strlen(place_of_data), file);
    free(json);
}

enum { FASTEST = 10 };

typedef struct trial_row {
    const char *configuration, *outcome;
    double median_ns, slower;
    uint32_t samples, registers, spill_bytes;
} trial_row;

static void slower(cli_cell *out, const void *item)
{
    const trial_row *row = item;
    cli_set_text(out, row->slower > 0 ? cli_format("+%.2f%%", row->slower * 100) : "");
}

#define OF_ROW(member, title, unit) CLI_FIELD(trial_row, member, title, unit, CLI_VIEW)

static const cli_column row_columns[] = {
    OF_ROW(configuration, "configuration", CLI_TEXT),
    OF_ROW(median_ns, "median", CLI_TIME),
    CLI_MADE(NULL, "slower by", CLI_VIEW, slower),
    OF_ROW(samples, "n", CLI_SOME_COUNT),
    OF_ROW(registers, "regs", CLI_SOME_COUNT),
    OF_ROW(spill_bytes, "spills", CLI_SOME_COUNT),
    OF_ROW(outcome, "outcome", CLI_TEXT),
};

/* Trials with a time come first, and the fastest of them. */
static void write_fastest(const cli_measured *from, FILE *file)
{
    cli_table table = CLI_TABLE("trials", row_columns, CLI_VIEW);
    for (size_t i = 0; i < from->count && i < FASTEST && from->trials[i].median_ns > 0; i++) {
        const cli_trial *trial = &from->trials[i];
        trial_row row = {.configuration = trial->configuration,
                         .outcome = trial->message[0] ? trial->message : trial->status,
                         .median_ns = trial->median_ns,
                         .slower = trial->median_ns / from->trials[0].median_ns - 1,
                         .samples = trial->samples,
                         .registers = trial->registers,
                         .spill_bytes = trial->spill_bytes};
        cli_cell *cells = cli_table_add(&table, &row);
        cells[1].is_energy = from->objective == GPUTUNE_OBJECTIVE_ENERGY;
    }
    if (table.row_count) {
        fprintf(file, "\nThe fastest of %zu trials:\n\n", from->count);
        cli_table_write(&table, CLI_FORMAT_MARKDOWN, file);
    }
}

static void write_axes(const cli_measured *from, FILE *file)
{
    cli_export data;
    cli_table values = cli_why_values(), axes = cli_why_axes(), pairs = cli_why_pairs();
    cli_export_make(&data, from);
    cli_why_explain(&values, &axes, &pairs, &data);
    fprintf(file, "%s\n", cli_why_summary(&data));
    if (axes.row_count) {
        fputs(
            "\nWhat each axis is worth: how much slower the best variant is that has the axis held "
            "at another value, among those that were tried.\n\n",
            file);
        cli_table_write(&axes, CLI_FORMAT_MARKDOWN, file);
    }
    if (pairs.row_count) {
        fputs("\nPairs of axes, and what it costs to choose one while the other is held "
              "elsewhere:\n\n",
              file);
        cli_table_write(&pairs, CLI_FORMAT_MARKDOWN, file);
    }
}

/* More backquotes in a row than the source has, so that it cannot end its block. */
static void write_source(const char *source, FILE *file)
{
    size_t longest = 2;
    for (const char *at = source; *at; at += strspn(at, "`")) {
        at += strcspn(at, "`");
        size_t run = strspn(at, "`");
        longest = run > longest ? run : longest;
    }
    char *fence = cli_copy("`");
    for (size_t i = 0; i < longest; i++) {
        cli_append(&fence, "`");
    }
    fprintf(file, "\nThe winner's source:\n\n%scuda\n%s%s\n", fence, source, fence);
}

void cli_report_write_markdown(const cli_report *report, FILE *file)
{
    cli_table place = report->standing;
    place.view = CLI_VIEW_PLACE;
    fputs("# gputune report\n\n", file);
    cli_table_write(&report->standing, CLI_FORMAT_MARKDOWN, file);
    fputs("\nWhere it was measured:\n\n", file);
    cli_table_write(&place, CLI_FORMAT_MARKDOWN, file);
    for (size_t i = 0; i < report->measured.count; i++) {
        const cli_measured *from = &report->measured.items[i];
        fprintf(file, "\n## %s %s on %s\n\n", cli_markdown(from->kernel),
                cli_short_sizes(from->sizes), cli_markdown(from->gpu));
        write_axes(from, file);
        write_fastest(from, file);
        if (report->sources[i]) {
            write_source(report->sources[i], file);
        }
    }
}
