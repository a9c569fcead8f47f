/* Fits a table into a terminal. */
#include "cli/table_fit.h"

#include "cli/units.h"

#include <string.h>

enum { CLI_COMFORT = 32 }; /* words in a narrower column are tiring to read */

static size_t total(const cli_span *spans, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += spans[i].width ? (sum ? CLI_GAP : 0) + spans[i].width : 0;
    }
    return sum;
}

/* Takes from the widest columns first, so that two long texts share what there is. */
static void fold(cli_span *spans, size_t count, size_t limit, size_t least)
{
    for (size_t over = total(spans, count); over > limit; over--) {
        cli_span *widest = NULL;
        for (size_t i = 0; i < count; i++) {
            bool can = spans[i].width > spans[i].least && spans[i].width > least;
            widest = can && (!widest || spans[i].width > widest->width) ? &spans[i] : widest;
        }
        if (!widest) {
            return;
        }
        widest->width--;
    }
}

size_t cli_fit(cli_span *spans, size_t count, size_t limit)
{
    size_t left_out = 0;
    if (!limit) {
        return 0;
    }
    fold(spans, count, limit, CLI_COMFORT);
    for (size_t i = count; i > 0 && total(spans, count) > limit; i--) {
        if (spans[i - 1].spare && spans[i - 1].width) {
            spans[i - 1].width = 0;
            left_out++;
        }
    }
    fold(spans, count, limit, 1);
    return left_out;
}

size_t cli_fold(const char *text, size_t width, size_t *skipped)
{
    size_t end = strlen(text), columns = 0, taken = 0;
    for (size_t at = 0; at <= end && columns <= width; at++) {
        if (text[at] == ' ' || text[at] == '\0') {
            taken = at;
        }
        columns += ((unsigned char)text[at] & 0xC0) != 0x80;
    }
    taken = taken ? taken : strcspn(text, " ");
    *skipped = strspn(text + taken, " ");
    return taken;
}
