/* Loops of launches: a small program that says which steps of a launch follow each other, with
 * which grids, blocks and values. Made by src/kernel, run where kernels are launched. */
#pragma once

#include "base/operation.h"

enum {
    GT_SEQUENCE_ITEMS = 64,
    GT_SEQUENCE_CODE = 160,
    GT_COUNTERS_MAX = 3, /* loops inside each other */
    GT_VALUES_MAX = 64,
    GT_SEQUENCE_LAUNCHES = 1 << 16, /* of one sequence */
    GT_PLACES_MAX = 64
};

typedef enum gt_sequence_kind {
    GT_SEQUENCE_COUNTER, /* counter `index` becomes the value */
    GT_SEQUENCE_UNLESS,  /* goes on at item `target` where the value is 0 */
    GT_SEQUENCE_GOTO,    /* goes on at item `target` */
    GT_SEQUENCE_GRID,    /* dimension `index` of the next launch */
    GT_SEQUENCE_BLOCK,
    GT_SEQUENCE_TIMES,  /* how often the next launch is repeated */
    GT_SEQUENCE_VALUE,  /* value `index` of the launches from here on */
    GT_SEQUENCE_LAUNCH, /* launches step `index` */
    GT_SEQUENCE_SWAP    /* parameters `index` and `target` change places from here on */
} gt_sequence_kind;

typedef struct gt_sequence_item {
    gt_sequence_kind kind;
    uint32_t index, target;
    uint32_t first, count; /* the code of its value, whose slots are the counters */
} gt_sequence_item;

typedef struct gt_sequence {
    uint32_t item_count; /* 0: the steps follow each other as they are */
    gt_sequence_item items[GT_SEQUENCE_ITEMS];
    uint32_t code_count;
    gt_instruction code[GT_SEQUENCE_CODE];
} gt_sequence;

typedef enum gt_sequence_error {
    GT_SEQUENCE_FINE,
    GT_SEQUENCE_UNCOMPUTED, /* a value divides by zero, or the like */
    GT_SEQUENCE_NO_GRID,    /* a grid below 1 */
    GT_SEQUENCE_NO_BLOCK,
    GT_SEQUENCE_NO_TIMES,
    GT_SEQUENCE_TOO_MANY, /* more than GT_SEQUENCE_LAUNCHES launches, or a loop that does not end */
} gt_sequence_error;

/* One launch of a step, and where the sequence is. */
typedef struct gt_iteration {
    uint32_t step, times;          /* `times`: how often it is repeated */
    uint32_t grid[3], block[3];    /* as far as the sequence sets them; else 0, as `times` */
    int64_t values[GT_VALUES_MAX]; /* of parameters that are values */
    uint8_t places[GT_PLACES_MAX]; /* which parameter stands in each one's place */
    uint32_t at, items, launches;  /* the next item; how many were carried out */
    int64_t counters[GT_COUNTERS_MAX];
    gt_sequence_error error;
} gt_iteration;

/* Whether running it leads nowhere but to its own items and code, for so many steps and
 * parameters. */
bool gt_sequence_is_sound(const gt_sequence *sequence, uint32_t steps, uint32_t parameters);
void gt_iteration_begin(gt_iteration *run);
/* The next launch. false: there is none, or an error. */
bool gt_iteration_next(gt_iteration *run, const gt_sequence *sequence);
