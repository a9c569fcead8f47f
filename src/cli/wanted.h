/* The scenarios of a file of misses. */
#ifndef CLI_WANTED_H
#define CLI_WANTED_H

#include "cli/scenarios.h"

typedef struct cli_wanted {
    cli_catalogue *catalogues; /* of each part */
    cli_scenarios *parts;      /* one for each miss; they own what `all` has */
    size_t count;
    cli_scenarios all; /* most wanted first */
} cli_wanted;

/* Reads the misses of a file that were met on this kind of GPU (`any_gpu`: on any), of the selected
 * kernels, if there are some; what has no template, or data that only the program had, is left out
 * with a note. Returns CLI_CONTINUE, or an exit code after saying what is wrong. *out is for
 * cli_wanted_free() either way. */
int cli_wanted_read(cli_wanted *out, const char *path, const cli_session *session,
                    const cli_selection *selection, bool any_gpu);
void cli_wanted_free(cli_wanted *wanted);

#endif
