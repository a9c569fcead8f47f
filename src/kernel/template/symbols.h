/* The names that expressions may contain, and the slots that contain their values. */
#pragma once

#include "base/device.h"
#include "kernel/template/declared.h"

/* The slots, which are indices into the array of values. If a problem value or axis is a type, a
 * second slot contains the size of the type; otherwise it contains 0. */
enum {
    GT_SLOT_PROBLEM = 0,
    GT_SLOT_AXIS = GT_SLOT_PROBLEM + GT_PROBLEM_MAX,
    GT_SLOT_PROBLEM_BYTES = GT_SLOT_AXIS + GT_AXIS_MAX,
    GT_SLOT_AXIS_BYTES = GT_SLOT_PROBLEM_BYTES + GT_PROBLEM_MAX,
    GT_SLOT_DEVICE = GT_SLOT_AXIS_BYTES + GT_AXIS_MAX, /* properties of the device */
    GT_SLOT_BLOCK = 116,                               /* block_x, block_y and block_z */
    GT_SLOT_OCCUPANCY = 119,                           /* max_blocks and max_clusters */
    GT_SLOT_GRID = 121,                                /* grid_x, grid_y and grid_z */
    GT_SLOT_ELEMENT = 124, /* `index`, which is the number of an element */
    GT_SLOT_COUNTER = 125, /* counters of at most three nested loops */
    GT_SLOT_WORD = 128     /* numbers of words (gt_value) */
};

/* The kinds of names that may be used in an expression, as bits. */
enum {
    GT_USE_CONST = 1, /* problem values that are a const or a type */
    GT_USE_SIZE = 2,
    GT_USE_AXIS = 4,
    GT_USE_DEVICE = 8,
    GT_USE_BLOCK = 16,
    GT_USE_OCCUPANCY = 32,
    GT_USE_GRID = 64,
    /* `index`, the number of an element; without this bit, `index` is an ordinary name */
    GT_USE_ELEMENT = 128,
    GT_USE_COUNTER = 256,
    GT_USE_PROBLEM = GT_USE_CONST | GT_USE_SIZE | GT_USE_DEVICE
};

struct gt_token;

typedef struct gt_symbols {
    const gt_template *template;
    unsigned use;                       /* kinds of names that are allowed (GT_USE_ bits) */
    const struct gt_declarations *code; /* code that defines constants, or NULL */
} gt_symbols;

/* Returns a scope that uses `symbols`, which must not be freed before the scope. */
gt_scope gt_symbols_scope(gt_symbols *symbols);
/* Returns true if `name` is a property of a device or of a launch. */
bool gt_symbol_is_reserved(const char *name);

/* Returns true if expressions may use the name. */
bool gt_symbol_is_known(gt_symbols *symbols, const struct gt_token *name);

/* Returns the set of axes that an expression uses, also in sizeof(). Returns 0 for NULL. */
uint64_t gt_axes_used(const gt_expression *expression);

/* Iterates over the expressions of the clauses that are listed in `words`, from the newest to the
 * oldest. Returns the expression after `last`, or the first one if `last` is NULL. */
const gt_expression *gt_expression_of(const gt_template_parts *parts, const char *words,
                                      const gt_expression *last);
/* Returns the set of axes that are used in the clauses listed in `words`. */
uint64_t gt_axes_of(const gt_template_parts *parts, const char *words);

/* Returns true if the expression uses the counter of a loop. Returns false for NULL. */
bool gt_counters_used(const gt_expression *expression);

/* Sets the slots of all device properties and of all words. */
void gt_slots_device(int64_t slots[GT_SLOT_MAX], const gt_device *device);
