/* The names that expressions may use, and the slots of their values. */
#pragma once

#include "base/device.h"
#include "kernel/template/declared.h"

/* The slots: indices into the array from which expressions read values. The second slot of a
 * problem value or axis is the size of the type that it names, or 0. */
enum {
    GT_SLOT_PROBLEM = 0,
    GT_SLOT_AXIS = GT_SLOT_PROBLEM + GT_PROBLEM_MAX,
    GT_SLOT_PROBLEM_BYTES = GT_SLOT_AXIS + GT_AXIS_MAX,
    GT_SLOT_AXIS_BYTES = GT_SLOT_PROBLEM_BYTES + GT_PROBLEM_MAX,
    GT_SLOT_DEVICE = GT_SLOT_AXIS_BYTES + GT_AXIS_MAX, /* properties in the order of symbols.c */
    GT_SLOT_BLOCK = 116,                               /* block_x, block_y and block_z */
    GT_SLOT_OCCUPANCY = 119,                           /* max_blocks and max_clusters */
    GT_SLOT_GRID = 121,                                /* grid_x, grid_y and grid_z */
    GT_SLOT_ELEMENT = 124,                             /* `index`, the number of an element */
    GT_SLOT_COUNTER = 125,                             /* counters of up to three nested loops */
    GT_SLOT_WORD = 128                                 /* the numbers that stand for words */
};

/* The kinds of names that an expression may use, as bits. */
enum {
    GT_USE_CONST = 1, /* const and type problem values */
    GT_USE_SIZE = 2,
    GT_USE_AXIS = 4,
    GT_USE_DEVICE = 8,
    GT_USE_BLOCK = 16,
    GT_USE_OCCUPANCY = 32,
    GT_USE_GRID = 64,
    GT_USE_ELEMENT = 128, /* `index`; without this bit, `index` is an ordinary name */
    GT_USE_COUNTER = 256,
    GT_USE_PROBLEM = GT_USE_CONST | GT_USE_SIZE | GT_USE_DEVICE
};

struct gt_token;

typedef struct gt_symbols {
    const gt_template *template;
    unsigned use;                       /* GT_USE_ bits of the allowed names */
    const struct gt_declarations *code; /* code whose constants may be used, or NULL */
} gt_symbols;

/* Returns a scope over `symbols`, which must outlive the scope. */
gt_scope gt_symbols_scope(gt_symbols *symbols);
/* Returns true if `name` is a property of the device or of the launch. */
bool gt_symbol_is_reserved(const char *name);

/* Returns true if a token is a name that expressions may use. */
bool gt_symbol_is_known(gt_symbols *symbols, const struct gt_token *name);

/* Returns a mask of the axes in an expression, including those in sizeof(); 0 for NULL. */
uint64_t gt_axes_used(const gt_expression *expression);

/* Iterates over the expressions of the clauses that `words` names, the newest first. Returns the
 * expression after `last`, or the first one if `last` is NULL. */
const gt_expression *gt_expression_of(const gt_template_parts *parts, const char *words,
                                      const gt_expression *last);
/* Returns a mask of the axes in all expressions of the clauses that `words` names. */
uint64_t gt_axes_of(const gt_template_parts *parts, const char *words);

/* Returns true if the expression uses the counter of a loop. Returns false for NULL. */
bool gt_counters_used(const gt_expression *expression);

/* Sets the slots of device properties and of words. */
void gt_slots_device(int64_t slots[GT_SLOT_MAX], const gt_device *device);
