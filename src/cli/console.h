/* Messages and one progress line on stderr, and exit codes. Messages never mix with the progress
 * line. All functions are thread-safe. */
#pragma once

#include "cli/memory.h"
#include "cli/options.h"

#include <gputune_tools.h>
#include <stdbool.h>
#include <stdio.h>

/* Returns true if `file` is a terminal that supports colour and redrawing. */
bool cli_console_is_able(FILE *file);
/* Returns true if stderr is a terminal that can redraw a line, and --quiet was not given. */
bool cli_console_is_live(void);
/* Returns the maximum number of columns of a line: COLUMNS if it is set, otherwise the terminal's
 * width. Returns 0 if there is no limit. */
size_t cli_console_columns(FILE *file);

typedef enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER } cli_color;
extern const char *const cli_color_words[];
/* Returns true if output to `file` is coloured. By default, colour is used on terminals that are
 * not "dumb"; --color overrides that. */
bool cli_console_has_color(FILE *file);
#define CLI_RED    "\033[31m"
#define CLI_GREEN  "\033[32m"
#define CLI_YELLOW "\033[33m"
#define CLI_BOLD   "\033[1m"
#define CLI_PLAIN  "\033[0m"

/* Prints "gputune: TEXT" on a line of its own. --quiet suppresses notes. Preserves errno. */
void cli_console_print(bool is_error, const char *format, ...) CLI_PRINTF(2, 3);
#define cli_error(...) cli_console_print(true, __VA_ARGS__)
#define cli_note(...)  cli_console_print(false, __VA_ARGS__)

/* Replaces the progress line. Does nothing unless cli_console_is_live(). */
void cli_console_progress(const char *format, ...) CLI_PRINTF(1, 2);
void cli_console_progress_end(void);

/* Sends later progress lines to `draw`, because another process draws them on the terminal. Lines
 * that this process prints then erase the other process's line. */
void cli_console_draw_by(void (*draw)(const char *text));

/* A gputune_log_fn. Information lines are printed only with --verbose. */
void cli_console_log(void *user, gputune_log_level level, const char *line);

/* ---- exit codes ------------------------------------------------------------------------------ */

enum {
    CLI_EXIT_OK = 0,       /* every scenario has a winner, and its default is correct */
    CLI_EXIT_NOTHING = 1,  /* nothing found */
    CLI_EXIT_USAGE = 2,    /* a mistake in the command line */
    CLI_EXIT_PLATFORM = 3, /* no NVRTC, driver or GPU, or a failure found by `doctor` */
    CLI_EXIT_TEMPLATE = 4, /* a template or compile error, or an invalid recorded space */
    CLI_EXIT_WRONG = 5,    /* the default, most variants or all variants gave wrong results */
    CLI_EXIT_DATABASE = 6,
    CLI_EXIT_FOUND = 7,
    CLI_EXIT_OPEN = 8,      /* a draft of `template` has open questions */
    CLI_EXIT_CANCELED = 130 /* 128 + SIGINT, as in a shell */
};

int cli_exit_code(int status);
/* Returns the exit code for a variant with the status `trial`: "ok", "wrong", "compile", ... */
int cli_trial_exit_code(const char *trial);

/* Prints the library's last message, or the status text if there is none. Returns the exit code. */
int cli_fail(int status);
/* Returns a library message without the kernel's name at its beginning. The caller prints `label`
 * first, which contains the name. */
const char *cli_without_kernel(const char *message, const char *label);

/* Combines two exit codes. Prefers CLI_EXIT_CANCELED, and otherwise the first nonzero code. */
int cli_worse(int so_far, int next);

/* Prints "unknown WHAT 'WORD'; did you mean 'NEAREST'?". If no candidate is similar, lists the
 * candidates. Returns CLI_EXIT_USAGE. */
int cli_unknown(const char *what, const char *word, const char *const *candidates, size_t count);
/* Prints an error and evaluates to `code`, as in: return cli_stop(code, format, ...). */
#define cli_stop(code, ...) (cli_error(__VA_ARGS__), (int)(code))
/* If the condition is true, prints an error and returns `code` from the enclosing function. */
#define CLI_REFUSE(condition, code, ...)                                                           \
    do {                                                                                           \
        if (condition) {                                                                           \
            return cli_stop(code, __VA_ARGS__);                                                    \
        }                                                                                          \
    } while (0)
/* Returns CLI_CONTINUE if `status` is a success. Otherwise behaves like cli_fail(). */
int cli_passed(int status);
