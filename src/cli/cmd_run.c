/* The command run: checks and measures configurations, and stores no results. */
#include "cli/commands.h"

#include "cli/console.h"
#include "cli/failures.h"
#include "cli/record_columns.h"
#include "cli/scenarios.h"

/* The options. */
static struct {
    cli_common common;
    cli_selection selection;
    cli_tuning tuning;
    cli_list configurations;
    const char *save;
} given;

typedef struct work {
    cli_table table;
    int code;
} work;

static int add(void *user, const gputune_record *record)
{
    work *at = user;
    at->code = cli_worse(at->code, cli_trial_exit_code(record->status));
    cli_record_add(&at->table, record);
    return cli_is_canceled() ? GPUTUNE_ECANCELED : 0;
}

static int measure(work *at, const cli_session *session, const cli_scenario *scenario,
                   int objective)
{
    gputune_options options = cli_tuning_options(&given.tuning, scenario);
    options.objective = (gputune_objective)objective;
    options.save = given.save;
    const cli_list *list = &given.configurations;
    int status = gputune_run(session->tuner, scenario->kernel->name, scenario->sizes, list->items,
                             list->count, &options, add, at);
    if (status == GPUTUNE_EUNSUPPORTED && given.tuning.objective == CLI_OBJECTIVE_ALL) {
        cli_note("without %s: %s", gputune_objective_name(options.objective), gputune_error());
        return CLI_EXIT_OK;
    }
    return status < 0 ? cli_fail(status) : CLI_EXIT_OK;
}

static void show_logs(const cli_session *session, const cli_scenario *scenario)
{
    const cli_list *list = &given.configurations;
    for (size_t i = 0; i < (list->count ? list->count : 1); i++) {
        cli_compile_log(session, scenario->kernel->name, scenario->sizes,
                        list->count ? list->items[i] : NULL);
    }
}

/* Of all objectives, a kernel whose launches do different work is measured by rate alone, and any
 * other kernel by each that times a launch. */
static bool is_wanted(const cli_scenario *scenario, int objective)
{
    int chosen = given.tuning.objective;
    bool by_rate = scenario->kernel->objective == GPUTUNE_OBJECTIVE_RATE;
    if (chosen != CLI_OBJECTIVE_ALL) {
        return objective == chosen;
    }
    return objective != GPUTUNE_OBJECTIVE_DEFAULT &&
           (objective == GPUTUNE_OBJECTIVE_RATE) == by_rate;
}

static int run(const cli_session *session, const cli_scenario *scenario)
{
    work at = {.table = cli_record_table(CLI_VIEW_RUN)};
    int code = CLI_EXIT_OK;
    for (int objective = 0; objective < GPUTUNE_OBJECTIVE_COUNT && !cli_is_canceled();
         objective++) {
        if (is_wanted(scenario, objective)) {
            code = cli_worse(code, measure(&at, session, scenario, objective));
        }
    }
    cli_table_print(&at.table, given.common.format);
    code = cli_worse(code, at.code);
    if (code == CLI_EXIT_TEMPLATE) {
        show_logs(session, scenario);
    }
    return cli_is_canceled() ? CLI_EXIT_CANCELED : code;
}

static const cli_option options[] = {
    {"config", 'c', CLI_OPTION_LIST, &given.configurations, "CONFIGURATION", NULL,
     "\"AXIS=V AXIS=V\", axes left out as in the default; may be repeated [the default]"},
    CLI_SIZE_OPTION(&given.selection),
    {"objective", 'o', CLI_OPTION_CHOICE, &given.tuning.objective, NULL, cli_objective_all_words,
     "what is measured; all: one after another, as far as possible"},
    CLI_INPUT_OPTION(&given.tuning),
    {"save", 0, CLI_OPTION_TEXT, &given.save, "FOLDER", NULL,
     "write the outputs of the first configuration there, as NAME.npy, which expect() reads"},
    CLI_CACHE_OPTION(&given.tuning),
    CLI_LIMIT_OPTION(&given.tuning),
    CLI_ALIGNMENT_OPTION(&given.tuning),
    CLI_SAMPLES_OPTION(&given.tuning),
    CLI_FORMAT_OPTION(&given.common),
    CLI_TUNER_OPTIONS(&given.common),
};

static int measure_all(const cli_arguments *arguments)
{
    cli_console_inform(given.save != NULL); /* of how the outputs are read */
    CLI_TRY(cli_tuning_inputs(&given.tuning));
    return cli_single(&given.common, CLI_OPEN_TUNING, &given.selection, arguments->items, run);
}

const cli_command cmd_run = {"run",
                             "check and measure configurations of a kernel",
                             "KERNEL|PATH",
                             "Checks and measures configurations of a kernel; stores no results.",
                             "Several configurations are measured interleaved. The column 95% is "
                             "half the width of the confidence interval, as a share of the median.",
                             1,
                             1,
                             options,
                             measure_all};
