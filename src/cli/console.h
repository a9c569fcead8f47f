/* What goes to stderr: messages and one progress line, which never mix. Any thread may call. */
#ifndef CLI_CONSOLE_H
#define CLI_CONSOLE_H

#include "cli/memory.h"

#include <gputune.h>
#include <stdbool.h>
#include <stdio.h>

/* --quiet keeps errors only; --verbose adds the library's information and debug lines. */
void cli_console_setup(bool quiet, bool verbose);
/* Whether `file` is a terminal that can redraw and colour text. */
bool cli_console_is_able(FILE *file);
/* Whether a progress line can be redrawn: stderr is a terminal and --quiet was not given. */
bool cli_console_is_live(void);
bool cli_console_is_quiet(void);
bool cli_console_is_verbose(void);
/* Columns that lines of `file` may take: COLUMNS (not for stderr, where lines are redrawn), else
 * those of its terminal; 0: any number. */
size_t cli_console_columns(FILE *file);

/* Where the choice of --color is kept: CLI_COLOR_AUTO, ... */
typedef enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER } cli_color;
extern const char *const cli_color_words[];
int *cli_color_choice(void);
/* Whether text for `file` is to be coloured: as --color says, else on a terminal that is not
 * "dumb", unless NO_COLOR is set and not empty. */
bool cli_console_has_color(FILE *file);
#define CLI_RED    "\033[31m"
#define CLI_GREEN  "\033[32m"
#define CLI_YELLOW "\033[33m"
#define CLI_BOLD   "\033[1m"
#define CLI_PLAIN  "\033[0m"

/* "gputune: TEXT" on a line of its own. A note is left out with --quiet. errno stays. */
void cli_error(const char *format, ...) CLI_PRINTF(1, 2);
void cli_note(const char *format, ...) CLI_PRINTF(1, 2);

/* Draws a line in place of the last progress line. Does nothing unless live. */
void cli_console_progress(const char *format, ...) CLI_PRINTF(1, 2);
/* Takes the progress line away. */
void cli_console_progress_end(void);

/* A gputune_log_fn. Information is left out unless verbose, or asked for. */
void cli_console_log(void *user, gputune_log_level level, const char *line);
void cli_console_inform(bool yes);

#endif
