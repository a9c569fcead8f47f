/* The command compare: two configurations of a kernel, or two databases. */
#include "cli/commands.h"

#include "cli/compare.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/failures.h"
#include "cli/record_columns.h"
#include "cli/scenarios.h"

#include <string.h>
#include <unistd.h>

static int keep(void *user, const gputune_record *record)
{
    cli_comparison *at = user;
    cli_record_add(at->table, record);
    if (strcmp(record->status, "ok") != 0) {
        at->code = strcmp(record->status, "wrong") == 0     ? CLI_EXIT_WRONG
                   : strcmp(record->status, "compile") == 0 ? CLI_EXIT_TEMPLATE
                                                            : CLI_EXIT_NOTHING;
    }
    at->speedup = record->speedup;
    at->verdict = cli_verdict(record);
    return *cli_cancel() ? GPUTUNE_ECANCELED : 0;
}

int cli_compare_pair(cli_comparison *at, const cli_session *session, const char *kernel,
                     gputune_sizes sizes, const char *const pair[2], const gputune_options *options)
{
    int status = gputune_run(session->tuner, kernel, sizes, pair, 2, options, keep, at);
    if (*cli_cancel()) {
        return CLI_EXIT_CANCELED;
    }
    int code = status < 0 ? cli_fail(status) : at->code;
    for (size_t i = 0; i < 2 && code == CLI_EXIT_TEMPLATE; i++) {
        cli_compile_log(session, kernel, sizes, pair[i]);
    }
    return code;
}

void cli_compare_say(const cli_comparison *at, const char *label)
{
    if (at->verdict && at->verdict[0]) {
        cli_note("%s: B is %s (%.3fx)", label,
                 strcmp(at->verdict, "same") == 0 ? "the same as A" : at->verdict, at->speedup);
    }
}

static int compare(void *user, const cli_session *session, const cli_scenario *scenario)
{
    const cli_compare *settings = user;
    cli_table table = cli_record_table(CLI_VIEW_COMPARE);
    cli_comparison at = {.table = &table};
    gputune_options options = cli_tuning_options(&settings->tuning, scenario);
    int code = cli_compare_pair(&at, session, scenario->kernel->name, cli_scenario_sizes(scenario),
                                settings->sides, &options);
    cli_table_write(&table, (cli_format_kind)settings->common.format, stdout);
    if (code == CLI_EXIT_OK) {
        cli_compare_say(&at, scenario->label);
    }
    return code;
}

/* A word that is neither a path nor a file is a kernel or a configuration; one of the two was
 * forgotten. */
static int check_databases(const char *const sides[2])
{
    for (size_t i = 0; i < 2; i++) {
        bool is_path = !strchr(sides[i], '=') && strpbrk(sides[i], "./");
        if (!is_path && access(sides[i], F_OK) != 0) {
            cli_error(
                "compare: '%s' is not a database; two configurations of a kernel are compared "
                "by 'gputune compare KERNEL A B'",
                sides[i]);
            return CLI_EXIT_USAGE;
        }
    }
    return CLI_CONTINUE;
}

/* Two databases, alone or after a kernel: files, and no configurations. */
static bool are_databases(const cli_arguments *arguments)
{
    size_t count = arguments->count;
    for (size_t i = count - 2; i < count; i++) {
        if (strchr(arguments->items[i], '=') || access(arguments->items[i], F_OK) != 0) {
            return count == 2;
        }
    }
    return true;
}

static int compare_arguments(cli_compare *settings, const cli_arguments *arguments)
{
    settings->sides[0] = arguments->items[arguments->count - 2];
    settings->sides[1] = arguments->items[arguments->count - 1];
    settings->kernel = arguments->count == 3 ? arguments->items[0] : NULL;
    if (!are_databases(arguments)) {
        return cli_single(&settings->common, CLI_OPEN_TUNING, &settings->selection,
                          arguments->items, compare, settings);
    }
    int code = check_databases(settings->sides);
    return code == CLI_CONTINUE ? cli_compare_databases(settings) : code;
}

int cmd_compare(int argc, char **argv)
{
    cli_compare settings = {0};
    const cli_option options[] = {
        CLI_SIZE_OPTION(&settings.selection),
        {"objective", 'o', CLI_OPTION_CHOICE, &settings.tuning.objective, NULL, "what is measured",
         cli_objective_words()},
        CLI_CACHE_OPTION(&settings.tuning),
        CLI_LIMIT_OPTION(&settings.tuning),
        CLI_ALIGNMENT_OPTION(&settings.tuning),
        CLI_SAMPLES_OPTION(&settings.tuning),
        CLI_FORMAT_OPTION(&settings.common),
        CLI_TUNER_OPTIONS(&settings.common),
        CLI_MESSAGE_OPTIONS(&settings.common),
        CLI_OPTIONS_END,
    };
    const cli_usage usage = {
        "compare",
        "KERNEL|PATH A B | [KERNEL|PATH] A.db B.db",
        "Measures two configurations of a kernel interleaved, and says which is faster. Of two\n"
        "databases: every scenario (of the kernel that is named) for which both have a winner on\n"
        "this GPU. A template that is not among the installed ones is named by its path.",
        "Speed-up is A's time over B's, paired, with its 95% interval: B is faster when the whole\n"
        "interval is above 1, slower when below, else the same.",
        2,
        3,
        options};
    cli_arguments arguments;
    int code = cli_parse(&arguments, &usage, argc, argv);
    return code == CLI_CONTINUE ? compare_arguments(&settings, &arguments) : code;
}
