/* Lists the scenarios of a command line: each kernel at every combination of the sizes given; and
 * turns the options of commands that measure into the library's. */
#pragma once

#include "cli/catalogue.h"

/* Reads a size's number as gt_read_int() does. True: the number is from 0 to 2^40, and *out is set.
 * False: *problem, unless it is NULL, says why; "" for text that does not begin like a number (a
 * type's name). */
bool cli_size_number(int64_t *out, const char **problem, const char *text);

/* Makes one size from a name and a value, which is a number, or a word in the form that
 * gputune_size wants. The name must outlive *out. */
int cli_size_make(gputune_size *out, const char *name, const char *value);
/* Reads the sizes of a record, "n=4 T=half". False after a message. */
bool cli_sizes_read(gputune_sizes *out, const char *text);

typedef struct cli_scenario {
    const cli_kernel *kernel; /* borrowed from the catalogue */
    gputune_sizes sizes;      /* those that differ from the kernel's */
    const char **only;        /* the texts of --only for axes that this kernel has */
    size_t only_count;
    char *size_text; /* all of the kernel's sizes, with the default ones: "n=1048576 T=float" */
    char *label;     /* "axpy n=1M T=float" */
    /* Where the terms of its tuning do not come from the command line: objective, cache, seed and
     * alignments; else NULL. */
    const gputune_options *terms;
} cli_scenario;

typedef struct cli_scenarios {
    cli_scenario *items;
    size_t count;
    cli_values sizes, only; /* what all --size and --only of a command line say */
} cli_scenarios;

#define CLI_SIZE_OPTION                                                                            \
    CLI_ROW("size", 's', CLI_OPTION_LIST, &cli_given.selection.sizes, "NAME=V[,V...]", NULL,       \
            "problem sizes: 4096, 4K, 16M, 2^20, or a type's name; lists give every combination; " \
            "may be repeated")
#define CLI_ONLY_OPTION                                                                            \
    CLI_ROW("only", 0, CLI_OPTION_LIST, &cli_given.selection.only, "AXIS=V[,V...]", NULL,          \
            "try these values of an axis only, new ones too if they are of its kind (a vector "    \
            "width: 1, 2, 4 or 8); may be repeated")

/* Builds the list, each scenario once. A size or axis applies to the kernels that have it; if no
 * kernel has it, that is an error whose message names the nearest. On an emulated device, sizes
 * that are not given are cut to a small problem. Returns CLI_CONTINUE or CLI_EXIT_USAGE. */
int cli_scenarios_make(cli_scenarios *out, const cli_catalogue *catalogue,
                       const cli_selection *selection, const cli_session *session);

typedef int (*cli_work)(const cli_session *session, const cli_scenario *scenario);
/* What run, compare, space and emit have in common: opens as `mode` says, finds the one
 * kernel `name` at the sizes given, one value for each, and returns what `work` returns (an
 * exit code), or the exit code of what went wrong before. Ctrl-C sets *cli_cancel() meanwhile. */
int cli_single(cli_open_mode mode, char **name, cli_work work);

/* ---- how they are tuned ---------------------------------------------------------------------- */

/* What the options say of commands that measure. */
extern struct cli_tuning {
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

#define CLI_CACHE_OPTION                                                                           \
    CLI_ROW("cache", 0, CLI_OPTION_CHOICE, &cli_tuning.cache, NULL, cli_cache_words,               \
            "cold: the L2 is swept before every sample; hot: the data may stay there [cold]")
#define CLI_INPUT_OPTION                                                                           \
    CLI_ROW("input", 'i', CLI_OPTION_LIST, &cli_tuning.inputs, "NAME=FILE", NULL,                  \
            "what an input holds, from a file of numpy.save(); may be repeated [as the template "  \
            "says]")
#define CLI_SAMPLES_OPTION                                                                         \
    CLI_ROW("samples", 0, CLI_OPTION_TEXT, &cli_tuning.options.samples_path, "FILE", NULL,         \
            "append every raw sample to a CSV file")
#define CLI_ALIGNMENT_OPTION                                                                       \
    CLI_ROW("alignment", 0, CLI_OPTION_COUNT, &cli_tuning.options.alignment, "BYTES", NULL,        \
            "that every buffer is aligned to at least [16]")
#define CLI_LIMIT_OPTION                                                                           \
    CLI_ROW("time-limit", 't', CLI_OPTION_NUMBER, &cli_tuning.options.time_limit_s, "SECONDS",     \
            NULL, "for each scenario; the best so far wins [10; energy: 30]")

/* Reads the files that --input names. Returns CLI_CONTINUE, or the code to exit with after a
 * message. */
int cli_tuning_inputs(void);

/* The library's options for tuning a scenario: what the command line says, the scenario's
 * restrictions to values, and Ctrl-C, which cancels. */
gputune_options cli_tuning_options(const cli_scenario *scenario);
