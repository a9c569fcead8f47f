/* Turns the options of commands that measure into the library's. */
#include "cli/tuning.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/memory.h"
#include "cli/session.h"

#include <string.h>

const char *const cli_cache_words[] = {"cold", "hot", NULL};
const char *const cli_effort_words[] = {"measure", "cached", "estimate", "exhaustive", NULL};

static const char *objective_word(int index)
{
    return gputune_objective_name((gputune_objective)index);
}

static const char *strategy_word(int index)
{
    return gputune_strategy_name((gputune_strategy)index);
}

/* Fills `out`, which ends with NULLs, with the names of `count` values. Returns out. */
static const char *const *list_names(const char **out, int count, const char *(*name)(int index))
{
    for (int i = 0; i < count; i++) {
        out[i] = name(i);
    }
    return out;
}

const char *const *cli_objective_words(void)
{
    static const char *words[GPUTUNE_OBJECTIVE_COUNT + 1];
    return list_names(words, GPUTUNE_OBJECTIVE_COUNT, objective_word);
}

const char *const *cli_objective_all_words(void)
{
    static const char *words[GPUTUNE_OBJECTIVE_COUNT + 2] = {[CLI_OBJECTIVE_ALL] = "all"};
    return list_names(words, GPUTUNE_OBJECTIVE_COUNT, objective_word);
}

const char *const *cli_strategy_words(void)
{
    static const char *words[GPUTUNE_STRATEGY_COUNT + 1];
    return list_names(words, GPUTUNE_STRATEGY_COUNT, strategy_word);
}

static const gputune_effort efforts[] = {GPUTUNE_MEASURE, GPUTUNE_CACHED_ONLY, GPUTUNE_ESTIMATE,
                                         GPUTUNE_EXHAUSTIVE};

int cli_tuning_inputs(cli_tuning *tuning)
{
    tuning->files = cli_allocate(tuning->inputs.count, sizeof *tuning->files);
    for (size_t i = 0; i < tuning->inputs.count; i++) {
        const char *text = tuning->inputs.items[i], *sign = strchr(text, '=');
        if (!sign || sign == text || !sign[1]) {
            cli_error("--input: found '%s'; expected NAME=FILE, as in x=x.npy", text);
            return CLI_EXIT_USAGE;
        }
        tuning->files[i] = (gputune_file){cli_copy_part(text, (size_t)(sign - text)), sign + 1};
    }
    return CLI_CONTINUE;
}

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
    options.alignment = tuning->alignment;
    options.samples_path = tuning->samples;
    options.force = tuning->force;
    options.only = scenario->only;
    options.only_count = scenario->only_count;
    options.files = tuning->files;
    options.file_count = tuning->inputs.count;
    options.log = cli_console_log;
    options.cancel = cli_cancel();
    if (scenario->terms.given) {
        const cli_terms *terms = &scenario->terms;
        options.objective = terms->objective;
        options.cache = terms->cache;
        options.seed = terms->seed;
        options.alignment = terms->alignment;
        options.alignments = terms->alignments;
        options.alignment_count = terms->alignment_count;
    }
    return options;
}
