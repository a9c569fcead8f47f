/* Output files, values of JSON, the includes of templates, and other programs that commands run. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_output {
    FILE *file;
    const char *path; /* NULL: standard output */
} cli_output;

/* Opens an output; NULL: standard output. `path` must outlive *out. An existing file is an error
 * unless `replace`. Returns CLI_CONTINUE, or an exit code after a message. */
int cli_output_open(cli_output *out, const char *path, bool replace);
/* Closes the output of a command that ends with `code`. Standard output stays open. Returns `code`,
 * or CLI_EXIT_NOTHING after a message if that is CLI_EXIT_OK and writing failed. */
int cli_output_close(cli_output *output, int code);

/* Writes a file, opened like cli_output_open(). Returns the exit code. */
int cli_output_write(const char *path, bool replace, const void *bytes, size_t count);

/* Returns the shortest decimal text that reads back as the same finite double. */
char *cli_json_number(double value);
/* Returns a text as a JSON string; the empty string for NULL and for text that is not UTF-8. */
char *cli_json_text(const char *text);

/* Returns the name in `#include "name"`, or NULL, and moves *text to the next line. */
char *cli_next_include(const char **text);
/* Returns the path of the file `name` in the folder of the file `from`. */
char *cli_path_beside(const char *from, const char *name);

/* ---- other programs -------------------------------------------------------------------------- */

typedef struct cli_tool {
    const char *arguments[16]; /* program (searched on PATH) and its arguments; NULL ends them */
    const char *input;         /* file for its standard input; NULL: this program's */
    int output;                /* descriptor for its standard output; -1: collected in `told` */
    double limit_s;            /* seconds after which it is killed; 0: no limit */
    const char *grows;         /* a file that it writes, limited to CLI_TOOL_MOST_BYTES; or NULL */
    char *told, *said;         /* results: its output, and the best line of its errors; or "" */
} cli_tool;

enum { CLI_TOOL_MISSING = -1, CLI_TOOL_LATE = -2, CLI_TOOL_TOO_LARGE = -3, CLI_TOOL_KILLED = -4 };
enum { CLI_TOOL_MOST_BYTES = 64 << 20 };

/* Runs the tool. Returns its exit code, or a CLI_TOOL_ value. Ctrl-C ends the tool too. */
int cli_tool_run(cli_tool *tool);

/* Makes a private folder in TMPDIR; NULL after a message. */
char *cli_tool_make_folder(void);
void cli_tool_remove_folder(const char *folder);
