/* Writes a command's result to the file of --output, or to standard output; writes values of JSON;
 * finds the files that a template's text includes. */
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
/* Closes the output of a command whose exit code is `code` so far. Returns `code`; but if that is
 * CLI_EXIT_OK and not all was written, CLI_EXIT_NOTHING after a message. */
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
