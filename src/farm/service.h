/* Tasks, findings and constants that the host and the service kernels share. The host compiles this
 * file as C. For NVRTC it follows kernel/text/element_kinds.h and precedes service_tasks.cu in one
 * text, and includes no other header. */
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
    GT_TILE = 4096,           /* number of elements in a tile, or of bytes in a guard zone's tile */
    GT_TILE_HASH = 4 * 4096,  /* number of bytes in a tile that is hashed */
    GT_TILE_RESET = 4 * 4096, /* number of bytes in a tile that is copied or poisoned */
    GT_SERVICE_THREADS = 256
};

typedef enum gt_service_operation {
    GT_DO_FILL,
    GT_DO_NARROW,  /* converts elements to the target's type; poison stays poison */
    GT_DO_MOVE,    /* multiplies elements by 1 + step or 1 - step, at random, within [low, high] */
    GT_DO_PATTERN, /* fills a guard zone */
    GT_DO_COPY,
    GT_DO_POISON,
    GT_DO_COMPARE,
    GT_DO_GUARD,
    GT_DO_HASH,
    /* measures the distance between target and source; without a source, the target's magnitude */
    GT_DO_SPREAD
} gt_service_operation;

enum {
    GT_TASK_NAN_OK = 1,
    GT_TASK_GAPS = 2,       /* compare: elements that both sides left unwritten are equal */
    GT_TASK_WHOLE = 4,      /* move: whole numbers are not changed */
    GT_TASK_EXTREMES = 8,   /* fill: some values are extreme (kernel/bind/vary.h) */
    GT_TASK_SPECIALS = 16,  /* fill: some values are NaN or infinite (kernel/bind/vary.h) */
    GT_TASK_FREE = 32,      /* fill: the input has no declared range */
    GT_TASK_UNBOUNDED = 64, /* compare: all elements that are not finite are equal */
    GT_TASK_TIES = 128 /* fill: few values, halfway between whole numbers (kernel/bind/vary.h) */
};

/* One of the numbers that an element consists of (gt_number). */
typedef struct gt_service_number {
    uint32_t offset, type, fill, free; /* `free`: true if the number has no declared range */
    double low, high, largest;         /* `largest`: the largest value that a uniform fill draws */
} gt_service_number;

/* A task of a service kernel. Addresses are in device memory. */
typedef struct gt_service_task {
    uint64_t first_tile, tiles; /* set by gt_tasks_add() */
    /* repetition k has its target at `target` + k * `stride` bytes */
    uint64_t repeats, stride;
    uint64_t target, source, scale;
    uint64_t count; /* number of elements (fill, narrow, compare) or of bytes */
    uint64_t seed;
    /* fill, move: `low` and `high` are the range, `stol` is the largest value (fill) or the step
     * (move); compare: atol, rtol and stol */
    double low, high, stol;
    uint32_t operation, type, source_type, scale_type;
    /* `pattern`: kind of fill, poison (poison, compare), or seed of a guard zone's contents */
    uint32_t pattern, flags;
    uint32_t source_pattern; /* poison of the source (compare, narrow) */
    uint32_t sparse;         /* move: changes one in `sparse` elements, chosen at random */
    /* address of the gt_service_numbers of an element; 0: an element is one plain value */
    uint64_t numbers;
    uint32_t number_count;
    uint32_t pitch; /* size of an element in bytes, if `numbers` is set */
} gt_service_task;

/* The check kernel's findings for one task. `worst` and `need` are the bits of doubles.
 *
 * - compare: `count` is the number of mismatches, `first` the index of the first one, and `value`
 *   and `expected` the bits of its elements. `worst` is the largest |v - r| divided by the
 *   tolerance. `need` is an atol that accepts all elements, infinite if none does. `gaps` is the
 *   number of elements that both sides left unwritten. Bit 0 of `unwritten` is set if the first
 *   mismatch is unwritten, bit 1 if its expected element is unwritten.
 * - spread: `count` is the number of elements that differ, `worst` the largest difference, `need`
 *   the largest difference divided by the target's magnitude. Without a source, `worst` is the
 *   largest magnitude, and `count` the number of elements that are not finite.
 * - guard: `count` is the number of bytes that were overwritten, `first` the offset of the first.
 * - hash: `count` is the hash. */
typedef struct gt_finding {
    uint64_t count, first, worst, need, gaps, value, expected, unwritten;
} gt_finding;
