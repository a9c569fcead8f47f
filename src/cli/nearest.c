#include "cli/nearest.h"

#include "cli/console.h"
#include "cli/exit_code.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein's distance over one row of the table, case ignored. */
static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST + 1], width = strlen(b);
    if (width > LONGEST) {
        return LONGEST;
    }
    for (size_t j = 0; j <= width; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            size_t differs = tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]);
            size_t next = least(row[j + 1] + 1, row[j] + 1, diagonal + differs);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    return row[width];
}

const char *cli_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word), best = length / 3 > 2 ? length / 3 + 1 : 3;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(word, candidates[i]);
        if (d < best && d < strlen(candidates[i])) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}

int cli_unknown(const char *what, const char *word, const char *const *candidates, size_t count)
{
    const char *nearest = cli_nearest(word, candidates, count);
    if (nearest) {
        cli_error("unknown %s '%s'; did you mean '%s'?", what, word, nearest);
        return CLI_EXIT_USAGE;
    }
    char *list = NULL;
    for (size_t i = 0; i < count; i++) {
        cli_append(&list, "%s%s", i ? ", " : "", candidates[i]);
    }
    cli_error("unknown %s '%s'; there is %s", what, word, list ? list : "none");
    free(list);
    return CLI_EXIT_USAGE;
}
