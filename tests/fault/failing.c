/* Wraps functions of libc, and makes the call with a certain number fail. */
#pragma GCC visibility push(default)
#include "failing.h"
#pragma GCC visibility pop

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
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *memory);

static atomic_long calls, live;
static const char *_Atomic failing; /* NULL: nothing fails */
static const char *_Atomic paused;
static long limit;
static bool always;
static const char *reached;

void failing_begin(const char *call, long number, bool from_then_on)
{
    limit = number;
    always = from_then_on;
    atomic_store(&calls, 0);
    atomic_store(&failing, call);
}

long failing_end(void)
{
    atomic_store(&failing, NULL);
    return atomic_load(&calls);
}

void failing_pause(void)
{
    atomic_store(&paused, atomic_exchange(&failing, NULL));
}

void failing_resume(void)
{
    atomic_store(&failing, atomic_load(&paused));
}

long failing_live(void)
{
    return atomic_load(&live);
}

__attribute__((constructor)) static void start(void)
{
    const char *call = getenv("FAIL_CALL"), *number = getenv("FAIL_NUMBER");
    const char *mode = getenv("FAIL_MODE");
    reached = getenv("FAIL_REACHED");
    if (call && number) {
        unsetenv("LD_PRELOAD");
        failing_begin(call, strtol(number, NULL, 10), mode && strcmp(mode, "always") == 0);
    }
}

static void create_reached_file(void)
{
    long file = reached ? syscall(SYS_openat, AT_FDCWD, reached, O_WRONLY | O_CREAT, 0600) : -1;
    if (file >= 0) {
        syscall(SYS_close, file);
    }
}

bool failing_now(const char *call, int error)
{
    const char *wanted = atomic_load(&failing);
    if (!wanted || strcmp(call, wanted) != 0) {
        return false;
    }
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number == limit) {
        create_reached_file();
    }
    bool now = limit && (always ? number >= limit : number == limit);
    errno = now ? error : errno;
    return now;
}

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        abort();
    }
    return found;
}

/* Defines a wrapper that forwards its arguments. */
#define CALL(type, name, call, error, failed, parameters, arguments)                               \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*_Atomic real) parameters;                                                     \
        if (failing_now(call, error)) {                                                            \
            return failed;                                                                         \
        }                                                                                          \
        if (!real) {                                                                               \
            real = (type(*) parameters)next(#name);                                                \
        }                                                                                          \
        return real arguments;                                                                     \
    }

/* Sets the error that ferror() returns, as a real failure does, and returns 0. */
static int fail_file(FILE *file)
{
    if (file) {
        file->_flags |= _IO_ERR_SEEN;
    }
    return 0;
}

#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wnonnull-compare"
CALL(ssize_t, read, "read", EIO, -1, (int f, void *b, size_t n), (f, b, n))
CALL(ssize_t, write, "write", ENOSPC, -1, (int f, const void *b, size_t n), (f, b, n))
CALL(ssize_t, pread64, "pread", EIO, -1, (int f, void *b, size_t n, off64_t o), (f, b, n, o))
CALL(ssize_t, pwrite64, "pwrite", ENOSPC, -1, (int f, const void *b, size_t n, off64_t o),
     (f, b, n, o))
CALL(size_t, fwrite, "fwrite", ENOSPC, fail_file(f), (const void *b, size_t s, size_t n, FILE *f),
     (b, s, n, f))
CALL(int, fputs, "fwrite", ENOSPC, EOF + fail_file(f), (const char *t, FILE *f), (t, f))
CALL(int, fflush, "fwrite", ENOSPC, EOF + fail_file(f), (FILE * f), (f))
CALL(int, fsync, "fsync", EIO, -1, (int f), (f))
CALL(int, fdatasync, "fsync", EIO, -1, (int f), (f))
CALL(int, ftruncate64, "truncate", EIO, -1, (int f, off64_t n), (f, n))
CALL(int, ftruncate, "truncate", EIO, -1, (int f, off_t n), (f, n))
CALL(int, fallocate, "fallocate", ENOSPC, -1, (int f, int m, off_t o, off_t n), (f, m, o, n))
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
CALL(int, mkdir, "mkdir", EACCES, -1, (const char *p, mode_t m), (p, m))
CALL(int, stat, "stat", EACCES, -1, (const char *p, struct stat *s), (p, s))
CALL(int, stat64, "stat", EACCES, -1, (const char *p, struct stat64 *s), (p, s))
CALL(int, lstat64, "stat", EACCES, -1, (const char *p, struct stat64 *s), (p, s))
CALL(int, fstat, "stat", EIO, -1, (int f, struct stat *s), (f, s))
CALL(int, fstat64, "stat", EIO, -1, (int f, struct stat64 *s), (f, s))
CALL(int, statfs, "statfs", EIO, -1, (const char *p, struct statfs *s), (p, s))
CALL(int, access, "access", EACCES, -1, (const char *p, int m), (p, m))
CALL(char *, realpath, "realpath", EACCES, NULL, (const char *p, char *r), (p, r))
CALL(ssize_t, readlink, "readlink", EACCES, -1, (const char *p, char *b, size_t n), (p, b, n))
CALL(int, waitid, "waitid", ECHILD, -1, (idtype_t t, id_t i, siginfo_t *s, int o), (t, i, s, o))
CALL(void *, dlopen, "dlopen", ENOMEM, NULL, (const char *p, int f), (p, f))
CALL(int, posix_spawn, "spawn", EAGAIN, EAGAIN,
     (pid_t * p, const char *f, const posix_spawn_file_actions_t *a, const posix_spawnattr_t *t,
      char *const v[], char *const e[]),
     (p, f, a, t, v, e))
CALL(int, pthread_create, "thread", EAGAIN, EAGAIN,
     (pthread_t * t, const pthread_attr_t *a, void *(*w)(void *), void *u), (t, a, w, u))
CALL(FILE *, fopen, "fopen", EMFILE, NULL, (const char *p, const char *m), (p, m))

/* Closes the file even if the call must fail, because fclose() does so, too. */
int fclose(FILE *file)
{
    bool failed = failing_now("fclose", ENOSPC);
    int result = ((int (*)(FILE *))next("fclose"))(file);
    errno = failed ? ENOSPC : errno;
    return failed ? EOF : result;
}

/* Wraps functions whose last argument is optional. */
#define OPENS(name)                                                                                \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;                  \
        va_end(more);                                                                              \
        if (failing_now("open", EMFILE)) {                                                         \
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
        if (failing_now("fcntl", EIO)) {                                                           \
            return -1;                                                                             \
        }                                                                                          \
        return ((int (*)(int, int, ...))next(#name))(file, command, value);                        \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

static void *counted(void *memory)
{
    atomic_fetch_add(&live, memory != NULL);
    return memory;
}

void *malloc(size_t bytes)
{
    return failing_now("allocation", ENOMEM) ? NULL : counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
    return failing_now("allocation", ENOMEM) ? NULL : counted(__libc_calloc(count, bytes));
}

void *realloc(void *memory, size_t bytes)
{
    if (failing_now("allocation", ENOMEM)) {
        return NULL;
    }
    void *moved = __libc_realloc(memory, bytes);
    atomic_fetch_add(&live, (!memory && moved) - (memory && !moved && !bytes));
    return moved;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return failing_now("allocation", ENOMEM) ? NULL : counted(__libc_memalign(alignment, bytes));
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *memory = aligned_alloc(alignment, bytes);
    *out = memory ? memory : *out;
    return memory ? 0 : ENOMEM;
}

void free(void *memory)
{
    atomic_fetch_sub(&live, memory != NULL);
    __libc_free(memory);
}
#pragma GCC visibility pop
