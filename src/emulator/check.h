/* The sanitizer watches a checked stretch: all launches between emu_check_on() and emu_check_off().
 * It reports races, reads of unset memory, threads that are missing at a barrier, and similar
 * mistakes. Outside of a stretch, it costs only the test of a pointer.
 *
 * Shadow memory (check_stretch.h) records the last accesses to each piece of memory. A new access
 * races with a recorded access if one of them is a write, and if the recorded access does not
 * happen before the new one. Vector clocks, which have a component for each warp of the grid,
 * determine this order. The clock of a warp advances at each operation that orders accesses:
 * barriers of its block, cluster or warp, shuffles, votes, fences, and arrivals at mbarriers. At a
 * barrier, a warp merges the clocks of the other warps. A warp also merges clocks at an atomic or
 * volatile access to an address where another warp has published the clocks of its last fence.
 * Within a warp, each pair of lanes may be ordered up to a different clock. If a thread returns,
 * its accesses after its last ordering operation are never ordered. If this model cannot express
 * an order as exactly as the memory model of PTX, it assumes that accesses are ordered. The
 * sanitizer may therefore miss a bug, but every finding is real.
 *
 * An asynchronous copy happens before everything that a thread does after waiting for the copy. A
 * bulk copy moves its bytes immediately, but reports them to its mbarrier as late as possible: when
 * no thread can continue without them (check_async.c). Bulk copies access memory through the
 * asynchronous proxy. They see mbarriers and the writes of threads only after a proxy fence. Each
 * vector clock has a second one for the accesses that proxy fences have made visible.
 *
 * A checked launch runs on one host thread. */
#pragma once

#include "emulator/address.h"
#include "emulator/program.h"

typedef struct emu_check emu_check;

/* ---- a checked stretch (check.c) ---- */

/* Begins a checked stretch. If memory runs out, launches are not checked. */
void emu_check_on(void);
/* Ends the stretch. Returns its findings, one per line, valid until the next stretch ends. */
const char *emu_check_off(void);

/* Describes the memory [address, address + bytes): the name for messages, the size of an element,
 * and the EMU_CHECK_ flags (extensions.h). Call it before the first launch. */
void emu_check_note(uint64_t address, uint64_t bytes, const char *name, uint32_t element_bytes,
                    unsigned flags);
/* Record that a kernel's malloc() allocated uninitialised memory, or that free() released it. */
void emu_check_allocated(emu_check *check, uint64_t address, uint64_t bytes);
void emu_check_freed(emu_check *check, uint64_t address);
/* Records that a copy or fill has initialised this memory. */
void emu_check_filled(uint64_t address, uint64_t bytes);

/* Adds a launch to the current stretch and returns the stretch, or NULL if there is none. Call
 * emu_check_settle() after the launch. All accesses of a launch happen before those of the next
 * launch, unless the next launch is programmatic. */
emu_check *emu_check_join(const emu_launch *launch);
void emu_check_settle(emu_check *check);

/* ---- findings (check.c) ---- */

/* A memory access, the lane that made it, and the time. */
typedef struct emu_stamp {
    uint32_t warp;  /* component of the warp in vector clocks, plus one; 0: no access */
    uint32_t clock; /* clock of the warp */
    uint32_t line;  /* PTX line */
    /* the access's group of asynchronous copies or matrix products, plus one; 0: none. With
     * EMU_HOW_PHASE, it is the component of the copy's mbarrier in vector clocks, plus one, and
     * `clock` is a clock of this mbarrier */
    uint32_t group;
    uint8_t lane;
    uint16_t how;
} emu_stamp;

enum {
    EMU_HOW_READ = 1,
    EMU_HOW_WRITE = 2,
    EMU_HOW_STRONG =
        4, /* atomic, volatile, or with a memory order; two strong accesses do not race */
    EMU_HOW_CAS = 8,
    EMU_HOW_UNSET = 16,    /* a write of an unset value */
    EMU_HOW_PHASE = 32,    /* a bulk copy that completes on an mbarrier */
    EMU_HOW_BULK = 64,     /* a bulk copy that completes in a bulk group */
    EMU_HOW_NC = 128,      /* a read by ld.global.nc */
    EMU_HOW_PRODUCT = 256, /* a read of shared memory by wgmma */
    EMU_HOW_FIRST = 512,   /* the first write to unset global memory */
    EMU_HOW_ASYNC_PROXY = EMU_HOW_PHASE | EMU_HOW_BULK | EMU_HOW_PRODUCT
};

/* Records a finding about the operation `op` of a lane. `other` is the conflicting access, or NULL.
 * `where` is the name of the memory, or "". */
void emu_check_report(const emu_warp *warp, const emu_op *op, unsigned lane, const char *kind,
                      const char *where, const emu_stamp *other, const char *what);
/* Records a fault, which ends the launch, as a finding. */
void emu_check_fault(const emu_warp *warp, const emu_op *op, int code, unsigned lane,
                     uint64_t address, const char *what);
/* Writes the name of the memory at a global address, such as "y[3] of 8" or a variable's name. */
void emu_check_name(char *out, size_t out_bytes, const emu_check *check, uint64_t address);

/* ---- memory accesses (check_access.c) ---- */

/* Checks a memory access whose addresses are resolved. Ignores operations with EMU_ACCESS_STORE,
 * because their handlers call emu_check_stored() instead. */
void emu_check_access(emu_warp *warp, const emu_op *op, const emu_access *access);
/* Checks a lane's store after it was made. `before` points to the bytes that were overwritten. */
void emu_check_stored(emu_warp *warp, const emu_op *op, const emu_access *access, unsigned lane,
                      const uint8_t *before);

/* ---- unset values (check_flow.c) ---- */

/* The lanes in which a register is unset, and the origin of one such value. `line` is the PTX line
 * of a load from unset memory or, if `shuffled` is true, of a shuffle whose source thread does not
 * take part. If `line` is 0, the register was never written. If a wgmma may still write the
 * register, `product` is the number of the wgmma's group plus one; otherwise it is 0. */
typedef struct emu_unset {
    uint32_t lanes, line;
    uint32_t product;
    bool shuffled;
} emu_unset;
/* Reports that an unset value is stored to the memory `where`. If `where` is "", reports that a
 * branch or the predicate of a store depends on an unset value. */
void emu_check_report_unset(const emu_warp *warp, const emu_op *op, unsigned lane,
                            const char *where, const emu_unset *unset);

enum { EMU_UNSET_ELEMENTS = 8 };

void emu_check_run(emu_warp *warp, const emu_op *op);
/* Checks the guard predicate of an operation whose predicate is false in all lanes. */
void emu_check_skip(emu_warp *warp, const emu_op *op);

/* ---- order of accesses (check_order.c) ---- */

typedef struct emu_clock emu_clock;

/* Vector clocks, which determine the order of accesses. They have one component for each warp, one
 * for each block's griddepcontrol.wait, and one for each mbarrier. */
typedef struct emu_knowledge {
    emu_clock *order;
    emu_clock *proxied; /* accesses that proxy fences have made visible to the asynchronous proxy */
    emu_clock *fenced;  /* accesses that happened before a fence of any warp */
} emu_knowledge;

/* The groups of asynchronous copies of a lane, numbered from 1. */
typedef struct emu_groups {
    uint32_t group, waited; /* the open group, and the last group that was waited for */
    uint32_t at[16];        /* at[g % 16] is the clock of the warp when it waited for group g */
} emu_groups;

/* The accesses that are known to happen before the next accesses of a warp and of its lanes. */
typedef struct emu_warp_order {
    uint32_t index; /* component of the warp in vector clocks */
    uint32_t clock;
    /* accesses of all lanes up to this clock are ordered before the next accesses of all lanes */
    uint32_t full;
    uint32_t know[EMU_WARP][EMU_WARP]; /* [a][b]: accesses of lane b up to this clock are ordered
                                        * before later accesses of lane a */
    emu_knowledge known;               /* vector clocks of the warp */
    emu_knowledge fenced; /* vector clocks at the warp's last fence, including its own clock */
    emu_knowledge within; /* vector clocks at the last fence of block scope */
    emu_knowledge some;   /* vector clocks that only the lanes in some_lanes have learned */
    /* vector clocks that relaxed reads found; they take effect at the next fence */
    emu_knowledge relaxed;
    emu_knowledge observed; /* vector clocks that volatile reads found; they take effect at the next
                               fence, barrier or shuffle */
    /* true during a weak access, which ignores `relaxed` and `observed` */
    bool reads_weakly;
    uint32_t some_lanes;
    uint32_t proxied[EMU_WARP];     /* the warp's clock at each lane's last proxy fence */
    uint32_t initialised[EMU_WARP]; /* the clock at each lane's last fence.mbarrier_init */
    /* for each element of a load or store: the lanes in which it is unset */
    uint32_t loaded[EMU_UNSET_ELEMENTS];
    emu_unset storing[EMU_UNSET_ELEMENTS];
    uint32_t shuffled; /* lanes that have received a value from another lane */
    uint8_t from[EMU_WARP];
    uint32_t ordered[EMU_WARP];   /* the warp's clock at each lane's last ordering operation */
    const emu_op *last[EMU_WARP]; /* each lane's last access of global or shared memory */
    emu_groups async[EMU_WARP];
    emu_groups bulk[EMU_WARP];
    emu_groups read[EMU_WARP];     /* groups of bulk copies that may still read their sources */
    emu_groups products[EMU_WARP]; /* groups of wgmma */
    uint32_t bulk_line[EMU_WARP];  /* PTX line and group of each lane's last bulk copy */
    uint32_t bulk_group[EMU_WARP];
    struct {
        const emu_op *op; /* the last test that found an mbarrier's phase incomplete */
        const uint8_t *at;
        unsigned lane;
    } poll;
    const emu_stamp *copying; /* stamp of the copy or product that is running, or NULL */
} emu_warp_order;

typedef struct emu_slot {
    const uint8_t *at;
    uint32_t completed;
    emu_knowledge arriving; /* vector clocks that arrivals in the current phase have published */
    emu_knowledge complete; /* vector clocks that arrivals in all earlier phases have published */
    emu_stamp init;
} emu_slot;

/* The sanitizer's state of a block: its barriers and mbarriers, and its shared and local memory. */
typedef struct emu_block_order {
    emu_warp_order *warps;
    emu_knowledge barriers[EMU_BARRIERS];
    /* arrivals at the cluster's barrier; used only in the cluster's first block */
    emu_knowledge cluster;
    emu_slot *slots;
    uint32_t slot_count;
    struct emu_cell *cells;
    size_t cell_count;
    uint8_t *local_set; /* 1 for each initialised byte of a lane's local memory */
    size_t local_bytes;
    bool has_triggered; /* true after griddepcontrol.launch_dependents */
} emu_block_order;

emu_block_order *emu_order_new(const emu_block *block);
void emu_order_start(emu_block *block);
void emu_order_free(emu_block *block);

/* Returns true if the access in `stamp` happens before the lane's next access. */
bool emu_order_knows(const emu_warp *warp, unsigned lane, const emu_stamp *stamp);

/* Returns true if a proxy fence has made the access in `stamp` visible to the asynchronous proxy.
 * If the access initialised an mbarrier, fence.mbarrier_init is sufficient. */
bool emu_order_is_proxied(const emu_warp *warp, unsigned lane, const emu_stamp *stamp,
                          bool of_mbarrier);
/* Returns true if the block's start happens before the lane's next access. */
bool emu_order_knows_start(const emu_warp *warp, unsigned lane, const emu_block *block);

/* Records that members of a warp have synchronised, which orders their earlier accesses. */
void emu_order_join(emu_warp *warp, uint32_t members);
/* Record that a warp arrives at a barrier of its block, or that all waiting warps continue. */
void emu_order_arrive(emu_warp *warp, unsigned barrier);
void emu_order_release(emu_block *block, unsigned barrier);
/* Record that a warp arrives at the cluster's barrier, or that all waiting warps continue. */
void emu_order_cluster_arrive(emu_warp *warp);
void emu_order_cluster_release(emu_group *group);
void emu_order_fence(emu_warp *warp, bool within);
void emu_order_proxy_fence(emu_warp *warp);
void emu_order_init_fence(emu_warp *warp); /* fence.mbarrier_init */
/* Pass vector clocks through memory. emu_order_publish() stores clocks for the address `place`: the
 * clocks of the warp's last fence or, if `now` is true, the warp's current clocks. If `within` is
 * true, only the warp's own block can acquire the current clocks. emu_order_acquire() merges the
 * stored clocks into the warp's clocks. After a relaxed or volatile access (`flags`), clocks that
 * all blocks can acquire take effect later (see `relaxed` and `observed` in emu_warp_order). */
void emu_order_publish(emu_warp *warp, const uint8_t *place, bool now, bool within);
void emu_order_acquire(emu_warp *warp, const uint8_t *place, unsigned flags);
/* Record events of an mbarrier. emu_order_arrive_at(): a warp arrives and publishes its clocks.
 * emu_order_complete(): a phase completes, and the mbarrier's component of the clocks advances.
 * emu_order_observe(): lanes acquire the clocks that the arrivals of completed phases published. */
void emu_order_arrive_at(emu_warp *warp, emu_slot *slot);
void emu_order_complete(emu_slot *slot, uint32_t component);
void emu_order_observe(emu_warp *warp, const emu_knowledge *acquired, uint32_t lanes);
/* Raises a component of the running lanes' vector clocks to at least 1. */
void emu_order_note(emu_warp *warp, uint32_t component);
/* Record that each running lane closes its group of copies, or waits for all but `left` groups. */
void emu_order_commit(const emu_warp *warp, emu_groups *groups);
void emu_order_wait(const emu_warp *warp, emu_groups *groups, uint32_t left);
/* Discards all published clocks. */
void emu_order_forget(emu_check *check);

/* ---- missing threads (check_barrier.c) ---- */

/* Returns the lanes of the warp that wait at a barrier of the block. Reports lanes that wait at
 * different instructions, and other threads of the warp that went past the barrier and returned. */
uint32_t emu_check_barrier(const emu_warp *warp, unsigned barrier);
/* Reports members that went past a warp-wide operation without taking part in it, and then
 * returned. Call this function when all members that have not returned have arrived. */
void emu_check_members(const emu_warp *warp, const emu_op *op, uint32_t members);
/* Records that `lane` receives the value of lane `from` in a shuffle. Reports a finding if `from`
 * has exited although the member mask `named` contains it. */
void emu_check_source(emu_warp *warp, const emu_op *op, unsigned lane, unsigned from,
                      uint32_t named);

/* Reports the waiting threads of the worker's groups, when none of these threads can continue. */
void emu_check_stuck(const emu_group *group);
/* Reports a launch that does not seem to end, with the position of one of its threads. */
void emu_check_endless(const emu_group *group);

/* ---- asynchronous copies (check_async.c) ---- */

/* Record that the warp has waited for the previous launch (griddepcontrol.wait), or that it has
 * triggered the next launch. emu_check_has_waited() returns true if the lane has waited. */
void emu_check_grid_wait(emu_warp *warp);
void emu_check_grid_trigger(emu_warp *warp);
bool emu_check_has_waited(const emu_warp *warp, unsigned lane);
/* Records that the lane found the mbarrier's phase incomplete and will test it again. */
void emu_check_poll(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at);
/* Reports the group's lanes that repeatedly test an mbarrier. Returns false if there are none. */
bool emu_check_polls(const emu_group *group);

/* Record events of an mbarrier: it was initialised, a lane used it, a lane made `count` arrivals,
 * its state changed, or lanes have seen that a phase ended. */
void emu_check_mbarrier_init(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at);
void emu_check_mbarrier_use(const emu_warp *warp, const emu_op *op, unsigned lane,
                            const uint8_t *at);
void emu_check_mbarrier_arrive(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at,
                               uint32_t count, bool publishes);
void emu_check_mbarrier_change(emu_group *group, const uint8_t *at, uint64_t before);
void emu_check_mbarrier_over(emu_warp *warp, const uint8_t *at, uint32_t lanes);

/* Begins a bulk copy of the lane. The copy completes on the mbarrier at `at` or, if `at` is NULL,
 * in a bulk group. *stamp must stay valid until the copy ends. */
void emu_check_copy_begin(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at,
                          emu_stamp *stamp);
void emu_check_copy_end(const emu_warp *warp);
/* Begins a matrix product (wgmma), which reads shared memory. */
void emu_check_product_begin(const emu_warp *warp, emu_stamp *stamp);
/* Records copied bytes, so emu_check_deliver() can report them to their mbarrier later. */
void emu_check_transfer(emu_warp *warp, const emu_op *op, unsigned lane, uint8_t *at,
                        uint32_t bytes);
/* Reports the group's oldest recorded bytes to their mbarrier. Returns false if there are none. */
bool emu_check_deliver(emu_group *group);
/* Checks a block after all its threads have exited. */
void emu_check_block_end(emu_block *block);
