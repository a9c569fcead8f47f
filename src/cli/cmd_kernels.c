/* The command kernels: lists the templates that can be tuned by name. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/session.h"
#include "cli/table.h"

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW };
#define SAME(name, unit, where) CLI_FIELD(gputune_kernel, name, #name, unit, where)

static const cli_column columns[] = {
    {"kernel", "kernel", CLI_TEXT, BOTH, offsetof(gputune_kernel, name), NULL},
    SAME(sizes, CLI_SIZES, BOTH),
    SAME(objective, CLI_OBJECTIVE, BOTH),
    SAME(summary, CLI_TEXT, BOTH),
    SAME(axes, CLI_TEXT, DATA),
    SAME(path, CLI_TEXT, DATA),
};

static int add(void *user, const gputune_kernel *kernel)
{
    cli_table_add(user, kernel);
    return 0;
}

static int list(const cli_common *common)
{
    cli_session session;
    CLI_TRY(cli_open(&session, common, CLI_OPEN_NO_DEVICE));
    cli_table table = CLI_TABLE("kernels", columns, CLI_VIEW);
    int status = gputune_kernels(session.tuner, add, &table);
    int code = status < 0 ? cli_fail(status) : CLI_EXIT_OK;
    if (status >= 0) {
        cli_table_write(&table, (cli_format_kind)common->format, stdout);
    }
    cli_close(&session);
    return code;
}

int cmd_kernels(int argc, char **argv)
{
    cli_common common = {0};
    const cli_option options[] = {
        {"templates", 0, CLI_OPTION_TEXT, &common.templates, "FOLDER",
         "where the kernels are [GPUTUNE_TEMPLATES, else the installed ones]", NULL},
        CLI_INCLUDE_OPTION,
        CLI_FORMAT_OPTION(&common),
        CLI_MESSAGE_OPTIONS(&common),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "kernels",
        "",
        "Lists the kernels that can be tuned by name. A template of your own goes by its path.",
        NULL,
        0,
        0,
        options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    return code == CLI_CONTINUE ? list(&common) : code;
}
