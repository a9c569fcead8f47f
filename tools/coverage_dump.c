/* Linked with all programs of tools/coverage: who ends by _exit(), or is killed by its host, leaves
 * what it has counted as well. Nothing else differs from the programs that are not counted. */
#include "farm/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DUMP_MS = 3000 };

void __gcov_dump(void); /* of the program and of all libraries that it has loaded */
_Noreturn void __real__exit(int code);
/* Not every program starts processes. */
__attribute__((weak)) void __real_gt_process_kill(gt_process *process);

_Noreturn void __wrap__exit(int code);
void __wrap_gt_process_kill(gt_process *process);

/* With no call failing any more, where tests/fault/failing.c is loaded. */
static void dump(void)
{
    void *found = dlsym(RTLD_DEFAULT, "failing_end");
    if (found) {
        ((long (*)(void))found)();
    }
    __gcov_dump();
}

void __wrap__exit(int code)
{
    dump();
    __real__exit(code);
}

/* ---- a worker that is to be killed ---- */

static void *dump_when_told(void *signals)
{
    int number;
    while (sigwait(signals, &number) != 0) {
    }
    dump();
    kill(getpid(), SIGKILL);
    return NULL;
}

__attribute__((constructor)) static void listen_in_workers(void)
{
    static sigset_t signals;
    if (!strstr(program_invocation_short_name, "worker")) {
        return;
    }
    pthread_t thread;
    sigemptyset(&signals);
    sigaddset(&signals, SIGRTMAX);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    pthread_create(&thread, NULL, dump_when_told, &signals);
}

static bool listens(pid_t pid)
{
    char path[64], line[128];
    unsigned long long blocked = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "SigBlk: %llx", &blocked);
    }
    if (file) {
        fclose(file);
    }
    return blocked >> (SIGRTMAX - 1) & 1;
}

void __wrap_gt_process_kill(gt_process *process)
{
    if (!process->ended && process->pid > 0 && process->pidfd >= 0 && listens(process->pid)) {
        struct pollfd ended = {process->pidfd, POLLIN, 0};
        kill(process->pid, SIGRTMAX);
        syscall(SYS_poll, &ended, 1, DUMP_MS);
    }
    __real_gt_process_kill(process);
}
