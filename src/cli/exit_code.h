/* The program's exit codes, which of them a status of the library means, and messages that come
 * with one. */
#ifndef CLI_EXIT_CODE_H
#define CLI_EXIT_CODE_H

#include <stddef.h>

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
    CLI_EXIT_CANCELED = 130 /* 128 + SIGINT, as shells have it */
};

/* The exit code of a gputune_status. */
int cli_exit_code(int status);

/* The exit code of a variant that ended so: "ok", "wrong", "compile", ... */
int cli_trial_exit_code(const char *trial);

/* Prints the thread's last library message (the status' text when there is none) and returns the
 * exit code. */
int cli_fail(int status);
/* The same, with the scenario before the message. */
int cli_fail_at(int status, const char *label);

/* A message of the library without the kernel's name before it, which the label begins with. */
const char *cli_without_kernel(const char *message, const char *label);

/* The exit code of several scenarios, of which one gave `next`: the first that is not 0 stays, but
 * CLI_EXIT_CANCELED replaces any. */
int cli_worse(int so_far, int next);

/* Prints "unknown WHAT 'WORD'; did you mean 'NEAREST'?", or the candidates when none is near, and
 * returns CLI_EXIT_USAGE. */
int cli_unknown(const char *what, const char *word, const char *const *candidates, size_t count);

#endif
