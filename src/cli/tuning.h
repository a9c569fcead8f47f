/* The options of commands that measure, as the library wants them. */
#ifndef CLI_TUNING_H
#define CLI_TUNING_H

#include "cli/options.h"
#include "cli/scenarios.h"

typedef struct cli_tuning {
    int objective; /* index of cli_objective_words */
    int cache;     /* a gputune_cache */
    int effort;    /* index of cli_effort_words */
    int strategy;  /* a gputune_strategy */
    double time_limit_s, epsilon;
    uint32_t max_variants, seed;
    const char *samples;
    bool force;
} cli_tuning;

/* "default" and the objectives' names, and where a command allows it "all". */
extern const char *const cli_objective_words[];
extern const char *const cli_objective_all_words[];
extern const char *const cli_cache_words[];
extern const char *const cli_effort_words[]; /* measure first: the default */
extern const char *const cli_strategy_words[];
enum { CLI_OBJECTIVE_ALL = GPUTUNE_OBJECTIVE_COUNT };

#define CLI_CACHE_OPTION(tuning)                                                                   \
    {                                                                                              \
        "cache", 0, CLI_OPTION_CHOICE, &(tuning)->cache, NULL,                                     \
            "cold: the L2 is swept before every sample; hot: the data\nmay stay there [cold]",     \
            cli_cache_words                                                                        \
    }
#define CLI_SAMPLES_OPTION(tuning)                                                                 \
    {                                                                                              \
        "samples", 0, CLI_OPTION_TEXT, &(tuning)->samples, "FILE",                                 \
            "append every raw sample to a CSV file", NULL                                          \
    }
#define CLI_LIMIT_OPTION(tuning)                                                                   \
    {                                                                                              \
        "time-limit", 't', CLI_OPTION_NUMBER, &(tuning)->time_limit_s, "SECONDS",                  \
            "for each scenario; the best so far wins [10; energy: 30]", NULL                       \
    }

/* The library's options for a scenario: Ctrl-C, the restrictions to values, and `tuning`. */
gputune_options cli_tuning_options(const cli_tuning *tuning, const cli_scenario *scenario);

#endif
