/* gputune-worker: the process that compiles, measures or writes a draft for a gputune host. */
#include "base/file.h"
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
#include <sys/resource.h>
#include <unistd.h>

enum { ROLE, ARCH, DRIVER, DRIVER_VERSION, MEMORY, ORDINAL, WORDS };
static const char *given[WORDS]; /* NULL: not given */

static bool has_role(const char *role)
{
    return given[ROLE] && strcmp(given[ROLE], role) == 0;
}

static unsigned long long number(int word)
{
    return given[word] ? strtoull(given[word], NULL, 10) : 0;
}

/* Ends this process when the channel is closed or the host has ended. The channel alone is not
 * enough, because a forked child of the host may keep it open after the host's end. */
static void *watch_host(void *unused)
{
    struct pollfd channel_and_host[] = {{GT_CHILD_CHANNEL, POLLRDHUP, 0},
                                        {GT_CHILD_HOST, POLLIN, 0}};
    (void)unused;
    for (;;) {
        if (poll(channel_and_host, 2, -1) <= 0) {
            usleep(10000); /* poll() may fail repeatedly: do not use a whole core */
        } else if (channel_and_host[1].revents & POLLNVAL) { /* no pidfd */
            channel_and_host[1].fd = -1;
        } else {
            _exit(GT_EXIT_DONE);
        }
    }
}

static int print_usage(FILE *out, int code)
{
    fprintf(out,
            "gputune-worker %s\n"
            "gputune starts this program itself; it is not meant to be run by hand.\n",
            gt_wire_version);
    return code;
}

/* Returns 'v' for --version, '?' for an invalid argument, and otherwise 0. */
static int parse_arguments(int argc, char **argv)
{
    int option;
    const struct option options[] = {
        {"role", required_argument, NULL, ROLE},
        {"arch", required_argument, NULL, ARCH},
        {"driver", required_argument, NULL, DRIVER},
        {"driver-version", required_argument, NULL, DRIVER_VERSION},
        {"memory", required_argument, NULL, MEMORY},
        {"ordinal", required_argument, NULL, ORDINAL},
        {"version", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option >= WORDS) {
            return option;
        }
        given[option] = optarg ? optarg : given[option];
    }
    return 0;
}

/* Limits the memory of a compiler, so it fails before the machine has to swap. The limit is
 * added to the address space that is reserved already, because sanitizers and allocators may
 * reserve more than any machine has. */
static void limit_memory(unsigned long long megabytes)
{
    char pages[64];
    struct rlimit limit;
    gt_file_peek(pages, sizeof pages, "/proc/self/statm");
    rlim_t bytes = (rlim_t)strtoull(pages, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) +
                   ((rlim_t)megabytes << 20);
    if (megabytes && getrlimit(RLIMIT_AS, &limit) == 0 && bytes < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max = bytes;
        setrlimit(RLIMIT_AS, &limit);
    }
}

static void *run_compile_worker(void *code)
{
    *(int *)code = gt_compile_worker(GT_CHILD_CHANNEL, given[ARCH], (int)number(DRIVER_VERSION));
    return NULL;
}

/* Runs the compile worker on a thread with a large stack, because the stack limit that was
 * inherited from the host may be too small. */
static int compile_on_large_stack(void)
{
    int code;
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 20);
    /* threads started by the compiler get the same stack size */
    pthread_setattr_default_np(&attributes);
    if (pthread_create(&thread, &attributes, run_compile_worker, &code) == 0) {
        pthread_join(thread, NULL);
    } else {
        run_compile_worker(&code);
    }
    return code;
}

int main(int argc, char **argv)
{
    int other = parse_arguments(argc, argv);
    if (other == 'v') {
        return print_usage(stdout, 0);
    }
    bool measures = has_role("measure"), drafts = has_role("draft"), compiles = has_role("compile");
    pthread_t watcher;
    if (other || !(measures || drafts || compiles) ||
        pthread_create(&watcher, NULL, watch_host, NULL) != 0) {
        return print_usage(stderr, 2);
    }
    struct rlimit none = {0, 0}; /* crashes are expected, so write no core files */
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe must fail and not end the process */
    signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit must fail and not end the process */
    limit_memory(measures ? 0 : number(MEMORY));
    /* do not return: destroying contexts and unloading NVRTC would take tens of milliseconds */
    _exit(measures ? gt_measure_worker(GT_CHILD_CHANNEL, given[DRIVER], (int)number(ORDINAL))
          : drafts ? gt_draft_worker(argv + optind)
                   : compile_on_large_stack());
}
