/* Writes the page of --report repeatedly, in another process. */
#include "cli/warm.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const double every_s = 3;

static struct {
    pid_t writer; /* process id of the writer; 0 if none is running */
    int64_t start_ns;
} page;

static void add_option(cli_list *words, const char *option, const char *value)
{
    if (value) {
        cli_add(words, cli_format("%s%s", option, value));
    }
}

/* Starts a writer. Only the final writer prints errors, because earlier errors may not recur. */
static bool start_file(const cli_list *labels)
{
    CLI_SCOPED(cli_release_at) void *mark = cli_mark();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (labels->count) {
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    cli_list words = {NULL, 0};
    add_option(&words, "gputune", "");
    add_option(&words, "report", "");
    add_option(&words, "-q", "");
    add_option(&words, "--output=", cli_warm.report);
    add_option(&words, "--db=", cli_given.database);
    add_option(&words, "--templates=", cli_given.templates);
    for (size_t i = 0; i < cli_given.include_paths.count; i++) {
        add_option(&words, "--include=", cli_given.include_paths.items[i]);
    }
    for (size_t i = 0; i < labels->count; i++) {
        add_option(&words, "--tuning=", labels->items[i]);
    }
    cli_add(&words, NULL);
    int error = posix_spawn(&page.writer, "/proc/self/exe", &actions, NULL,
                            (char **)(uintptr_t)words.items, environ);
    posix_spawn_file_actions_destroy(&actions);
    page.writer = error ? 0 : page.writer;
    page.start_ns = gt_now_ns();
    return !error;
}

/* Waits for the writer. With WNOHANG, returns CLI_EXIT_OK while the writer is running. */
static int finish_file(int how)
{
    int status = 0;
    pid_t ended;
    do {
        ended = page.writer ? waitpid(page.writer, &status, how) : 0;
    } while (ended < 0 && errno == EINTR);
    if (!ended) {
        return CLI_EXIT_OK;
    }
    page.writer = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : CLI_EXIT_NOTHING;
}

int cli_rewrite_begin(void)
{
    if (!cli_warm.report) {
        return CLI_CONTINUE;
    }
    CLI_REFUSE(gt_file_is_folder(cli_warm.report), CLI_EXIT_NOTHING,
               "cannot write '%s': it is a folder", cli_warm.report);
    const char *name = strrchr(cli_warm.report, '/');
    const char *folder =
        name ? cli_copy_part(cli_warm.report, (size_t)(name - cli_warm.report) + 1) : ".";
    const char *changed = gt_file_exists(cli_warm.report) ? cli_warm.report : folder;
    CLI_REFUSE(access(changed, W_OK) != 0, CLI_EXIT_NOTHING, "cannot write '%s': %s",
               cli_warm.report, strerror(errno));
    return CLI_CONTINUE;
}

void cli_rewrite(const cli_list *labels)
{
    if (cli_warm.report) {
        (void)finish_file(WNOHANG);
        if (labels->count && !page.writer && gt_seconds_since(page.start_ns) > every_s) {
            (void)start_file(labels);
        }
    }
}

int cli_rewrite_end(int code)
{
    const cli_list none = {NULL, 0};
    if (!cli_warm.report) {
        return code;
    }
    (void)finish_file(0);
    if (!start_file(&none)) {
        return code ? code : CLI_EXIT_NOTHING;
    }
    int written = finish_file(0);
    return code ? code : written;
}
