/* Writes a command's result to the file of --output or standard output, and values of JSON; finds a
 * template's included files; runs programs such as curl, ssh-keygen, minisign, nvdisasm. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_output {
    FILE *file;
    const char *path; /* NULL: standard output */
} cli_output;

/* Opens an output. `path` may be NULL, and must outlive *out. If there is such a file already, that
 * is an error unless `replace`. Returns CLI_CONTINUE, or the code to exit with after a message. */
int cli_output_open(cli_output *out, const char *path, bool replace);
/* Closes the output of a command that ends with `code`, which it returns, or, after a message,
 * CLI_EXIT_NOTHING if that is CLI_EXIT_OK and not all was written. Stdout stays open. */
int cli_output_close(cli_output *output, int code);

/* Writes a file, as cli_output_open() opens it. Returns the code to exit with. */
int cli_output_write(const char *path, bool replace, const void *bytes, size_t count);

/* The shortest decimal text that reads back as the same double, which must be finite. */
char *cli_json_number(double value);
/* A string in quotes; "" in quotes for NULL, and where the text is not UTF-8. */
char *cli_json_text(const char *text);

/* The name in `#include "name"`, or NULL; *text goes on to the next line. */
char *cli_next_include(const char **text);
/* The path of the file `name` that `from` includes: in the same folder. */
char *cli_path_beside(const char *from, const char *name);

/* ---- other programs -------------------------------------------------------------------------- */

typedef struct cli_tool {
    const char *arguments[16]; /* [0] is searched on PATH, unless it is a path; NULL ends them */
    const char *input;         /* file for its standard input; NULL: this program's */
    int output;        /* descriptor to which the tool's standard output goes; -1: into `told` */
    double limit_s;    /* seconds after which the tool is ended; 0: no limit */
    const char *grows; /* a file that the tool writes, of CLI_TOOL_MOST_BYTES at most; or NULL */
    char *told, *said; /* set: the tool's output, and the best line of its errors; or "" */
} cli_tool;

enum { CLI_TOOL_MISSING = -1, CLI_TOOL_LATE = -2, CLI_TOOL_TOO_LARGE = -3, CLI_TOOL_KILLED = -4 };
enum { CLI_TOOL_MOST_BYTES = 64 << 20 };

/* Runs the tool. Returns its exit code, or a value above. Ctrl-C ends the tool, too. */
int cli_tool_run(cli_tool *tool);

/* Makes a private folder below TMPDIR; NULL after a message. cli_tool_remove_folder() ends it. */
char *cli_tool_make_folder(void);
void cli_tool_remove_folder(const char *folder);
