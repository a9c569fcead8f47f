/* The state of a checked stretch of launches, for check*.c only.
 *
 * Shadow memory describes global and shared memory in granules of 1, 2 or 4 bytes, the size of the
 * program's smallest access. Each granule has a cell, which records the last write and up to two
 * reads since then; an empty cell is all zero. A new access is compared with the recorded accesses,
 * and then changes the cell:
 *
 *   - A write replaces the whole cell. A strong write moves the last weak write to read[0]. If a
 *     write stores the value that was already there, it cannot race, and is recorded only if the
 *     cell has no write.
 *   - A read replaces read[0]. If the old read[0] is from another warp, it moves to read[1].
 *   - When the launch ends, the launch is added to the sets of earlier launches that wrote or read
 *     the granule, and the stamps are cleared.
 *
 * The cells of shared memory belong to its block, and are cleared when a block starts. The cells of
 * global memory belong to regions. emu_check_note() creates a region, and so does malloc() in a
 * kernel. The first access to an allocation without noted regions creates a region that counts as
 * set. In an allocation with noted regions, accesses outside of them are out of bounds.
 *
 * Memory is unset if its region is not marked as set and no cell has the write of a set value. If a
 * program needs another granule size, all cells are discarded, and their memory counts as set. */
#pragma once

#include "emulator/check.h"

/* The last write of a granule, and two later reads by different warps. The masks are sets of
 * earlier launches: those that made the last write, and those that have read the granule since
 * then. Bit 0 is the launch before the current one, bit 1 the launch before that, and so on. */
typedef struct emu_cell {
    emu_stamp write, read[2];
    uint32_t written_before, read_before;
} emu_cell;
/* In a mask of recent launches, the bit that stands for all older launches. */
enum { EMU_LONG_AGO = 1 << 30 };

/* Global memory that a launch has accessed, or that emu_check_note() describes. */
typedef struct emu_region {
    struct emu_region *next;
    uint64_t base, bytes;
    emu_cell *cells;
    char name[64];
    uint32_t element_bytes; /* 0: no note */
    bool is_set, races;     /* `races`: the region was noted with EMU_CHECK_RACES */
} emu_region;

struct emu_check {
    const emu_launch *launch;
    unsigned shift;            /* log2 of the granule size */
    uint32_t block_components; /* number of vector clock components of a block */
    uint32_t slots; /* clock components of a block for griddepcontrol.wait and mbarriers */
    emu_region *regions;
    struct emu_place *places;
    size_t place_count, place_capacity;
    struct emu_transfer *transfers;
    size_t transfer_count, transfer_capacity;
    struct emu_filled *filled; /* initialised memory that does not belong to a region */
    size_t filled_count, filled_capacity;
    /* which earlier launches may still run, as masks like those of emu_cell: at the start of this
     * launch, and after a griddepcontrol.wait in it */
    uint32_t open, open_after_wait;
    /* number of blocks of the launch, and number of blocks that triggered the next launch before
     * they executed griddepcontrol.wait */
    uint64_t blocks, early_blocks;
    bool waited; /* true after a griddepcontrol.wait in this launch */
    struct {
        const emu_op *last, *op; /* arguments of the last call of is_behind() in check_barrier.c */
        bool is;
    } is_behind_answer;
    uint8_t *before; /* values of the module's variables before the launch; NULL if unknown */
    struct emu_found *found;
    size_t found_count;
};

/* Returns the __device__ variable of the launch's module that contains the address, or NULL. */
const emu_global *emu_check_variable(const emu_check *check, uint64_t address);
/* Returns the constant at the address if the bytes are uninitialised, otherwise NULL. */
const emu_global *emu_check_empty(const emu_check *check, uint64_t address, uint32_t bytes);
emu_region *emu_check_add_region(emu_check *check, uint64_t base, uint64_t bytes);
/* Grows the array if necessary, so one more item fits. Returns false if memory runs out. */
bool emu_check_grow(void **items, size_t count, size_t *capacity, size_t item_bytes);
