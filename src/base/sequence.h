/* Sequences: small programs with loops that compute the order of a launch's steps, and their grids,
 * blocks and values. src/kernel makes sequences, and the launcher runs them. */
#pragma once

#include "base/operation.h"

enum {
    GT_SEQUENCE_ITEMS = 64,
    GT_SEQUENCE_CODE = 160,
    GT_SEQUENCE_TREE = 64, /* maximum number of operations in an item's expression */
    GT_COUNTERS_MAX = 3,   /* depth of nested loops */
    GT_VALUES_MAX = 64,
    GT_SEQUENCE_LAUNCHES = 1 << 16, /* maximum number of launches in one run of a sequence */
    GT_PLACES_MAX = 64
};

typedef enum gt_sequence_kind {
    GT_SEQUENCE_COUNTER, /* set counter `index` to the value */
    GT_SEQUENCE_UNLESS,  /* jump to item `target` if the value is 0 */
    GT_SEQUENCE_GOTO,    /* jump to item `target` */
    GT_SEQUENCE_GRID,    /* set dimension `index` of the next launch's grid */
    GT_SEQUENCE_BLOCK,
    GT_SEQUENCE_TIMES,  /* set how often the next launch is repeated */
    GT_SEQUENCE_VALUE,  /* set computed argument `index` of all later launches */
    GT_SEQUENCE_LAUNCH, /* launch step `index` */
    GT_SEQUENCE_SWAP    /* swap parameters `index` and `target` for all later launches */
} gt_sequence_kind;

typedef struct gt_sequence_item {
    gt_sequence_kind kind;
    uint32_t index, target;
    uint32_t first, count; /* place of the item's expression in `code`, whose slots are counters */
} gt_sequence_item;

typedef struct gt_sequence {
    uint32_t item_count; /* number of items; 0: the steps are launched in order */
    gt_sequence_item items[GT_SEQUENCE_ITEMS];
    uint32_t code_count;
    gt_instruction code[GT_SEQUENCE_CODE];
} gt_sequence;

typedef enum gt_sequence_error {
    GT_SEQUENCE_FINE,
    GT_SEQUENCE_UNCOMPUTED, /* an expression failed, for example a division by zero */
    GT_SEQUENCE_NO_GRID,    /* a grid dimension below 1 */
    GT_SEQUENCE_NO_BLOCK,
    GT_SEQUENCE_NO_TIMES,
    GT_SEQUENCE_TOO_MANY, /* more than GT_SEQUENCE_LAUNCHES launches, or an endless loop */
} gt_sequence_error;

/* The state of a running sequence, and its current launch. */
typedef struct gt_iteration {
    uint32_t step, times; /* `times`: number of consecutive launches */
    uint32_t grid[3], block[3];
    int64_t values[GT_VALUES_MAX]; /* values of the GT_PARAMETER_VALUE parameters */
    uint8_t places[GT_PLACES_MAX]; /* places[i]: the parameter that replaces parameter i */
    uint32_t at, items;            /* `at`: next item; `items`: number of executed items */
    uint64_t launches;             /* number of launches so far */
    int64_t counters[GT_COUNTERS_MAX];
    gt_sequence_error error;
} gt_iteration;
