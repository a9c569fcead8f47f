/* Memory, texts and figures of the command line. Memory lives until the program ends or
 * cli_release() releases it; single blocks are not freed. If memory runs out, the program prints
 * one line and ends with exit code 1, so callers need no check. One thread at a time may call these
 * functions. */
#pragma once

#include <gputune_tools.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
/* Calls `end` for a variable when its block ends. */
#define CLI_SCOPED(end) __attribute__((cleanup(end)))

/* Returns `memory`, or ends the program if it is NULL. */
void *cli_present(void *memory);
/* Like calloc. */
void *cli_allocate(size_t count, size_t bytes);
/* Makes room for one more item in an array of `count` items. The capacity follows from the count.
 */
void *cli_grow(void *array, size_t count, size_t bytes);
/* Appends a value to an array of `count` items, at first NULL. Evaluates to the address of the
 * item. */
#define cli_push(array, count, ...)                                                                \
    ((array) = cli_grow(array, count, sizeof *(array)), (array)[count] = (__VA_ARGS__),            \
     &(array)[(count)++])
/* A list to which cli_add() appends. All zero is an empty list. */
#define CLI_LIST(type)                                                                             \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count;                                                                              \
    }
#define cli_add(list, ...) cli_push((list)->items, (list)->count, __VA_ARGS__)
/* Like strdup(), but returns NULL for NULL. */
char *cli_copy(const char *string);
/* Like strndup. */
char *cli_copy_part(const char *string, size_t count);
/* Removes invalid UTF-8, and control characters, which a terminal would obey: anybody may have
 * written the texts of a database. Line ends and tabs become blanks unless `lines`. Returns `text`.
 */
char *cli_clean(char *text, bool lines);
/* Like asprintf. */
char *cli_format(const char *format, ...) CLI_PRINTF(1, 2);
/* Appends formatted text to *text, which may be NULL and is reallocated. */
void cli_append(char **text, const char *format, ...) CLI_PRINTF(2, 3);

/* Appends an item to *text, after the separator unless *text is NULL or empty. */
void cli_join(char **text, const char *separator, const char *item);

/* Reads a whole file, sets *bytes, and appends a NUL. Returns NULL, with errno, on failure. */
char *cli_read_text(const char *path, size_t *bytes);

/* Release memory inside long loops. cli_release() releases all memory that was allocated after
 * cli_mark() returned `mark`. Older memory stays, even if it has grown since then. Release marks in
 * reverse order. CLI_SCOPED(cli_release_at) releases a mark at the end of its block. */
void *cli_mark(void);
void cli_release(void *mark);
static inline void cli_release_at(void **mark)
{
    cli_release(*mark);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Formats nanoseconds as ns, µs, ms or s with four significant digits: "198.1 µs". */
char *cli_duration(double ns);
/* Formats a speed-up with its interval: "1.203x [1.199, 1.207]"; "1.203x" if `low` is 0; "" if the
 * speed-up is 0. */
const char *cli_speedup(double speedup, double low, double high);
/* Formats nanojoules as nJ, µJ, mJ or J. */
char *cli_energy(double nj);
/* Formats a value of an objective: a time or an energy. */
char *cli_value(double value, gputune_objective objective);
/* Formats bytes per second as "4065 GB/s" (powers of 1000). */
char *cli_rate(double bytes_per_s);
/* Formats bytes as "512 B", "48 KB", "139.7 GB" (powers of 1024). */
char *cli_bytes(double bytes);
/* Shortens the round numbers of sizes: "n=67108864 T=half" to "n=64M T=half". */
char *cli_short_sizes(const char *sizes);
/* Returns "axpy n=64M T=half" for a kernel and its sizes. */
char *cli_label(const char *kernel, const char *sizes);
/* Takes the next word, "NAME=VALUE" or "NAME", from *text. Without '=', *value is "". Returns false
 * if there is no word. */
bool cli_next_pair(const char **text, char **name, char **value);
/* Takes a decimal number from the beginning of *text. Returns -1 and takes nothing if there is
 * none, or if it is above `most`. */
long cli_take_number(const char **text, long most);
/* Draws a bar of at most `cells` cells, in steps of an eighth, for a share from 0 to 1. */
char *cli_bar(double share, size_t cells);
/* Returns how many columns of a terminal UTF-8 text takes, one for each code point. */
size_t cli_columns(const char *text);
