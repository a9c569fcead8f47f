/* The interface of a fuzzer: LLVMFuzzerTestOneInput() and its seeds. driver.c or libFuzzer calls
 * it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Tries an input and returns 0. A sanitizer or abort() reports an error. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Seeds, and words of the input language. Each list ends with NULL. */
extern const char *const fuzz_seeds[];
extern const char *const fuzz_words[];

/* Prints a message and aborts if `good` is false. */
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
