/* The command forget: deletes stored results. */
#include "cli/records.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gputune_forget_options what = GPUTUNE_FORGET_OPTIONS_INIT;

static int stop_at_first(void *user, const gputune_record *record)
{
    (void)user, (void)record;
    return 1;
}

static int drop_records(const cli_session *session, const char *kernel)
{
    gputune_record_filter filter = {.size = sizeof filter, .kernel = kernel};
    cli_records dropped = {NULL, 0};
    CLI_TRY(cli_stored_filter(&filter, session));
    gputune_record_filter any = filter; /* matches any version */
    any.all_trials = any.history = true;
    cli_table table = cli_record_table(CLI_VIEW_WINNERS | (filter.any_gpu ? CLI_VIEW_ANY_GPU : 0));
    CLI_TRY(cli_passed(gputune_forget(session->tuner, &filter, &what, cli_records_add, &dropped)));
    int found =
        kernel && !dropped.count ? gputune_records(session->tuner, &any, stop_at_first, NULL) : 1;
    if (found == 0 || found == GPUTUNE_ENOTFOUND) {
        return cli_stored_nothing(session, &filter);
    }
    CLI_TRY(cli_passed(found));
    size_t rules = 0;
    for (size_t i = 0; i < dropped.count; i++) {
        rules += strcmp(dropped.items[i].status, "rule") == 0;
        if (dropped.items[i].is_winner) {
            cli_record_add(&table, &dropped.items[i]);
        }
    }
    cli_table_print(&table);
    const size_t trials = dropped.count - rules;
    const char *verb = what.dry_run ? "would delete" : "deleted";
    cli_note("%s %zu winner%s and %zu trial%s", verb, table.row_count, gt_plural(table.row_count),
             trials, gt_plural(trials));
    if (rules) {
        cli_note("%s %zu rule%s", verb, rules, gt_plural(rules));
    }
    return CLI_EXIT_OK;
}

static int forget_kernels(const cli_list *arguments)
{
    const char *database = cli_given.database ? cli_given.database : getenv("GPUTUNE_DB"),
               *name = arguments->count ? arguments->items[0] : NULL;
    bool is_selective = name || what.outdated || cli_given.selection.sizes.count ||
                        (cli_given.gpu && *cli_given.gpu);
    CLI_SCOPED(cli_close) cli_session session = {0};
    CLI_REFUSE(!is_selective, CLI_EXIT_USAGE,
               "forget: nothing is selected; name a KERNEL, or give --outdated, --size or --gpu");
    CLI_REFUSE(database && *database && access(database, F_OK) != 0, CLI_EXIT_DATABASE,
               "the database '%s' cannot be used: %s", database, strerror(errno));
    CLI_TRY(cli_open(&session, CLI_OPEN_IF_ANY));
    CLI_TRY(cli_stored_name(&session, name));
    return drop_records(&session, name);
}

static const cli_option options[] = {
    {"outdated", 0, CLI_OPTION_FLAG, &what.outdated, NULL, NULL,
     "results of earlier versions of a template, which 'gputune show --history' prints"},
    {"dry-run", 'n', CLI_OPTION_FLAG, &what.dry_run, NULL, NULL,
     "print what would be deleted, delete nothing"},
    CLI_STORED_OPTIONS,
    CLI_FORMAT_OPTION,
    CLI_TUNER_OPTIONS};

const cli_command cmd_forget = {
    "forget",
    "delete stored results",
    "[KERNEL|PATH]",
    "Deletes stored results: winners, trials, rules, and code that nothing else uses.",
    "Deletes everything that is stored for a KERNEL, or for all kernels of a PATH, in every "
    "version of the template. With --outdated, deletes only results of earlier versions; without "
    "KERNEL, those of all kernels. If a kernel's template is not found, --outdated keeps the "
    "newest version. The command does not ask for confirmation; --dry-run shows what would be "
    "deleted. Prints the winners that are deleted.",
    {0, 1},
    options,
    forget_kernels};
