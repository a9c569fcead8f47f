/* The text of --size and --only: names with values; and the kernels that the library finds, with
 * the names of their sizes and axes. */
#pragma once

#include "cli/options.h"
#include "cli/session.h"

#include "base/text.h"

/* A name with values, as texts. */
typedef struct cli_value_list {
    char *name;
    char **values;
    size_t count;
} cli_value_list;

/* Names with their values, each name once, in their order. */
typedef struct cli_values {
    cli_value_list *lists;
    size_t count;
} cli_values;

/* Parses "n=1M,16M" or several of them parted by blanks, and adds them to *out; `option` is named
 * in messages. Returns CLI_CONTINUE, or CLI_EXIT_USAGE after saying what is wrong. Does not crash
 * on any text. */
int cli_values_parse(cli_values *out, const char *option, const char *text);
/* The same for all texts of an option. */
int cli_values_read(cli_values *out, const char *option, const cli_list *texts);
/* "NAME=V,V" */
char *cli_values_text(const cli_value_list *list);
const cli_value_list *cli_values_find(const cli_values *values, const char *name);
/* The list of that name, which is kept, and added where there is none. */
cli_value_list *cli_values_named(cli_values *values, char *name);
/* The index of a value; the count where it is none of them. */
static inline size_t cli_value_index(const cli_value_list *list, const char *value)
{
    return gt_index_of(value, (const char *const *)list->values, list->count);
}

typedef struct cli_kernel {
    char *name, *path;
    cli_values sizes; /* each with its default */
    cli_values axes;  /* each with its default */
    gputune_objective objective;
} cli_kernel;

typedef struct cli_catalogue {
    cli_kernel *kernels;
    size_t count;
} cli_catalogue;

/* Whether a KERNEL on the command line is the path of a template. */
bool cli_is_path(const char *name);
/* The kernels that `names` stand for by the rule of gputune_find_kernels(), each once. The kernels
 * of a path are found by their names too from now on. Returns CLI_CONTINUE, or an exit code after
 * printing what is wrong (CLI_EXIT_USAGE with the nearest name for an unknown one). */
int cli_catalogue_find(cli_catalogue *out, const cli_session *session, char *const *names,
                       size_t count);
/* For a command that takes one kernel: CLI_CONTINUE, or CLI_EXIT_USAGE after listing the kernels of
 * a file that has several. */
int cli_catalogue_one(const cli_catalogue *catalogue);
/* Sets *out to the one kernel that was given to a command which reads what is stored; to NULL where
 * `name` is NULL. A name that no template has is taken as that of a template that is gone. Returns
 * as cli_catalogue_find() does. */
int cli_catalogue_stored_one(const char **out, const cli_session *session, const char *name);
/* Returns CLI_CONTINUE if there is a kernel of that name; else as cli_catalogue_find() does. */
int cli_catalogue_check(const cli_session *session, const char *name);

#define CLI_STORED_OPTIONS                                                                         \
    CLI_ROW("size", 's', CLI_OPTION_LIST, &cli_given.selection.sizes, "NAME=V[,V...]", NULL,       \
            "what was measured at these sizes; may be repeated [all sizes]"),                      \
        CLI_ROW("gpu", 0, CLI_OPTION_TEXT, &cli_given.gpu, "GPU", NULL,                            \
                "what was measured on this GPU: a part of its name, or its environment [GPUs "     \
                "like the one at hand]"),                                                          \
        CLI_ROW("any-gpu", 0, CLI_OPTION_FLAG, &cli_given.any_gpu, NULL, NULL,                     \
                "what was measured on every GPU in the database")

/* Sets *out to the sizes given as the library's filters take them; to NULL without any. Returns
 * CLI_CONTINUE, or CLI_EXIT_USAGE after saying what is wrong. */
int cli_stored_sizes(const char **out);
/* Sets gpu, sizes and any_gpu of the filter; any_gpu says whether records of several GPUs may be
 * among those found. Returns as cli_stored_sizes() does. */
int cli_stored_filter(gputune_record_filter *out, const cli_session *session);
/* Calls `each`, as gputune_records() does, for the filter's records of the kernels that a name
 * stands for, also those of templates that are gone; of all kernels where `name` is NULL. Returns
 * CLI_CONTINUE, also where nothing is stored, or an exit code after printing what is wrong. The
 * filter's kernel is then the last one. */
int cli_stored_read(gputune_record_filter *filter, const cli_session *session, const char *name,
                    int (*each)(void *user, const gputune_record *record), void *user);
/* Says that the filter found nothing. Returns CLI_EXIT_USAGE after naming the nearest kernel where
 * there is none of the filter's name; else CLI_EXIT_NOTHING after saying how to tune the kernel. */
int cli_stored_nothing(const cli_session *session, const gputune_record_filter *filter);
