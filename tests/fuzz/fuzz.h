/* A fuzzer is LLVMFuzzerTestOneInput() and where to begin; driver.c, or libFuzzer, feeds it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Tries one input. Whatever it is, this returns 0: what must not happen, a sanitizer or abort()
 * tells. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Inputs to begin with, and words that belong to the language, NULL-terminated. */
extern const char *const fuzz_seeds[];
extern const char *const fuzz_words[];

/* Stops with a message unless `good`. */
#define FUZZ_REQUIRE(good)                                                                         \
    do {                                                                                           \
        if (!(good)) {                                                                             \
            fuzz_stop(__FILE__, __LINE__, #good);                                                  \
        }                                                                                          \
    } while (0)
_Noreturn static inline void fuzz_stop(const char *file, int line, const char *what);

#include <stdio.h>
#include <stdlib.h>
_Noreturn static inline void fuzz_stop(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    abort();
}
