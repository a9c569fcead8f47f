/* Lists the scenarios of a command line: each kernel at every combination of the sizes given. */
#pragma once

#include "cli/catalogue.h"

/* Reads a size's number as gt_read_int() does. True: the number is from 0 to 2^40, and *out is set.
 * False: *problem says why; "" for text that does not begin like a number (a type's name). */
bool cli_size_number(int64_t *out, const char **problem, const char *text);

/* Makes one size from a name and a value, which is a number, or a word in the form that
 * gputune_size wants. The name must outlive *out. */
int cli_size_make(gputune_size *out, const char *name, const char *value);
/* Reads the sizes of a record, "n=4 T=half". False after a message. */
bool cli_sizes_read(gputune_sizes *out, const char *text);

typedef struct cli_scenario {
    const cli_kernel *kernel; /* borrowed from the catalogue */
    gputune_size *sizes;
    size_t size_count;
    const char **only; /* the texts of --only for axes that this kernel has */
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

/* The options that select scenarios. */
typedef struct cli_selection {
    char *const *kernels;
    size_t kernel_count;
    cli_list sizes, only; /* texts of --size and --only */
    bool cuts_sizes;      /* where no size is given, the command itself chooses smaller ones for an
                             emulator */
} cli_selection;

#define CLI_SIZE_OPTION(selection)                                                                 \
    CLI_ROW("size", 's', CLI_OPTION_LIST, &(selection)->sizes, "NAME=V[,V...]", NULL,              \
            "problem sizes: 4096, 4K, 16M, 2^20, or a type's name; lists give every combination; " \
            "may be repeated")
#define CLI_ONLY_OPTION(selection)                                                                 \
    CLI_ROW("only", 0, CLI_OPTION_LIST, &(selection)->only, "AXIS=V[,V...]", NULL,                 \
            "try these values of an axis only, new ones too if they are of its kind (a vector "    \
            "width: 1, 2, 4 or 8); may be repeated")

/* Builds the list, each scenario once. A size or axis applies to the kernels that have it; if no
 * kernel has it, that is an error whose message names the nearest. On an emulated device, sizes
 * that are not given are cut to a small problem. Returns CLI_CONTINUE or CLI_EXIT_USAGE. */
int cli_scenarios_make(cli_scenarios *out, const cli_catalogue *catalogue,
                       const cli_selection *selection, const cli_session *session);
gputune_sizes cli_scenario_sizes(const cli_scenario *scenario);

typedef int (*cli_work)(const cli_session *session, const cli_scenario *scenario);
/* What run, compare, space and emit have in common: opens as `common` and `mode` say, finds the one
 * kernel `name` at the selection's sizes, one value for each, and returns what `work` returns (an
 * exit code), or the exit code of what went wrong before. Ctrl-C sets *cli_cancel() meanwhile. */
int cli_single(const cli_common *common, cli_open_mode mode, cli_selection *selection, char **name,
               cli_work work);
