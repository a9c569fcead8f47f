/* The commands forget and prune: drop what is stored of a kernel, or what is no longer of use. */
#include "cli/records.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The options. */
static struct {
    gputune_forget_options what;
    double days;
} given = {.what = GPUTUNE_FORGET_OPTIONS_INIT};

static int stop(void *user, const gputune_record *record)
{
    (void)user, (void)record;
    return 1;
}

/* Whether the filter finds anything at all, of any version. */
static int check_stored(const cli_session *session, gputune_filter filter)
{
    filter.all_trials = filter.history = true;
    int status = gputune_records(session->tuner, &filter, stop, NULL);
    return status == 0 || status == GPUTUNE_ENOTFOUND ? cli_stored_nothing(session, &filter)
                                                      : cli_passed(status);
}

static int drop(const cli_session *session, const char *kernel)
{
    gputune_filter filter = GPUTUNE_FILTER_INIT;
    filter.kernel = kernel;
    CLI_TRY(cli_stored_filter(&filter, session));
    CLI_TRY(kernel ? check_stored(session, filter) : CLI_CONTINUE);
    cli_records dropped = {NULL, 0};
    cli_table table = cli_record_table(CLI_VIEW_WINNERS | (filter.any_gpu ? CLI_VIEW_ANY_GPU : 0));
    CLI_TRY(cli_passed(
        gputune_forget(session->tuner, &filter, &given.what, cli_records_add, &dropped)));
    for (size_t i = 0; i < dropped.count; i++) {
        if (dropped.items[i].is_winner) {
            cli_record_add(&table, &dropped.items[i]);
        }
    }
    cli_table_print(&table);
    cli_note("%s%zu winner%s and %zu trial%s", given.what.only_say ? "would drop " : "dropped ",
             table.row_count, gt_plural(table.row_count), dropped.count, gt_plural(dropped.count));
    return CLI_EXIT_OK;
}

/* Drops what `what` says of the records of one kernel, or of all, prints the winners that go, and
 * says how much went. */
static int forget(const cli_list *arguments)
{
    const char *database = cli_given.database,
               *name = arguments->count ? arguments->items[0] : NULL;
    CLI_SCOPED(cli_close) cli_session session = {0};
    CLI_REFUSE(database && access(database, F_OK) != 0, CLI_EXIT_DATABASE,
               "the database %s cannot be used: %s", database, strerror(errno));
    CLI_TRY(cli_open(&session, CLI_OPEN_IF_ANY));
    CLI_TRY(cli_stored_name(&session, name));
    return drop(&session, name);
}

static int prune(const cli_list *arguments)
{
    given.what.outdated = true;
    given.what.older_than_s = given.days * 86400;
    return forget(arguments);
}

#define DROP_OPTIONS                                                                               \
    CLI_ROW("dry-run", 'n', CLI_OPTION_FLAG, &given.what.only_say, NULL, NULL,                     \
            "say what would be dropped, drop nothing"),                                            \
        CLI_STORED_OPTIONS, CLI_FORMAT_OPTION, CLI_TUNER_OPTIONS

static const cli_option forget_options[] = {DROP_OPTIONS};

const cli_command cmd_forget = {
    "forget",
    "delete the results of a kernel",
    "KERNEL|PATH",
    "Drops what is stored of a kernel: winners, trials and code.",
    "Of a PATH all kernels are meant. Every version of a template goes, but not what is stored of "
    "other kernels, sizes and GPUs "
    "than those that are named. Nothing is asked; --dry-run says what would go. The winners that "
    "go are printed. 'gputune prune' drops what is old.",
    {1, 1},
    forget_options,
    forget};

static const cli_option prune_options[] = {
    {"older-than", 0, CLI_OPTION_NUMBER, &given.days, "DAYS", NULL,
     "also what nothing was measured of for so many days"},
    {"old-drivers", 0, CLI_OPTION_FLAG, &given.what.older_drivers, NULL, NULL,
     "also what was measured with an older driver than its GPU's last results"},
    {"max-size", 0, CLI_OPTION_BYTES, &given.what.most_bytes, "BYTES", NULL,
     "then the oldest, until the database takes at most so much: 100M, 1G"},
    DROP_OPTIONS};

const cli_command cmd_prune = {
    "prune",
    "delete results of edited templates, and old ones",
    "[KERNEL|PATH]",
    "Drops what was measured before templates were edited.",
    "What 'gputune show' prints stays; what it prints only with --history goes: winners, trials, "
    "and code that nothing else uses. Of a kernel whose template is not at hand, the newest "
    "version stays. The options let more go; --dry-run says what would go. The winners that go "
    "are printed. 'gputune forget' drops what is stored of a kernel.",
    {0, 1},
    prune_options,
    prune};
