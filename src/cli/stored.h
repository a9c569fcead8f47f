/* Which stored records a command is about: the options that choose them, for show, forget, prune
 * and wisdom. */
#pragma once

#include "cli/catalogue.h"
#include "cli/options.h"

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
