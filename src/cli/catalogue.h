/* The kernels there are, copied out of the library, and the names their sizes and axes have. */
#pragma once

#include "cli/options.h"
#include "cli/session.h"

typedef struct cli_kernel {
    char *name, *path, *summary, *sizes, *axes;
    gputune_objective objective;
    char **size_names; /* size_values[i] is the default of size_names[i], as text */
    char **size_values;
    size_t size_count;
    char **axis_names;
    size_t axis_count;
} cli_kernel;

typedef struct cli_catalogue {
    cli_kernel *kernels;
    size_t count;
} cli_catalogue;

/* Whether a KERNEL on the command line is the path of a template. */
bool cli_is_path(const char *name);
/* The kernels that `names` stand for by the rule of gputune_find_kernels(), each once. A path's
 * kernels are those at hand from now on, also by their names. Returns CLI_CONTINUE, or an exit code
 * after printing what is wrong (CLI_EXIT_USAGE with the nearest name for an unknown one). */
int cli_catalogue_find(cli_catalogue *out, const cli_session *session, char *const *names,
                       size_t count);
/* The same for a command that only reads what is stored: a name that nothing has is that of a
 * template that is gone. */
int cli_catalogue_stored(cli_catalogue *out, const cli_session *session, char *name);
/* For a command that takes one kernel: CLI_CONTINUE, or CLI_EXIT_USAGE after listing the kernels of
 * a file that has several. */
int cli_catalogue_one(const cli_catalogue *catalogue);
/* The one kernel that a command which reads what is stored was given; NULL where `name` is. */
int cli_catalogue_stored_one(const char **out, const cli_session *session, char *name);
/* Whether there is a kernel of that name: CLI_CONTINUE, or as cli_catalogue_find(). */
int cli_catalogue_check(const cli_session *session, const char *name);

typedef struct cli_stored {
    cli_list sizes;
    const char *gpu;
    bool any_gpu;
} cli_stored;

#define CLI_STORED_OPTIONS(stored)                                                                 \
    CLI_ROW("size", 's', CLI_OPTION_LIST, &(stored)->sizes, "NAME=V[,V...]",                       \
            "what was measured at these sizes; may be repeated [all sizes]", NULL),                \
        CLI_ROW("gpu", 0, CLI_OPTION_TEXT, &(stored)->gpu, "GPU",                                  \
                "what was measured on this GPU: a part of its name, or its environment [GPUs "     \
                "like the one at hand]",                                                           \
                NULL),                                                                             \
        CLI_ROW("any-gpu", 0, CLI_OPTION_FLAG, &(stored)->any_gpu, NULL,                           \
                "what was measured on every GPU in the database", NULL)

/* The sizes as the library's filters take them; NULL without a text. Returns CLI_CONTINUE, or
 * CLI_EXIT_USAGE after saying what is wrong. */
int cli_stored_sizes(const char **out, const cli_list *texts);
/* Sets gpu, sizes and any_gpu, whether records of several GPUs may be among them, of the filter.
 * Returns as cli_stored_sizes(). */
int cli_stored_filter(gputune_record_filter *out, const cli_stored *stored,
                      const cli_session *session);
/* Nothing was found by the filter: returns CLI_EXIT_USAGE after naming the nearest where there is
 * no kernel of its name, else CLI_EXIT_NOTHING after saying how it is tuned. */
int cli_stored_nothing(const cli_session *session, const gputune_record_filter *filter);
