/* What the files of the sanitizer (check*.c) share. */
#pragma once

#include "emulator/check.h"

enum {
    EMU_HOW_READ = 1,
    EMU_HOW_WRITE = 2,
    EMU_HOW_STRONG = 4, /* atomic, volatile or with an order: no race with another such */
    EMU_HOW_CAS = 8,
    EMU_HOW_UNSET = 16,      /* a write of what nothing has set */
    EMU_SETTLED = UINT32_MAX /* a stamp's warp: written before this launch */
};

/* What is known of one granule of memory: its last write, and two reads since, by different
 * warps. */
typedef struct emu_cell {
    emu_stamp write, read[2];
} emu_cell;

/* Global memory that a launch has touched or a note names. */
typedef struct emu_region {
    struct emu_region *next;
    uint64_t base, bytes;
    emu_cell *cells;
    char name[64];
    uint32_t element_bytes; /* 0: not noted */
    bool is_set;
} emu_region;

/* A place to which something was published. */
typedef struct emu_place {
    const uint8_t *at;
    emu_clock *clock;
} emu_place;

struct emu_check {
    const emu_launch *launch;
    unsigned shift; /* a granule has 1 << shift bytes: the smallest that the program accesses */
    uint32_t block_warps;
    emu_region *regions;
    emu_place *places;
    size_t place_count, place_capacity;
    struct {
        const emu_op *last, *op; /* check_barrier.c: the last answer */
        bool is;
    } behind;
    uint8_t *before; /* what the module's variables held, one behind the other; NULL: not known */
    struct emu_found *found;
    size_t found_count;
};

/* The variable of the launch's module that holds the address, with its base; NULL: none. */
const emu_global *emu_check_variable(const emu_check *check, uint64_t address);
