/* Opens a tuner for the commands that work on one kernel at one set of sizes. */
#include "cli/single.h"

static int resolve(const cli_session *session, cli_open_mode mode, const cli_selection *selection,
                   cli_work work, void *user)
{
    cli_catalogue catalogue;
    cli_scenarios scenarios;
    int code = cli_catalogue_find(&catalogue, session, selection->kernels, selection->kernel_count);
    if (code != CLI_CONTINUE) {
        return code;
    }
    code = cli_catalogue_one(&catalogue);
    if (code == CLI_CONTINUE) {
        code = cli_scenario_single(&scenarios, &catalogue, selection, session);
    }
    if (code == CLI_CONTINUE) {
        if (mode == CLI_OPEN_TUNING) { /* what is measured by then is told */
            cli_catch_interrupt();
        }
        code = work(user, session, scenarios.items);
        cli_scenarios_free(&scenarios);
    }
    cli_catalogue_free(&catalogue);
    return code;
}

int cli_single(const cli_common *common, cli_open_mode mode, cli_selection *selection, char **name,
               cli_work work, void *user)
{
    selection->kernels = name;
    selection->kernel_count = 1;
    cli_session session;
    int code = cli_open(&session, common, mode);
    if (code == CLI_CONTINUE) {
        code = resolve(&session, mode, selection, work, user);
        cli_close(&session);
    }
    return code;
}
