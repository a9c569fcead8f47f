/* Writes a report as a page: the data stand in it as JSON. */
#include "cli/report.h"

#include "cli/json.h"
#include "cli/memory.h"
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
