/* Preloaded into a program: the call number FAIL_NUMBER of FAIL_CALL fails ("pwrite", "spawn" and
 * so on, as in the table below), with FAIL_MODE=always every later one too. Creates the file
 * FAIL_REACHED when it came to that. SQLite's calls count as everybody's. Not handed on to child
 * processes. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static atomic_long calls;
static long limit;
static int always;
static const char *failing;
static char reached[256];

__attribute__((constructor)) static void start(void)
{
    const char *number = getenv("FAIL_NUMBER"), *mode = getenv("FAIL_MODE");
    const char *path = getenv("FAIL_REACHED");
    failing = getenv("FAIL_CALL");
    always = mode && strcmp(mode, "always") == 0;
    snprintf(reached, sizeof reached, "%s", path ? path : "");
    unsetenv("LD_PRELOAD");
    atomic_store(&calls, 0);
    limit = number ? strtol(number, NULL, 10) : 0;
}

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        abort();
    }
    return found;
}

static int fails(const char *call, int error)
{
    if (!limit || !failing || strcmp(call, failing) != 0) {
        return 0;
    }
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number == limit) {
        int (*make)(const char *, int, ...) = (int (*)(const char *, int, ...))next("open");
        int file = make(reached, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file >= 0) {
            close(file);
        }
    }
    int now = always ? number >= limit : number == limit;
    errno = now ? error : errno;
    return now;
}

/* A function that takes and hands on its arguments as they are. */
#define CALL(type, name, call, error, failed, parameters, arguments)                               \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*real) parameters;                                                             \
        if (fails(call, error)) {                                                                  \
            return failed;                                                                         \
        }                                                                                          \
        real = real ? real : (type(*) parameters)next(#name);                                      \
        return real arguments;                                                                     \
    }

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
CALL(ssize_t, read, "read", EIO, -1, (int f, void *b, size_t n), (f, b, n))
CALL(ssize_t, write, "write", ENOSPC, -1, (int f, const void *b, size_t n), (f, b, n))
CALL(ssize_t, pread64, "pread", EIO, -1, (int f, void *b, size_t n, off64_t o), (f, b, n, o))
CALL(ssize_t, pwrite64, "pwrite", ENOSPC, -1, (int f, const void *b, size_t n, off64_t o),
     (f, b, n, o))
CALL(int, fsync, "fsync", EIO, -1, (int f), (f))
CALL(int, fdatasync, "fsync", EIO, -1, (int f), (f))
CALL(int, ftruncate64, "truncate", EIO, -1, (int f, off64_t n), (f, n))
CALL(int, ftruncate, "truncate", EIO, -1, (int f, off_t n), (f, n))
CALL(void *, mmap, "mmap", ENOMEM, MAP_FAILED, (void *a, size_t n, int p, int g, int f, off_t o),
     (a, n, p, g, f, o))
CALL(void *, mmap64, "mmap", ENOMEM, MAP_FAILED,
     (void *a, size_t n, int p, int g, int f, off64_t o), (a, n, p, g, f, o))
CALL(ssize_t, send, "send", ENOBUFS, -1, (int f, const void *b, size_t n, int g), (f, b, n, g))
CALL(ssize_t, recv, "recv", EIO, -1, (int f, void *b, size_t n, int g), (f, b, n, g))
CALL(int, poll, "poll", ENOMEM, -1, (struct pollfd * p, nfds_t n, int t), (p, n, t))
CALL(int, socketpair, "socketpair", EMFILE, -1, (int d, int t, int p, int v[2]), (d, t, p, v))
CALL(int, memfd_create, "memfd", EMFILE, -1, (const char *n, unsigned int g), (n, g))
CALL(int, flock, "flock", ENOLCK, -1, (int f, int o), (f, o))
CALL(int, unlink, "unlink", EACCES, -1, (const char *p), (p))
CALL(int, posix_spawn, "spawn", EAGAIN, EAGAIN,
     (pid_t * p, const char *f, const posix_spawn_file_actions_t *a, const posix_spawnattr_t *t,
      char *const v[], char *const e[]),
     (p, f, a, t, v, e))
CALL(int, pthread_create, "thread", EAGAIN, EAGAIN,
     (pthread_t * t, const pthread_attr_t *a, void *(*w)(void *), void *u), (t, a, w, u))

/* Those whose last argument may be missing. */
#define OPENS(name)                                                                                \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;                  \
        va_end(more);                                                                              \
        if (fails("open", EMFILE)) {                                                               \
            return -1;                                                                             \
        }                                                                                          \
        return ((int (*)(const char *, int, ...))next(#name))(path, flags, mode);                  \
    }
OPENS(open)
OPENS(open64)

#define CONTROLS(name)                                                                             \
    int name(int file, int command, ...)                                                           \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, command);                                                                   \
        void *value = va_arg(more, void *);                                                        \
        va_end(more);                                                                              \
        if (fails("fcntl", EIO)) {                                                                 \
            return -1;                                                                             \
        }                                                                                          \
        return ((int (*)(int, int, ...))next(#name))(file, command, value);                        \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

FILE *fopen(const char *path, const char *mode)
{
    return fails("fopen", EMFILE)
               ? NULL
               : ((FILE * (*)(const char *, const char *)) next("fopen"))(path, mode);
}
