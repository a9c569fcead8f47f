/* Memory and texts of the command line. What these functions return lives until the program ends,
 * or until cli_release() releases it: nothing is freed one by one. When memory runs out, the
 * program ends with one line and exit code 1, so that callers need no check. For the main thread
 * only. */
#pragma once

#include <stddef.h>

#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Returns `memory`. If that is NULL, memory ran out: the program ends. */
void *cli_present(void *memory);
/* Like calloc. */
void *cli_allocate(size_t count, size_t bytes);
/* Room for at least `count` + 1 items of `bytes` in a growing array whose capacity is a function of
 * its count; new memory is not cleared. */
void *cli_grow(void *array, size_t count, size_t bytes);
/* Appends a value to an array of `count` items, NULL at first, which grows by cli_grow() alone. */
#define cli_push(array, count, ...)                                                                \
    ((array) = cli_grow(array, count, sizeof *(array)), (array)[(count)++] = (__VA_ARGS__))
/* Like strdup; NULL gives NULL. */
char *cli_copy(const char *string);
/* The first `count` bytes of a string, terminated. */
char *cli_copy_part(const char *string, size_t count);
/* Like asprintf. */
char *cli_format(const char *format, ...) CLI_PRINTF(1, 2);
/* Appends formatted text to *text, which may be NULL and is reallocated. */
void cli_append(char **text, const char *format, ...) CLI_PRINTF(2, 3);

/* Puts copies in place of the texts of a struct, which are at these offsets; "" in place of NULL.
 * Where the struct `like` (or NULL) has an equal text, that is the copy. */
void cli_copy_texts(void *item, const void *like, const size_t *offsets, size_t count);

/* Reads a whole file of *bytes bytes; a NUL is added behind them. NULL, with errno, if the file
 * cannot be read. */
char *cli_read_text(const char *path, size_t *bytes);

/* For work that is repeated while the program runs: cli_release() releases all that was allocated
 * after cli_mark() returned `mark`. Memory that was allocated before stays, also where it has grown
 * since. Marks are released in reverse order. */
void *cli_mark(void);
void cli_release(void *mark);
