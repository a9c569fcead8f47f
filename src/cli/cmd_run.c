/* The commands run and compare: check and measure configurations or databases; store nothing. */
#include "cli/records.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The options. */
static struct {
    cli_list configurations; /* of run */
    const char *save;
    const char *kernel;   /* the kernel that precedes two databases; NULL: none was given */
    const char *sides[2]; /* the two configurations or databases that are compared */
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
    options.save = given.save;
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
    {"save", 0, CLI_OPTION_TEXT, &given.save, "FOLDER", NULL,
     "the folder for the outputs of the first configuration: NAME.npy, which expect() reads"},
    MEASURE_OPTIONS,
};

static int measure_all(const cli_list *arguments)
{
    cli_given.informs = given.save != NULL; /* prints how to read the outputs */
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

static int read_winners(cli_records *out, const char *path)
{
    CLI_REFUSE(access(path, R_OK) != 0, CLI_EXIT_DATABASE, "cannot read database '%s': %s", path,
               strerror(errno));
    const struct cli_given own = cli_given;
    CLI_SCOPED(cli_close) cli_session session = {0};
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    cli_given.database = path;
    cli_given.read_only = cli_given.records_only = true;
    cli_given.quiet = true; /* avoids a second note about the device */
    int code = cli_open(&session, CLI_OPEN_DEVICE);
    code = code == CLI_CONTINUE ? cli_records_read(out, &filter, &session, given.kernel) : code;
    cli_given = own;
    return code;
}

static const gputune_record *find(const cli_records *winners, const gputune_record *like)
{
    for (size_t i = 0; i < winners->count; i++) {
        const gputune_record *one = &winners->items[i];
        if (strcmp(one->kernel, like->kernel) == 0 && strcmp(one->sizes, like->sizes) == 0 &&
            one->objective == like->objective && one->cache == like->cache) {
            return one;
        }
    }
    return NULL;
}

static int measure_both(measured *at, const cli_session *session, const gputune_record *a,
                        const gputune_record *b)
{
    const char *label = cli_label(a->kernel, a->sizes);
    if (strcmp(a->configuration, b->configuration) == 0) {
        cli_note("%s: both databases have the same winner, %s", label, a->configuration);
        return CLI_EXIT_OK;
    }
    const char *const pair[2] = {a->configuration, b->configuration};
    const cli_scenario unrestricted = {0};
    gputune_options options = cli_tuning_options(&unrestricted);
    options.objective = a->objective;
    options.cache = a->cache;
    at->code = CLI_EXIT_OK;
    at->verdict = NULL;
    int code = compare_pair(at, session, a->kernel, cli_sizes_of(a->sizes), pair, &options);
    say_verdict(at, label);
    return code;
}

static int compare_all(const cli_session *session, const cli_records winners[2])
{
    measured at = {.table = cli_record_table(CLI_VIEW_COMPARE | CLI_VIEW_WINNERS)};
    int code = CLI_EXIT_OK;
    size_t common = 0;
    for (size_t i = 0; i < winners[0].count && !cli_is_canceled(); i++) {
        const gputune_record *a = &winners[0].items[i], *b = find(&winners[1], a);
        if (b) {
            common++;
            code = cli_worse(code, measure_both(&at, session, a, b));
        }
    }
    cli_table_print(&at.table);
    CLI_REFUSE(!common, CLI_EXIT_NOTHING, "the databases have no scenario on this GPU in common");
    return cli_is_canceled() ? CLI_EXIT_CANCELED : code;
}

static int compare_databases(void)
{
    cli_records winners[2] = {{NULL, 0}, {NULL, 0}};
    CLI_SCOPED(cli_close) cli_session session = {0};
    for (size_t i = 0; i < 2; i++) {
        CLI_TRY(read_winners(&winners[i], given.sides[i]));
    }
    cli_given.database = ":memory:";
    CLI_TRY(cli_open(&session, CLI_OPEN_TUNING));
    CLI_TRY(cli_stored_name(&session, given.kernel));
    cli_catch_interrupt();
    return compare_all(&session, winners);
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

/* Returns false for a kernel or a configuration: a word that is neither a path nor a file. */
static bool may_be_database(const char *side)
{
    return !strchr(side, '=') && (strpbrk(side, "./") || access(side, F_OK) == 0);
}

static const cli_option compare_options[] = {
    CLI_ONE_SIZE_OPTION,
    {"objective", 'o', CLI_OPTION_CHOICE, &cli_tuning.objective, NULL, cli_objective_words,
     "what is measured"},
    MEASURE_OPTIONS,
};

static int compare(const cli_list *arguments)
{
    size_t count = arguments->count;
    given.sides[0] = arguments->items[count - 2];
    given.sides[1] = arguments->items[count - 1];
    given.kernel = count == 3 ? arguments->items[0] : NULL;
    for (size_t i = 0; i < 2; i++) {
        if (!may_be_database(given.sides[i]) && count == 3) {
            return cli_single(CLI_OPEN_TUNING, arguments->items[0], compare_configurations);
        }
        CLI_REFUSE(!may_be_database(given.sides[i]), CLI_EXIT_USAGE,
                   "compare: '%s' is not a database; to compare two configurations, run 'gputune "
                   "compare KERNEL A B'",
                   given.sides[i]);
    }
    return compare_databases();
}

const cli_command cmd_compare = {
    "compare",
    "compare two configurations, or two databases",
    "KERNEL|PATH A B | [KERNEL|PATH] A.db B.db",
    "Measures two configurations of a kernel interleaved and prints which is faster; or compares "
    "the winners of two databases on this GPU, for one kernel or all. A template of your own is "
    "given by its path.",
    "Speed-up is A's time over B's, paired, with its 95% interval. B is faster if the whole "
    "interval is above 1, slower if it is below 1, otherwise the same.",
    {2, 3},
    compare_options,
    compare};
