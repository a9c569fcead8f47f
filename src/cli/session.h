/* Opens a tuner with the options of a command, and cancels the command's work. */
#pragma once

#include "cli/console.h"

#include <gputune_tools.h>
#include <signal.h>

/* Groups of options that several commands share. */
#define CLI_TUNER_OPTIONS                                                                          \
    CLI_ROW("device", 'd', CLI_OPTION_TEXT, &cli_given.device, "DEVICE", NULL,                     \
            "the GPU: 0, 1, ..., or a UUID; fails if there is no such GPU"),                       \
        CLI_ROW("driver", 0, CLI_OPTION_TEXT, &cli_given.driver, "DRIVER", NULL,                   \
                "cuda, emu or emu:PROFILE (the emulator), or a library [GPUTUNE_DRIVER, else "     \
                "cuda, else the emulator]"),                                                       \
        CLI_FILE_OPTIONS
#define CLI_FILE_OPTIONS                                                                           \
    CLI_ROW("db", 0, CLI_OPTION_TEXT, &cli_given.database, "FILE", NULL,                           \
            "the database [GPUTUNE_DB, else in the user's cache folder]"),                         \
        CLI_TEMPLATES_OPTION, CLI_INCLUDE_OPTION, CLI_MESSAGE_OPTIONS
#define CLI_TEMPLATES_OPTION                                                                       \
    CLI_ROW("templates", 0, CLI_OPTION_TEXT, &cli_given.templates, "FOLDER", NULL,                 \
            "the folder of templates [GPUTUNE_TEMPLATES, else the installed one]")
#define CLI_INCLUDE_OPTION                                                                         \
    CLI_ROW("include", 'I', CLI_OPTION_LIST, &cli_given.include_paths, "FOLDER", NULL,             \
            "headers that kernels may include; may be repeated [GPUTUNE_INCLUDE, the toolkit]")
#define CLI_FORMAT_OPTION                                                                          \
    CLI_ROW("format", 'f', CLI_OPTION_CHOICE, &cli_given.format, NULL, cli_format_words,           \
            "the output format [table]")
#define CLI_MESSAGE_OPTIONS                                                                        \
    CLI_ROW("quiet", 'q', CLI_OPTION_FLAG, &cli_given.quiet, NULL, NULL,                           \
            "print only errors on stderr"),                                                        \
        CLI_ROW("color", 0, CLI_OPTION_CHOICE, &cli_given.color, NULL, cli_color_words,            \
                "when to use colour [auto: on a terminal, unless NO_COLOR is set]"),               \
        CLI_ROW("verbose", 'v', CLI_OPTION_FLAG, &cli_given.verbose, NULL, NULL,                   \
                "print more on stderr, also compiler logs"),                                       \
        CLI_OPTIONS_END
#define CLI_OUTPUT_OPTION                                                                          \
    CLI_ROW("output", 'o', CLI_OPTION_TEXT, &cli_given.output, "FILE", NULL,                       \
            "write to this file [stdout]")
#define CLI_ARCH_OPTION                                                                            \
    CLI_ROW("arch", 0, CLI_OPTION_TEXT, &cli_given.arch, "sm_XX", NULL,                            \
            "for this architecture instead of the current GPU")

typedef enum cli_open_mode {
    CLI_OPEN_TUNING,   /* like CLI_OPEN_DEVICE, but only the measure worker opens the driver */
    CLI_OPEN_DEVICE,   /* opens a GPU; if none exists and none was requested, opens the emulator */
    CLI_OPEN_IF_ANY,   /* like CLI_OPEN_DEVICE, but continues without a device */
    CLI_OPEN_NO_DEVICE /* opens templates, compiler and database, but no device */
} cli_open_mode;

typedef struct cli_session {
    gputune *tuner;
    bool has_device;
    gputune_device device; /* valid only if has_device is true */
} cli_session;

/* Returns the options of the command line for gputune_open(). */
gputune_open_options cli_open_options(void);
/* Opens a tuner with the options. Prints a note if it uses the emulator because there is no GPU. */
int cli_open(cli_session *out, cli_open_mode mode);
/* Closes the tuner, if there is one:
 *
 *     CLI_SCOPED(cli_close) cli_session session = {0}; */
void cli_close(cli_session *session);
/* Returns true if the command line or the environment selects a driver or a device. */
bool cli_is_driver_requested(void);
/* Makes cli_open() open the database read-only. Without --shipped, leaves out gputune's table. */
void cli_read_own_results(void);
#define CLI_SHIPPED_OPTION                                                                         \
    CLI_ROW("shipped", 0, CLI_OPTION_FLAG, &cli_given.shipped, NULL, NULL,                         \
            "also the results that come with gputune, unless --db is given")
/* Returns the path of the library's database, or NULL if results are kept in memory only. */
char *cli_database_path(void);
/* Prints a problem of the database, if there is one. Returns CLI_EXIT_DATABASE if there is a
 * problem and `code` is CLI_EXIT_OK or CLI_EXIT_NOTHING; otherwise returns `code`. */
int cli_check_database(const cli_session *session, int code);

/* Makes Ctrl-C, SIGTERM and SIGHUP cancel the work. An ignored SIGHUP, as under nohup, stays
 * ignored. A second signal ends the program. */
void cli_catch_interrupt(void);
/* Nonzero if the work is cancelled, and if Ctrl-C or a signal is the reason. */
extern volatile sig_atomic_t cli_canceled, cli_interrupted;
