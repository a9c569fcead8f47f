/* Memory and text of the command line. What is returned lives until the program ends, or until it
 * is released down to a mark: nothing is freed one by one. Running out ends the program with one
 * line and exit code 1, so that callers need no check. The main thread only. */
#pragma once

#include <stddef.h>

#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* What it is given; NULL is memory that ran out. */
void *cli_present(void *memory);
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

/* For work that is repeated while the program runs: what is allocated behind a mark is released
 * with it, but for `kept` (may be NULL). What was allocated before stays, also where it has grown
 * since. Marks are released in reverse order. */
void *cli_mark(void);
void cli_release(void *mark, const void *kept);
