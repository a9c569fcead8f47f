/* gputune report: what is stored, as a page to look at. */
#include "cli/commands.h"

#include "cli/catalogue.h"
#include "cli/console.h"
#include "cli/files.h"
#include "cli/live.h"
#include "cli/record_columns.h"
#include "cli/report.h"
#include "cli/sizes.h"
#include "cli/stored.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE, MARKDOWN };
enum { MOST_SOURCES = 100 }; /* each takes 10 to 30 KB */
static const char *const format_words[] = {"html", "md", NULL};

typedef struct settings {
    cli_common common;
    cli_stored stored;
    const char *output;
    int format;
    bool history, live;
} settings;

static int add(void *user, const gputune_record *record)
{
    cli_report *report = user;
    if (record->is_winner || record->is_default) {
        cli_record_add(&report->standing, record);
    }
    return cli_measured_add(&report->measured, record);
}

/* The source of the winner, by the template that it was measured with. */
static char *find_source(const cli_session *session, const cli_measured *from)
{
    gputune_sizes sizes;
    char *text;
    size_t bytes;
    bool known = from->winner && !from->outdated && from->arch[0] &&
                 cli_sizes_read(&sizes, from->sizes) &&
                 gputune_emit(&text, &bytes, session->tuner, from->kernel, sizes, from->winner,
                              from->arch, GPUTUNE_FORM_SOURCE) == GPUTUNE_OK;
    return known ? text : NULL;
}

/* Adds the records of what a name of the command line stands for. */
static int collect_named(cli_report *report, gputune_record_filter *filter,
                         const cli_session *session, char *name)
{
    cli_catalogue catalogue;
    size_t before = report->measured.count;
    CLI_TRY(cli_catalogue_stored(&catalogue, session, name));
    for (size_t k = 0; k < catalogue.count; k++) {
        filter->kernel = catalogue.kernels[k].name;
        int status = gputune_records(session->tuner, filter, add, report);
        CLI_TRY(status == GPUTUNE_ENOTFOUND ? CLI_CONTINUE : cli_passed(status));
    }
    return report->measured.count == before ? cli_stored_nothing(session, filter) : CLI_CONTINUE;
}

/* Collects the records of the named kernels, of all kernels without names. */
static int collect(cli_report *report, const settings *settings, const cli_session *session,
                   const cli_arguments *names)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.all_trials = true;
    filter.history = settings->history;
    CLI_TRY(cli_stored_filter(&filter, &settings->stored, session));
    for (size_t i = 0; i < names->count; i++) {
        CLI_TRY(collect_named(report, &filter, session, names->items[i]));
    }
    if (!names->count) {
        CLI_TRY(cli_passed(gputune_records(session->tuner, &filter, add, report)));
    }
    return report->measured.count ? CLI_CONTINUE : cli_stored_nothing(session, &filter);
}

static int write_report(const cli_report *report, const settings *settings)
{
    cli_output output;
    if (settings->format == PAGE && !settings->output && isatty(STDOUT_FILENO)) {
        return cli_stop(CLI_EXIT_USAGE,
                        "a page is for a browser; --output FILE stores it, --live serves it");
    }
    CLI_TRY(cli_output_open(&output, settings->output, true));
    (settings->format == PAGE ? cli_report_write_page : cli_report_write_markdown)(report,
                                                                                   output.file);
    return cli_output_close(&output, CLI_EXIT_OK);
}

static int read_report(cli_report *out, const settings *settings, const cli_arguments *names)
{
    cli_session session;
    *out = (cli_report){.standing = cli_record_table(CLI_VIEW_WHY | CLI_VIEW_ANY_GPU)};
    CLI_TRY(cli_open(&session, &settings->common, CLI_OPEN_NO_DEVICE));
    int code = collect(out, settings, &session, names);
    out->sources = cli_allocate(out->measured.count + 1, sizeof *out->sources);
    for (size_t i = 0; i < out->measured.count && i < MOST_SOURCES && code == CLI_CONTINUE; i++) {
        out->sources[i] = find_source(&session, &out->measured.items[i]);
    }
    return code;
}

/* ---- live ---- */

typedef struct live {
    const settings *settings;
    const cli_arguments *names;
} live;

/* What cannot be read is as good as nothing: the page asks again. */
static void read_live(cli_report *out, const live *live)
{
    settings quiet = *live->settings;
    quiet.common.quiet = true;
    (void)read_report(out, &quiet, live->names);
}

static void write_live_page(void *user, FILE *file)
{
    cli_report report;
    read_live(&report, user);
    report.live = true;
    cli_report_write_page(&report, file);
}

static void write_live_data(void *user, bool is_last, FILE *file)
{
    cli_report report;
    read_live(&report, user);
    report.live = !is_last;
    cli_report_write_data(&report, file);
}

static int serve(const settings *settings, const cli_arguments *names, FILE *told, int until)
{
    live live = {settings, names};
    const cli_live_source source = {write_live_page, write_live_data, &live};
    return cli_live_serve(&source, told, until);
}

int cli_report_begin_live(cli_live_report *out, const cli_common *common)
{
    int ends[2];
    const pid_t parent = getpid();
    *out = (cli_live_report){-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0 || (out->process = fork()) < 0) {
        return cli_stop(CLI_EXIT_NOTHING, "cannot start a process that serves the report: %s",
                        strerror(errno));
    }
    if (out->process == 0) {
        const cli_arguments all = {NULL, 0};
        settings settings = {.common = *common};
        close(ends[1]);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        _exit(getppid() == parent ? serve(&settings, &all, stderr, ends[0]) : CLI_EXIT_OK);
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

/* ---- */

static settings given = {.common.read_only = true};

static const cli_option options[] = {
    {"output", 'o', CLI_OPTION_TEXT, &given.output, "FILE",
     "write there instead of to standard output", NULL},
    {"format", 'f', CLI_OPTION_CHOICE, &given.format, NULL, "a page, or Markdown [html]",
     format_words},
    {"size", 's', CLI_OPTION_LIST, &given.stored.sizes, "NAME=V[,V...]",
     "what was measured at these sizes; may be repeated [all sizes]", NULL},
    {"gpu", 0, CLI_OPTION_TEXT, &given.stored.gpu, "GPU",
     "what was measured on this GPU: a part of its name, or its environment [all GPUs]", NULL},
    {"history", 0, CLI_OPTION_FLAG, &given.history, NULL,
     "also what was measured before a template was edited", NULL},
    {"live", 0, CLI_OPTION_FLAG, &given.live, NULL,
     "serve the page on this machine, with what is measured meanwhile, until Ctrl-C", NULL},
    CLI_FILE_OPTIONS(&given.common),
    CLI_MESSAGE_OPTIONS(&given.common),
    CLI_OPTIONS_END,
};

static int report(const cli_arguments *names)
{
    cli_report report;
    if (given.live && (given.output || given.format == MARKDOWN)) {
        return cli_stop(CLI_EXIT_USAGE,
                        "report: --live serves a page; leave out --output and --format");
    }
    int code = read_report(&report, &given, names);
    if (given.live && (code == CLI_CONTINUE || code == CLI_EXIT_NOTHING)) {
        return serve(&given, names, stdout, -1);
    }
    CLI_TRY(code);
    return write_report(&report, &given);
}

const cli_command cmd_report = {
    "report",
    "what was measured, as a page to look at",
    "[KERNEL|PATH...]",
    "Writes what was measured as a page to look at, or to send.",
    "One file, which fetches nothing: for each scenario every trial by each axis, the best so "
    "far, two axes against each other, default and winner with their intervals, what each axis "
    "is worth, the winner's source, and all trials in a table that filters and sorts. Several "
    "GPUs and sizes of the database stand side by side. Needs no GPU; the database is only "
    "read. --live prints the page's address, which holds a secret: only who knows it can read "
    "the page, and only on this machine. 'gputune warm --live' serves it while it tunes.",
    0,
    SIZE_MAX,
    options,
    report};
