/* Shared by the files of the sanitizer (check*.c). */
#pragma once

#include "emulator/check.h"

enum {
    EMU_SETTLED = UINT32_MAX /* a stamp's warp: an earlier launch, whose number is in `clock` */
};

/* State of a granule of memory: its last write, and two reads since, by different warps. */
typedef struct emu_cell {
    emu_stamp write, read[2];
} emu_cell;

/* Global memory that a launch has touched or a note describes. */
typedef struct emu_region {
    struct emu_region *next;
    uint64_t base, bytes;
    emu_cell *cells;
    char name[64];
    uint32_t element_bytes; /* 0: no note */
    bool is_set, races; /* threads may store the same value to it, and read it at the same time */
} emu_region;

/* Memory that the driver has set. */
typedef struct emu_filled {
    uint64_t base, end;
} emu_filled;

/* A place where something was published. */
typedef struct emu_place {
    const uint8_t *at;
    emu_knowledge knowledge;
    emu_knowledge within; /* only for the block whose first component is block - 1 */
    uint32_t block;
} emu_place;

/* Bytes of a bulk copy that were not reported to its mbarrier yet. */
typedef struct emu_transfer {
    emu_warp *warp;
    const emu_op *op;
    unsigned lane;
    uint8_t *at;
    uint32_t bytes;
} emu_transfer;

struct emu_check {
    const emu_launch *launch;
    unsigned shift; /* a granule has 1 << shift bytes, as many as the program's smallest access */
    uint32_t block_components; /* its warps and slots */
    uint32_t slots;            /* the first for griddepcontrol.wait, the others for mbarriers */
    emu_region *regions;
    emu_place *places;
    size_t place_count, place_capacity;
    emu_transfer *transfers;
    size_t transfer_count, transfer_capacity;
    emu_filled *filled; /* outside the regions */
    size_t filled_count, filled_capacity;
    uint32_t number;    /* of the launch in the stretch */
    uint32_t open_from; /* the first launch that may still run when this one begins */
    bool waited;        /* a thread of this launch has run griddepcontrol.wait */
    struct {
        const emu_op *last, *op; /* check_barrier.c: the cached answer */
        bool is;
    } behind;
    uint8_t *before; /* old values of the module's variables, one after another; NULL: unknown */
    struct emu_found *found;
    size_t found_count;
};

/* Returns the variable of the launch's module that contains the address; NULL: none. */
const emu_global *emu_check_variable(const emu_check *check, uint64_t address);
/* Returns the constant at the address if nothing has given it a value, else NULL. */
const emu_global *emu_check_empty(const emu_check *check, uint64_t address, uint32_t bytes);
/* Adds a region to the stretch. Returns NULL if memory runs out. */
emu_region *emu_check_add_region(emu_check *check, uint64_t base, uint64_t bytes);
/* Makes room for one more item. */
bool emu_check_grow(void **items, size_t count, size_t *capacity, size_t item_bytes);
