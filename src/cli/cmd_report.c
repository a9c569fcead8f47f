/* gputune report: what is stored, as a page to look at. */
#include "cli/commands.h"

#include "cli/catalogue.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/live.h"
#include "cli/output.h"
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
    cli_values sizes = {NULL, 0};
    char *text, *source = NULL;
    size_t bytes;
    if (!from->winner || from->outdated || !from->arch[0] ||
        cli_values_parse(&sizes, "sizes", from->sizes) != CLI_CONTINUE) {
        return NULL;
    }
    gputune_size *items = cli_allocate(sizes.count + 1, sizeof *items);
    for (size_t i = 0; i < sizes.count; i++) {
        if (cli_size_make(&items[i], sizes.lists[i].name, sizes.lists[i].values[0]) !=
            CLI_CONTINUE) {
            return NULL;
        }
    }
    if (gputune_emit(&text, &bytes, session->tuner, from->kernel,
                     (gputune_sizes){sizes.count, items}, from->winner, from->arch,
                     GPUTUNE_FORM_SOURCE) == GPUTUNE_OK) {
        source = cli_copy(text);
        gputune_free(text);
    }
    return source;
}

/* Adds the records of what a name of the command line stands for. */
static int collect_named(cli_report *report, gputune_record_filter *filter,
                         const cli_session *session, char *name)
{
    cli_catalogue catalogue;
    size_t before = report->measured.count;
    int status = GPUTUNE_OK, code = cli_catalogue_stored(&catalogue, session, name);
    for (size_t k = 0; code == CLI_CONTINUE && k < catalogue.count && status >= 0; k++) {
        filter->kernel = catalogue.kernels[k].name;
        status = gputune_records(session->tuner, filter, add, report);
        status =
            status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status; /* cli_stored_nothing() says it */
    }
    if (code == CLI_CONTINUE && status >= 0 && report->measured.count == before) {
        return cli_stored_nothing(session, filter);
    }
    return code == CLI_CONTINUE && status < 0 ? cli_fail(status) : code;
}

/* Collects the records of the named kernels, of all kernels without names. */
static int collect(cli_report *report, const settings *settings, const cli_session *session,
                   const cli_arguments *names)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.all_trials = true;
    filter.history = settings->history;
    CLI_TRY(cli_stored_filter(&filter, &settings->stored, session));
    int code = CLI_CONTINUE;
    for (size_t i = 0; i < names->count && code == CLI_CONTINUE; i++) {
        code = collect_named(report, &filter, session, names->items[i]);
    }
    int status = names->count ? GPUTUNE_OK : gputune_records(session->tuner, &filter, add, report);
    if (status < 0) {
        return cli_fail(status);
    }
    bool nothing = code == CLI_CONTINUE && !report->measured.count;
    return nothing ? cli_stored_nothing(session, &filter) : code;
}

static int write_report(const cli_report *report, const settings *settings)
{
    cli_output output;
    if (settings->format == PAGE && !settings->output && isatty(STDOUT_FILENO)) {
        cli_error("a page is for a browser; --output FILE stores it, --live serves it");
        return CLI_EXIT_USAGE;
    }
    CLI_TRY(cli_output_open(&output, settings->output, true));
    (settings->format == PAGE ? cli_report_write_page : cli_report_write_markdown)(report,
                                                                                   output.file);
    return cli_output_close(&output, CLI_EXIT_OK);
}

/* Opens the database for it, and closes it again. */
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
    cli_close(&session);
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
        cli_error("cannot start a process that serves the report: %s", strerror(errno));
        return CLI_EXIT_NOTHING;
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

static int make_report(const settings *settings, const cli_arguments *names)
{
    cli_report report;
    int code = read_report(&report, settings, names);
    if (settings->live && (code == CLI_CONTINUE || code == CLI_EXIT_NOTHING)) {
        return serve(settings, names, stdout, -1);
    }
    return code == CLI_CONTINUE ? write_report(&report, settings) : code;
}

int cmd_report(int argc, char **argv)
{
    settings settings = {0};
    const cli_option options[] = {
        {"output", 'o', CLI_OPTION_TEXT, &settings.output, "FILE",
         "write there instead of to standard output", NULL},
        {"format", 'f', CLI_OPTION_CHOICE, &settings.format, NULL, "a page, or Markdown [html]",
         format_words},
        {"size", 's', CLI_OPTION_LIST, &settings.stored.sizes, "NAME=V[,V...]",
         "what was measured at these sizes; may be repeated [all sizes]", NULL},
        {"gpu", 0, CLI_OPTION_TEXT, &settings.stored.gpu, "GPU",
         "what was measured on this GPU: a part of its name, or its environment [all GPUs]", NULL},
        {"history", 0, CLI_OPTION_FLAG, &settings.history, NULL,
         "also what was measured before a template was edited", NULL},
        {"live", 0, CLI_OPTION_FLAG, &settings.live, NULL,
         "serve the page on this machine, with what is measured meanwhile, until Ctrl-C", NULL},
        CLI_FILE_OPTIONS(&settings.common),
        CLI_MESSAGE_OPTIONS(&settings.common),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "report",
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
        options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    settings.common.read_only = true;
    if (code == CLI_CONTINUE && settings.live && (settings.output || settings.format == MARKDOWN)) {
        cli_error("report: --live serves a page; leave out --output and --format");
        return CLI_EXIT_USAGE;
    }
    return code == CLI_CONTINUE ? make_report(&settings, &arguments) : code;
}
