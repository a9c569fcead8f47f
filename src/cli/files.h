/* Where a command writes its result: the file of --output, or standard output; values of JSON; and
 * which files a template's text includes. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_output {
    FILE *file;
    const char *path; /* NULL: standard output */
} cli_output;

/* Opens it; `path` may be NULL, and must outlive it. A file that is there already is an error
 * unless `replace`. CLI_CONTINUE, or the code to exit with after a message. */
int cli_output_open(cli_output *out, const char *path, bool replace);
/* Closes it after a command that came to `code`. Returns that, or CLI_EXIT_NOTHING after a message
 * where it was CLI_EXIT_OK and not all was written. */
int cli_output_close(cli_output *output, int code);

/* Writes a text there. Returns the code to exit with. */
int cli_output_text(const char *path, bool replace, const char *text);

/* The shortest decimal text that reads back as the same double, which must be finite. */
void cli_json_number(double value, FILE *file);
/* A string in quotes; "" where it is not UTF-8. */
void cli_json_text(const char *text, FILE *file);

/* The name in `#include "name"`, or NULL; *text goes on to the next line. */
char *cli_next_include(const char **text);
/* Where a file of that name stands that `from` includes: in the same folder. */
char *cli_path_beside(const char *from, const char *name);
