/* Writes a report as Markdown. */
#include "cli/report.h"

#include "cli/memory.h"
#include "cli/record_columns.h"
#include "cli/units.h"
#include "cli/why.h"

#include <stdlib.h>
#include <string.h>

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

#define OF_TRIAL(member, title, unit) CLI_FIELD(trial_row, member, title, unit, CLI_VIEW)

static const cli_column trial_columns[] = {
    OF_TRIAL(configuration, "configuration", CLI_TEXT),
    OF_TRIAL(median_ns, "median", CLI_TIME),
    CLI_MADE(NULL, "slower by", CLI_VIEW, slower),
    OF_TRIAL(samples, "n", CLI_SOME_COUNT),
    OF_TRIAL(registers, "regs", CLI_SOME_COUNT),
    OF_TRIAL(spill_bytes, "spills", CLI_SOME_COUNT),
    OF_TRIAL(outcome, "outcome", CLI_TEXT),
};

/* Trials with a time come first, and the fastest of them. */
static void write_fastest(const cli_measured *from, FILE *file)
{
    cli_table table = CLI_TABLE("trials", trial_columns, CLI_VIEW);
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
