/* The command check: looks for races and other mistakes of a kernel's variants on the emulator. */
#include "cli/commands.h"

#include "cli/check.h"
#include "cli/console.h"
#include "cli/tuning.h"

typedef struct settings {
    cli_common common;
    cli_selection selection;
    cli_tuning tuning;
    bool all;
} settings;

static int run(void *user, const cli_session *session, const cli_scenario *scenario)
{
    const settings *settings = user;
    gputune_options options = cli_tuning_options(&settings->tuning, scenario);
    cli_checked checked = {0};
    gputune_sizes sizes = {0};
    if (settings->selection.sizes.count) {
        sizes = cli_scenario_sizes(scenario);
    }
    int code =
        cli_check_kernel(&checked, session, scenario->kernel->name, sizes, &options, settings->all);
    cli_checked_write(&checked, (cli_format_kind)settings->common.format, stdout);
    return *cli_cancel() ? CLI_EXIT_CANCELED : code;
}

static settings given = {.selection.cuts_sizes = true, .common.driver = "emu"};

static const cli_option options[] = {
    CLI_SIZE_OPTION(&given.selection),
    CLI_ONLY_OPTION(&given.selection),
    {"all", 'a', CLI_OPTION_FLAG, &given.all, NULL, "every variant", NULL},
    {"max-variants", 'm', CLI_OPTION_COUNT, &given.tuning.max_variants, "COUNT",
     "so many variants: the default, and others at random [16]", NULL},
    {"seed", 0, CLI_OPTION_COUNT, &given.tuning.seed, "NUMBER",
     "which variants and inputs are drawn", NULL},
    {"time-limit", 't', CLI_OPTION_NUMBER, &given.tuning.time_limit_s, "SECONDS",
     "for the whole check [600]", NULL},
    CLI_FORMAT_OPTION(&given.common),
    CLI_TUNER_OPTIONS(&given.common),
    CLI_MESSAGE_OPTIONS(&given.common),
    CLI_OPTIONS_END,
};

static int check(const cli_arguments *arguments)
{
    return cli_single(&given.common, CLI_OPEN_TUNING, &given.selection, arguments->items, run,
                      &given);
}

const cli_command cmd_check = {
    "check",
    "mistakes of a kernel's variants, found without a GPU",
    "KERNEL|PATH",
    "Looks for mistakes of a kernel's variants on the emulator; stores nothing.",
    "Races of threads in shared and global memory, barriers in divergent branches, shuffles "
    "from threads that have returned, reads of memory that nothing has set, accesses outside "
    "an argument or misaligned, device variables that are written. Without sizes, those of the "
    "template are cut down to about a megabyte. Exit code 7: something was found.",
    1,
    1,
    options,
    check};
