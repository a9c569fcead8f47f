/* The state of the machine while it runs: operations, warps, blocks and groups of blocks.
 *
 * The 32 lanes of a register are adjacent: 64 bytes for a 16-bit register, 128 for 32 bits, 256 for
 * 64 bits, 512 for 128 bits. A predicate is a 32-bit mask. An operand is an offset into the
 * registers of the current frame or, if bit 0 is set, into the constants of the program. Constants
 * have the same layout, so handlers treat immediates like registers. */
#pragma once

#include "emulator/machine.h"

#include <pthread.h>
#include <string.h>

typedef struct emu_warp emu_warp;
typedef struct emu_block emu_block;
typedef struct emu_group emu_group;
typedef struct emu_worker emu_worker;
typedef struct emu_frame emu_frame;
typedef struct emu_op emu_op;

/* Executes an operation for the lanes in warp->mask, which is never empty. */
typedef void (*emu_handler)(emu_warp *warp, const emu_op *op);

struct emu_op {
    emu_handler run;
    uint64_t imm;      /* meaning depends on the handler: an offset, a branch target or flags */
    const void *extra; /* further data for the handler; owned by the program */
    uint32_t dst, a, b, c, d;
    uint32_t guard;      /* register of the guard predicate; EMU_TRUE_SLOT if there is none */
    uint32_t guard_flip; /* all ones if the guard is negated */
    uint32_t line;       /* PTX line */
    uint8_t unit;        /* emu_class */
    uint8_t waits;       /* 1 if the timing model assumes that the warp waits for memory first */
    uint8_t bytes;       /* size of an element in memory */
    uint8_t count;       /* number of elements of a memory access */
    uint8_t space;
    uint8_t width;  /* size of the register that holds an element */
    uint16_t flags; /* meaning depends on the handler */
};

enum {
    EMU_TRUE_SLOT = 0, /* a predicate that is always true */
    EMU_SINK_PREDICATE = 4,
    EMU_CARRY = 8,
    EMU_SINK_SLOT = 128, /* 512 bytes for results that are not used */
    EMU_FIRST_SLOT = 640,
    EMU_BARRIERS = 16,                   /* number of barriers that a kernel can use */
    EMU_ALL_BARRIERS = EMU_BARRIERS + 8, /* number of barriers, including those of warpgroups */
    EMU_WARPGROUP = 4,
    EMU_RANGES = 16,
    EMU_HOT = 256
};

/* A call of a function by some lanes of a warp. */
struct emu_frame {
    emu_frame *parent; /* frame of the caller; NULL in the kernel's frame */
    const struct emu_function *function;
    const emu_op *call; /* the call that created the frame */
    uint32_t return_pc;
    uint8_t *registers;
    uint8_t *params; /* parameters, results and .param variables of each lane */
    uint32_t local_base;
    uint32_t depth;
    uint32_t inside; /* lanes that have not returned from the call */
    /* by register: lanes in which it is unset; NULL in an unchecked launch */
    struct emu_unset *unset;
};

typedef enum emu_state {
    EMU_READY,
    EMU_AT_SYNC,    /* waits for other lanes of its warp at the same instruction */
    EMU_AT_BARRIER, /* waits at a barrier of the block */
    EMU_AT_CLUSTER  /* waits at barrier.cluster.wait */
} emu_state;

/* Lanes at the same position, which run together. */
typedef struct emu_split {
    emu_frame *frame;
    const emu_op *waiting_op;
    uint32_t pc;
    uint32_t mask;
    uint32_t turn;
    uint8_t state;
    uint8_t barrier;
} emu_split;

struct emu_warp {
    uint8_t *base[2]; /* registers of the current frame, and constants of the program */
    uint32_t mask;    /* lanes that execute the current operation */
    uint32_t dead;    /* lanes that have exited or do not exist */
    uint32_t active;  /* lanes of the running split */
    uint32_t pc;      /* next operation */
    uint32_t limit;   /* the split stops when it reaches this position; 0: at once */
    emu_frame *frame;
    emu_block *block;
    emu_worker *worker;
    unsigned split_count;
    emu_split splits[EMU_WARP];
    uint32_t turn;
    uint32_t patience; /* number of operations until other splits run */
    bool yields;       /* true if other warps should run now */
    bool polls;        /* checked launch: true if the warp stopped at a pending mbarrier */
    emu_frame *home;   /* the kernel's frame, which each block reuses */
    uint32_t index;
    uint64_t issued, waits;
    uint8_t *local;                   /* local memory: EMU_WARP x local_bytes */
    uint32_t local_bytes;             /* bytes of local memory of one lane */
    uint32_t cluster_phase[EMU_WARP]; /* cluster barrier phase in which each lane arrived */
    uint16_t tid[3][EMU_WARP];
};

typedef struct emu_barrier {
    uint32_t arrived;
    uint32_t expected; /* number of threads to wait for; 0: all remaining threads */
    uint32_t warps;    /* bit mask of the warps that have arrived */
    uint32_t count, all, any;
} emu_barrier;

struct emu_block {
    emu_group *group;
    emu_warp *warps;
    uint32_t warp_count;
    uint32_t thread_count, live_threads;
    uint32_t ctaid[3];
    uint32_t rank;
    uint8_t *shared;
    uint32_t shared_bytes;
    emu_barrier barriers[EMU_ALL_BARRIERS];
    struct emu_block_order *order; /* NULL in an unchecked launch */
};

typedef struct emu_hot {
    uint64_t sector;
    uint64_t lanes;
} emu_hot;

/* The blocks of a cluster, or a single block. They run on one host thread. */
struct emu_group {
    emu_group *next;
    emu_worker *worker;
    emu_block *blocks;
    uint32_t block_count;
    uint32_t live_threads;
    uint32_t cluster_arrived, cluster_phase;
    uint32_t sm;
    /* for how many rounds in a row the warps of a checked launch have only waited for mbarriers */
    uint32_t idle;
    uint64_t hottest; /* largest count of an entry of `hot` so far */
    emu_hot hot[EMU_HOT];
};

/* Data that all host threads of a launch share. */
typedef struct emu_run_state {
    const emu_launch *launch;
    const struct emu_function *function;
    emu_limits limits;
    uint32_t cluster[3];
    uint32_t blocks_per_group;
    uint64_t groups, groups_per_sm; /* `groups_per_sm`: how many adjacent groups an SM runs */
    uint32_t quantum;               /* number of operations that a warp executes at a time */
    atomic_ullong next_sm;
    atomic_int stop;
    emu_fault *fault;
    pthread_mutex_t lock;
    uint32_t poison;          /* index of the bytes with which shared memory begins (group.c) */
    uint64_t most_operations; /* number of operations after which a checked launch is endless */
} emu_run_state;

/* The state of a host thread, in its own cache lines because its counters change all the time. */
struct emu_worker {
    _Alignas(128) emu_run_state *run;
    emu_group *spare;             /* a group that has ended; the next group reuses its memory */
    emu_range ranges[EMU_RANGES]; /* recently accessed allocations, by PTX line of the access */
    struct emu_l1 *l1;
    struct emu_check *check; /* the sanitizer, or NULL in an unchecked launch */
    emu_counters counters;
};

static inline bool emu_is_full(const emu_warp *warp)
{
    return (warp->mask | warp->dead) == UINT32_MAX;
}

static inline void *emu_lanes(const emu_warp *warp, uint32_t operand)
{
    return warp->base[operand & 1] + (operand & ~1u);
}

static inline uint32_t emu_predicate(const emu_warp *warp, uint32_t operand)
{
    uint32_t value;
    memcpy(&value, warp->base[0] + operand, sizeof value);
    return value;
}

static inline void emu_set_predicate(emu_warp *warp, uint32_t operand, uint32_t mask,
                                     uint32_t value)
{
    uint32_t *place = (uint32_t *)(warp->base[0] + operand);
    *place = (*place & ~mask) | (value & mask);
}

static inline unsigned emu_popcount(uint32_t value)
{
    /* fast path, because most masks are full and some hosts have no popcount instruction */
    return value == UINT32_MAX ? EMU_WARP : (unsigned)__builtin_popcount(value);
}

#define EMU_FOR_LANES(lane, lanes)                                                                 \
    for (uint32_t rest_ = (lanes), lane;                                                           \
         rest_ && (((lane) = (uint32_t)__builtin_ctz(rest_)), true); rest_ &= rest_ - 1)

/* Vectorises a loop over lanes, even if the result and an operand are the same register. */
#if defined(__clang__)
#define EMU_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#else
#define EMU_VECTOR _Pragma("GCC ivdep")
#endif

/* Compiles the function a second time, for AVX2. The loader selects that version if the host
 * supports AVX2. Both versions give equal results, because operations are not contracted. A build
 * with sanitizers has only one version, because the selection does not work with them. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) &&                            \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define EMU_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define EMU_WIDE
#endif

/* ---- groups (group.c) ---- */

typedef enum emu_progress { EMU_ENDED, EMU_SPENT, EMU_STUCK } emu_progress;

/* Prepares a group of blocks for running, or returns NULL if memory runs out. */
emu_group *emu_group_start(emu_worker *worker, uint64_t index, uint32_t sm);
/* Runs the warps until all threads exit, none can continue, or `budget` operations have run. */
emu_progress emu_group_run(emu_group *group, uint64_t budget);
/* Adds the counts of a group that has ended to those of its worker. Frees the group, or keeps its
 * memory for the worker's next group. */
void emu_group_end(emu_group *group);
void emu_group_free(emu_group *group);

/* ---- splits (split.c) ---- */

/* Runs the warp until its lanes wait or have exited, or about `budget` operations have run. Returns
 * the number of operations. */
uint32_t emu_warp_run(emu_warp *warp, uint32_t budget);

bool emu_warp_is_ready(const emu_warp *warp);

/* Makes the lanes in `mask` of the running split continue at `target`. The other lanes of the split
 * continue after the operation. */
void emu_branch(emu_warp *warp, uint32_t mask, uint32_t target);

/* Adds a split that is ready to run. */
void emu_add_split(emu_warp *warp, emu_frame *frame, uint32_t pc, uint32_t mask);

/* Removes lanes from the running split. The other lanes continue after this operation. */
void emu_leave_split(emu_warp *warp, uint32_t mask);

/* Makes the lanes in `mask` wait in `state`, and continue at `pc` after the wait. */
void emu_wait(emu_warp *warp, const emu_op *op, uint32_t mask, emu_state state, unsigned barrier,
              uint32_t pc);

/* Returns the union of the member masks that the active lanes have in `operand`. */
uint32_t emu_members(const emu_warp *warp, uint32_t operand);

/* Returns true if all members that have not exited execute this .sync operation now. Otherwise
 * makes the split wait for them, and the handler must return. */
bool emu_gather(emu_warp *warp, const emu_op *op, uint32_t members);

/* ---- frames (frame.c) ---- */

/* Creates a frame of the function. `parent` is the frame of the caller, or NULL for a kernel.
 * Returns NULL if memory runs out. */
emu_frame *emu_frame_new(emu_warp *warp, const struct emu_function *function, emu_frame *parent);
/* Zeroes all registers, so a kernel that reads a register before writing it is deterministic. */
void emu_frame_clear(emu_frame *frame);
void emu_frame_free(emu_frame *frame);
/* Remove lanes from a frame, or from a frame and its callers. Frees frames without lanes. */
void emu_frame_return(emu_frame *frame, uint32_t mask);
void emu_frame_exit(emu_frame *frame, uint32_t mask);
/* Frees the frames of all calls that have not returned. */
void emu_frames_free(emu_warp *warp);

/* ---- barriers (op_barrier.c) ---- */

/* Makes the active lanes wait for the other warps of their warpgroup. */
void emu_warpgroup_wait(emu_warp *warp, const emu_op *op);
/* Complete barriers that wait only for threads that have exited. */
void emu_barriers_check(emu_block *block);
void emu_cluster_check(emu_group *group);

/* ---- faults (fault.c) ---- */

/* Records a fault caused by `lane`, if it is the first of the launch, and stops all warps. */
__attribute__((format(printf, 6, 7))) void emu_raise(emu_warp *warp, const emu_op *op, int code,
                                                     unsigned lane, uint64_t address,
                                                     const char *format, ...);
