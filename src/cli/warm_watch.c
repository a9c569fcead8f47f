/* warm --watch: tunes again whenever a template, or a file that it includes, is saved. */
#include "cli/warm.h"

#include "cli/console.h"
#include "cli/files.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { SETTLED_MS = 100 }; /* saves that follow each other more quickly are one */

/* Folders are watched, since most editors save by renaming a new file over the old one. */
typedef struct watched {
    const char *path, *name; /* the name in its folder */
    int folder;              /* inotify's number of it */
} watched;

typedef struct watch {
    int events; /* inotify's descriptor: what happens between two rounds is not lost */
    watched *files;
    size_t count;
    atomic_bool is_over;
    const char *changed; /* set by the thread: the path of a file that was saved, or NULL */
} watch;

/* ---- which files ----------------------------------------------------------------------------- */

/* A file need not exist: the folder tells when it does. False, with errno: there is no folder. */
static bool add(watch *watch, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *folder = slash ? cli_copy_part(path, (size_t)(name - path)) : ".";
    int number = inotify_add_watch(watch->events, folder, IN_CLOSE_WRITE | IN_MOVED_TO);
    for (size_t i = 0; i < watch->count; i++) {
        if (watch->files[i].folder == number && strcmp(watch->files[i].name, name) == 0) {
            return true;
        }
    }
    if (number >= 0) {
        watch->files = cli_grow(watch->files, watch->count, sizeof *watch->files);
        watch->files[watch->count++] = (watched){path, name, number};
    }
    return number >= 0;
}

/* A header may stand, or come to stand, in each of the folders that are searched. */
static void add_include(watch *watch, const char *from, const char *name)
{
    const cli_list *folders = &cli_include_paths;
    const char *more = getenv("GPUTUNE_INCLUDE");
    add(watch, cli_path_beside(from, name));
    for (size_t i = 0; i < folders->count; i++) {
        add(watch, cli_format("%s/%s", folders->items[i], name));
    }
    for (more = more ? more : ""; *more; more += strspn(more, ":")) {
        size_t length = strcspn(more, ":");
        add(watch, cli_format("%.*s/%s", (int)length, more, name));
        more += length;
    }
}

/* What a link leads to, and what the text includes. */
static void add_behind(watch *watch, const char *path)
{
    char target[PATH_MAX], link;
    size_t bytes;
    if (readlink(path, &link, 1) > 0 && realpath(path, target)) {
        add(watch, cli_copy(target));
    }
    const char *text = cli_read_text(path, &bytes);
    while (text && *text) {
        char *name = cli_next_include(&text);
        if (name) {
            add_include(watch, path, name);
        }
    }
}

static int list_files(watch *watch, const cli_selection *selection)
{
    watch->files = NULL;
    watch->count = 0;
    for (size_t i = 0; i < selection->kernel_count; i++) {
        const char *path = selection->kernels[i], *kernel = strstr(path, ".cu:");
        if (!add(watch, kernel ? cli_copy_part(path, (size_t)(kernel - path) + 3) : path)) {
            return cli_stop(CLI_EXIT_NOTHING, "cannot watch '%s': %s", path, strerror(errno));
        }
    }
    for (size_t i = 0; i < watch->count; i++) { /* the list grows meanwhile */
        add_behind(watch, watch->files[i].path);
    }
    return CLI_CONTINUE;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Whether the event is about one of the files. */
static bool take(watch *watch, const struct inotify_event *event)
{
    bool lost = event->mask & IN_Q_OVERFLOW; /* events, of any file */
    for (size_t i = 0; i < watch->count; i++) {
        const watched *file = &watch->files[i];
        if (lost ||
            (file->folder == event->wd && event->len && strcmp(file->name, event->name) == 0)) {
            watch->changed = file->path;
            return true;
        }
    }
    return false;
}

static bool take_events(watch *watch)
{
    union {
        struct inotify_event event;
        char bytes[4096];
    } buffer;
    bool found = false;
    ssize_t count;
    while ((count = read(watch->events, &buffer, sizeof buffer)) > 0) {
        for (const char *at = buffer.bytes; at < buffer.bytes + count;) {
            const struct inotify_event *event = (const void *)at;
            found |= take(watch, event);
            at += sizeof *event + event->len;
        }
    }
    return found;
}

/* The thread beside the tuning. Cancels what is outdated. */
static void *await_change(void *user)
{
    watch *watch = user;
    while (!cli_is_interrupted() && !watch->is_over) {
        poll(NULL, 0, SETTLED_MS);
        if (!take_events(watch) && watch->changed) {
            break;
        }
    }
    *cli_cancel() = 1;
    return NULL;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Whether the mistake may be one of a file that is watched. */
static bool may_be_mended(int code)
{
    return code != CLI_EXIT_USAGE && code != CLI_EXIT_PLATFORM && code != CLI_EXIT_DATABASE;
}

static void announce(const char *changed)
{
    if (cli_console_is_able(stdout)) {
        fputs("\033[H\033[2J", stdout);
        fflush(stdout);
    }
    cli_note("%s has changed", changed);
}

/* One tuning, and the time until the next. CLI_CONTINUE, or the exit code of all. */
static int tune_and_wait(watch *watch, const cli_warm *warm, int (*tune)(const cli_warm *warm),
                         bool is_first)
{
    pthread_t thread;
    CLI_TRY(list_files(watch, &warm->selection));
    watch->changed = NULL;
    if (pthread_create(&thread, NULL, await_change, watch) != 0) {
        return cli_stop(CLI_EXIT_NOTHING, "cannot start a thread that watches files");
    }
    int code = tune(warm);
    fflush(stdout);
    bool is_done = !*cli_cancel();
    watch->is_over = is_first && is_done && !may_be_mended(code);
    if (is_done && !watch->is_over) {
        cli_note("waiting until %s or what it includes is saved; Ctrl-C ends",
                 watch->files[0].path);
    }
    pthread_join(thread, NULL);
    *cli_cancel() = 0;
    if (watch->is_over) {
        return code;
    }
    if (cli_is_interrupted()) {
        return is_done ? CLI_EXIT_OK : CLI_EXIT_CANCELED;
    }
    announce(watch->changed);
    return CLI_CONTINUE;
}

int cli_warm_watch(const cli_warm *warm, int (*tune)(const cli_warm *warm))
{
    watch watch = {.events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
    int code = CLI_CONTINUE;
    if (watch.events < 0) {
        return cli_stop(CLI_EXIT_NOTHING, "cannot watch files: %s", strerror(errno));
    }
    cli_catch_interrupt();
    for (bool is_first = true; code == CLI_CONTINUE; is_first = false) {
        void *mark = cli_mark();
        code = tune_and_wait(&watch, warm, tune, is_first);
        cli_release(mark, NULL);
    }
    close(watch.events);
    return code;
}
