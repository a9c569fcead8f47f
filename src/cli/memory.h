/* Memory and texts of the command line, and figures for people. Results of these functions live
 * until the program ends, or until cli_release(): nothing is freed one by one. When memory runs
 * out, the program ends with one line and exit code 1, so callers need no check. One thread at a
 * time may call them. */
#pragma once

#include <gputune_tools.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Returns `memory`. If that is NULL, memory ran out: the program ends. */
void *cli_present(void *memory);
/* Like calloc. */
void *cli_allocate(size_t count, size_t bytes);
/* Room for `count` + 1 items, uncleared, in an array whose capacity depends on its count. */
void *cli_grow(void *array, size_t count, size_t bytes);
/* Appends a value to an array of `count` items (NULL at first). Evaluates to its place. */
#define cli_push(array, count, ...)                                                                \
    ((array) = cli_grow(array, count, sizeof *(array)), (array)[count] = (__VA_ARGS__),            \
     &(array)[(count)++])
/* A list, empty where it is all zero, to which cli_add() appends a value. */
#define CLI_LIST(type)                                                                             \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count;                                                                              \
    }
#define cli_add(list, ...) cli_push((list)->items, (list)->count, __VA_ARGS__)
/* Like strdup; NULL gives NULL. */
char *cli_copy(const char *string);
/* The first `count` bytes of a string, terminated. */
char *cli_copy_part(const char *string, size_t count);
/* Removes control characters, which a terminal would obey, and invalid UTF-8, since a database's
 * text may be anybody's. Line ends and tabs stay with `lines`, else become blanks. Returns text. */
char *cli_clean(char *text, bool lines);
/* Like asprintf. */
char *cli_format(const char *format, ...) CLI_PRINTF(1, 2);
/* Appends formatted text to *text, which may be NULL and is reallocated. */
void cli_append(char **text, const char *format, ...) CLI_PRINTF(2, 3);

/* Reads a whole file of *bytes bytes, and adds a NUL. NULL, with errno: it cannot be read. */
char *cli_read_text(const char *path, size_t *bytes);

/* For work that is repeated while the program runs: cli_release() releases all that was allocated
 * after cli_mark() returned `mark`. Memory that was allocated before stays, also where it has grown
 * since. Marks are released in reverse order. */
void *cli_mark(void);
void cli_release(void *mark);

/* ---- figures --------------------------------------------------------------------------------- */

/* Nanoseconds as ns, µs, ms or s with four significant digits: "198.1 µs". */
char *cli_duration(double ns);
/* A speed-up with its interval, "1.203x [1.199, 1.207]", or without, if unknown (0); 0: "". */
const char *cli_speedup(double speedup, double low, double high);
/* Nanojoules as nJ, µJ, mJ or J. */
char *cli_energy(double nj);
/* A value of an objective: a time or an energy. */
char *cli_value(double value, gputune_objective objective);
/* Bytes a second as "4065 GB/s" (powers of 1000). */
char *cli_rate(double bytes_per_s);
/* Bytes as "512 B", "48 KB", "139.7 GB" (powers of 1024). */
char *cli_bytes(double bytes);
/* A sizes text with its round numbers shortened: "n=67108864 T=half" to "n=64M T=half". */
char *cli_short_sizes(const char *sizes);
/* Takes the next of the words parted by blanks: "NAME=VALUE", or "NAME" (value ""). False: none. */
bool cli_next_pair(const char **text, char **name, char **value);
/* Takes a plain number from *text. -1, and nothing is taken: there is none, or it is above `most`.
 */
long cli_take_number(const char **text, long most);
/* Seconds since 1970 of "2026-01-31T12:00:00Z"; 0 for other texts. */
int64_t cli_seconds(const char *created);
/* A bar of up to so many cells, in steps of an eighth, for a share from 0 to 1. */
char *cli_bar(double share, size_t cells);
/* How many columns of a terminal UTF-8 text takes, one for each code point. */
size_t cli_columns(const char *text);
