/* Memory and text of the command line: running out ends the program with one line and exit code 1,
 * so that callers need no check. What is returned is the caller's to free(). */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stddef.h>

#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Like calloc. */
void *cli_allocate(size_t count, size_t bytes);
/* Room for at least `count` + 1 items of `bytes` in a growing array whose capacity is a function of
 * its count; new memory is not cleared. */
void *cli_grow(void *array, size_t count, size_t bytes);
/* Like strdup; NULL gives NULL. */
char *cli_copy(const char *string);
/* The first `count` bytes of a string, terminated. */
char *cli_copy_part(const char *string, size_t count);
/* Like asprintf. */
char *cli_format(const char *format, ...) CLI_PRINTF(1, 2);
/* Appends formatted text to *text, which may be NULL and is reallocated. */
void cli_append(char **text, const char *format, ...) CLI_PRINTF(2, 3);

/* A whole file, terminated; *bytes long without that. NULL, with errno, if it cannot be read. */
char *cli_read_text(const char *path, size_t *bytes);

#endif
