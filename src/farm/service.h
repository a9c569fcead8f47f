/* Tasks, findings and constants shared by the host and the service kernels. The host compiles this
 * file as C. For NVRTC, the Makefile concatenates kernel/text/element_kinds.h, this file,
 * service_value.h and service_*.cu. NVRTC must not see any #include of these files. */
#pragma once

#ifndef __CUDACC__
#include "kernel/template/template.h"
#else
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long int64_t;
#endif

enum {
    GT_TILE = 4096,           /* elements in a tile, or bytes in a tile of a guard zone */
    GT_TILE_HASH = 4 * 4096,  /* bytes in a tile that is hashed */
    GT_TILE_RESET = 4 * 4096, /* bytes in a tile that is copied or filled with poison */
    GT_SERVICE_THREADS = 256
};

typedef enum gt_service_operation {
    GT_DO_FILL,
    GT_DO_NARROW,  /* converts elements to the type of the target, but copies poison as poison */
    GT_DO_MOVE,    /* multiplies each element by 1 + step or 1 - step, within [low, high] */
    GT_DO_PATTERN, /* writes the contents of a guard zone */
    GT_DO_COPY,
    GT_DO_POISON,
    GT_DO_COMPARE,
    GT_DO_GUARD,
    GT_DO_HASH,
    /* measures how far target and source differ or, without a source, how large the target is */
    GT_DO_SPREAD
} gt_service_operation;

enum {
    GT_TASK_NAN_OK = 1,
    GT_TASK_GAPS = 2,       /* compare: elements that are unwritten on both sides are equal */
    GT_TASK_WHOLE = 4,      /* move: whole numbers stay the same */
    GT_TASK_EXTREMES = 8,   /* fill: some values are extreme (kernel/bind/vary.h) */
    GT_TASK_SPECIALS = 16,  /* fill: some values are NaN or infinite (kernel/bind/vary.h) */
    GT_TASK_FREE = 32,      /* fill: the input has no declared range */
    GT_TASK_UNBOUNDED = 64, /* compare: elements are equal if neither is finite */
    /* fill: few different values, halfway between integers (kernel/bind/vary.h) */
    GT_TASK_TIES = 128,
    GT_TASK_HUGE = 256 /* compare: elements are equal if one is not finite */
};

/* One of the numbers of which an element consists (gt_number). */
typedef struct gt_service_number {
    uint32_t offset, type, fill, free; /* `free`: true if the number has no declared range */
    double low, high, largest;         /* `largest`: largest value of a uniform fill */
} gt_service_number;

/* A task for a service kernel. All addresses are in device memory. */
typedef struct gt_service_task {
    uint64_t first_tile, tiles; /* set by gt_tasks_add() */
    /* the task is repeated; the target of repetition k is at `target` + k * `stride` bytes */
    uint64_t repeats, stride;
    uint64_t target, source, scale;
    uint64_t count; /* number of elements (fill, narrow, compare) or bytes (others) */
    uint64_t seed;
    /* fill: range and largest value; move: range and step; compare: atol, rtol and stol */
    double low, high, stol;
    uint32_t operation, type, source_type, scale_type;
    /* `pattern`: kind of fill, poison (poison, compare, spread), or seed of the contents of a guard
     * zone */
    uint32_t pattern, flags;
    uint32_t source_pattern; /* byte with which the source was poisoned (compare, narrow) */
    uint32_t sparse;         /* move: only one in every `sparse` elements is changed, at random */
    /* address of the gt_service_numbers of an element; 0: each element is a plain value */
    uint64_t numbers;
    uint32_t number_count;
    uint32_t pitch; /* size of an element in bytes, if `numbers` is set */
} gt_service_task;

/* The check kernel's findings for a task. `worst` and `need` are doubles, stored as bits.
 *
 * - compare: `count` is the number of mismatches and `first` the index of the first one; `value`
 *   and `expected` are the bits of that element. `worst` is the largest |value - expected| /
 *   tolerance. `need` is an atol with which all elements would be accepted; it is infinite if there
 * is none. `gaps` is the number of elements that are unwritten on both sides. Bit 0 of `unwritten`
 * is set if the value of the first mismatch is unwritten, bit 1 if its expected value is unwritten.
 * - spread: `count` is the number of elements that differ, `worst` the largest difference, and
 *   `need` the largest difference divided by the magnitude of the target. Without a source, `worst`
 *   is the largest magnitude, and `count` the number of elements that are written and not finite.
 * - guard: `count` is the number of overwritten bytes, and `first` the offset of the first.
 * - hash: `count` is the hash. */
typedef struct gt_finding {
    uint64_t count, first, worst, need, gaps, value, expected, unwritten;
} gt_finding;
