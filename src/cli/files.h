/* Output files, JSON values, and includes of templates. */
#pragma once

#include "base/file.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_output {
    FILE *file;
    gt_output named; /* not set for standard output */
} cli_output;

/* Opens the file `path` for writing, or standard output if `path` is NULL. An existing file is an
 * error unless `replace` is set. */
int cli_output_open(cli_output *out, const char *path, bool replace);
/* Closes the output of a command; standard output stays open. Returns the exit code. A file that
 * could not be written completely does not replace an older one. */
int cli_output_close(cli_output *output);

/* Writes bytes to the file `path`, or to standard output if it is NULL. Returns the exit code. */
int cli_output_write(const char *path, bool replace, const void *bytes, size_t count);

/* Returns the shortest decimal text that converts back to the same finite double. */
char *cli_json_number(double value);
/* Returns a text as a JSON string, which is empty for NULL and for invalid UTF-8. */
char *cli_json_text(const char *text);

/* Returns the name if the line is `#include "name"`, or NULL. Moves *text to the next line. */
char *cli_next_include(const char **text);
/* Returns the path of the file `name` in the folder of the file `from`. */
char *cli_path_beside(const char *from, const char *name);
