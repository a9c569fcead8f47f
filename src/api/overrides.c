/* Reads what the environment orders. */
#include "api/overrides.h"

#include "base/environment.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static gputune_effort read_effort(const gt_log *log)
{
    static const char *const words[] = {"", "cached", "estimate", "measure", "exhaustive"};
    const char *value = gt_environment("GPUTUNE_EFFORT");
    for (size_t i = 1; value && i < sizeof words / sizeof *words; i++) {
        if (strcmp(value, words[i]) == 0) {
            return (gputune_effort)i;
        }
    }
    if (value) {
        gt_log_line(log, GPUTUNE_LOG_WARNING,
                    "GPUTUNE_EFFORT is '%s', which is ignored; expected cached, estimate, measure "
                    "or exhaustive",
                    value);
    }
    return (gputune_effort)0;
}

gputune_status gt_overrides_read(gt_overrides *out, const gt_log *log)
{
    const char *disable = gt_environment("GPUTUNE_DISABLE");
    const char *debug = gt_environment("GPUTUNE_DEBUG");
    const char *force = gt_environment("GPUTUNE_FORCE");
    gt_overrides overrides = {.disabled = disable && strcmp(disable, "0") != 0,
                              .debug = debug && strcmp(debug, "0") != 0,
                              .effort = read_effort(log),
                              .record = gt_environment("GPUTUNE_RECORD")};
    if (force && !strchr(force, ':')) {
        gt_log_line(log, GPUTUNE_LOG_WARNING,
                    "GPUTUNE_FORCE is '%s', which is ignored; expected KERNEL:CONFIGURATION, such "
                    "as \"axpy:VEC=4 BLOCK=256\"",
                    force);
    } else if (force) {
        GT_TRY(gt_strdup(&overrides.force, force));
    }
    *out = overrides;
    return GPUTUNE_OK;
}

void gt_overrides_free(gt_overrides *overrides)
{
    free(overrides->force);
}

gputune_status gt_overrides_forced(char **out, const gt_overrides *overrides, const char *kernel)
{
    size_t name = strlen(kernel);
    *out = NULL;
    for (const char *at = overrides->force; at && *at;) {
        at += strspn(at, " ;");
        size_t length = strcspn(at, ";");
        if (length > name && strncmp(at, kernel, name) == 0 && at[name] == ':') {
            return gt_strndup(out, at + name + 1, length - name - 1);
        }
        at += length;
    }
    return GPUTUNE_OK;
}
