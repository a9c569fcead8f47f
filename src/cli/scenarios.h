/* Finds the kernels that a command line names, parses --size and --only, and makes a scenario for
 * each kernel and combination of sizes. Declares the options of commands that measure. */
#pragma once

#include "base/text.h"

#include "cli/session.h"

/* A name with values. The name must be the first member, for gt_index_of(). */
typedef struct cli_value_list {
    char *name;
    char **values;
    size_t count;
} cli_value_list;

/* Names with their values. Each name occurs once. */
typedef CLI_LIST(cli_value_list) cli_values;

/* Parses "n=1M,16M", or several such texts separated by blanks or commas, and adds the values to
 * *out. Messages begin with `option`. If `option` is NULL, the text may be empty. */
int cli_values_parse(cli_values *out, const char *option, const char *text);
/* Parses all values of an option, like cli_values_parse(). */
int cli_values_read(cli_values *out, const char *option, const cli_list *texts);
const cli_value_list *cli_values_find(const cli_values *values, const char *name);
/* Returns the list with this name. If there is none, adds an empty list that points to `name`. */
cli_value_list *cli_values_named(cli_values *values, char *name);
/* Returns the index of a value, or the list's count if the value is not in the list. */
static inline size_t cli_value_index(const cli_value_list *list, const char *value)
{
    return gt_index_of(value, (const char *const *)list->values, list->count);
}

typedef struct cli_kernel {
    char *name, *path;
    const char *given; /* the name or PATH:KERNEL that is passed to the library */
    cli_values sizes;  /* each size, with its default */
    cli_values axes;   /* each axis, with its default */
    gputune_objective objective;
} cli_kernel;

typedef CLI_LIST(cli_kernel) cli_catalogue;

bool cli_is_path(const char *name);
/* Finds the kernels with these names or paths, as gputune_kernels() does. */
int cli_catalogue_find(cli_catalogue *out, const cli_session *session, const cli_list *names);
/* Prints a note for each kernel with this name that has no reference but its own default. */
void cli_note_own_references(const cli_session *session, const char *name);

#define CLI_STORED_SIZE_OPTION                                                                     \
    CLI_ROW("size", 's', CLI_OPTION_LIST, &cli_given.selection.sizes, "NAME=V[,V...]", NULL,       \
            "results at these sizes; may be repeated [all sizes]")
#define CLI_STORED_OPTIONS                                                                         \
    CLI_STORED_SIZE_OPTION,                                                                        \
        CLI_ROW("gpu", 0, CLI_OPTION_TEXT, &cli_given.gpu, "GPU", NULL,                            \
                "results on this GPU: a part of its name, or its environment [GPUs like "          \
                "the current one]"),                                                               \
        CLI_ROW("any-gpu", 0, CLI_OPTION_FLAG, &cli_given.any_gpu, NULL, NULL,                     \
                "results on every GPU in the database")

/* If `name` is a path, adds the template at the path to the tuner. `name` may be NULL. */
int cli_stored_name(const cli_session *session, const char *name);
/* Sets *out to the value of --size in the format of the library's filters, or to NULL. */
int cli_stored_sizes(const char **out);
/* Sets the members gpu, sizes and any_gpu of the filter from the options. If any_gpu is set, the
 * results may come from several GPUs. */
int cli_stored_filter(gputune_record_filter *out, const cli_session *session);
/* Prints that nothing is stored, and how to tune the kernel. Returns CLI_EXIT_NOTHING. For an
 * unknown kernel, prints the most similar name and returns CLI_EXIT_USAGE. */
int cli_stored_nothing(const cli_session *session, const gputune_record_filter *filter);

/* ---- scenarios ------------------------------------------------------------------------------- */

/* Reads a size from 0 to 2^40, like gt_read_int(). Returns NULL or an error message. */
const char *cli_size_number(int64_t *out, const char *text);
/* Splits a text such as "n=4 T=half" into sizes for the library. */
gputune_sizes cli_sizes_of(const char *text);

typedef struct cli_scenario {
    const cli_kernel *kernel; /* owned by the cli_catalogue */
    gputune_sizes sizes;      /* sizes that differ from the template's defaults */
    const char **only;        /* values of --only for axes of this kernel */
    size_t only_count;
    const char **starts; /* values of --start whose axes all belong to this kernel */
    size_t start_count;
    char *size_text; /* all sizes, including defaults: "n=1048576 T=float" */
    char *label;
    /* Objective, cache state, seed and alignments that override the command line, or NULL. */
    const gputune_options *terms;
} cli_scenario;

typedef struct cli_scenarios {
    cli_scenario *items;
    size_t count;
    cli_values sizes, only; /* all values of --size and --only */
    cli_list starts;        /* texts of --start */
} cli_scenarios;

#define CLI_SIZE_OPTION                                                                            \
    CLI_ROW("size", 's', CLI_OPTION_LIST, &cli_given.selection.sizes, "NAME=V[,V...]", NULL,       \
            "problem sizes: 4096, 4K, 16M, 2^20, or a type's name; lists give every combination; " \
            "several as m=1K,n=2K, or the option repeated")
#define CLI_ONE_SIZE_OPTION                                                                        \
    CLI_ROW("size", 's', CLI_OPTION_LIST, &cli_given.selection.sizes, "NAME=V", NULL,              \
            "a problem size: 4096, 4K, 16M, 2^20, or a type's name; several as m=1K,n=2K, or the " \
            "option repeated")
#define CLI_ONLY_OPTION                                                                            \
    CLI_ROW("only", 0, CLI_OPTION_LIST, &cli_given.selection.only, "AXIS=V[,V...]", NULL,          \
            "try only these values of an axis, also values that the template does not list if "    \
            "the axis's kind has them (vector: 1, 2, 4, 8); may be repeated")

#define CLI_START_OPTION                                                                           \
    CLI_ROW("start", 0, CLI_OPTION_LIST, &cli_given.selection.starts, "\"AXIS=V ...\"", NULL,      \
            "a configuration to try after the default, before the search; axes left out have "     \
            "their default; may be repeated")

/* Makes the scenarios, without duplicates. A size or axis applies to every kernel that has it; a
 * size or axis that no kernel has is an error. On the emulator, large default sizes are reduced. */
int cli_scenarios_make(cli_scenarios *out, const cli_catalogue *catalogue,
                       const cli_selection *selection, const cli_session *session);

typedef int (*cli_work)(const cli_session *session, const cli_scenario *scenario);
/* Runs a command that needs exactly one scenario: opens a tuner, finds the scenario and calls
 * `work`. In CLI_OPEN_TUNING, Ctrl-C cancels the work. Returns the exit code. */
int cli_single(cli_open_mode mode, const char *name, cli_work work);

/* ---- tuning options -------------------------------------------------------------------------- */

/* The options of commands that measure. */
extern struct cli_tuning {
    int effort; /* index in cli_effort_words */
    uint32_t seed;
    gputune_options options; /* the other options */
    cli_list inputs;         /* "NAME=FILE", for cli_tuning_inputs() */
} cli_tuning;

extern const char *const cli_cache_words[];
extern const char *const cli_effort_words[]; /* the first word, "measure", is the default */

/* The words of --objective and --strategy. The second list of objectives also has "any". */
extern const char *cli_objective_words[], *cli_objective_any_words[], *cli_strategy_words[];
void cli_tuning_words(void);

#define CLI_CACHE_OPTION                                                                           \
    CLI_ROW(                                                                                       \
        "cache", 0, CLI_OPTION_CHOICE, &cli_tuning.options.cache, NULL, cli_cache_words,           \
        "cold: the L2 cache is flushed before every sample; hot: the data may stay in it [cold]")
#define CLI_INPUT_OPTION                                                                           \
    CLI_ROW("input", 'i', CLI_OPTION_LIST, &cli_tuning.inputs, "NAME=FILE", NULL,                  \
            "values of an input, from a file that numpy.save() wrote; may be repeated [the "       \
            "template's]")
#define CLI_SAMPLES_OPTION                                                                         \
    CLI_ROW("samples", 0, CLI_OPTION_TEXT, &cli_tuning.options.samples_path, "FILE", NULL,         \
            "append every raw sample to a CSV file")
#define CLI_ALIGNMENT_OPTION                                                                       \
    CLI_ROW("alignment", 0, CLI_OPTION_COUNT, &cli_tuning.options.alignment, "BYTES", NULL,        \
            "the least alignment of any buffer, in bytes [16]")
#define CLI_MEMORY_OPTION                                                                          \
    CLI_ROW("memory", 0, CLI_OPTION_BYTES, &cli_tuning.options.memory_limit_bytes, "BYTES", NULL,  \
            "the most GPU memory to allocate, such as 2G; a CUDA context needs about 0.6 GB in "   \
            "addition [what is free]")
#define CLI_LIMIT_OPTION                                                                           \
    CLI_ROW("time-limit", 't', CLI_OPTION_NUMBER, &cli_tuning.options.time_limit_s, "SECONDS",     \
            NULL, "for each scenario; the best so far wins [10; energy, and on the emulator: 30]")

/* Adds the --input files to the tuning options. */
int cli_tuning_inputs(void);

/* Returns the library's options for a scenario: the options of the command line, and the terms of
 * the scenario, which override them. Ctrl-C cancels library calls with these options. */
gputune_options cli_tuning_options(const cli_scenario *scenario);
/* Returns true if a record is from the template's current version, and from this scenario with the
 * options of the command line. Does not compare the alignment and the contents of input files. */
bool cli_is_of_scenario(const gputune_record *record, const cli_scenario *scenario);
/* Returns `limit_s`. If it is 0 and the GPU is emulated, returns a longer limit instead. */
double cli_limit_s(const cli_session *session, double limit_s);
