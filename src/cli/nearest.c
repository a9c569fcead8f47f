/* The message for an unknown word, with the nearest known one. */
#include "cli/nearest.h"

#include "cli/console.h"
#include "cli/exit_code.h"

#include "base/text.h"

int cli_unknown(const char *what, const char *word, const char *const *candidates, size_t count)
{
    const char *nearest = gt_nearest(word, candidates, count);
    if (nearest) {
        cli_error("unknown %s '%s'; did you mean '%s'?", what, word, nearest);
        return CLI_EXIT_USAGE;
    }
    char *list = NULL;
    for (size_t i = 0; i < count; i++) {
        cli_append(&list, "%s%s", i ? ", " : "", candidates[i]);
    }
    cli_error("unknown %s '%s'; expected one of: %s", what, word, list ? list : "none");
    return CLI_EXIT_USAGE;
}
