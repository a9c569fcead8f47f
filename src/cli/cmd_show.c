/* The command show: prints the records of the database. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/failures.h"
#include "cli/record_columns.h"
#include "cli/stored.h"
#include "cli/why.h"

typedef struct settings {
    cli_common common;
    cli_stored stored;
    bool all, history, why;
} settings;

/* What is collected: the rows, what failed, and all trials if the winners are to be explained. */
typedef struct found {
    cli_table table;
    cli_failures failures;
    cli_measured_list measured;
    bool all, why;
} found;

static int add(void *user, const gputune_record *record)
{
    found *at = user;
    if (at->all || record->is_winner || (at->why && record->is_default)) {
        cli_record_add(&at->table, record);
    }
    if (at->why) {
        cli_measured_add(&at->measured, record);
    }
    cli_failures_add(&at->failures, record);
    return 0;
}

static void say_device(const cli_session *session)
{
    const gputune_device *device = &session->device;
    if (session->has_device && !device->emulated) { /* of an emulated one it is said already */
        cli_note("%s (%s, %d SMs)", device->name, device->arch, device->sm_count);
    }
}

static int write_found(const settings *settings, const cli_session *session, const found *at,
                       bool any_gpu)
{
    cli_format_kind format = (cli_format_kind)settings->common.format;
    if (format == CLI_FORMAT_TABLE && at->table.row_count && !any_gpu) {
        say_device(session);
    }
    if (at->why && at->table.row_count) {
        cli_why_write(&at->table, &at->measured, format, stdout);
    } else {
        cli_table_write(&at->table, format, stdout);
    }
    if (!at->all) {
        cli_failures_say(&at->failures);
    }
    return CLI_EXIT_OK;
}

/* Collects the records of the catalogue's kernels, of all kernels if it is empty. */
static int collect(found *at, gputune_record_filter *filter, const cli_session *session,
                   const cli_catalogue *catalogue)
{
    int status = 0;
    for (size_t i = 0; i < catalogue->count && status >= 0; i++) {
        filter->kernel = catalogue->kernels[i].name;
        status = gputune_records(session->tuner, filter, add, at);
    }
    return catalogue->count ? status : gputune_records(session->tuner, filter, add, at);
}

static int show(const settings *settings, const cli_session *session,
                const cli_catalogue *catalogue)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.all_trials = settings->all || settings->why;
    filter.failures = true;
    filter.history = settings->history;
    int code = cli_stored_filter(&filter, &settings->stored, session);
    if (code != CLI_CONTINUE) {
        return code;
    }
    unsigned view = settings->why   ? CLI_VIEW_WHY
                    : settings->all ? CLI_VIEW_TRIALS
                                    : CLI_VIEW_WINNERS;
    found at = {.table = cli_record_table(view | (filter.any_gpu ? CLI_VIEW_ANY_GPU : 0)),
                .all = settings->all && !settings->why,
                .why = settings->why};
    int status = collect(&at, &filter, session, catalogue);
    status = status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status; /* cli_stored_nothing() says it */
    code = status < 0 ? cli_fail(status) : write_found(settings, session, &at, filter.any_gpu);
    if (status >= 0 && !at.table.row_count) {
        code = cli_stored_nothing(session, &filter);
    }
    return code;
}

int cmd_show(int argc, char **argv)
{
    settings settings = {0};
    const cli_option options[] = {
        {"all", 'a', CLI_OPTION_FLAG, &settings.all, NULL,
         "every trial with its statistics, not only the winners", NULL},
        {"why", 'w', CLI_OPTION_FLAG, &settings.why, NULL,
         "winner beside default, and what each axis is worth", NULL},
        CLI_STORED_OPTIONS(&settings.stored),
        {"history", 0, CLI_OPTION_FLAG, &settings.history, NULL,
         "also what was measured before a template was edited", NULL},
        CLI_FORMAT_OPTION(&settings.common),
        CLI_TUNER_OPTIONS(&settings.common),
        CLI_MESSAGE_OPTIONS(&settings.common),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "show",
        "[KERNEL|PATH]",
        "Prints what is remembered for this GPU.",
        "Speed-up is the default's time over the winner's, with its 95% interval. 'of copy' is "
        "the\n"
        "bandwidth as a share of a device-to-device copy's on that GPU. Loads and stores are the\n"
        "widths in bits of the accesses to global memory in the machine code. Flags:\n"
        "  tie           no variant is surely faster; the default won, or the simplest of the "
        "fastest\n"
        "  noisy         other programs used the GPU, its clocks were held back, or there was "
        "time\n"
        "                for one launch of each variant only\n"
        "  modelled      the time is the emulator's model\n"
        "  only AXIS=V   the space was restricted to these values, which the default need not "
        "have\n"
        "  unfinished    the tuning ended before the race was decided\n"
        "  no reference  the template has none: the default is taken as right\n"
        "  outdated      the template has been edited since\n"
        "  narrow        a vector axis asks for wider accesses than the machine code has\n"
        "With --why: what an axis is worth is how much slower the best variant is that has it held "
        "at\n"
        "another value, among those that were tried.\n"
        "JSON and CSV have every field: times in nanoseconds (under the objective energy "
        "nanojoules,\n"
        "under rate for the work of the default's launch), rates in bytes a second. The database "
        "is\n"
        "only read.",
        0,
        1,
        options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    if (code != CLI_CONTINUE) {
        return code;
    }
    cli_session session;
    settings.common.read_only = true;
    code = cli_open(&session, &settings.common, CLI_OPEN_IF_ANY);
    if (code == CLI_CONTINUE) {
        cli_catalogue catalogue = {NULL, 0};
        if (arguments.count) {
            code = cli_catalogue_stored(&catalogue, &session, arguments.items[0]);
        }
        if (code == CLI_CONTINUE) {
            code = show(&settings, &session, &catalogue);
        }
        cli_close(&session);
    }
    return code;
}
