/* Numbers as text, alike in every locale: a host that has called setlocale() writes 1,5 for 1.5,
 * and then reads no further than the 1. All code reads and writes floating-point numbers by these
 * functions; tools/style refuses the plain functions elsewhere. They are inline and need libc
 * alone, because the emulator is a library of its own.
 *
 * The locale "C" is asked for at each call, so that nothing is shared between threads or left to a
 * forked child. glibc and musl hand out a constant for it: no memory is taken and no lock. Where a
 * libc has no memory for it, the call fails as if there were no number. */
#pragma once

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Like strtod. */
static inline double gt_strtod(const char *text, char **end)
{
    double value = 0;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain) {
        value = strtod_l(text, end, plain);
        freelocale(plain);
    } else {
        errno = ENOMEM;
        if (end) {
            *end = (char *)text;
        }
    }
    return value;
}

/* Like vsnprintf. The locale is set for the calling thread alone, and put back. */
__attribute__((format(printf, 3, 0))) static inline int
gt_vsnprintf(char *out, size_t bytes, const char *format, va_list args)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) {
        if (bytes) {
            out[0] = '\0';
        }
        return -1;
    }
    locale_t before = uselocale(plain);
    int length = vsnprintf(out, bytes, format, args);
    uselocale(before);
    freelocale(plain);
    return length;
}

/* Like snprintf. */
__attribute__((format(printf, 3, 4))) static inline int gt_snprintf(char *out, size_t bytes,
                                                                    const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = gt_vsnprintf(out, bytes, format, args);
    va_end(args);
    return length;
}
