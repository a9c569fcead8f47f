/* Turns the options of commands that measure into the library's. */
#include "cli/tuning.h"

#include "cli/console.h"
#include "cli/session.h"

#define OBJECTIVES "default", "kernel", "launch", "latency", "energy", "rate"

const char *const cli_objective_words[] = {OBJECTIVES, NULL};
const char *const cli_objective_all_words[] = {OBJECTIVES, "all", NULL};
const char *const cli_cache_words[] = {"cold", "hot", NULL};
const char *const cli_effort_words[] = {"measure", "cached", "estimate", "exhaustive", NULL};
const char *const cli_strategy_words[] = {"auto", "exhaustive", "random", "model", "local", NULL};

static const gputune_effort efforts[] = {GPUTUNE_MEASURE, GPUTUNE_CACHED_ONLY, GPUTUNE_ESTIMATE,
                                         GPUTUNE_EXHAUSTIVE};

gputune_options cli_tuning_options(const cli_tuning *tuning, const cli_scenario *scenario)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.effort = efforts[tuning->effort];
    options.objective = (gputune_objective)tuning->objective;
    options.cache = (gputune_cache)tuning->cache;
    options.time_limit_s = tuning->time_limit_s;
    options.epsilon = tuning->epsilon;
    options.max_variants = tuning->max_variants;
    options.strategy = (gputune_strategy)tuning->strategy;
    options.seed = tuning->seed;
    options.samples_path = tuning->samples;
    options.force = tuning->force;
    options.only = scenario->only;
    options.only_count = scenario->only_count;
    options.log = cli_console_log;
    options.cancel = cli_cancel();
    return options;
}
