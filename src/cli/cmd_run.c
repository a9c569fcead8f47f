/* The command run: verifies and measures configurations without storing results. */
#include "cli/records.h"

#include <string.h>

static cli_list configurations; /* values of --config */

typedef struct measured {
    cli_table table;
    int code;
} measured;

static int add_record(void *user, const gputune_record *record)
{
    measured *at = user;
    at->code = cli_worse(at->code, cli_trial_exit_code(record->status));
    cli_record_add(&at->table, record);
    return cli_canceled ? GPUTUNE_ECANCELED : 0;
}

static int run_scenario(const cli_session *session, const cli_scenario *scenario)
{
    measured at = {.table = cli_record_table(CLI_VIEW_RUN)};
    const char *kernel = scenario->kernel->given;
    gputune_options options = cli_tuning_options(scenario);
    options.time_limit_s = cli_limit_s(session, options.time_limit_s);
    if (!configurations.count) {
        cli_add(&configurations, "");
    }
    int status = gputune_run(session->tuner, kernel, scenario->sizes, configurations.items,
                             configurations.count, &options, add_record, &at);
    int code = cli_worse(status < 0 ? cli_fail(status) : CLI_EXIT_OK, at.code);
    cli_table_print(&at.table);
    for (size_t i = 0; i < configurations.count && code == CLI_EXIT_TEMPLATE; i++) {
        cli_compile_log(session, kernel, scenario->sizes, configurations.items[i]);
    }
    return cli_canceled ? CLI_EXIT_CANCELED : code;
}

static const cli_option options[] = {
    {"config", 'c', CLI_OPTION_LIST, &configurations, "CONFIGURATION", NULL,
     "\"AXIS=V AXIS=V\"; other axes as in the default; may be repeated [the default]"},
    CLI_ONE_SIZE_OPTION,
    CLI_INPUT_OPTION,
    {"objective", 'o', CLI_OPTION_CHOICE, &cli_tuning.options.objective, NULL, cli_objective_words,
     "what is measured"},
    CLI_CACHE_OPTION,
    CLI_LIMIT_OPTION,
    CLI_MEMORY_OPTION,
    CLI_ALIGNMENT_OPTION,
    CLI_SAMPLES_OPTION,
    CLI_FORMAT_OPTION,
    CLI_TUNER_OPTIONS,
};

static int measure_all(const cli_list *arguments)
{
    CLI_TRY(cli_tuning_inputs());
    return cli_single(CLI_OPEN_TUNING, arguments->items[0], run_scenario);
}

const cli_command cmd_run = {
    "run",
    "verify, measure and compare configurations of a kernel",
    "KERNEL|PATH",
    "Checks and measures configurations of a kernel; stores no results.",
    "Several configurations are measured interleaved and compared with the first one. Speed-up is "
    "the first one's time over the row's, paired, with its 95% interval. The verdict is faster if "
    "the whole interval is above 1, slower if it is below 1, otherwise same. The column 95% is "
    "half the width of the median's confidence interval, as a fraction of the median.",
    {1, 1},
    options,
    measure_all};
