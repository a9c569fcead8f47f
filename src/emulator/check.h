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
 * What an asynchronous copy does is before what a thread does that has waited for it. A bulk copy
 * moves its bytes at once, and tells its mbarrier of them as late as can be: when no thread can go
 * on without (check_async.c). It uses the asynchronous proxy: what it reads, and its mbarrier, must
 * have been handed over by a proxy fence, so that beside each clock there is one of what was.
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
 * whether it has been set (EMU_CHECK_SET), and whether threads may store the same value to an
 * element, and read it meanwhile (EMU_CHECK_RACES). */
void emu_check_note(uint64_t address, uint64_t bytes, const char *name, uint32_t element_bytes,
                    unsigned flags);
/* malloc() of a kernel has given memory out, which nothing has set; free() has taken it back. */
void emu_check_allocated(emu_check *check, uint64_t address, uint64_t bytes);
void emu_check_freed(emu_check *check, uint64_t address);
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
    uint32_t group; /* of an asynchronous copy, plus one; 0: no copy. With EMU_HOW_PHASE the
                       component of its mbarrier, and the clock is the mbarrier's */
    uint8_t lane;
    uint16_t how;
} emu_stamp;

enum {
    EMU_HOW_READ = 1,
    EMU_HOW_WRITE = 2,
    EMU_HOW_STRONG = 4, /* atomic, volatile or with an order: no race with another such */
    EMU_HOW_CAS = 8,
    EMU_HOW_UNSET = 16,    /* a write of what nothing has set */
    EMU_HOW_PHASE = 32,    /* a bulk copy that a phase of an mbarrier waits for */
    EMU_HOW_BULK = 64,     /* one of a bulk group */
    EMU_HOW_NC = 128,      /* a read by the path for data that nothing writes */
    EMU_HOW_PRODUCT = 256, /* one of a group of wgmma */
    EMU_HOW_ASYNC_PROXY = EMU_HOW_PHASE | EMU_HOW_BULK | EMU_HOW_PRODUCT
};

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
 * a register. Or they come from threads that take no part in the shuffle of that line. The value of
 * a wgmma, which is not there before a wait, has the number of its group plus one. */
typedef struct emu_unset {
    uint32_t lanes, line;
    uint32_t product;
    bool shuffled;
} emu_unset;
/* Reports that `where` gets such a value, or, where it is "", that it decides what is done. */
void emu_check_report_unset(const emu_warp *warp, const emu_op *op, unsigned lane,
                            const char *where, const emu_unset *unset);

enum { EMU_UNSET_ELEMENTS = 8 };

/* Runs the operation, and follows values that nothing has set through it. */
void emu_check_run(emu_warp *warp, const emu_op *op);
/* No lane runs the operation: looks at the condition alone. */
void emu_check_skip(emu_warp *warp, const emu_op *op);

/* ---- order (check_order.c) ---- */

typedef struct emu_clock emu_clock;

/* Clocks of the components that a block has: its warps, and then slots for the other things that
 * threads wait for. */
typedef struct emu_knowledge {
    emu_clock *order;
    emu_clock *proxied; /* the part that a proxy fence has handed over */
    emu_clock *fenced;  /* the part that is behind a fence of the thread that did it */
} emu_knowledge;

/* Groups of copies that a lane closes and waits for. */
typedef struct emu_groups {
    uint32_t group, waited; /* the open one, and the last that was waited for */
    uint32_t at[16];        /* when a group was waited for, by group modulo 16 */
} emu_groups;

/* What one warp knows. */
typedef struct emu_warp_order {
    uint32_t index; /* of the warp among the grid's components */
    uint32_t clock, full;
    uint32_t know[EMU_WARP][EMU_WARP]; /* lane [a] knows what lane [b] did up to that clock; all
                                          lanes of all up to `full` */
    emu_knowledge known;               /* of other warps */
    emu_knowledge fenced;              /* and of itself, at its last fence; */
    emu_knowledge within;              /* at its last one for its block alone */
    emu_knowledge some;                /* what the lanes in some_lanes alone know */
    emu_knowledge relaxed;             /* what relaxed reads observed: counts after a fence */
    emu_knowledge
        observed;      /* what volatile reads observed: counts after a fence, barrier or shuffle */
    bool reads_weakly; /* the lane's access is a weak read, for which neither counts yet */
    uint32_t some_lanes;
    uint32_t proxied[EMU_WARP];          /* when the lane last fenced what it did: for the proxy, */
    uint32_t initialised[EMU_WARP];      /* and for mbarriers alone */
    uint32_t loaded[EMU_UNSET_ELEMENTS]; /* lanes that the operation loads unset, by element */
    emu_unset storing[EMU_UNSET_ELEMENTS]; /* that it stores unset */
    uint32_t shuffled;                     /* lanes that it gives the value of lane from[LANE] */
    uint8_t from[EMU_WARP];
    uint32_t ordered[EMU_WARP];    /* the clock of what the lane did last that orders */
    const emu_op *last[EMU_WARP];  /* the lane's last access of global or shared memory */
    emu_groups async[EMU_WARP];    /* of cp.async */
    emu_groups bulk[EMU_WARP];     /* of bulk copies */
    emu_groups read[EMU_WARP];     /* the same, where they have read what they copy */
    emu_groups products[EMU_WARP]; /* of wgmma */
    uint32_t bulk_line[EMU_WARP];  /* of the last such copy, and its group */
    uint32_t bulk_group[EMU_WARP];
    struct {
        const emu_op *op; /* of the last test of an mbarrier's phase that was not over */
        const uint8_t *at;
        unsigned lane;
    } poll;
    const emu_stamp *copying; /* how the accesses of a bulk copy are stamped; NULL */
} emu_warp_order;

/* An mbarrier of a block. */
typedef struct emu_slot {
    const uint8_t *at;
    uint32_t completed;               /* phases */
    emu_knowledge arriving, complete; /* of who arrived in this phase; of all before */
    emu_stamp init;
} emu_slot;

/* What one block's barriers and shared memory hold. */
typedef struct emu_block_order {
    emu_warp_order *warps;
    emu_knowledge barriers[EMU_BARRIERS];
    emu_knowledge cluster; /* of the first block: who has arrived at the cluster's barrier */
    emu_slot *slots;
    uint32_t slot_count;
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

/* Whether what the stamp tells was handed over to the asynchronous proxy before; of an mbarrier's
 * initialisation, by a fence for that, too. */
bool emu_order_is_proxied(const emu_warp *warp, unsigned lane, const emu_stamp *stamp,
                          bool of_mbarrier);
/* Whether the lane knows that the block has started. */
bool emu_order_knows_start(const emu_warp *warp, unsigned lane, const emu_block *block);

/* Members of a warp have met. */
void emu_order_meet(emu_warp *warp, uint32_t members);
/* A warp has come to a barrier of its block; all have, and it is about to let them go. */
void emu_order_arrive(emu_warp *warp, unsigned barrier);
void emu_order_release(emu_block *block, unsigned barrier);
/* The same for the cluster's. */
void emu_order_cluster_arrive(emu_warp *warp);
void emu_order_cluster_release(emu_group *group);
void emu_order_fence(emu_warp *warp, bool within);
void emu_order_proxy_fence(emu_warp *warp);
void emu_order_init_fence(emu_warp *warp); /* of mbarriers */
/* The warp publishes what it knew at its last fence (`now`: what it knows now) at a place in
 * memory, or learns what was published there: at once, or if `flags` of the access are of a relaxed
 * or volatile one, with what comes behind it. `within`: that is for its block alone, as fences may
 * be. */
void emu_order_publish(emu_warp *warp, const uint8_t *place, bool now, bool within);
void emu_order_acquire(emu_warp *warp, const uint8_t *place, unsigned flags);
/* The same of an mbarrier's slot: the warp arrives; a phase is complete, which the block's
 * component `component` counts; the lanes learn what was told (of all complete phases). */
void emu_order_arrive_at(emu_warp *warp, emu_slot *slot);
void emu_order_complete(emu_slot *slot, uint32_t component);
void emu_order_observe(emu_warp *warp, const emu_knowledge *told, uint32_t lanes);
/* The running lanes know that the component has come to its clock 1, as griddepcontrol.wait tells.
 */
void emu_order_note(emu_warp *warp, uint32_t component);
/* The lanes in the mask close a group of copies; wait until at most `left` closed ones are open. */
void emu_order_commit(const emu_warp *warp, emu_groups *groups);
void emu_order_wait(const emu_warp *warp, emu_groups *groups, uint32_t left);
/* Forgets what was published. */
void emu_order_forget(emu_check *check);

/* ---- threads that do not come (check_barrier.c) ---- */

/* Returns the lanes that wait at the barrier of the block. None may wait at another place, or have
 * gone past it. */
uint32_t emu_check_barrier(const emu_warp *warp, unsigned barrier);
/* The same of an operation for members of a warp, all of which have come or returned. */
void emu_check_members(const emu_warp *warp, const emu_op *op, uint32_t members);
/* A shuffle of the lane takes its value from another one, which must not have exited where the mask
 * names it. */
void emu_check_source(emu_warp *warp, const emu_op *op, unsigned lane, unsigned from,
                      uint32_t named);

/* No group of the worker can go on: reports which threads wait. */
void emu_check_stuck(const emu_group *group);
/* The launch is taken to be endless: reports where a thread of the groups runs. */
void emu_check_endless(const emu_group *group);

/* ---- asynchronous copies (check_async.c) ---- */

/* griddepcontrol.wait: the launch before is over. emu_check_has_waited(): whether the lane knows.
 */
void emu_check_grid_wait(emu_warp *warp);
bool emu_check_has_waited(const emu_warp *warp, unsigned lane);
/* The lane found that a phase of the mbarrier is not over, and tries again. */
void emu_check_poll(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at);
/* Says which lanes of the group do so; whether there are any. */
bool emu_check_polls(const emu_group *group);

/* An mbarrier was initialised; the lane uses it; the lane arrives at it by `count`
 * of the phase's arrivals; its state became another one; the lanes
 * have seen that a phase is over. */
void emu_check_mbarrier_init(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at);
void emu_check_mbarrier_use(const emu_warp *warp, const emu_op *op, unsigned lane,
                            const uint8_t *at);
void emu_check_mbarrier_arrive(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at,
                               uint32_t count, bool publishes);
void emu_check_mbarrier_change(emu_group *group, const uint8_t *at, uint64_t before);
void emu_check_mbarrier_over(emu_warp *warp, const uint8_t *at, uint32_t lanes);

/* A bulk copy of the lane begins, which tells the mbarrier at `at` (NULL: it is one of a bulk
 * group); *stamp lives until it ends. */
void emu_check_copy_begin(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at,
                          emu_stamp *stamp);
void emu_check_copy_end(const emu_warp *warp);
/* The same of a product by wgmma, which reads shared memory. */
void emu_check_product_begin(const emu_warp *warp, emu_stamp *stamp);
/* It is to tell the mbarrier of its bytes: later. */
void emu_check_transfer(emu_warp *warp, const emu_op *op, unsigned lane, uint8_t *at,
                        uint32_t bytes);
/* Tells of the oldest one of the group; false: there is none. */
bool emu_check_deliver(emu_group *group);
/* All threads of the block have exited. */
void emu_check_block_end(emu_block *block);
