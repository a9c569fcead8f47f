/* Writes a tuner's log where GPUTUNE_LOG says. */
#include "api/log_output.h"

#include "base/environment.h"
#include "base/number.h"
#include "base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *const levels[] = {"error", "warning", "info", "debug"};
enum { LEVELS = sizeof levels / sizeof *levels, LINE_MAX_BYTES = 1200 };

static void write_line(const gt_log_output *output, gputune_log_level level, const char *line)
{
    char text[LINE_MAX_BYTES];
    int length = gt_snprintf(text, sizeof text, "gputune[%d] %s: %s\n", (int)getpid(),
                             levels[(unsigned)level < LEVELS ? level : GPUTUNE_LOG_DEBUG], line);
    size_t bytes = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    gt_held_signal held;
    gt_signal_hold(&held); /* a tuner's own threads log too, and calls that look up a plan */
    ssize_t written = write(output->descriptor, text, bytes);
    gt_signal_release(&held);
    (void)written; /* a log that cannot be written is no failure of the call */
}

static void on_line(void *user, gputune_log_level level, const char *line)
{
    const gt_log_output *output = user;
    if (output->application.call) {
        output->application.call(output->application.user, level, line);
    }
    if (output->descriptor >= 0 && level <= output->level) {
        write_line(output, level, line);
    }
}

/* LEVELS: no such word. */
static size_t read_level(const char *value, size_t length)
{
    size_t level = 0;
    while (level < LEVELS &&
           (strlen(levels[level]) != length || strncmp(value, levels[level], length) != 0)) {
        level++;
    }
    return level;
}

static void open_file(gt_log_output *out, const char *path)
{
    out->descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    out->owned = out->descriptor >= 0;
    if (!out->owned) {
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
    size_t length = strcspn(value, ":"), level = read_level(value, length);
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
                    "or debug, and perhaps :FILE",
                    value);
    }
}

void gt_log_output_close(gt_log_output *output)
{
    if (output->owned) {
        close(output->descriptor);
    }
    output->descriptor = -1;
}

gt_log gt_log_output_log(gt_log_output *output)
{
    bool silent = !output->application.call && output->descriptor < 0;
    return silent ? (gt_log){0} : (gt_log){on_line, output};
}
