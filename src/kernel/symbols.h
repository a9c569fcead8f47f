/* The names that expressions may use, and the slots that hold their values. */
#pragma once

#include "kernel/space.h"

/* How slots are dealt out. A name that has words as values has a second slot for the bytes of the
 * type that the word names (0: none). */
enum {
    GT_SLOT_PROBLEM = 0,
    GT_SLOT_AXIS = GT_SLOT_PROBLEM + GT_PROBLEM_MAX,
    GT_SLOT_PROBLEM_BYTES = GT_SLOT_AXIS + GT_AXIS_MAX,
    GT_SLOT_AXIS_BYTES = GT_SLOT_PROBLEM_BYTES + GT_PROBLEM_MAX,
    GT_SLOT_DEVICE = GT_SLOT_AXIS_BYTES + GT_AXIS_MAX, /* in the order of symbols.c */
    GT_SLOT_BLOCK = 116,                               /* block_x block_y block_z */
    GT_SLOT_OCCUPANCY = 119,                           /* max_blocks max_clusters */
    GT_SLOT_GRID = 121,                                /* grid_x grid_y grid_z */
    GT_SLOT_ELEMENT = 124,                             /* `index`, of an element */
    GT_SLOT_COUNTER = 125,                             /* of loops around a launch, three */
    GT_SLOT_WORD = 128                                 /* a word's own number */
};

/* What an expression may use, as bits. */
enum {
    GT_USE_CONST = 1, /* const and type problem values */
    GT_USE_SIZE = 2,
    GT_USE_AXIS = 4,
    GT_USE_DEVICE = 8,
    GT_USE_BLOCK = 16,
    GT_USE_OCCUPANCY = 32,
    GT_USE_GRID = 64,
    GT_USE_ELEMENT = 128, /* `index`, which is an ordinary name elsewhere */
    GT_USE_COUNTER = 256,
    GT_USE_PROBLEM = GT_USE_CONST | GT_USE_SIZE | GT_USE_DEVICE
};

struct gt_token;

typedef struct gt_symbols {
    const gt_template *template;
    unsigned use;
    const char *code; /* whose constants may be used; NULL: none */
} gt_symbols;

/* A scope over `symbols`, which must outlive it. */
gt_scope gt_symbols_scope(gt_symbols *symbols);
/* Whether `name` is a device property or one of the launch. The properties:
 *   cc (90 for 9.0), sm_count, warp_size, l2_bytes, bus_width_bits, max_threads (a block's),
 *   max_threads_per_sm, max_blocks_per_sm, registers_per_sm, registers_per_block,
 *   shared_per_block (without opt-in), shared_optin (a block's, with it), shared_per_sm,
 *   shared_reserved (taken by each block), constant_bytes, max_cluster, max_parameter_bytes.
 * Of the launch: block_x block_y block_z; max_blocks and max_clusters, the blocks and clusters that
 * the GPU can hold at once by threads and shared memory (registers unknown); grid_x grid_y grid_z,
 * rounded up to the cluster. */
bool gt_symbol_is_reserved(const char *name);

/* Whether a token is a name that expressions over the symbols may use. */
bool gt_symbol_is_known(gt_symbols *symbols, const struct gt_token *name);

/* What a type's name stands for at a problem: the word of a problem's type (which may be the name
 * of another one), what a typedef in the code is another name of, or the name itself. */
const char *gt_type_word(const gt_template *template, const gt_problem *problem, const char *name);

/* Bit i: the expression uses axis i, or the size of the type that it names. NULL uses none. */
uint64_t gt_axes_used(const gt_expression *expression);

/* Whether it uses a counter of a loop, which has no value outside of it. NULL uses none. */
bool gt_counters_used(const gt_expression *expression);

/* Fills all slots that a problem and a device decide; the rest becomes 0. */
void gt_slots_fill(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                   const gt_problem *problem, const gt_device *device);
/* Sets the slots of one axis; a word that is the name of a problem's type has that type's bytes. */
void gt_slots_axis(int64_t slots[GT_SLOT_MAX], const gt_template *template, uint32_t axis,
                   uint8_t choice);
void gt_slots_config(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                     const gt_config *config);
