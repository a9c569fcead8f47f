/* gputune report: what is stored, as a page to look at. */
#include "cli/files.h"
#include "cli/live.h"
#include "cli/records.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is stored, for a page that needs no network (its files are in cli/report), or Markdown. */
typedef struct report_data {
    cli_records records;
    cli_measured_list measured; /* not empty unless `live` */
    cli_table standing;         /* cli_record_table() with the records of winners and defaults */
    char **sources;             /* the source of each scenario's winner; NULL: not known */
    bool live;                  /* the page fetches its data, data.json, again and again */
} report_data;

extern const char cli_report_page[]; /* made by tools/report-page */
static const char place_of_data[] = "@data@\n", policy_of_all[] = "default-src 'none'";

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
    cli_table trials = CLI_TABLE("trials", trial_columns, gputune_record, CLI_VIEW);
    void *mark = cli_mark();
    for (size_t i = 0; i < from->count; i++) {
        cli_table_add(&trials, &from->trials[i]);
    }
    fprintf(file,
            "{\"scenario\": %s, \"environment\": %s, \"kernel\": %s, \"sizes\": %s, \"gpu\": %s, "
            "\"objective\": \"%s\", \"configuration\": %s, \"default_configuration\": %s, "
            "\"stop_reason\": %s, \"code\": %s, \"variants\": %zu, \"trials\": ",
            cli_json_text(of->scenario), cli_json_text(of->environment), cli_json_text(of->kernel),
            cli_json_text(of->sizes), cli_json_text(of->gpu), gputune_objective_name(of->objective),
            cli_json_text(winner->configuration), cli_json_text(winner->default_configuration),
            cli_json_text(winner->stop_reason), cli_json_text(source), from->count);
    cli_table_write_columns(&trials, file);
    fputs("}", file);
    cli_release(mark);
}

static void report_write_data(const report_data *report, FILE *file)
{
    cli_why why = cli_why_tables();
    const cli_measured_list *list = &report->measured;
    for (size_t i = 0; i < list->count; i++) {
        cli_why_explain(&why, &list->items[i]);
    }
    const cli_table tables[] = {report->standing, why.values, why.pairs};
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

/* Writes the page. The caller checks the file for errors. */
static void report_write_page(const report_data *report, FILE *file)
{
    char *json = NULL;
    size_t bytes = 0;
    FILE *memory = cli_present(open_memstream(&json, &bytes));
    report_write_data(report, memory);
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
    gputune_record trial; /* the first member, which columns of records read */
    const char *outcome, *slower;
} trial_row;

#define OF_ROW(member, title, unit) CLI_FIELD(gputune_record, member, title, unit, CLI_VIEW)

static const cli_column row_columns[] = {
    OF_ROW(configuration, "configuration", CLI_TEXT),
    OF_ROW(median_ns, "median", CLI_TIME),
    CLI_FIELD(trial_row, slower, "slower by", CLI_TEXT, CLI_VIEW),
    OF_ROW(samples, "n", CLI_SOME_COUNT),
    OF_ROW(registers, "regs", CLI_SOME_COUNT),
    OF_ROW(spill_bytes, "spills", CLI_SOME_COUNT),
    CLI_FIELD(trial_row, outcome, "outcome", CLI_TEXT, CLI_VIEW),
};

/* Trials with a time come first, and the fastest of them. */
static void write_fastest(const cli_measured *from, FILE *file)
{
    cli_table table = CLI_TABLE("trials", row_columns, trial_row, CLI_VIEW);
    for (size_t i = 0; i < from->count && i < FASTEST && from->trials[i].median_ns > 0; i++) {
        const gputune_record *trial = &from->trials[i];
        double slower = trial->median_ns / from->trials[0].median_ns - 1;
        const trial_row row = {.trial = *trial,
                               .outcome = trial->message[0] ? trial->message : trial->status,
                               .slower = slower > 0 ? cli_format("+%.2f%%", slower * 100) : ""};
        cli_table_add_measured(&table, &row, trial->objective);
    }
    if (table.row_count) {
        fprintf(file, "\nThe fastest of %zu trials:\n\n", from->count);
        cli_table_write(&table, CLI_FORMAT_MARKDOWN, file);
    }
}

static void write_axes(const cli_measured *from, FILE *file)
{
    cli_why why = cli_why_tables();
    fprintf(file, "%s\n", cli_why_explain(&why, from));
    if (why.axes.row_count) {
        fputs("\nWhat each axis is worth: how much slower the best variant is that has the axis "
              "held at another value, among those that were tried.\n\n",
              file);
        cli_table_write(&why.axes, CLI_FORMAT_MARKDOWN, file);
    }
    if (why.pairs.row_count) {
        fputs("\nPairs of axes, and what it costs to choose one while the other is held "
              "elsewhere:\n\n",
              file);
        cli_table_write(&why.pairs, CLI_FORMAT_MARKDOWN, file);
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

static void report_write_markdown(const report_data *report, FILE *file)
{
    cli_table place = report->standing;
    place.view = CLI_VIEW_PLACE;
    fputs("# gputune report\n\n", file);
    cli_table_write(&report->standing, CLI_FORMAT_MARKDOWN, file);
    fputs("\nWhere it was measured:\n\n", file);
    cli_table_write(&place, CLI_FORMAT_MARKDOWN, file);
    for (size_t i = 0; i < report->measured.count; i++) {
        const cli_measured *from = &report->measured.items[i];
        fprintf(file, "\n## %s %s on %s\n\n", cli_markdown(from->trials->kernel),
                cli_short_sizes(from->trials->sizes), cli_markdown(from->trials->gpu));
        write_axes(from, file);
        write_fastest(from, file);
        if (report->sources[i]) {
            write_source(report->sources[i], file);
        }
    }
}

enum { PAGE, MARKDOWN };
enum { MOST_SOURCES = 100 }; /* each takes 10 to 30 KB */
static const char *const format_words[] = {"html", "md", NULL};

/* The options. */
static struct {
    cli_list names;
    int format;
    bool history, live;
} given;

/* The source of the winner, by the template that it was measured with. */
static char *find_source(const cli_session *session, const cli_measured *from)
{
    char *text;
    size_t bytes;
    const gputune_record *of = from->trials;
    const char *winner = from->winner->configuration;
    bool known = winner[0] && !of->outdated && of->arch[0] &&
                 gputune_emit(&text, &bytes, session->tuner, of->kernel, cli_sizes_of(of->sizes),
                              winner, of->arch, GPUTUNE_FORM_SOURCE) == GPUTUNE_OK;
    return known ? text : NULL;
}

/* Collects the records of the named kernels, of all kernels without names. */
static int collect(report_data *report, const cli_session *session)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.all_trials = true;
    filter.history = given.history;
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

static int write_report(const report_data *report)
{
    cli_output output;
    CLI_REFUSE(given.format == PAGE && !cli_given.output && isatty(STDOUT_FILENO), CLI_EXIT_USAGE,
               "a page is for a browser; --output FILE stores it, --live serves it");
    CLI_TRY(cli_output_open(&output, cli_given.output, true));
    (given.format == PAGE ? report_write_page : report_write_markdown)(report, output.file);
    return cli_output_close(&output, CLI_EXIT_OK);
}

static int read_report(report_data *out)
{
    CLI_SCOPED(cli_close) cli_session session = {0};
    *out = (report_data){.standing = cli_record_table(CLI_VIEW_WHY | CLI_VIEW_ANY_GPU)};
    CLI_TRY(cli_open(&session, CLI_OPEN_NO_DEVICE));
    int code = collect(out, &session);
    for (size_t i = 0; i < out->records.count; i++) {
        if (out->records.items[i].is_winner || out->records.items[i].is_default) {
            cli_record_add(&out->standing, &out->records.items[i]);
        }
    }
    out->measured = cli_measured_of(&out->records);
    out->sources = cli_allocate(out->measured.count + 1, sizeof *out->sources);
    for (size_t i = 0; i < out->measured.count && i < MOST_SOURCES && code == CLI_CONTINUE; i++) {
        out->sources[i] = find_source(&session, &out->measured.items[i]);
    }
    return code;
}

/* ---- live ---- */

/* What cannot be read is as good as nothing: the page asks again. */
static void write_live(cli_live_kind kind, FILE *file)
{
    report_data report;
    cli_given.quiet = true;
    (void)read_report(&report);
    report.live = kind != CLI_LIVE_LAST_DATA;
    (kind == CLI_LIVE_PAGE ? report_write_page : report_write_data)(&report, file);
}

int cli_report_begin_live(cli_live_report *out)
{
    int ends[2];
    const pid_t parent = getpid();
    *out = (cli_live_report){-1, -1};
    CLI_REFUSE(pipe2(ends, O_CLOEXEC) != 0 || (out->process = fork()) < 0, CLI_EXIT_NOTHING,
               "cannot start a process that serves the report: %s", strerror(errno));
    if (out->process == 0) {
        close(ends[1]);
        cli_given.selection.sizes.count = 0; /* the page has all */
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        _exit(getppid() == parent ? cli_live_serve(write_live, stderr, ends[0]) : CLI_EXIT_OK);
    }
    close(ends[0]);
    out->until = ends[1];
    return CLI_CONTINUE;
}

void cli_report_end_live(const cli_live_report *live)
{
    close(live->until);
    while (waitpid(live->process, NULL, 0) < 0 && errno == EINTR) {
    }
}

static const cli_option options[] = {
    CLI_OUTPUT_OPTION,
    {"format", 'f', CLI_OPTION_CHOICE, &given.format, NULL, format_words,
     "a page, or Markdown [html]"},
    {"size", 's', CLI_OPTION_LIST, &cli_given.selection.sizes, "NAME=V[,V...]", NULL,
     "what was measured at these sizes; may be repeated [all sizes]"},
    {"gpu", 0, CLI_OPTION_TEXT, &cli_given.gpu, "GPU", NULL,
     "what was measured on this GPU: a part of its name, or its environment [all GPUs]"},
    {"history", 0, CLI_OPTION_FLAG, &given.history, NULL, NULL,
     "also what was measured before a template was edited"},
    {"live", 0, CLI_OPTION_FLAG, &given.live, NULL, NULL,
     "serve the page on this machine, with what is measured meanwhile, until Ctrl-C"},
    CLI_FILE_OPTIONS,
};

static int report(const cli_list *names)
{
    report_data report;
    CLI_REFUSE(given.live && (cli_given.output || given.format == MARKDOWN), CLI_EXIT_USAGE,
               "report: --live serves a page; leave out --output and --format");
    given.names = *names;
    cli_given.read_only = true;
    int code = read_report(&report);
    if (given.live && (code == CLI_CONTINUE || code == CLI_EXIT_NOTHING)) {
        return cli_live_serve(write_live, stdout, -1);
    }
    CLI_TRY(code);
    return write_report(&report);
}

const cli_command cmd_report = {
    "report",
    "what was measured, as a page to look at",
    "[KERNEL|PATH...]",
    "Writes what was measured as a page to look at, or to send.",
    "One file, which fetches nothing: for each scenario every trial by each axis, the best so far, "
    "two axes against each other, default and winner with their intervals, what each axis is "
    "worth, the winner's source, and all trials in a table that filters and sorts. Several GPUs "
    "and sizes of the database stand side by side. Needs no GPU; the database is only read. --live "
    "prints the page's address, which holds a secret: only who knows it can read the page, and "
    "only on this machine. 'gputune warm --live' serves it while it tunes.",
    {0, SIZE_MAX},
    options,
    report};
