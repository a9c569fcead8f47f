/* A small seeded generator (splitmix64; Steele, Lea, Flood 2014), for shuffles, draws and tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct gt_random {
    uint64_t state;
} gt_random;

uint64_t gt_random_next(gt_random *random);
/* A number drawn uniformly from [0, bound); bound > 0. */
uint64_t gt_random_below(gt_random *random, uint64_t bound);
/* A number drawn uniformly from [0, 1). */
double gt_random_unit(gt_random *random);
/* Shuffles the items (Fisher-Yates). */
void gt_random_shuffle(gt_random *random, uint32_t *items, size_t count);
