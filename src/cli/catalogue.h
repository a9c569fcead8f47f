/* The kernels there are, copied out of the library, and the names their sizes and axes have. */
#ifndef CLI_CATALOGUE_H
#define CLI_CATALOGUE_H

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

/* Adds the templates among `names` (what holds a '/' or ends in ".cu" is a path) and lists every
 * kernel. Returns CLI_CONTINUE or an exit code after printing what is wrong. */
int cli_catalogue_load(cli_catalogue *out, const cli_session *session, char *const *names,
                       size_t count);
/* The kernel of that name or path. CLI_EXIT_USAGE, with the nearest name said, when there is none.
 * *out belongs to the catalogue. */
int cli_catalogue_find(const cli_kernel **out, const cli_catalogue *catalogue, const char *name);
/* For commands that only read what is stored: the name of the kernel that `argument` is a name or a
 * path of; a path's template is the one at hand from now on. A name is not looked up. Returns
 * CLI_CONTINUE or an exit code after printing what is wrong. *out belongs to the catalogue, or is
 * the argument. */
int cli_catalogue_name(const char **out, cli_catalogue *catalogue, const cli_session *session,
                       char *argument);
/* Whether there is a kernel of that name: CLI_CONTINUE, or as cli_catalogue_find(). */
int cli_catalogue_check(const cli_session *session, const char *name);
void cli_catalogue_free(cli_catalogue *catalogue);

#endif
