/* A small random number generator (splitmix64; Steele, Lea, Flood 2014) with a seed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct gt_random {
    uint64_t state;
} gt_random;

static inline uint64_t gt_random_next(gt_random *random)
{
    uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
/* Draws uniformly from [0, bound); bound > 0. */
static inline uint64_t gt_random_below(gt_random *random, uint64_t bound)
{
    __extension__ typedef unsigned __int128 wide; /* Lemire's multiply-shift */
    return (uint64_t)(((wide)gt_random_next(random) * bound) >> 64);
}
/* Draws uniformly from [0, 1). */
static inline double gt_random_unit(gt_random *random)
{
    return (double)(gt_random_next(random) >> 11) * 0x1p-53;
}
static inline void gt_random_shuffle(gt_random *random, uint64_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)gt_random_below(random, i);
        uint64_t swap = items[i - 1];
        items[i - 1] = items[j];
        items[j] = swap;
    }
}
