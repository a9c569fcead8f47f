/* The command report: the stored results as a page. */
#include "cli/files.h"
#include "cli/records.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct report_data {
    cli_records records;
    cli_measured_list measured; /* scenarios; those that are being tuned come first */
    cli_table standing;         /* the records of winners and defaults */
    char **sources;             /* the code of each scenario's winner, or NULL if unknown */
} report_data;

static struct {
    cli_list names;
    bool history;
    cli_list tuning; /* labels of scenarios that are being tuned */
} given;

extern const char cli_report_page[]; /* made by tools/report-page */
static const char place_of_data[] = "@data@\n";

#define OF_TRIAL(member, unit) CLI_FIELD(gputune_record, member, "", unit, CLI_IN_DATA)

static const cli_column trial_columns[] = {
    OF_TRIAL(configuration, CLI_TEXT), OF_TRIAL(status, CLI_TEXT),
    OF_TRIAL(message, CLI_TEXT),       OF_TRIAL(median_ns, CLI_TIME),
    OF_TRIAL(low_ns, CLI_TIME),        OF_TRIAL(high_ns, CLI_TIME),
    OF_TRIAL(samples, CLI_COUNT),      OF_TRIAL(eliminated_round, CLI_COUNT),
    OF_TRIAL(registers, CLI_COUNT),    OF_TRIAL(spill_bytes, CLI_COUNT),
    OF_TRIAL(shared_bytes, CLI_COUNT), OF_TRIAL(occupancy, CLI_REAL),
    OF_TRIAL(compile_ns, CLI_TIME),    OF_TRIAL(is_default, CLI_YES),
    OF_TRIAL(order, CLI_WHOLE),        OF_TRIAL(created, CLI_TEXT),
};

static void write_scenario(const cli_measured *from, const char *source, FILE *file)
{
    const gputune_record *of = from->trials, *winner = from->winner;
    const cli_peak peak = cli_peak_of(winner, source);
    cli_table trials = CLI_TABLE("trials", trial_columns, gputune_record, CLI_VIEW);
    CLI_SCOPED(cli_release_at) void *mark = cli_mark();
    for (size_t i = 0; i < from->count; i++) {
        cli_table_add(&trials, &from->trials[i]);
    }
    fprintf(file,
            "{\"scenario\": %s, \"environment\": %s, \"kernel\": %s, \"sizes\": %s, \"gpu\": %s, "
            "\"objective\": \"%s\", \"configuration\": %s, \"default_configuration\": %s, "
            "\"stop_reason\": %s, \"code\": %s, \"peak_flops_per_s\": %s, \"peak_units\": \"%s\", "
            "\"hardware\": %s, \"variants\": %zu, \"trials\": ",
            cli_json_text(of->scenario), cli_json_text(of->environment), cli_json_text(of->kernel),
            cli_json_text(of->sizes), cli_json_text(of->gpu), gputune_objective_name(of->objective),
            cli_json_text(winner->configuration), cli_json_text(winner->default_configuration),
            cli_json_text(winner->stop_reason), cli_json_text(source), cli_json_number(peak.per_s),
            peak.units,
            cli_json_text(winner->configuration[0] ? cli_hardware_text(winner, source) : ""),
            from->count);
    cli_table_write_columns(&trials, file);
    fputs("}", file);
}

static void report_write_data(const report_data *report, FILE *file)
{
    cli_why why = cli_why_tables();
    const cli_measured_list *list = &report->measured;
    for (size_t i = 0; i < list->count; i++) {
        cli_why_explain(&why, &list->items[i]);
    }
    const cli_table tables[] = {report->standing, why.values};
    fprintf(file, "{\"schema\": \"gputune/report/%d\", \"gputune\": \"%s\", \"tuning\": [",
            CLI_SCHEMA_VERSION, gputune_version());
    for (size_t i = 0; i < given.tuning.count; i++) {
        fprintf(file, "%s%s", i ? ", " : "", cli_json_text(given.tuning.items[i]));
    }
    fputs("], \"shown\": ", file);
    cli_tables_write("why", tables, 2, CLI_FORMAT_JSON, file);
    fputs(", \"scenarios\": [", file);
    for (size_t i = 0; i < list->count; i++) {
        fputs(i ? ",\n" : "\n", file);
        write_scenario(&list->items[i], report->sources[i], file);
    }
    fputs("]}\n", file);
}

/* Writes the page. In JSON, a '<' occurs only in strings. It is escaped, so no string can end the
 * element that contains the data. */
static void report_write_page(const report_data *report, FILE *file)
{
    char *json = NULL;
    size_t bytes = 0;
    FILE *memory = cli_present(open_memstream(&json, &bytes));
    report_write_data(report, memory);
    cli_present(fclose(memory) == 0 ? json : NULL);
    const char *place = strstr(cli_report_page, place_of_data);
    (void)fwrite(cli_report_page, 1, (size_t)(place - cli_report_page), file);
    for (size_t i = 0; i < bytes; i++) {
        if (json[i] == '<') {
            fputs("\\u003c", file);
        } else {
            putc(json[i], file);
        }
    }
    fputs(place + strlen(place_of_data), file);
    free(json);
}

enum { MOST_SOURCES = 100 }; /* each source takes 10 to 30 KB */

/* Collects the records of the named kernels, or of all kernels. */
static int collect_data(report_data *report, const cli_session *session)
{
    gputune_record_filter filter = {
        .size = sizeof filter, .all_trials = true, .history = given.history};
    CLI_TRY(cli_stored_filter(&filter, session));
    size_t count = given.names.count ? given.names.count : 1;
    for (size_t i = 0; i < count; i++) {
        size_t before = report->records.count;
        const char *name = given.names.count ? given.names.items[i] : NULL;
        CLI_TRY(cli_records_read(&report->records, &filter, session, name));
        if (report->records.count == before) {
            return cli_stored_nothing(session, &filter);
        }
    }
    return CLI_CONTINUE;
}

static void put_tuning_first(cli_measured_list *list)
{
    size_t first = 0, count = given.tuning.count;
    for (size_t i = 0; i < list->count; i++) {
        const cli_measured moved = list->items[i];
        const char *label = cli_label(moved.trials->kernel, moved.trials->sizes);
        if (gt_index_of(label, given.tuning.items, count) < count) {
            memmove(&list->items[first + 1], &list->items[first], (i - first) * sizeof moved);
            list->items[first++] = moved;
        }
    }
}

static int read_report(report_data *out)
{
    CLI_SCOPED(cli_close) cli_session session = {0};
    *out = (report_data){.standing = cli_record_table(CLI_VIEW_WHY | CLI_VIEW_ANY_GPU)};
    CLI_TRY(cli_open(&session, CLI_OPEN_NO_DEVICE));
    int code = collect_data(out, &session);
    for (size_t i = 0; i < out->records.count; i++) {
        if (out->records.items[i].is_winner || out->records.items[i].is_default) {
            cli_record_add(&out->standing, &out->records.items[i]);
        }
    }
    out->measured = cli_measured_of(&out->records);
    put_tuning_first(&out->measured);
    out->sources = cli_allocate(out->measured.count + 1, sizeof *out->sources);
    for (size_t i = 0; i < out->measured.count && i < MOST_SOURCES && code == CLI_CONTINUE; i++) {
        out->sources[i] = cli_source_of(&session, out->measured.items[i].winner);
    }
    return code;
}

static const cli_option options[] = {
    CLI_OUTPUT_OPTION,
    {"size", 's', CLI_OPTION_LIST, &cli_given.selection.sizes, "NAME=V[,V...]", NULL,
     "results at these sizes; may be repeated [all sizes]"},
    {"gpu", 0, CLI_OPTION_TEXT, &cli_given.gpu, "GPU", NULL,
     "results on this GPU: a part of its name, or its environment [all GPUs]"},
    {"history", 0, CLI_OPTION_FLAG, &given.history, NULL, NULL,
     "also results of earlier versions of a template"},
    {"tuning", 0, CLI_OPTION_LIST, &given.tuning, "SCENARIO", NULL,
     "a scenario that is being tuned, such as 'axpy n=1M T=float': it comes first, and the page "
     "reloads itself; may be repeated"},
    CLI_SHIPPED_OPTION,
    CLI_FILE_OPTIONS,
};

static int write_report(const cli_list *names)
{
    report_data report;
    cli_output output;
    given.names = *names;
    cli_read_own_results();
    int code = read_report(&report);
    if (code != CLI_EXIT_NOTHING || !given.tuning.count) { /* a new tuning has stored nothing yet */
        CLI_TRY(code);
    }
    CLI_REFUSE(!cli_given.output && isatty(STDOUT_FILENO), CLI_EXIT_USAGE,
               "the report is an HTML page; write it to a file with --output FILE");
    CLI_TRY(cli_output_open(&output, cli_given.output, true));
    report_write_page(&report, output.file);
    return cli_output_close(&output, CLI_EXIT_OK);
}

const cli_command cmd_report = {
    "report",
    "write a page that shows all measurements",
    "[KERNEL|PATH...]",
    "Writes a page with all measurements, to read or to share.",
    "The page is one file that loads nothing from elsewhere. For each scenario it shows the "
    "default and the winner with their confidence intervals and the fraction of the GPU's limits "
    "that they reach; what each axis is worth; the best time over time; every trial by each axis; "
    "a plot of any two figures; the winner's source; and a table of all trials that can be "
    "filtered and sorted. Each scenario has its own URL. Needs no GPU; the database is only read. "
    "'gputune warm --report FILE' "
    "writes the page again and again while it tunes.",
    {0, SIZE_MAX},
    options,
    write_report};
