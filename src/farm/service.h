/* What the host and the service kernels share: tasks, findings, and their numbers. C, and CUDA C++
 * behind kernel/element_kinds.h and in front of service_tasks.cu, where there are no other headers.
 */
#pragma once

#ifndef __CUDACC__
#include "kernel/template.h"
#else
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long int64_t;
#endif

enum {
    GT_TILE = 4096,           /* elements of a tile; bytes for guards */
    GT_TILE_HASH = 4 * 4096,  /* bytes of a hash's tile */
    GT_TILE_RESET = 4 * 4096, /* bytes of a tile of the reset kernel */
    GT_SERVICE_THREADS = 256
};

typedef enum gt_service_operation {
    GT_DO_FILL,    /* an input from its seed */
    GT_DO_CONVERT, /* target[i] = (double)source[i] */
    GT_DO_NARROW,  /* target[i] = source[i] in the target's type; poison stays poison */
    GT_DO_MOVE,    /* target[i] *= 1 + step or 1 - step, at random, within [low, high] */
    GT_DO_PATTERN, /* a guard zone */
    GT_DO_COPY,
    GT_DO_POISON,
    GT_DO_COMPARE,
    GT_DO_GUARD,
    GT_DO_HASH,
    GT_DO_SPREAD /* how far target and source are apart; how large the target is, without a source
                  */
} gt_service_operation;

enum {
    GT_TASK_NAN_OK = 1,
    GT_TASK_GAPS = 2,     /* compare: an element that both sides left at their poison is right */
    GT_TASK_WHOLE = 4,    /* move: whole numbers stay */
    GT_TASK_EXTREMES = 8, /* fill: see gt_variety (kernel/vary.h), */
    GT_TASK_SPECIALS = 16,
    GT_TASK_FREE = 32 /* and no range is declared */
};

/* One number of an element of several (gt_number). */
typedef struct gt_service_number {
    uint32_t offset, type, fill, unused;
    double low, high;
} gt_service_number;

/* One task. Addresses are the device's. */
typedef struct gt_service_task {
    uint64_t first_tile, tiles; /* set by gt_tasks_add() */
    uint64_t repeats, stride;   /* copies: the target moves on by `stride` bytes each time */
    uint64_t target, source, scale;
    uint64_t count; /* elements (fill, convert, compare) or bytes */
    uint64_t seed;
    double low, high, stol; /* fill and move: low and high; move: the step in stol, fill: the
                               largest value that is drawn; compare: atol, rtol and stol */
    uint32_t operation, type, source_type, scale_type;
    uint32_t pattern, flags; /* fill: gt_fill_kind; poison and compare: the poison; guard:
                                its seed */
    uint32_t source_pattern; /* compare and narrow: the byte of the source's poison */
    uint32_t sparse;         /* move: one in so many elements, at random */
    uint64_t numbers;        /* gt_service_number of each number of an element; 0: all are alike */
    uint32_t number_count;
    uint32_t pitch; /* with numbers: bytes from one element to the next */
} gt_service_task;

/* What the check kernel found for one task. compare: mismatches, the first one's index with both
 * elements' bits, the largest |v - r| over the tolerance and the atol that would have accepted all
 * (doubles' bits; infinite where only equality would do), elements that both sides left alone, and
 * in `unwritten` whether the first mismatch has its poison yet (1), or the expected one (2).
 * spread: elements that differ, the largest difference in `worst`, and over the target's magnitude
 * in `need`; without a source the largest magnitude in `worst`, and in
 * `count` how many are not finite. guard: bytes overwritten and the
 * first one's offset. hash: the hash in `count`. */
typedef struct gt_finding {
    uint64_t count, first, worst, need, gaps, value, expected, unwritten;
} gt_finding;
