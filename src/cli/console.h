/* Writes to stderr: messages and one progress line, which never mix. Defines the exit codes that go
 * with the messages. Any thread may call these functions. */
#pragma once

#include "cli/memory.h"
#include "cli/options.h"

#include <gputune_tools.h>
#include <stdbool.h>
#include <stdio.h>

/* Returns true if `file` is a terminal that can redraw and colour text. */
bool cli_console_is_able(FILE *file);
/* Returns true if a progress line can be redrawn: stderr is a terminal and --quiet was not given.
 */
bool cli_console_is_live(void);
/* Returns true if the library's information and debug lines are printed too: not with --quiet,
 * which keeps errors only. */
bool cli_console_is_verbose(void);
/* How many columns a line of `file` may take: COLUMNS (not for stderr, where lines are redrawn),
 * else the width of its terminal; 0: any number. */
size_t cli_console_columns(FILE *file);

/* The choices of --color. */
typedef enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER } cli_color;
extern const char *const cli_color_words[];
/* Returns true if text for `file` is to be coloured: as --color says, else on a terminal that is
 * not "dumb", unless NO_COLOR is set and not empty. */
bool cli_console_has_color(FILE *file);
#define CLI_RED    "\033[31m"
#define CLI_GREEN  "\033[32m"
#define CLI_YELLOW "\033[33m"
#define CLI_BOLD   "\033[1m"
#define CLI_PLAIN  "\033[0m"

/* Prints "gputune: TEXT" on a line of its own. --quiet suppresses notes. errno stays. */
void cli_console_say(bool is_error, const char *format, ...) CLI_PRINTF(2, 3);
#define cli_error(...) cli_console_say(true, __VA_ARGS__)
#define cli_note(...)  cli_console_say(false, __VA_ARGS__)

/* Draws a line in place of the last progress line. Does nothing unless cli_console_is_live(). */
void cli_console_progress(const char *format, ...) CLI_PRINTF(1, 2);
/* Takes the progress line away. */
void cli_console_progress_end(void);

/* Prints a line as cli_console_say() does, with the prefix and the colour (NULL: none). */
void cli_console_line(const char *prefix, const char *text, const char *color);
/* From now on lines and the progress line are given to these functions in place of stderr. */
typedef void (*cli_line_fn)(const char *prefix, const char *text, const char *color);
typedef void (*cli_draw_fn)(const char *text);
void cli_console_send(cli_line_fn line, cli_draw_fn draw);

/* cli_console_log() is a gputune_log_fn. It prints information lines only with --verbose, or after
 * cli_console_inform(true). */
void cli_console_log(void *user, gputune_log_level level, const char *line);
void cli_console_inform(bool yes);

/* ---- exit codes ------------------------------------------------------------------------------ */

enum {
    CLI_EXIT_OK = 0,       /* every scenario has a winner, and its default works */
    CLI_EXIT_NOTHING = 1,  /* nothing found */
    CLI_EXIT_USAGE = 2,    /* a mistake on the command line */
    CLI_EXIT_PLATFORM = 3, /* no NVRTC, no driver or GPU where one was asked for, or what
                              `doctor` found */
    CLI_EXIT_TEMPLATE = 4, /* a template or compile error, a bad recorded space */
    CLI_EXIT_WRONG = 5,    /* wrong results of all variants, of the default or of most */
    CLI_EXIT_DATABASE = 6,
    CLI_EXIT_FOUND = 7,     /* `check` has found a mistake */
    CLI_EXIT_OPEN = 8,      /* `template` has written a draft with open questions */
    CLI_EXIT_CANCELED = 130 /* 128 + SIGINT, as shells have it */
};

/* The exit code of a gputune_status. */
int cli_exit_code(int status);

/* The exit code for a variant that ended with the status `trial`: "ok", "wrong", "compile", ... */
int cli_trial_exit_code(const char *trial);

/* Prints the thread's last library message (the status' text when there is none) and returns the
 * exit code. */
int cli_fail(int status);
/* The same, with the scenario before the message. */
int cli_fail_at(int status, const char *label);

/* The message of the library without the kernel's name at its beginning, since `label` begins with
 * that name too. */
const char *cli_without_kernel(const char *message, const char *label);

/* Combines the exit codes of several scenarios. `next` is that of one more scenario. The first code
 * that is not 0 stays, but CLI_EXIT_CANCELED replaces any other. */
int cli_worse(int so_far, int next);

/* Prints "unknown WHAT 'WORD'; did you mean 'NEAREST'?", or the candidates when none is near, and
 * returns CLI_EXIT_USAGE. */
int cli_unknown(const char *what, const char *word, const char *const *candidates, size_t count);
/* Prints an error and gives `code`: return cli_stop(code, format, ...). */
#define cli_stop(code, ...) (cli_error(__VA_ARGS__), (int)(code))
/* Where the condition holds, prints an error and returns `code` from the enclosing function. */
#define CLI_REFUSE(condition, code, ...)                                                           \
    do {                                                                                           \
        if (condition) {                                                                           \
            return cli_stop(code, __VA_ARGS__);                                                    \
        }                                                                                          \
    } while (0)
/* CLI_CONTINUE if a call of the library succeeded; else as cli_fail() does. */
int cli_passed(int status);
