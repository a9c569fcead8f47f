/* Floating-point numbers as text, independent of the locale. After setlocale(), functions of libc
 * may write 1.5 as 1,5 and read 1.5 as 1, so tools/style forbids them in all other files. The
 * functions here are inline and need only libc, because the emulator is a separate library.
 *
 * Each call uses newlocale("C"), so nothing is shared between threads or with a forked child. In
 * glibc and musl, newlocale("C") returns a constant without allocation or lock. In another libc,
 * newlocale() may run out of memory; the call then fails as if the text had no number. */
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

/* Like vsnprintf. Changes only the calling thread's locale, and restores it. */
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
