/* Prints messages and the progress line, and maps statuses to exit codes. */
#include "cli/console.h"

#include "base/number.h"
#include "base/text.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char progress_line[1024];
static void (*draw_elsewhere)(const char *text); /* draws progress lines; NULL: this process does */

const char *const cli_color_words[] = {"auto", "always", "never", NULL};

bool cli_console_is_able(FILE *file)
{
    const char *term = getenv("TERM");
    return isatty(fileno(file)) && !(term && strcmp(term, "dumb") == 0);
}

bool cli_console_has_color(FILE *file)
{
    const char *without = getenv("NO_COLOR");
    return cli_given.color == CLI_COLOR_AUTO ? cli_console_is_able(file) && !(without && *without)
                                             : cli_given.color == CLI_COLOR_ALWAYS;
}

bool cli_console_is_live(void)
{
    return !cli_given.quiet && cli_console_is_able(stderr);
}

size_t cli_console_columns(FILE *file)
{
    struct winsize size;
    const char *asked = file == stderr ? NULL : getenv("COLUMNS");
    int64_t columns;
    if (asked && gt_read_int(&columns, asked) == GT_INT_READ && columns >= 0) {
        return (size_t)columns;
    }
    return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* Returns the text that erases the progress line on the terminal. */
static const char *eraser(void)
{
    return progress_line[0] || (draw_elsewhere && cli_console_is_live()) ? "\r\033[K" : "";
}

void cli_console_draw_by(void (*draw)(const char *text))
{
    draw_elsewhere = draw;
}

/* Prints `text` on a line of its own, after `prefix`. `color` may be NULL. */
static void print_line(const char *prefix, const char *text, const char *color)
{
    int error = errno; /* preserved for callers */
    bool colored = color && cli_console_has_color(stderr);
    char *clean = strdup(text);
    pthread_mutex_lock(&mutex);
    /* one call, so lines of several processes do not mix */
    fprintf(stderr, "%s%sgputune: %s%s%s\n%s", eraser(), colored ? color : "", prefix,
            colored ? CLI_PLAIN : "", clean ? cli_clean(clean, true) : "out of memory",
            progress_line);
    fflush(stderr);
    pthread_mutex_unlock(&mutex);
    free(clean);
    errno = error;
}

void cli_console_print(bool is_error, const char *format, ...)
{
    char text[4096];
    va_list args;
    if (cli_given.quiet && !is_error) {
        return;
    }
    va_start(args, format);
    gt_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_line("", text, is_error ? CLI_RED : NULL);
}

void cli_console_progress(const char *format, ...)
{
    char line[sizeof progress_line];
    va_list args;
    if (!cli_console_is_live()) {
        return;
    }
    va_start(args, format);
    gt_vsnprintf(line, sizeof line, format, args);
    va_end(args);
    pthread_mutex_lock(&mutex);
    if (draw_elsewhere) {
        draw_elsewhere(line);
    } else {
        fprintf(stderr, "%s%s", eraser(), line);
        fflush(stderr);
        memcpy(progress_line, line, sizeof line);
    }
    pthread_mutex_unlock(&mutex);
}

void cli_console_progress_end(void)
{
    cli_console_progress("%s", "");
}

void cli_console_log(void *user, gputune_log_level level, const char *line)
{
    (void)user;
    static const char *const prefixes[] = {"error: ", "warning: ", "", ""};
    static const char *const colors[] = {CLI_RED, CLI_YELLOW, NULL, NULL};
    gputune_log_level most = cli_given.verbose ? GPUTUNE_LOG_DEBUG : GPUTUNE_LOG_WARNING;
    most = cli_given.quiet ? GPUTUNE_LOG_ERROR : most;
    if (level <= most) {
        print_line(prefixes[level], line, colors[level]);
    }
}

/* The exit codes of statuses. The exit code of all other statuses is CLI_EXIT_NOTHING. */
static const struct {
    int status, code;
} exit_codes[] = {{GPUTUNE_OK, CLI_EXIT_OK},
                  {GPUTUNE_EINVAL, CLI_EXIT_USAGE},
                  {GPUTUNE_ENOTFOUND, CLI_EXIT_USAGE},
                  {GPUTUNE_ETEMPLATE, CLI_EXIT_TEMPLATE},
                  {GPUTUNE_ECOMPILE, CLI_EXIT_TEMPLATE},
                  {GPUTUNE_ERECORDED, CLI_EXIT_TEMPLATE},
                  {GPUTUNE_ENOCOMPILER, CLI_EXIT_PLATFORM},
                  {GPUTUNE_ENODRIVER, CLI_EXIT_PLATFORM},
                  {GPUTUNE_EWRONG, CLI_EXIT_WRONG},
                  {GPUTUNE_EDATABASE, CLI_EXIT_DATABASE},
                  {GPUTUNE_ECANCELED, CLI_EXIT_CANCELED}};

int cli_exit_code(int status)
{
    for (size_t i = 0; i < sizeof exit_codes / sizeof *exit_codes; i++) {
        if (exit_codes[i].status == status) {
            return exit_codes[i].code;
        }
    }
    return CLI_EXIT_NOTHING;
}

int cli_trial_exit_code(const char *trial)
{
    static const char *const statuses[] = {"ok", "wrong", "compile"};
    static const int codes[] = {CLI_EXIT_OK, CLI_EXIT_WRONG, CLI_EXIT_TEMPLATE, CLI_EXIT_NOTHING};
    return codes[gt_index_of(trial, statuses, sizeof statuses / sizeof *statuses)];
}

int cli_fail(int status)
{
    const char *message = gputune_error();
    cli_error("%s", message[0] ? message : gputune_status_text(status));
    return cli_exit_code(status);
}

const char *cli_without_kernel(const char *message, const char *label)
{
    size_t kernel = strcspn(label, " ");
    bool named = strncmp(message, label, kernel) == 0 && strncmp(message + kernel, ": ", 2) == 0;
    return named ? message + kernel + 2 : message;
}

int cli_worse(int so_far, int next)
{
    return next == CLI_EXIT_CANCELED || so_far == CLI_EXIT_OK ? next : so_far;
}

int cli_unknown(const char *what, const char *word, const char *const *candidates, size_t count)
{
    const char *nearest = gt_nearest(word, candidates, count);
    CLI_REFUSE(nearest, CLI_EXIT_USAGE, "unknown %s '%s'; did you mean '%s'?", what, word, nearest);
    char *list = NULL;
    for (size_t i = 0; i < count; i++) {
        cli_join(&list, ", ", candidates[i]);
    }
    return cli_stop(CLI_EXIT_USAGE, "unknown %s '%s'; expected one of: %s", what, word,
                    list ? list : "none");
}

int cli_passed(int status)
{
    return status < 0 ? cli_fail(status) : CLI_CONTINUE;
}
