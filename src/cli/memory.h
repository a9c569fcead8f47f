/* Functions for memory, texts and the format of numbers. Memory lives until cli_release() releases
 * it or the program ends; there is no function that frees a single block. If memory runs out, the
 * program prints a line and ends with exit code 1, so callers need no check. Only one thread at a
 * time may call these functions. */
#pragma once

#include <gputune_tools.h>
#include <stdbool.h>
#include <stddef.h>

#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
/* Calls `end` for a variable at the end of its scope. */
#define CLI_SCOPED(end) __attribute__((cleanup(end)))

/* Returns `memory`. If it is NULL, ends the program. */
void *cli_present(void *memory);
/* Like calloc. */
void *cli_allocate(size_t count, size_t bytes);
/* Reallocates an array of `count` items if it is full, so one more item fits. */
void *cli_grow(void *array, size_t count, size_t bytes);
/* Appends an item to an array, which may be NULL. Evaluates to the item's address. */
#define cli_push(array, count, ...)                                                                \
    ((array) = cli_grow(array, count, sizeof *(array)), (array)[count] = (__VA_ARGS__),            \
     &(array)[(count)++])
/* A list to which cli_add() appends. An all-zero list is empty. */
#define CLI_LIST(type)                                                                             \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count;                                                                              \
    }
#define cli_add(list, ...) cli_push((list)->items, (list)->count, __VA_ARGS__)
/* Like strdup(), but returns NULL if the string is NULL. */
char *cli_copy(const char *string);
/* Like strndup. */
char *cli_copy_part(const char *string, size_t count);
/* Removes invalid UTF-8 and control characters, because a database may contain any text and a
 * terminal would interpret control characters. Line ends and tabs become blanks unless `lines` is
 * true. Returns `text`. */
char *cli_clean(char *text, bool lines);
/* Like asprintf. */
char *cli_format(const char *format, ...) CLI_PRINTF(1, 2);
/* Quotes a word for a shell if it needs quotes. */
const char *cli_shell_word(const char *word);
/* Appends formatted text to *text, which may be NULL and is reallocated. */
void cli_append(char **text, const char *format, ...) CLI_PRINTF(2, 3);

/* Appends an item to *text, preceded by the separator unless *text is NULL or empty. */
void cli_join(char **text, const char *separator, const char *item);

/* Reads a whole file, sets *bytes, and appends a NUL. Returns NULL on failure, and sets errno. */
char *cli_read_text(const char *path, size_t *bytes);

/* These functions are for long loops. cli_release() releases the memory that was allocated after
 * cli_mark() returned `mark`. Older memory is kept, even if it was reallocated since then. Release
 * marks in reverse order. CLI_SCOPED(cli_release_at) releases a mark at the end of its scope. */
void *cli_mark(void);
void cli_release(void *mark);
static inline void cli_release_at(void **mark)
{
    cli_release(*mark);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Formats a speed-up with its interval, as in "1.203x [1.199, 1.207]". Omits the interval if `low`
 * is 0. Returns "" if the speed-up is 0. */
const char *cli_speedup(double speedup, double low, double high);
/* Formats nanoseconds as ns, µs, ms or s or, if the objective is energy, nanojoules as nJ, µJ, mJ
 * or J, with four significant digits, as in "198.1 µs". */
char *cli_value(double value, gputune_objective objective);
/* Formats bytes per second as GB/s, in powers of 1000: "4065 GB/s". */
char *cli_rate(double bytes_per_s);
/* Formats bytes with units that are powers of 1024: "512 B", "48 KB", "139.7 GB". */
char *cli_bytes(double bytes);
/* Shortens round sizes: "n=67108864 T=half" becomes "n=64M T=half". */
char *cli_short_sizes(const char *sizes);
/* Returns a kernel and its sizes as a label: "axpy n=64M T=half". */
char *cli_label(const char *kernel, const char *sizes);
/* Reads the next word, "NAME=VALUE" or "NAME", and moves *text after it. Without '=', *value is "".
 * Returns false if there is no word. */
bool cli_next_pair(const char **text, char **name, char **value);
/* Reads a decimal number and moves *text after it. Returns -1 and leaves *text unchanged if there
 * is no number or it is above `most`. */
long cli_take_number(const char **text, long most);
/* Draws a bar for a fraction from 0 to 1. The bar has up to `cells` cells, in steps of 1/8 cell. */
char *cli_bar(double share, size_t cells);
/* Returns the width of a UTF-8 text on a terminal, counting one column for each code point. */
size_t cli_columns(const char *text);
