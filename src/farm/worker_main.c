/* gputune-worker: compiles, or measures, for a gputune host that started it. */
#include "farm/process.h"
#include "farm/wire.h"
#include "farm/worker.h"

#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct settings {
    const char *role, *arch, *driver;
    int ordinal, driver_version;
    unsigned long long memory_mb;
    const char *command; /* the command that starts a worker, for gt_engine() */
    bool standard;       /* the channel is standard input and output */
    bool plain;          /* of a measure worker: as gt_page.plain */
} settings;

/* What the worker hears and speaks on, and what shows that its host has ended (-1: nothing does).
 */
typedef struct channel {
    int in, out, host;
    void (*end)(void); /* ends the process when the host is gone */
} channel;

/* Waits until the host closes the channel or ends; false: it is to be called again. The channel
 * alone does not show the host's end: children that the host forked may hold the other end too. */
static bool is_alone(struct pollfd channel_and_host[2])
{
    if (poll(channel_and_host, 2, -1) <= 0) {
        usleep(10000); /* a poll that fails may fail for long */
        return false;
    }
    if (channel_and_host[1].revents & POLLNVAL) { /* the kernel has no pidfd */
        channel_and_host[1].fd = -1;
        return false;
    }
    return true;
}

/* Ends the process when its host is gone, whatever the main thread is doing. */
static void *watch_host(void *argument)
{
    const channel *channel = argument;
    struct pollfd channel_and_host[] = {{channel->in, POLLRDHUP, 0}, {channel->host, POLLIN, 0}};
    while (!is_alone(channel_and_host)) {
    }
    channel->end();
    return NULL;
}

static void end_at_once(void)
{
    _exit(GT_EXIT_DONE);
}

static bool start_watcher(channel *channel)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, watch_host, channel) == 0;
}

/* Takes standard input and output for the channel, and what libraries print goes nowhere. Prepares
 * a measure worker's environment, as the host does where it starts the worker itself. */
static bool take_standard(channel *channel, bool measure)
{
    char **prepared;
    if (measure && gt_process_environment(&prepared, true, NULL) == GPUTUNE_OK) {
        environ = prepared;
    }
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    channel->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    channel->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    channel->host = -1;
    return nowhere >= 0 && channel->in >= 0 && channel->out >= 0 &&
           dup2(nowhere, STDIN_FILENO) >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0;
}

static gt_page own;

/* Makes a page that is not shared with the host. `plain` came as an argument. */
static gt_page *fill_page(int channel, bool plain)
{
    own.channel = channel;
    own.plain = plain;
    return &own;
}

static gt_page *map_page(void)
{
    void *page = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, GT_CHILD_PAGE, 0);
    return page == MAP_FAILED ? &own : page;
}

static int usage(FILE *out, int code)
{
    char version[64];
    fprintf(out,
            "gputune-worker %s\n"
            "gputune starts this program itself; it is not meant to be run by hand.\n",
            gt_wire_version(version));
    return code;
}

static unsigned long long number(const char *text)
{
    return text ? strtoull(text, NULL, 10) : 0;
}

/* 0: all is well; 'v': the version is asked for; '?': a mistake. */
static int parse(settings *out, int argc, char **argv)
{
    enum { ROLE, ARCH, DRIVER, DRIVER_VERSION, MEMORY, ORDINAL, COMMAND, WORDS };
    const char *given[WORDS] = {0};
    int stdio = 0, plain = 0, option;
    const struct option options[] = {
        {"role", required_argument, NULL, ROLE},
        {"arch", required_argument, NULL, ARCH},
        {"driver", required_argument, NULL, DRIVER},
        {"driver-version", required_argument, NULL, DRIVER_VERSION},
        {"memory", required_argument, NULL, MEMORY},
        {"ordinal", required_argument, NULL, ORDINAL},
        {"command", required_argument, NULL, COMMAND},
        {"stdio", no_argument, &stdio, true},
        {"plain", no_argument, &plain, true},
        {"version", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option >= WORDS) {
            return option;
        }
        given[option] = optarg ? optarg : given[option];
    }
    *out = (settings){.role = given[ROLE],
                      .arch = given[ARCH],
                      .driver = given[DRIVER],
                      .command = given[COMMAND],
                      .driver_version = (int)number(given[DRIVER_VERSION]),
                      .memory_mb = number(given[MEMORY]),
                      .ordinal = (int)number(given[ORDINAL]),
                      .standard = stdio,
                      .plain = plain};
    return 0;
}

/* Limits the process's memory, so that a compiler that takes more fails before the machine swaps.
 * Not under a sanitizer, which reserves more memory than any machine has. */
static void limit_memory(unsigned long long megabytes)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    rlim_t bytes = (rlim_t)megabytes << 20;
    struct rlimit limit;
    if (bytes && getrlimit(RLIMIT_AS, &limit) == 0 && bytes < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max = bytes;
        setrlimit(RLIMIT_AS, &limit);
    }
#else
    (void)megabytes;
#endif
}

/* The settings of a compile worker's thread, and its exit code. */
typedef struct compiling {
    const settings *settings;
    const channel *channel;
    int code;
} compiling;

static void *compile(void *context)
{
    compiling *work = context;
    const settings *settings = work->settings;
    work->code = gt_compile_worker(work->channel->in, work->channel->out, settings->arch,
                                   settings->driver_version);
    return NULL;
}

/* Runs the compile worker on a thread with a stack of its own: the compiler may need more than the
 * host's limit leaves to its processes. */
static int compile_on_large_stack(const settings *settings, const channel *channel)
{
    compiling work = {settings, channel, 0};
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 20);
    pthread_setattr_default_np(&attributes); /* of the compiler's own threads */
    if (pthread_create(&thread, &attributes, compile, &work) != 0) {
        compile(&work);
        return work.code;
    }
    pthread_join(thread, NULL);
    return work.code;
}

/* Does what a role asks for. Returns the exit code. */
static int play(const settings *settings, const channel *channel, char *const *rest)
{
    if (settings->command) {
        return gt_engine(settings->command, rest);
    }
    if (strcmp(settings->role, "measure") == 0) {
        gt_page *page = settings->standard ? fill_page(channel->out, settings->plain) : map_page();
        return gt_measure_worker(channel->in, channel->out, page, settings->driver,
                                 settings->ordinal, false);
    }
    setpriority(PRIO_PROCESS, 0, 5); /* what is being timed goes first */
    limit_memory(settings->memory_mb);
    return compile_on_large_stack(settings, channel);
}

int main(int argc, char **argv)
{
    static channel channel = {GT_CHILD_CHANNEL, GT_CHILD_CHANNEL, GT_CHILD_HOST, end_at_once};
    settings settings = {0};
    int other = parse(&settings, argc, argv);
    if (other == 'v') {
        return usage(stdout, 0);
    }
    bool plays = settings.command || (settings.role && (strcmp(settings.role, "compile") == 0 ||
                                                        strcmp(settings.role, "measure") == 0));
    channel.end = settings.command ? gt_engine_end : end_at_once;
    if (other || !plays ||
        (settings.standard && !take_standard(&channel, settings.role && settings.role[0] == 'm')) ||
        !start_watcher(&channel)) {
        return usage(stderr, 2);
    }
    struct rlimit none = {0, 0}; /* a crash is expected here: leave no core files */
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGPIPE, SIG_IGN); /* what writes to a pipe hears that it is closed */
    signal(SIGXFSZ, SIG_IGN); /* beyond the limit a write fails: of a kept head too */
    /* _exit: destroying contexts and NVRTC takes tens of milliseconds and is of no use. */
    _exit(play(&settings, &channel, argv + optind));
}
