/* Sequences of launches with loops. A sequence is a small program that says in which order the
 * steps of a launch follow, with which grids, blocks and values. src/kernel makes it; the code that
 * launches kernels runs it. */
#pragma once

#include "base/operation.h"

enum {
    GT_SEQUENCE_ITEMS = 64,
    GT_SEQUENCE_CODE = 160,
    GT_SEQUENCE_TREE = 64, /* an item's value has fewer operations */
    GT_COUNTERS_MAX = 3,   /* depth of nested loops */
    GT_VALUES_MAX = 64,
    GT_SEQUENCE_LAUNCHES = 1 << 16, /* launches that one sequence makes at most */
    GT_PLACES_MAX = 64
};

typedef enum gt_sequence_kind {
    GT_SEQUENCE_COUNTER, /* sets counter `index` to the value */
    GT_SEQUENCE_UNLESS,  /* goes on at item `target` where the value is 0 */
    GT_SEQUENCE_GOTO,    /* goes on at item `target` */
    GT_SEQUENCE_GRID,    /* sets dimension `index` of the next launch's grid */
    GT_SEQUENCE_BLOCK,
    GT_SEQUENCE_TIMES,  /* sets how many times the next launch is made */
    GT_SEQUENCE_VALUE,  /* sets value `index` for the launches from here on */
    GT_SEQUENCE_LAUNCH, /* launches step `index` */
    GT_SEQUENCE_SWAP    /* parameters `index` and `target` change places from here on */
} gt_sequence_kind;

typedef struct gt_sequence_item {
    gt_sequence_kind kind;
    uint32_t index, target;
    uint32_t first, count; /* the code that computes the item's value; its slots are the counters */
} gt_sequence_item;

typedef struct gt_sequence {
    uint32_t item_count; /* 0: the steps follow each other as they are */
    gt_sequence_item items[GT_SEQUENCE_ITEMS];
    uint32_t code_count;
    gt_instruction code[GT_SEQUENCE_CODE];
} gt_sequence;

typedef enum gt_sequence_error {
    GT_SEQUENCE_FINE,
    GT_SEQUENCE_UNCOMPUTED, /* a value cannot be computed: it divides by zero, or the like */
    GT_SEQUENCE_NO_GRID,    /* a grid below 1 */
    GT_SEQUENCE_NO_BLOCK,
    GT_SEQUENCE_NO_TIMES,
    GT_SEQUENCE_TOO_MANY, /* more than GT_SEQUENCE_LAUNCHES launches, or a loop that does not end */
} gt_sequence_error;

/* One launch of a step, and the state of the sequence that runs. */
typedef struct gt_iteration {
    uint32_t step, times; /* `times`: how many times the step is launched in a row */
    uint32_t grid[3], block[3];
    int64_t values[GT_VALUES_MAX]; /* values of the parameters that are GT_PARAMETER_VALUE */
    uint8_t places[GT_PLACES_MAX]; /* places[i]: the parameter that stands in the place of parameter
                                      i */
    uint32_t at, items;            /* index of the next item; how many there were */
    uint64_t launches;             /* so far */
    int64_t counters[GT_COUNTERS_MAX];
    gt_sequence_error error;
} gt_iteration;
