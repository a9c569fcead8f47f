/* "Did you mean": the nearest of several words. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

/* The candidate with the smallest edit distance to `word`, or NULL when none is near enough to be
 * meant (more than a third of the word's length away, and more than 2). */
const char *cli_nearest(const char *word, const char *const *candidates, size_t count);

/* Prints "unknown WHAT 'WORD'; did you mean 'NEAREST'?", or the candidates when none is near, and
 * returns CLI_EXIT_USAGE. */
int cli_unknown(const char *what, const char *word, const char *const *candidates, size_t count);

#endif
