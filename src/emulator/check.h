/* The sanitizer: what each launch of a checked stretch does to memory, and which accesses are
 * ordered. Off, it costs the test of a pointer.
 *
 * Order is happens-before, told by clocks. A warp's clock goes up with each operation that orders:
 * barriers of block, cluster and warp, shuffles and votes, fences, releases by mbarriers. What a
 * warp knows of other warps' clocks it learns at barriers, and from atomics and volatile accesses
 * of places to which a warp has published what it knew at its last fence. Lanes of one warp are
 * told apart by what they know of each other. What a thread did behind its last such operation and
 * then returned is ordered with nothing that others do. Where this is coarser than the language it
 * errs towards order: a mistake may be missed, and none is made up.
 *
 * A checked launch runs on one host thread. */
#pragma once

#include "emulator/address.h"
#include "emulator/program.h"

typedef struct emu_check emu_check;

/* ---- a checked stretch (check.c) ---- */

/* Begins a stretch of launches, with nothing noted; without memory it is off. */
void emu_check_on(void);
/* Ends it, and returns what was found: a line for each distinct finding, with its parts behind
 * tabs (extensions.h). Valid until the next stretch ends. */
const char *emu_check_off(void);

/* Notes what [address, address + bytes) is for: a name for messages, the size of its elements, and
 * whether it has been set. */
void emu_check_note(uint64_t address, uint64_t bytes, const char *name, uint32_t element_bytes,
                    bool is_set);
/* A copy or fill of the driver has set memory there. */
void emu_check_filled(uint64_t address, uint64_t bytes);

/* The stretch, for a launch to take part in; NULL: none. emu_check_settle(): the launch is over,
 * and all that it did is before the next one. */
emu_check *emu_check_join(const emu_launch *launch);
void emu_check_settle(emu_check *check);

/* ---- findings (check.c) ---- */

/* Who touched memory, and when. */
typedef struct emu_stamp {
    uint32_t warp;  /* of the grid, plus one; 0: nobody */
    uint32_t clock; /* of the warp */
    uint32_t line;  /* in the PTX */
    uint32_t group; /* of cp.async, plus one; 0: no such copy */
    uint8_t lane;
    uint8_t how;
} emu_stamp;

/* Notes a finding of the lane at `op`; `other` (may be NULL) is the access that it concerns.
 * `where` names the place, "" where there is none. */
void emu_check_report(const emu_warp *warp, const emu_op *op, unsigned lane, const char *kind,
                      const char *where, const emu_stamp *other, const char *what);
/* The same of a fault, which ends the launch. */
void emu_check_fault(const emu_warp *warp, const emu_op *op, int code, unsigned lane,
                     uint64_t address, const char *what);
/* Names the place of a global address as an argument's element. */
void emu_check_name(char *out, size_t out_bytes, const emu_check *check, uint64_t address);

/* ---- accesses (check_access.c) ---- */

/* Looks at an access that was resolved. Of one with EMU_ACCESS_STORE the values matter: for that,
 * emu_check_stored() comes behind each lane's store with what was there `before`. */
void emu_check_access(emu_warp *warp, const emu_op *op, const emu_access *access);
void emu_check_stored(emu_warp *warp, const emu_op *op, const emu_access *access, unsigned lane,
                      const uint8_t *before);

/* ---- values (check_flow.c) ---- */

/* Lanes of a value that come from memory which nothing has set, and the line that read it; 0: from
 * a register. */
typedef struct emu_unset {
    uint32_t lanes, line;
} emu_unset;

enum { EMU_UNSET_ELEMENTS = 8 };

/* Runs the operation, and follows values that nothing has set through it. */
void emu_check_run(emu_warp *warp, const emu_op *op);
/* No lane runs the operation: looks at the condition alone. */
void emu_check_skip(emu_warp *warp, const emu_op *op);

/* ---- order (check_order.c) ---- */

typedef struct emu_clock emu_clock;

/* What one warp knows. */
typedef struct emu_warp_order {
    uint32_t index; /* of the warp in the grid */
    uint32_t clock, full;
    uint32_t know[EMU_WARP][EMU_WARP];     /* lane [a] knows what lane [b] did up to that clock; all
                                              lanes of all up to `full` */
    emu_clock *known;                      /* of other warps */
    emu_clock *fenced;                     /* and of itself, at its last fence */
    uint32_t loaded[EMU_UNSET_ELEMENTS];   /* lanes that the operation loads unset, by element */
    emu_unset storing[EMU_UNSET_ELEMENTS]; /* that it stores unset */
    uint32_t ordered[EMU_WARP];            /* the clock of what the lane did last that orders */
    const emu_op *last[EMU_WARP];          /* the lane's last access of global or shared memory */
    struct {
        uint32_t group, waited; /* of cp.async: the open one, and the last that was waited for */
        uint32_t at[16];        /* when a group was waited for, by group modulo 16 */
    } async[EMU_WARP];
} emu_warp_order;

/* What one block's barriers and shared memory hold. */
typedef struct emu_block_order {
    emu_warp_order *warps;
    emu_clock *barriers[EMU_BARRIERS];
    emu_clock *cluster; /* of the first block: who has arrived at the cluster's barrier */
    struct emu_cell *cells;
    size_t cell_count;
    uint8_t *local_set; /* bytes of local memory that were set, for each lane of each warp */
    size_t local_bytes; /* of a warp */
} emu_block_order;

emu_block_order *emu_order_new(const emu_block *block);
void emu_order_start(emu_block *block);
void emu_order_free(emu_block *block);

/* Whether what the stamp tells is before what the lane does now. */
bool emu_order_knows(const emu_warp *warp, unsigned lane, const emu_stamp *stamp);

/* Members of a warp have met. */
void emu_order_meet(emu_warp *warp, uint32_t members);
/* A warp has come to a barrier of its block; all have, and it is about to let them go. */
void emu_order_arrive(emu_warp *warp, unsigned barrier);
void emu_order_release(emu_block *block, unsigned barrier);
/* The same for the cluster's. */
void emu_order_cluster_arrive(emu_warp *warp);
void emu_order_cluster_release(emu_group *group);
void emu_order_fence(emu_warp *warp);
/* The warp publishes what it knew at its last fence (`now`: what it knows now) at a place in
 * memory, or learns what was published there. */
void emu_order_publish(emu_warp *warp, const uint8_t *place, bool now);
void emu_order_acquire(emu_warp *warp, const uint8_t *place);
/* cp.async: the lanes in the mask close a group; wait until at most `left` closed ones are open. */
void emu_order_commit(emu_warp *warp);
void emu_order_wait(emu_warp *warp, uint32_t left);
/* Forgets what was published. */
void emu_order_forget(emu_check *check);

/* ---- threads that do not come (check_barrier.c) ---- */

/* Returns the lanes that wait at the barrier of the block. None may wait at another place, or have
 * gone past it. */
uint32_t emu_check_barrier(const emu_warp *warp, unsigned barrier);
/* The same of an operation for members of a warp, all of which have come or returned. */
void emu_check_members(const emu_warp *warp, const emu_op *op, uint32_t members);
/* A shuffle of the lane takes its value from another one, which must not have exited. */
void emu_check_source(const emu_warp *warp, const emu_op *op, unsigned lane, unsigned from);

/* No group of the worker can go on: says which threads wait. */
void emu_check_stuck(const emu_group *group);
