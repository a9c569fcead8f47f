/* The command kernels: lists the templates that can be tuned by name. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/session.h"
#include "cli/table.h"

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW };
#define SAME(name, unit, where) CLI_FIELD(gputune_kernel, name, #name, unit, where)

static const cli_column columns[] = {
    CLI_AS("kernel", gputune_kernel, name, "kernel", CLI_TEXT, BOTH),
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

static const cli_option options[] = {
    CLI_TEMPLATES_OPTION,
    CLI_INCLUDE_OPTION,
    CLI_FORMAT_OPTION,
    CLI_MESSAGE_OPTIONS,
};

static int list(const cli_arguments *arguments)
{
    cli_session session;
    (void)arguments;
    CLI_TRY(cli_open(&session, CLI_OPEN_NO_DEVICE));
    cli_table table = CLI_TABLE("kernels", columns, gputune_kernel, CLI_VIEW);
    CLI_TRY(cli_passed(gputune_kernels(session.tuner, add, &table)));
    return cli_table_print(&table);
}

const cli_command cmd_kernels = {
    "kernels",
    "what there is to tune",
    "",
    "Lists the kernels that can be tuned by name. A template of your own goes by its path.",
    NULL,
    {0, 0},
    options,
    list};
