/* The program's commands. Each has a table of options, from which the help is also printed. */
#pragma once

#include "cli/memory.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum cli_option_kind {
    CLI_OPTION_FLAG,   /* bool */
    CLI_OPTION_TEXT,   /* const char *; points into argv */
    CLI_OPTION_LIST,   /* cli_list; the option may be repeated */
    CLI_OPTION_COUNT,  /* uint32_t */
    CLI_OPTION_BYTES,  /* uint64_t, positive, as in "100M" */
    CLI_OPTION_NUMBER, /* double, positive */
    CLI_OPTION_CHOICE  /* int, the index of the word in `choices` */
} cli_option_kind;

/* The values of a repeatable option, or the arguments of a command. They point into argv. */
typedef CLI_LIST(const char *) cli_list;

typedef struct cli_option {
    const char *name; /* name without dashes, or NULL at the end of the table */
    char letter;      /* 0: none */
    cli_option_kind kind;
    void *value;
    const char *argument;       /* the argument's name in the help; NULL for a flag or choice */
    const char *const *choices; /* NULL-terminated */
    const char *help;
} cli_option;

typedef struct cli_selection {
    cli_list sizes, only, starts; /* values of --size, --only and --start */
    bool keeps_sizes;             /* true if default sizes are not reduced on an emulator */
} cli_selection;

/* The values of options that several commands share. Global: a process runs only one command. */
extern struct cli_given {
    char **words;        /* the command line */
    const char *own_gpu; /* with --gpus, the index of this child process's GPU; otherwise NULL */
    const char *database, *templates, *driver, *device;
    cli_selection selection;
    const char *gpu, *arch, *output, *pinned;
    bool any_gpu;
    int format; /* a cli_format_kind */
    int color;  /* a cli_color */
    bool quiet, verbose;
    bool read_only;         /* the database */
    bool shipped;           /* true if tables installed with gputune are read too */
    cli_list include_paths; /* values of -I */
} cli_given;

/* A table row for an option that several commands share. */
#define CLI_ROW(...)                                                                               \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define CLI_OPTIONS_END CLI_ROW(NULL, 0, CLI_OPTION_FLAG, NULL, NULL, NULL, NULL)

typedef struct cli_command {
    const char *name;        /* "warm" */
    const char *description; /* purpose, shown in the list of commands */
    const char *arguments;   /* "KERNEL|PATH..." */
    const char *summary;     /* one sentence that begins with a capital letter */
    const char *more;        /* paragraphs after the list of options, or NULL */
    struct {
        size_t least, most;
    } takes; /* minimum and maximum number of arguments besides options */
    const cli_option *options;
    int (*run)(const cli_list *arguments); /* returns the exit code; prints only data to stdout */
} cli_command;

/* The result of a successful step. A failing step prints a message and returns an exit code. */
enum { CLI_CONTINUE = -1 };

/* Returns the result of `call` from the enclosing function unless it is CLI_CONTINUE. */
#define CLI_TRY(call)                                                                              \
    do {                                                                                           \
        int cli_try_code_ = (call);                                                                \
        if (cli_try_code_ != CLI_CONTINUE) {                                                       \
            return cli_try_code_;                                                                  \
        }                                                                                          \
    } while (0)

/* Parses the arguments and reorders argv, whose first element is the command's name. If the user
 * asked for the help or for the list of options, prints it and returns an exit code. */
int cli_parse(cli_list *out, const cli_command *command, int argc, char **argv);
bool cli_is_given(const char *name);
/* Prints text that begins at column `at`, folded at 80 columns and indented to column `at`. */
void cli_print_folded(const char *text, size_t at);
void cli_help(const cli_command *command);

extern const cli_command cmd_warm, cmd_show, cmd_run, cmd_check, cmd_kernels, cmd_space, cmd_emit,
    cmd_embed, cmd_template, cmd_devices, cmd_doctor, cmd_forget, cmd_merge, cmd_wisdom, cmd_report,
    cmd_export;
