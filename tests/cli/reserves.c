/* To be preloaded: reserves a terabyte of addresses, as some mallocs and sanitizers do. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

__attribute__((constructor)) static void reserve(void)
{
    (void)mmap(NULL, 1ULL << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}
