/* Fits a table into a terminal: columns of words are folded, and what matters least is left out.
 * Pure. */
#ifndef CLI_TABLE_FIT_H
#define CLI_TABLE_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* Blanks between two columns. */
enum { CLI_GAP = 2 };

/* A column, in columns of the terminal. */
typedef struct cli_span {
    size_t least; /* its title, or its longest word: it cannot be folded to less */
    size_t width; /* its longest text; 0: it is not shown */
    bool spare;   /* may be left out, the last of such columns first */
} cli_span;

/* Makes widths smaller until all fit into `limit`, which 0 lifts: words are folded down to
 * CLI_COMFORT, then spare columns are left out (width 0), then words are folded as far as they can
 * be. What still does not fit is as wide as it must be. Returns how many are left out. */
size_t cli_fit(cli_span *spans, size_t count, size_t limit);

/* How many bytes of `text` stand on its next line in a column so wide; *skipped: the blanks behind
 * them. A word that is wider is not cut. */
size_t cli_fold(const char *text, size_t width, size_t *skipped);

#endif
