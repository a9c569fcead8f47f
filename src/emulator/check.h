/* The sanitizer: follows what each launch of a checked stretch does to memory, and which accesses
 * are ordered. When it is off, it costs the test of a pointer.
 *
 * Order is happens-before, by vector clocks. A warp's clock advances with each operation that
 * orders: barriers of block, cluster and warp, shuffles and votes, fences, releases by mbarriers. A
 * warp learns other warps' clocks at barriers, and from atomic and volatile accesses to places
 * where a warp has published what it knew at its last fence. Lanes of a warp are distinguished by
 * what they know of each other. If a thread returns, its accesses after its last ordering operation
 * stay unordered. Where this is coarser than the language, it assumes order: it may miss a bug, but
 * never invents one.
 *
 * An asynchronous copy comes before whatever a thread does after waiting for it. A bulk copy moves
 * its bytes at once, but reports them to its mbarrier as late as possible: when no thread can go on
 * otherwise (check_async.c). It uses the asynchronous proxy, so a proxy fence must hand over its
 * mbarrier and what it reads: beside each clock there is one of what was handed over.
 *
 * A checked launch runs on one host thread. */
#pragma once

#include "emulator/address.h"
#include "emulator/program.h"

typedef struct emu_check emu_check;

/* ---- a checked stretch (check.c) ---- */

/* Begins a stretch of launches, without notes. If memory runs out, checking stays off. */
void emu_check_on(void);
/* Ends the stretch and returns its findings: one line each, with fields separated by tabs
 * (extensions.h). Valid until the next stretch ends. */
const char *emu_check_off(void);

/* Describes [address, address + bytes): its name in messages, the size of its elements, whether it
 * has been set (EMU_CHECK_SET), and whether threads may store the same value to an element and read
 * it at the same time (EMU_CHECK_RACES). */
void emu_check_note(uint64_t address, uint64_t bytes, const char *name, uint32_t element_bytes,
                    unsigned flags);
/* Record that a kernel's malloc() returned memory, which is unset; that free() released it. */
void emu_check_allocated(emu_check *check, uint64_t address, uint64_t bytes);
void emu_check_freed(emu_check *check, uint64_t address);
/* Records that a copy or fill of the driver has set memory. */
void emu_check_filled(uint64_t address, uint64_t bytes);

/* Returns the stretch, for a launch to take part in; NULL: none. emu_check_settle() ends the launch
 * and orders all it did before the next one. */
emu_check *emu_check_join(const emu_launch *launch);
void emu_check_settle(emu_check *check);

/* ---- findings (check.c) ---- */

/* An access of memory: which lane, and when. */
typedef struct emu_stamp {
    uint32_t warp;  /* index in the grid plus one; 0: none */
    uint32_t clock; /* the warp's */
    uint32_t line;  /* in the PTX */
    uint32_t group; /* of an asynchronous copy, plus one; 0: no copy. With EMU_HOW_PHASE the
                       component of its mbarrier, whose clock `clock` then is */
    uint8_t lane;
    uint16_t how;
} emu_stamp;

enum {
    EMU_HOW_READ = 1,
    EMU_HOW_WRITE = 2,
    EMU_HOW_STRONG = 4, /* atomic, volatile or ordered: two of them do not race */
    EMU_HOW_CAS = 8,
    EMU_HOW_UNSET = 16,    /* writes a value that nothing has set */
    EMU_HOW_PHASE = 32,    /* a bulk copy that a phase of an mbarrier waits for */
    EMU_HOW_BULK = 64,     /* a bulk copy of a bulk group */
    EMU_HOW_NC = 128,      /* a read by ld.global.nc */
    EMU_HOW_PRODUCT = 256, /* a read by a group of wgmma */
    EMU_HOW_ASYNC_PROXY = EMU_HOW_PHASE | EMU_HOW_BULK | EMU_HOW_PRODUCT
};

/* Records a finding of the lane at `op`. `other` (may be NULL) is the access that it concerns;
 * `where` names the place ("": none). */
void emu_check_report(const emu_warp *warp, const emu_op *op, unsigned lane, const char *kind,
                      const char *where, const emu_stamp *other, const char *what);
/* Records a fault, which ends the launch, as a finding. */
void emu_check_fault(const emu_warp *warp, const emu_op *op, int code, unsigned lane,
                     uint64_t address, const char *what);
/* Names a global address as an element of an argument. */
void emu_check_name(char *out, size_t out_bytes, const emu_check *check, uint64_t address);

/* ---- accesses (check_access.c) ---- */

/* Checks a resolved access. With EMU_ACCESS_STORE the values matter: then emu_check_stored()
 * follows each lane's store, with the bytes that were there `before`. */
void emu_check_access(emu_warp *warp, const emu_op *op, const emu_access *access);
void emu_check_stored(emu_warp *warp, const emu_op *op, const emu_access *access, unsigned lane,
                      const uint8_t *before);

/* ---- values (check_flow.c) ---- */

/* The lanes in which a register is unset. Its value was read at `line` from memory that nothing has
 * set (0: nothing has set the register) or, if `shuffled`, comes from a thread that takes no part
 * in the shuffle at `line`. `product` is the group, plus one, of a wgmma that has not been waited
 * for. */
typedef struct emu_unset {
    uint32_t lanes, line;
    uint32_t product;
    bool shuffled;
} emu_unset;
/* Reports that an unset value reaches `where` or, if that is "", that it decides what is done. */
void emu_check_report_unset(const emu_warp *warp, const emu_op *op, unsigned lane,
                            const char *where, const emu_unset *unset);

enum { EMU_UNSET_ELEMENTS = 8 };

/* Runs the operation, and follows unset values through it. */
void emu_check_run(emu_warp *warp, const emu_op *op);
/* Checks only the condition of an operation that no lane runs. */
void emu_check_skip(emu_warp *warp, const emu_op *op);

/* ---- order (check_order.c) ---- */

typedef struct emu_clock emu_clock;

/* Clocks of components: a block's warps, then slots for what else its threads wait for. */
typedef struct emu_knowledge {
    emu_clock *order;
    emu_clock *proxied; /* the part that a proxy fence has handed over */
    emu_clock *fenced;  /* the part that its threads have fenced */
} emu_knowledge;

/* A lane's groups of asynchronous copies. */
typedef struct emu_groups {
    uint32_t group, waited; /* the open group, and the last one waited for */
    uint32_t at[16];        /* clock of the wait for a group, by group modulo 16 */
} emu_groups;

/* Knowledge of one warp. */
typedef struct emu_warp_order {
    uint32_t index; /* of the warp among the grid's components */
    uint32_t clock, full;
    uint32_t know[EMU_WARP][EMU_WARP]; /* clock up to which lane [a] knows lane [b]; all know all up
                                          to `full` */
    emu_knowledge known;               /* about other warps */
    emu_knowledge fenced;              /* the same and its own clock, at its last fence */
    emu_knowledge within;              /* the same, at its last fence for its block only */
    emu_knowledge some;                /* only what the lanes in some_lanes know */
    emu_knowledge relaxed;             /* by relaxed reads: counts after a fence */
    emu_knowledge observed; /* by volatile reads: counts after a fence, barrier or shuffle */
    bool reads_weakly;      /* the current access is a weak read, for which neither counts yet */
    uint32_t some_lanes;
    uint32_t proxied[EMU_WARP];            /* clock of the lane's last proxy fence */
    uint32_t initialised[EMU_WARP];        /* clock of its last fence.mbarrier_init */
    uint32_t loaded[EMU_UNSET_ELEMENTS];   /* lanes that load an unset value, by element */
    emu_unset storing[EMU_UNSET_ELEMENTS]; /* unset values to store, by element */
    uint32_t shuffled;                     /* lanes that get the value of lane from[LANE] */
    uint8_t from[EMU_WARP];
    uint32_t ordered[EMU_WARP];    /* clock of the lane's last ordering operation */
    const emu_op *last[EMU_WARP];  /* the lane's last access of global or shared memory */
    emu_groups async[EMU_WARP];    /* of cp.async */
    emu_groups bulk[EMU_WARP];     /* of bulk copies */
    emu_groups read[EMU_WARP];     /* the same, for the end of their reads */
    emu_groups products[EMU_WARP]; /* of wgmma */
    uint32_t bulk_line[EMU_WARP];  /* of the last bulk copy, and its group */
    uint32_t bulk_group[EMU_WARP];
    struct {
        const emu_op *op; /* the last test of an mbarrier whose phase was not over */
        const uint8_t *at;
        unsigned lane;
    } poll;
    const emu_stamp *copying; /* stamp of the running bulk copy's accesses, or NULL */
} emu_warp_order;

/* An mbarrier of a block. */
typedef struct emu_slot {
    const uint8_t *at;
    uint32_t completed;               /* phases */
    emu_knowledge arriving, complete; /* of arrivals in this phase; in all before */
    emu_stamp init;
} emu_slot;

/* State of a block's barriers and shared memory. */
typedef struct emu_block_order {
    emu_warp_order *warps;
    emu_knowledge barriers[EMU_BARRIERS];
    emu_knowledge cluster; /* in the first block: arrivals at the cluster's barrier */
    emu_slot *slots;
    uint32_t slot_count;
    struct emu_cell *cells;
    size_t cell_count;
    uint8_t *local_set; /* for each byte of local memory, whether it was set; by warp and lane */
    size_t local_bytes; /* of a warp */
} emu_block_order;

emu_block_order *emu_order_new(const emu_block *block);
void emu_order_start(emu_block *block);
void emu_order_free(emu_block *block);

/* Returns true if the stamped access happens before what the lane does now. */
bool emu_order_knows(const emu_warp *warp, unsigned lane, const emu_stamp *stamp);

/* Returns true if the stamped access was handed over to the asynchronous proxy. For an mbarrier's
 * initialisation, fence.mbarrier_init suffices. */
bool emu_order_is_proxied(const emu_warp *warp, unsigned lane, const emu_stamp *stamp,
                          bool of_mbarrier);
/* Returns true if the lane knows that the block has started. */
bool emu_order_knows_start(const emu_warp *warp, unsigned lane, const emu_block *block);

/* Orders the members of a warp that have met. */
void emu_order_meet(emu_warp *warp, uint32_t members);
/* Record that a warp has arrived at a barrier of its block; that all have, before they go on. */
void emu_order_arrive(emu_warp *warp, unsigned barrier);
void emu_order_release(emu_block *block, unsigned barrier);
/* The same for the cluster's barrier. */
void emu_order_cluster_arrive(emu_warp *warp);
void emu_order_cluster_release(emu_group *group);
void emu_order_fence(emu_warp *warp, bool within);
void emu_order_proxy_fence(emu_warp *warp);
void emu_order_init_fence(emu_warp *warp); /* fence.mbarrier_init */
/* Publishes at a place what the warp knew at its last fence (`now`: what it knows now), or learns
 * what was published there: at once or, if `flags` say that the access is relaxed or volatile, with
 * what follows. `within`: only for its block. */
void emu_order_publish(emu_warp *warp, const uint8_t *place, bool now, bool within);
void emu_order_acquire(emu_warp *warp, const uint8_t *place, unsigned flags);
/* The same for an mbarrier's slot: the warp arrives; a phase completes, which the block's component
 * `component` counts; the lanes learn what was published (in all complete phases). */
void emu_order_arrive_at(emu_warp *warp, emu_slot *slot);
void emu_order_complete(emu_slot *slot, uint32_t component);
void emu_order_observe(emu_warp *warp, const emu_knowledge *told, uint32_t lanes);
/* Records that the running lanes know the component's clock 1, as after griddepcontrol.wait. */
void emu_order_note(emu_warp *warp, uint32_t component);
/* Closes a group of copies for the lanes in the mask; waits until at most `left` of them run. */
void emu_order_commit(const emu_warp *warp, emu_groups *groups);
void emu_order_wait(const emu_warp *warp, emu_groups *groups, uint32_t left);
/* Forgets all that was published. */
void emu_order_forget(emu_check *check);

/* ---- missing threads (check_barrier.c) ---- */

/* Returns the lanes that wait at the block's barrier. Reports a warp whose lanes wait at different
 * places or have gone past it. */
uint32_t emu_check_barrier(const emu_warp *warp, unsigned barrier);
/* The same for an operation of a warp's members, all of which have arrived or returned. */
void emu_check_members(const emu_warp *warp, const emu_op *op, uint32_t members);
/* Notes that a shuffle of the lane takes its value from lane `from`. Reports a source that has
 * exited although the mask `named` contains it. */
void emu_check_source(emu_warp *warp, const emu_op *op, unsigned lane, unsigned from,
                      uint32_t named);

/* Reports which threads wait, because no group of the worker can go on. */
void emu_check_stuck(const emu_group *group);
/* Reports where a thread of the groups runs, because the launch seems endless. */
void emu_check_endless(const emu_group *group);

/* ---- asynchronous copies (check_async.c) ---- */

/* Record griddepcontrol.wait: the previous launch is over; return true if the lane knows that. */
void emu_check_grid_wait(emu_warp *warp);
bool emu_check_has_waited(const emu_warp *warp, unsigned lane);
/* Records that the lane found a phase of the mbarrier not over, and tries again. */
void emu_check_poll(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at);
/* Reports the lanes of the group that do so; returns true if there are any. */
bool emu_check_polls(const emu_group *group);

/* Record that an mbarrier was initialised; that the lane uses it; that the lane makes `count` of
 * the phase's arrivals; that its state changed; that the lanes saw a phase end. */
void emu_check_mbarrier_init(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at);
void emu_check_mbarrier_use(const emu_warp *warp, const emu_op *op, unsigned lane,
                            const uint8_t *at);
void emu_check_mbarrier_arrive(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at,
                               uint32_t count, bool publishes);
void emu_check_mbarrier_change(emu_group *group, const uint8_t *at, uint64_t before);
void emu_check_mbarrier_over(emu_warp *warp, const uint8_t *at, uint32_t lanes);

/* Begins a bulk copy of the lane, which signals the mbarrier at `at` (NULL: it belongs to a bulk
 * group). *stamp lives until the copy ends. */
void emu_check_copy_begin(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at,
                          emu_stamp *stamp);
void emu_check_copy_end(const emu_warp *warp);
/* The same for a product by wgmma, which reads shared memory. */
void emu_check_product_begin(const emu_warp *warp, emu_stamp *stamp);
/* Notes the bytes of a copy, to be reported to the mbarrier later. */
void emu_check_transfer(emu_warp *warp, const emu_op *op, unsigned lane, uint8_t *at,
                        uint32_t bytes);
/* Reports the oldest noted bytes of the group; returns false if there are none. */
bool emu_check_deliver(emu_group *group);
/* Checks a block whose threads have all exited. */
void emu_check_block_end(emu_block *block);
