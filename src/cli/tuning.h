/* The options of commands that measure, as the library wants them. */
#pragma once

#include "cli/options.h"
#include "cli/scenarios.h"

typedef struct cli_tuning {
    int objective; /* a gputune_objective, or CLI_OBJECTIVE_ALL */
    int cache;     /* a gputune_cache */
    int effort;    /* index of cli_effort_words */
    int strategy;  /* a gputune_strategy */
    uint32_t seed;
    gputune_options options; /* those that are given as the library has them */
    cli_list inputs;         /* "NAME=FILE" */
    gputune_file *files;     /* the files of `inputs`, read by cli_tuning_inputs() */
} cli_tuning;

extern const char *const cli_cache_words[];
extern const char *const cli_effort_words[]; /* measure first: the default */

/* The names of the values that the library has, for CLI_OPTION_CHOICE; and where a command allows
 * it "all", which is CLI_OBJECTIVE_ALL, or "any" in place of the default. cli_tuning_words() fills
 * them. */
extern const char *cli_objective_words[], *cli_objective_all_words[], *cli_objective_any_words[],
    *cli_strategy_words[];
void cli_tuning_words(void);
enum { CLI_OBJECTIVE_ALL = GPUTUNE_OBJECTIVE_COUNT };

#define CLI_CACHE_OPTION(tuning)                                                                   \
    CLI_ROW("cache", 0, CLI_OPTION_CHOICE, &(tuning)->cache, NULL, cli_cache_words,                \
            "cold: the L2 is swept before every sample; hot: the data may stay there [cold]")
#define CLI_INPUT_OPTION(tuning)                                                                   \
    CLI_ROW("input", 'i', CLI_OPTION_LIST, &(tuning)->inputs, "NAME=FILE", NULL,                   \
            "what an input holds, from a file of numpy.save(); may be repeated [as the template "  \
            "says]")
#define CLI_SAMPLES_OPTION(tuning)                                                                 \
    CLI_ROW("samples", 0, CLI_OPTION_TEXT, &(tuning)->options.samples_path, "FILE", NULL,          \
            "append every raw sample to a CSV file")
#define CLI_ALIGNMENT_OPTION(tuning)                                                               \
    CLI_ROW("alignment", 0, CLI_OPTION_COUNT, &(tuning)->options.alignment, "BYTES", NULL,         \
            "that every buffer is aligned to at least [16]")
#define CLI_LIMIT_OPTION(tuning)                                                                   \
    CLI_ROW("time-limit", 't', CLI_OPTION_NUMBER, &(tuning)->options.time_limit_s, "SECONDS",      \
            NULL, "for each scenario; the best so far wins [10; energy: 30]")

/* Reads the files that --input names. Returns CLI_CONTINUE, or the code to exit with after a
 * message. */
int cli_tuning_inputs(cli_tuning *tuning);

/* The library's options for tuning a scenario: from `tuning`, the scenario's restrictions to
 * values, and Ctrl-C, which cancels. */
gputune_options cli_tuning_options(const cli_tuning *tuning, const cli_scenario *scenario);
