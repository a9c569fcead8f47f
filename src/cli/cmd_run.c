/* The commands run and compare: verify and measure configurations without storing results. */
#include "cli/records.h"

#include <string.h>

static struct {
    cli_list configurations; /* arguments of `run` */
    const char *sides[2];    /* the two arguments of `compare` */
} given;

typedef struct measured {
    cli_table table;
    int code;
    double speedup;      /* time of the first row divided by time of the last row */
    const char *verdict; /* "faster", "slower" or "same"; "" or NULL if unknown */
} measured;

static int add_record(void *user, const gputune_record *record)
{
    measured *at = user;
    at->code = cli_worse(at->code, cli_trial_exit_code(record->status));
    at->speedup = record->speedup;
    at->verdict = cli_verdict(record);
    cli_record_add(&at->table, record);
    return cli_is_canceled() ? GPUTUNE_ECANCELED : 0;
}

static int measure_configurations(measured *at, const cli_session *session,
                                  const cli_scenario *scenario, const char *const *configurations,
                                  size_t count)
{
    const char *kernel = scenario->kernel->given;
    gputune_options options = cli_tuning_options(scenario);
    options.time_limit_s = cli_limit_s(session, options.time_limit_s);
    int status = gputune_run(session->tuner, kernel, scenario->sizes, configurations, count,
                             &options, add_record, at);
    int code = cli_worse(status < 0 ? cli_fail(status) : CLI_EXIT_OK, at->code);
    cli_table_print(&at->table);
    for (size_t i = 0; i < count && code == CLI_EXIT_TEMPLATE; i++) {
        cli_compile_log(session, kernel, scenario->sizes, configurations[i]);
    }
    return cli_is_canceled() ? CLI_EXIT_CANCELED : code;
}

#define MEASURE_OPTIONS                                                                            \
    CLI_ROW("objective", 'o', CLI_OPTION_CHOICE, &cli_tuning.objective, NULL, cli_objective_words, \
            "what is measured"),                                                                   \
        CLI_CACHE_OPTION, CLI_LIMIT_OPTION, CLI_MEMORY_OPTION, CLI_ALIGNMENT_OPTION,               \
        CLI_SAMPLES_OPTION, CLI_FORMAT_OPTION, CLI_TUNER_OPTIONS

static int run_scenario(const cli_session *session, const cli_scenario *scenario)
{
    static const char *const standard = "";
    const cli_list *list = &given.configurations;
    measured at = {.table = cli_record_table(CLI_VIEW_RUN)};
    return measure_configurations(&at, session, scenario, list->count ? list->items : &standard,
                                  list->count ? list->count : 1);
}

static const cli_option run_options[] = {
    {"config", 'c', CLI_OPTION_LIST, &given.configurations, "CONFIGURATION", NULL,
     "\"AXIS=V AXIS=V\"; other axes as in the default; may be repeated [the default]"},
    CLI_ONE_SIZE_OPTION,
    CLI_INPUT_OPTION,
    MEASURE_OPTIONS,
};

static int measure_all(const cli_list *arguments)
{
    CLI_TRY(cli_tuning_inputs());
    return cli_single(CLI_OPEN_TUNING, arguments->items[0], run_scenario);
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

static void print_verdict(const measured *at, const char *label)
{
    if (at->verdict && at->verdict[0]) {
        cli_note("%s: B is %s (%.3fx)", label,
                 strcmp(at->verdict, "same") == 0 ? "as fast as A" : at->verdict, at->speedup);
    }
}

static int compare_configurations(const cli_session *session, const cli_scenario *scenario)
{
    measured at = {.table = cli_record_table(CLI_VIEW_COMPARE)};
    int code = measure_configurations(&at, session, scenario, given.sides, 2);
    if (code == CLI_EXIT_OK) {
        print_verdict(&at, scenario->label);
    }
    return code;
}

static const cli_option compare_options[] = {CLI_ONE_SIZE_OPTION, MEASURE_OPTIONS};

static int compare_given(const cli_list *arguments)
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
    compare_given};
