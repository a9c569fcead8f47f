/* A library to preload that reserves a terabyte of addresses, like some mallocs and sanitizers. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

__attribute__((constructor)) static void reserve(void)
{
    (void)mmap(NULL, 1ULL << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}
