/* To be preloaded: a file system that grants each process every lock, and shows it to no other. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>

int fcntl(int file, int command, ...)
{
    va_list values;
    va_start(values, command);
    void *value = va_arg(values, void *);
    va_end(values);
    if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
        command == F_OFD_SETLKW) {
        return 0;
    }
    if (command == F_GETLK || command == F_OFD_GETLK) {
        ((struct flock *)value)->l_type = F_UNLCK;
        return 0;
    }
    int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
    return real(file, command, value);
}

int fcntl64(int, int, ...) __attribute__((alias("fcntl")));
