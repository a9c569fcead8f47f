/* The table from status codes to exit codes. */
#include "cli/exit_code.h"

#include "cli/console.h"

#include "base/text.h"

#include <string.h>

static const struct {
    int status, code;
} table[] = {
    {GPUTUNE_OK, CLI_EXIT_OK},
    {GPUTUNE_EINVAL, CLI_EXIT_USAGE},
    {GPUTUNE_ENOMEM, CLI_EXIT_NOTHING},
    {GPUTUNE_ENOTFOUND, CLI_EXIT_USAGE},
    {GPUTUNE_ETEMPLATE, CLI_EXIT_TEMPLATE},
    {GPUTUNE_ECOMPILE, CLI_EXIT_TEMPLATE},
    {GPUTUNE_ENOCOMPILER, CLI_EXIT_PLATFORM},
    {GPUTUNE_ENODRIVER, CLI_EXIT_PLATFORM},
    {GPUTUNE_ECUDA, CLI_EXIT_NOTHING},
    {GPUTUNE_EWRONG, CLI_EXIT_WRONG},
    {GPUTUNE_ECRASHED, CLI_EXIT_NOTHING},
    {GPUTUNE_ETIMEOUT, CLI_EXIT_NOTHING},
    {GPUTUNE_EDATABASE, CLI_EXIT_DATABASE},
    {GPUTUNE_EBUSY, CLI_EXIT_NOTHING},
    {GPUTUNE_ECAPTURE, CLI_EXIT_NOTHING},
    {GPUTUNE_EIO, CLI_EXIT_NOTHING},
    {GPUTUNE_EWORKER, CLI_EXIT_NOTHING},
    {GPUTUNE_ENOVARIANT, CLI_EXIT_NOTHING},
    {GPUTUNE_ECANCELED, CLI_EXIT_CANCELED},
    {GPUTUNE_EUNSUPPORTED, CLI_EXIT_NOTHING},
    {GPUTUNE_EDEVMEM, CLI_EXIT_NOTHING},
    {GPUTUNE_ENOTCACHED, CLI_EXIT_NOTHING},
    {GPUTUNE_ERECORDED, CLI_EXIT_TEMPLATE},
};

int cli_exit_code(int status)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].status == status) {
            return table[i].code;
        }
    }
    return CLI_EXIT_NOTHING;
}

int cli_trial_exit_code(const char *trial)
{
    static const struct {
        const char *trial;
        int code;
    } outcomes[] = {
        {"ok", CLI_EXIT_OK},
        {"wrong", CLI_EXIT_WRONG},
        {"compile", CLI_EXIT_TEMPLATE},
    };
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        if (strcmp(outcomes[i].trial, trial) == 0) {
            return outcomes[i].code;
        }
    }
    return CLI_EXIT_NOTHING;
}

static const char *message_of(int status)
{
    const char *message = gputune_error();
    return message[0] ? message : gputune_status_text(status);
}

int cli_fail(int status)
{
    cli_error("%s", message_of(status));
    return cli_exit_code(status);
}

const char *cli_without_kernel(const char *message, const char *label)
{
    size_t kernel = strcspn(label, " ");
    bool named = strncmp(message, label, kernel) == 0 && strncmp(message + kernel, ": ", 2) == 0;
    return named ? message + kernel + 2 : message;
}

int cli_fail_at(int status, const char *label)
{
    cli_error("%s: %s", label, cli_without_kernel(message_of(status), label));
    return cli_exit_code(status);
}

int cli_worse(int so_far, int next)
{
    return next == CLI_EXIT_CANCELED || so_far == CLI_EXIT_OK ? next : so_far;
}

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
