/* Turns the options of commands that measure into the library's. */
#include "cli/tuning.h"

#include "cli/console.h"
#include "cli/memory.h"
#include "cli/session.h"

#include <string.h>

const char *const cli_cache_words[] = {"cold", "hot", NULL};
const char *const cli_effort_words[] = {"measure", "cached", "estimate", "exhaustive", NULL};

const char *cli_objective_words[GPUTUNE_OBJECTIVE_COUNT + 1];
const char *cli_objective_all_words[GPUTUNE_OBJECTIVE_COUNT + 2] = {[CLI_OBJECTIVE_ALL] = "all"};
const char *cli_objective_any_words[GPUTUNE_OBJECTIVE_COUNT + 1];
const char *cli_strategy_words[GPUTUNE_STRATEGY_COUNT + 1];

void cli_tuning_words(void)
{
    for (int i = 0; i < GPUTUNE_OBJECTIVE_COUNT; i++) {
        cli_objective_words[i] = cli_objective_all_words[i] =
            gputune_objective_name((gputune_objective)i);
        cli_objective_any_words[i] = i ? cli_objective_words[i] : "any";
    }
    for (int i = 0; i < GPUTUNE_STRATEGY_COUNT; i++) {
        cli_strategy_words[i] = gputune_strategy_name((gputune_strategy)i);
    }
}

static const gputune_effort efforts[] = {GPUTUNE_MEASURE, GPUTUNE_CACHED_ONLY, GPUTUNE_ESTIMATE,
                                         GPUTUNE_EXHAUSTIVE};

int cli_tuning_inputs(cli_tuning *tuning)
{
    tuning->files = cli_allocate(tuning->inputs.count, sizeof *tuning->files);
    for (size_t i = 0; i < tuning->inputs.count; i++) {
        const char *text = tuning->inputs.items[i], *sign = strchr(text, '=');
        if (!sign || sign == text || !sign[1]) {
            return cli_stop(CLI_EXIT_USAGE,
                            "--input: found '%s'; expected NAME=FILE, as in x=x.npy", text);
        }
        tuning->files[i] = (gputune_file){cli_copy_part(text, (size_t)(sign - text)), sign + 1};
    }
    return CLI_CONTINUE;
}

gputune_options cli_tuning_options(const cli_tuning *tuning, const cli_scenario *scenario)
{
    gputune_options options = tuning->options;
    options.version = GPUTUNE_OPTIONS_VERSION;
    options.effort = efforts[tuning->effort];
    options.objective = (gputune_objective)tuning->objective;
    options.cache = (gputune_cache)tuning->cache;
    options.strategy = (gputune_strategy)tuning->strategy;
    options.seed = tuning->seed;
    options.only = scenario->only;
    options.only_count = scenario->only_count;
    options.files = tuning->files;
    options.file_count = tuning->inputs.count;
    options.cancel = cli_cancel();
    const gputune_options *terms = scenario->terms;
    if (terms) {
        options.objective = terms->objective;
        options.cache = terms->cache;
        options.seed = terms->seed;
        options.alignment = terms->alignment;
        options.alignments = terms->alignments;
        options.alignment_count = terms->alignment_count;
    }
    return options;
}
