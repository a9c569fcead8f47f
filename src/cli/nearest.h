/* "Did you mean": what to say of an unknown word. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

/* Prints "unknown WHAT 'WORD'; did you mean 'NEAREST'?", or the candidates when none is near, and
 * returns CLI_EXIT_USAGE. */
int cli_unknown(const char *what, const char *word, const char *const *candidates, size_t count);

#endif
