/* Preloaded into a program: the allocation number FAIL_ALLOCATION (counted from the start of main's
 * process, over all threads) fails, with FAIL_MODE=always every later one too. Creates the file
 * FAIL_REACHED when it came to that. Not handed on to child processes. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *memory, size_t bytes);

static atomic_long allocations;
static long limit;
static int always;

__attribute__((constructor)) static void start(void)
{
    const char *number = getenv("FAIL_ALLOCATION"), *mode = getenv("FAIL_MODE");
    always = mode && strcmp(mode, "always") == 0;
    long given = number ? strtol(number, NULL, 10) : 0;
    unsetenv("LD_PRELOAD");
    atomic_store(&allocations, 0);
    limit = given;
}

static void tell(void)
{
    const char *path = getenv("FAIL_REACHED");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0) {
        close(file);
    }
}

static int fails(void)
{
    if (!limit) {
        return 0;
    }
    long number = atomic_fetch_add(&allocations, 1) + 1;
    if (number == limit) {
        tell();
    }
    int failing = always ? number >= limit : number == limit;
    if (failing) {
        errno = ENOMEM;
    }
    return failing;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(memory, bytes);
}
