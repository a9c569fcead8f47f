/* Reads environment variables that override the application, and opens the log. */
#include "api/overrides.h"

#include "base/environment.h"
#include "base/number.h"
#include "base/signals.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEVELS = GPUTUNE_LOG_DEBUG + 1, LINE_MAX_BYTES = 1200 };

static void on_line(void *user, gputune_log_level level, const char *line)
{
    const gt_log_output *output = user;
    if (output->application.call) {
        output->application.call(output->application.user, level, line);
    }
    if (output->descriptor >= 0 && level <= output->level) {
        char text[LINE_MAX_BYTES];
        int length = gt_snprintf(text, sizeof text, "gputune[%d] %s: %s\n", (int)getpid(),
                                 gputune_log_level_name(level), line);
        size_t bytes = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
        gt_held_signal held;
        gt_signal_hold(&held); /* not every caller holds signals */
        ssize_t written = write(output->descriptor, text, bytes);
        gt_signal_release(&held);
        (void)written; /* a log that cannot be written does not fail the call */
    }
}

static void open_file(gt_log_output *out, const char *path)
{
    out->descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (out->descriptor < 0) {
        const gt_log log = out->application;
        gt_log_line(&log, GPUTUNE_LOG_WARNING, "GPUTUNE_LOG: cannot open %s: %s", path,
                    strerror(errno));
    }
}

void gt_log_output_open(gt_log_output *out, const gt_log *application)
{
    const char *value = gt_environment("GPUTUNE_LOG");
    *out = (gt_log_output){.application = *application, .descriptor = -1};
    if (!value) {
        return;
    }
    char word[16]; /* longer than the longest level name */
    size_t length = strcspn(value, ":");
    gt_snprintf(word, sizeof word, "%.*s", (int)length, value);
    int level = 0;
    while (level < LEVELS && strcmp(word, gputune_log_level_name((gputune_log_level)level)) != 0) {
        level++;
    }
    out->level = level < LEVELS ? (gputune_log_level)level : GPUTUNE_LOG_DEBUG;
    if (value[length] && value[length + 1]) {
        open_file(out, value + length + 1);
    } else {
        out->descriptor = STDERR_FILENO;
    }
    if (level == LEVELS) {
        const gt_log log = {on_line, out};
        gt_log_line(&log, GPUTUNE_LOG_WARNING,
                    "GPUTUNE_LOG is '%s', which is taken as debug; expected error, warning, info "
                    "or debug, optionally followed by :FILE",
                    value);
    }
}

void gt_log_output_close(gt_log_output *output)
{
    if (output->descriptor > STDERR_FILENO) {
        close(output->descriptor);
    }
    output->descriptor = -1;
}

gt_log gt_log_output_log(gt_log_output *output)
{
    bool silent = !output->application.call && output->descriptor < 0;
    return silent ? (gt_log){0} : (gt_log){on_line, output};
}

static gputune_effort read_effort(const gt_log *log)
{
    const char *value = gt_environment("GPUTUNE_EFFORT");
    int effort = value ? GPUTUNE_EXHAUSTIVE : 0;
    while (effort && strcmp(value, gputune_effort_name((gputune_effort)effort)) != 0) {
        effort--;
    }
    if (value && !effort) {
        gt_log_line(log, GPUTUNE_LOG_WARNING,
                    "GPUTUNE_EFFORT is '%s', which is ignored; expected cached, estimate, measure "
                    "or exhaustive",
                    value);
    }
    return (gputune_effort)effort;
}

gputune_status gt_overrides_read(gt_overrides *out, const gt_log *log)
{
    const char *disable = gt_environment("GPUTUNE_DISABLE");
    const char *debug = gt_environment("GPUTUNE_DEBUG");
    const char *force = gt_environment("GPUTUNE_FORCE");
    gt_overrides overrides = {.disabled = disable && strcmp(disable, "0") != 0,
                              .debug = debug && strcmp(debug, "0") != 0,
                              .effort = read_effort(log),
                              .record = gt_environment("GPUTUNE_RECORD"),
                              .pinned = gt_environment("GPUTUNE_PINNED")};
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
