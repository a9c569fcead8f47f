/* What the sanitizer found in a kernel's variants, each mistake once: for `check` and `warm
 * --check`. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/scenarios.h"
#include "cli/session.h"
#include "cli/table.h"

/* One distinct mistake: a kind at a line, of the same other line. The rest is of the variant that
 * it was found in first. */
typedef struct cli_mistake {
    char *kernel, *configuration, *sizes, *kind, *file, *where, *thread, *other_thread, *message;
    uint32_t line, other_line;
    uint32_t variants; /* that have it */
    uint32_t variant;  /* the last of these */
    uint64_t count;    /* over all variants */
} cli_mistake;

typedef struct cli_checked {
    cli_mistake *items;
    size_t count;
    uint32_t variants, unchecked; /* how many were checked, and how many could not be */
} cli_checked;

/* Checks up to options->max_variants variants (0: 16), or all. Returns the exit code, which is
 * CLI_EXIT_FOUND where there is a mistake; failures are printed. */
int cli_check_kernel(cli_checked *out, const cli_session *session, const char *kernel,
                     gputune_sizes sizes, const gputune_options *options, bool all);
/* For people a line for each mistake; else a table. */
void cli_checked_write(const cli_checked *checked, cli_format_kind format, FILE *file);

/* Checks the selected kernels on the emulator, whatever the common options' driver is, and prints
 * mistakes on stderr. CLI_CONTINUE where there are none, else the exit code. */
int cli_check_first(const cli_common *common, const cli_selection *selection);

#endif
