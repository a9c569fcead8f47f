/* Runs search strategies on recorded spaces. Options and output are like those of gputune. */
#include "cli/scenarios.h"
#include "cli/table.h"
#include "replay/score.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static struct {
    const char *strategies, *evaluations; /* comma-separated lists */
    uint32_t seed;
    replay_options options;
} given = {.strategies = "auto",
           .evaluations = "50,100,200",
           .options = {.seeds = 100, .log = cli_console_log}};

static int add_strategy(const char *word)
{
    static gputune_strategy *strategies;
    size_t index = gt_index_of(word, cli_strategy_words, GPUTUNE_STRATEGY_COUNT);
    if (index == GPUTUNE_STRATEGY_COUNT) {
        return cli_unknown("strategy", word, cli_strategy_words, GPUTUNE_STRATEGY_COUNT);
    }
    cli_push(strategies, given.options.strategy_count, (gputune_strategy)index);
    given.options.strategies = strategies;
    return CLI_CONTINUE;
}

static int add_evaluations(const char *word)
{
    enum { MOST = 1000000 };
    static uint32_t *evaluations;
    const char *rest = word;
    long value = cli_take_number(&rest, MOST);
    CLI_REFUSE(value < 1 || *rest, CLI_EXIT_USAGE,
               "--evaluations: '%s' is not a count from 1 to %d", word, MOST);
    cli_push(evaluations, given.options.evaluation_count, (uint32_t)value);
    given.options.evaluations = evaluations;
    return CLI_CONTINUE;
}

/* Calls `add` for each word of a comma-separated list. */
static int each_word(const char *text, int (*add)(const char *word))
{
    for (;;) {
        size_t length = strcspn(text, ",");
        CLI_TRY(add(cli_copy_part(text, length)));
        if (!text[length]) {
            return CLI_CONTINUE;
        }
        text += length + 1;
    }
}

enum { DATA = CLI_IN_DATA, BOTH = CLI_IN_DATA | CLI_VIEW, CLOCK = CLI_VIEW << 1 };
#define SAME(name, title, unit, where) CLI_FIELD(replayed, name, title, unit, where)

static const cli_column columns[] = {
    SAME(space, "space", CLI_TEXT, BOTH),
    SAME(strategy, "strategy", CLI_TEXT, BOTH),
    SAME(evaluations, "evaluations", CLI_COUNT, BOTH),
    SAME(mean_regret, "mean regret", CLI_REAL, BOTH),
    SAME(seconds_to_5_percent, "s to 5%", CLI_SOME_REAL, CLI_IN_ITS_DATA | CLOCK),
    SAME(seconds_to_2_percent, "s to 2%", CLI_SOME_REAL, CLI_IN_ITS_DATA | CLOCK),
    SAME(seeds, "seeds", CLI_COUNT, BOTH),
    SAME(workers, "workers", CLI_COUNT, CLI_IN_ITS_DATA | CLOCK),
    SAME(configurations, "configurations", CLI_BIG_COUNT, DATA),
    SAME(valid, "valid", CLI_BIG_COUNT, DATA),
    SAME(optimum_ns, "optimum", CLI_TIME, BOTH),
};

static int add(void *user, const replayed *row)
{
    cli_table_add(user, row);
    return 0;
}

static const cli_option options[] = {
    {"strategy", 's', CLI_OPTION_TEXT, &given.strategies, "S[,S...]", NULL,
     "auto, exhaustive, random, model or local [auto]"},
    {"seeds", 0, CLI_OPTION_COUNT, &given.options.seeds, "COUNT", NULL,
     "how many runs of each [100]"},
    {"evaluations", 'e', CLI_OPTION_TEXT, &given.evaluations, "COUNT[,COUNT...]", NULL,
     "after how many results to score, failures included [50,100,200]"},
    {"workers", 'w', CLI_OPTION_COUNT, &given.options.workers, "COUNT", NULL,
     "compile so many at a time, by a virtual clock [one after another, without a clock]"},
    {"seed", 0, CLI_OPTION_COUNT, &given.seed, "NUMBER", NULL, "of the first run [0]"},
    CLI_FORMAT_OPTION,
    CLI_MESSAGE_OPTIONS,
};

static int run(const cli_list *files)
{
    CLI_TRY(each_word(given.strategies, add_strategy));
    CLI_TRY(each_word(given.evaluations, add_evaluations));
    cli_catch_interrupt();
    given.options.seed = given.seed;
    given.options.cancel = &cli_canceled;
    cli_table table =
        CLI_TABLE("replays", columns, replayed, CLI_VIEW | (given.options.workers ? CLOCK : 0));
    int code = CLI_EXIT_OK;
    for (size_t i = 0; i < files->count && code != CLI_EXIT_CANCELED; i++) {
        int status = replay_score(files->items[i], &given.options, add, &table);
        code = status < 0 ? cli_worse(code, cli_fail(status)) : code;
    }
    cli_table_print(&table);
    return code;
}

static const cli_command command = {
    "replay",
    "run search strategies against recorded spaces",
    "FILE...",
    "Runs search strategies against recorded spaces, and scores them.",
    "A file is a cache of Kernel Tuner or T4 results, plain or gzip. Mean regret is the best "
    "so far over the optimum, minus 1, as the mean of the runs. Failures count as evaluations. "
    "With --workers, a virtual clock adds up compile, launch and framework times as recorded. "
    "One GPU launches a variant near the best so far five times, and a slower one once. The "
    "output is then the median seconds until the best is within 5% and 2% of the optimum, or "
    "empty where half of the runs did not get there. The same seed gives the same figures.",
    {1, SIZE_MAX},
    options,
    run};

int main(int argc, char **argv)
{
    cli_list files;
    cli_tuning_words();
    int code = cli_parse(&files, &command, argc, argv);
    return code == CLI_CONTINUE ? command.run(&files) : code;
}
