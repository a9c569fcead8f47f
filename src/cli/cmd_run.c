/* The commands run and compare: check and measure configurations; store nothing. */
#include "cli/records.h"

#include <string.h>

/* The options. */
static struct {
    cli_list configurations; /* of run */
    const char *sides[2];    /* the two configurations that are compared */
} given;

typedef struct measured {
    cli_table table;
    int code;
    double speedup;      /* the first row's time divided by the last row's */
    const char *verdict; /* verdict of the last row: "faster", "slower", "same"; "" or NULL: none */
} measured;

static int add(void *user, const gputune_record *record)
{
    measured *at = user;
    at->code = cli_worse(at->code, cli_trial_exit_code(record->status));
    at->speedup = record->speedup;
    at->verdict = cli_verdict(record);
    cli_record_add(&at->table, record);
    return cli_is_canceled() ? GPUTUNE_ECANCELED : 0;
}

static void show_logs(const cli_session *session, const char *kernel, gputune_sizes sizes,
                      const char *const *configurations, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cli_compile_log(session, kernel, sizes, configurations[i]);
    }
}

/* ---- run ------------------------------------------------------------------------------------- */

static int measure(measured *at, const cli_session *session, const cli_scenario *scenario,
                   int objective)
{
    gputune_options options = cli_tuning_options(scenario);
    options.objective = (gputune_objective)objective;
    options.time_limit_s = cli_limit_s(session, options.time_limit_s);
    const cli_list *list = &given.configurations;
    int status = gputune_run(session->tuner, scenario->kernel->name, scenario->sizes, list->items,
                             list->count, &options, add, at);
    if (status == GPUTUNE_EUNSUPPORTED && cli_tuning.objective == CLI_OBJECTIVE_ALL) {
        cli_note("%s is left out: %s", gputune_objective_name(options.objective), gputune_error());
        return CLI_EXIT_OK;
    }
    return status < 0 ? cli_fail(status) : CLI_EXIT_OK;
}

/* Returns true if the objective is to be measured. With --objective all: rate if launches do
 * different work, otherwise every objective that times a launch. */
static bool is_wanted(const cli_scenario *scenario, int objective)
{
    int chosen = cli_tuning.objective;
    bool by_rate = scenario->kernel->objective == GPUTUNE_OBJECTIVE_RATE;
    if (chosen != CLI_OBJECTIVE_ALL) {
        return objective == chosen;
    }
    return objective != GPUTUNE_OBJECTIVE_DEFAULT &&
           (objective == GPUTUNE_OBJECTIVE_RATE) == by_rate;
}

static int run(const cli_session *session, const cli_scenario *scenario)
{
    measured at = {.table = cli_record_table(CLI_VIEW_RUN)};
    int code = CLI_EXIT_OK;
    for (int objective = 0; objective < GPUTUNE_OBJECTIVE_COUNT && !cli_is_canceled();
         objective++) {
        if (is_wanted(scenario, objective)) {
            code = cli_worse(code, measure(&at, session, scenario, objective));
        }
    }
    cli_table_print(&at.table);
    code = cli_worse(code, at.code);
    if (code == CLI_EXIT_TEMPLATE) {
        const cli_list *list = &given.configurations;
        static const char *const standard = NULL;
        show_logs(session, scenario->kernel->name, scenario->sizes,
                  list->count ? list->items : &standard, list->count ? list->count : 1);
    }
    return cli_is_canceled() ? CLI_EXIT_CANCELED : code;
}

#define MEASURE_OPTIONS                                                                            \
    CLI_CACHE_OPTION, CLI_LIMIT_OPTION, CLI_MEMORY_OPTION, CLI_ALIGNMENT_OPTION,                   \
        CLI_SAMPLES_OPTION, CLI_FORMAT_OPTION, CLI_TUNER_OPTIONS

static const cli_option run_options[] = {
    {"config", 'c', CLI_OPTION_LIST, &given.configurations, "CONFIGURATION", NULL,
     "\"AXIS=V AXIS=V\"; other axes as in the default; may be repeated [the default]"},
    CLI_ONE_SIZE_OPTION,
    {"objective", 'o', CLI_OPTION_CHOICE, &cli_tuning.objective, NULL, cli_objective_all_words,
     "what to measure; all: every objective that is possible here, one after another"},
    CLI_INPUT_OPTION,
    MEASURE_OPTIONS,
};

static int measure_all(const cli_list *arguments)
{
    CLI_TRY(cli_tuning_inputs());
    return cli_single(CLI_OPEN_TUNING, arguments->items[0], run);
}

const cli_command cmd_run = {
    "run",
    "verify and measure configurations of a kernel",
    "KERNEL|PATH",
    "Checks and measures configurations of a kernel; stores no results.",
    "Several configurations are measured interleaved. The column 95% is half the width of the "
    "confidence interval, as a fraction of the median.",
    {1, 1},
    run_options,
    measure_all};

/* ---- compare --------------------------------------------------------------------------------- */

static int compare_pair(measured *at, const cli_session *session, const char *kernel,
                        gputune_sizes sizes, const char *const pair[2],
                        const gputune_options *options)
{
    gputune_options own = *options;
    own.time_limit_s = cli_limit_s(session, own.time_limit_s);
    int status = gputune_run(session->tuner, kernel, sizes, pair, 2, &own, add, at);
    if (cli_is_canceled()) {
        return CLI_EXIT_CANCELED;
    }
    int code = status < 0 ? cli_fail(status) : at->code;
    show_logs(session, kernel, sizes, pair, code == CLI_EXIT_TEMPLATE ? 2 : 0);
    return code;
}

static void say_verdict(const measured *at, const char *label)
{
    if (at->verdict && at->verdict[0]) {
        cli_note("%s: B is %s (%.3fx)", label,
                 strcmp(at->verdict, "same") == 0 ? "as fast as A" : at->verdict, at->speedup);
    }
}

static int compare_configurations(const cli_session *session, const cli_scenario *scenario)
{
    measured at = {.table = cli_record_table(CLI_VIEW_COMPARE)};
    gputune_options options = cli_tuning_options(scenario);
    int code =
        compare_pair(&at, session, scenario->kernel->name, scenario->sizes, given.sides, &options);
    cli_table_print(&at.table);
    if (code == CLI_EXIT_OK) {
        say_verdict(&at, scenario->label);
    }
    return code;
}

static const cli_option compare_options[] = {
    CLI_ONE_SIZE_OPTION,
    {"objective", 'o', CLI_OPTION_CHOICE, &cli_tuning.objective, NULL, cli_objective_words,
     "what is measured"},
    MEASURE_OPTIONS,
};

static int compare(const cli_list *arguments)
{
    given.sides[0] = arguments->items[1];
    given.sides[1] = arguments->items[2];
    return cli_single(CLI_OPEN_TUNING, arguments->items[0], compare_configurations);
}

const cli_command cmd_compare = {
    "compare",
    "compare two configurations",
    "KERNEL|PATH A B",
    "Measures two configurations of a kernel interleaved and prints which is faster.",
    "Speed-up is A's time over B's, paired, with its 95% interval. B is faster if the whole "
    "interval is above 1, slower if it is below 1, otherwise the same.",
    {3, 3},
    compare_options,
    compare};
