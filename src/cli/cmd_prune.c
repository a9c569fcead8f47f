/* The command prune: drops what was measured of earlier versions of templates. */
#include "cli/commands.h"

#include "cli/catalogue.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/record_columns.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef struct settings {
    cli_common common;
    bool any_gpu, dry_run;
} settings;

typedef struct dropped {
    cli_table table; /* of the winners */
    size_t trials;
} dropped;

static int add(void *user, const gputune_record *record)
{
    dropped *at = user;
    at->trials++;
    if (record->is_winner) {
        cli_record_add(&at->table, record);
    }
    return 0;
}

static int prune(const settings *settings, const cli_session *session, const char *kernel)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.kernel = kernel;
    filter.any_gpu = settings->any_gpu || !session->has_device;
    dropped at = {.table =
                      cli_record_table(CLI_VIEW_WINNERS | (filter.any_gpu ? CLI_VIEW_ANY_GPU : 0))};
    int status = gputune_drop_outdated(session->tuner, &filter, settings->dry_run, add, &at);
    int code = status < 0 ? cli_fail(status) : CLI_EXIT_OK;
    if (code == CLI_EXIT_OK) {
        cli_table_write(&at.table, (cli_format_kind)settings->common.format, stdout);
        cli_note("%s%zu winners and %zu trials of earlier versions of templates",
                 settings->dry_run ? "would drop " : "dropped ", at.table.row_count, at.trials);
    }
    return code;
}

static int open_and_prune(const settings *settings, char *argument)
{
    const char *database = settings->common.database;
    if (database && access(database, F_OK) != 0) {
        cli_error("the database %s cannot be used: %s", database, strerror(errno));
        return CLI_EXIT_DATABASE;
    }
    cli_session session;
    int code = cli_open(&session, &settings->common, CLI_OPEN_IF_ANY);
    if (code != CLI_CONTINUE) {
        return code;
    }
    const char *kernel;
    code = cli_catalogue_stored_one(&kernel, &session, argument);
    if (code == CLI_CONTINUE) {
        code = prune(settings, &session, kernel);
    }
    cli_close(&session);
    return code;
}

int cmd_prune(int argc, char **argv)
{
    settings settings = {0};
    const cli_option options[] = {
        {"dry-run", 'n', CLI_OPTION_FLAG, &settings.dry_run, NULL,
         "say what would be dropped, drop nothing", NULL},
        {"any-gpu", 0, CLI_OPTION_FLAG, &settings.any_gpu, NULL,
         "records of every GPU in the database", NULL},
        CLI_FORMAT_OPTION(&settings.common),
        CLI_TUNER_OPTIONS(&settings.common),
        CLI_MESSAGE_OPTIONS(&settings.common),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "prune",
        "[KERNEL|PATH]",
        "Drops what was measured before templates were edited.",
        "What 'gputune show' prints stays; what it prints only with --history goes: winners, "
        "trials,\n"
        "and code that nothing else uses. Of a kernel whose template is not at hand, the newest\n"
        "version stays. The winners that go are printed.",
        0,
        1,
        options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    return code == CLI_CONTINUE
               ? open_and_prune(&settings, arguments.count ? arguments.items[0] : NULL)
               : code;
}
