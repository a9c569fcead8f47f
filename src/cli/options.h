/* The commands of the program. A command's table of options parses its arguments and prints its
 * help. */
#pragma once

#include "cli/memory.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum cli_option_kind {
    CLI_OPTION_FLAG,   /* bool */
    CLI_OPTION_TEXT,   /* const char *, points into argv */
    CLI_OPTION_LIST,   /* cli_list, may be given several times */
    CLI_OPTION_COUNT,  /* uint32_t */
    CLI_OPTION_BYTES,  /* uint64_t, positive: "100M" */
    CLI_OPTION_NUMBER, /* double, positive */
    CLI_OPTION_SHARE,  /* double, above 0 and below 1 */
    CLI_OPTION_CHOICE  /* int: the index of the word in `choices` */
} cli_option_kind;

/* The values of an option that may be repeated, or the arguments. They point into argv. */
typedef CLI_LIST(const char *) cli_list;

typedef struct cli_option {
    const char *name; /* name without dashes; NULL ends the table */
    char letter;      /* 0: none */
    cli_option_kind kind;
    void *value;
    const char *argument;       /* the argument's name in the help, or NULL for a flag or choice */
    const char *const *choices; /* NULL-terminated */
    const char *help;
} cli_option;

/* The options that select scenarios. */
typedef struct cli_selection {
    cli_list sizes, only, starts; /* texts of --size, --only and --start */
    bool keeps_sizes;             /* true if large sizes are not reduced on an emulator */
} cli_selection;

/* The values of the options that several commands have. A process runs one command. */
extern struct cli_given {
    char **words;        /* the command line */
    const char *own_gpu; /* in a child of --gpus, the number of its GPU; otherwise NULL */
    const char *database, *templates, *driver, *device;
    cli_selection selection;
    const char *gpu, *arch, *output, *pinned;
    bool any_gpu;
    int format; /* a cli_format_kind */
    int color;  /* a cli_color */
    bool quiet, verbose;
    bool read_only;         /* the database */
    bool shipped;           /* true if the tables that come with gputune are read too */
    cli_list include_paths; /* the values of -I */
} cli_given;

/* An option in the tables of several commands. */
#define CLI_ROW(...)                                                                               \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define CLI_OPTIONS_END CLI_ROW(NULL, 0, CLI_OPTION_FLAG, NULL, NULL, NULL, NULL)

typedef struct cli_command {
    const char *name;        /* "warm" */
    const char *description; /* purpose, for the list of commands */
    const char *arguments;   /* "KERNEL|PATH..." */
    const char *summary;     /* one sentence, capitalised */
    const char *more;        /* paragraphs below the list of options, or NULL */
    struct {
        size_t least, most;
    } takes; /* least and greatest number of arguments besides options */
    const cli_option *options;
    int (*run)(const cli_list *arguments); /* returns the exit code; prints only data to stdout */
} cli_command;

enum { CLI_CONTINUE = -1 };

/* Returns from the enclosing function with the result of `call`, unless that is CLI_CONTINUE. */
#define CLI_TRY(call)                                                                              \
    do {                                                                                           \
        int cli_try_code_ = (call);                                                                \
        if (cli_try_code_ != CLI_CONTINUE) {                                                       \
            return cli_try_code_;                                                                  \
        }                                                                                          \
    } while (0)

/* Parses the arguments and reorders argv, whose first element is the name of the command. Returns
 * CLI_CONTINUE, or an exit code after printing the help, the options for completions (--options),
 * or an error. */
int cli_parse(cli_list *out, const cli_command *command, int argc, char **argv);
/* Returns true if the command line has this option. */
bool cli_is_given(const char *name);
/* Prints text that begins at column `at`, folded into lines of at most 80 columns that are indented
 * to this column. */
void cli_print_folded(const char *text, size_t at);
void cli_help(const cli_command *command);

extern const cli_command cmd_warm, cmd_show, cmd_run, cmd_check, cmd_compare, cmd_kernels,
    cmd_space, cmd_emit, cmd_embed, cmd_template, cmd_devices, cmd_doctor, cmd_forget, cmd_merge,
    cmd_wisdom, cmd_report, cmd_export;
