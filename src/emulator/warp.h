/* The machine's state while it runs: decoded operations, warps, blocks, groups of blocks.
 *
 * Registers are stored register-major: the 32 lanes of a register are adjacent, 64 bytes for 16-bit
 * ones, 128 for 32-bit, 256 for 64-bit, 512 for 128-bit. A predicate is a 32-bit mask. An operand
 * is an offset into the current frame's registers or, with bit 0 set, into the program's constants,
 * which have the same layout; so handlers treat immediates and registers alike. */
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

/* Executes one operation for the lanes in warp->mask, which is never empty. */
typedef void (*emu_handler)(emu_warp *warp, const emu_op *op);

struct emu_op {
    emu_handler run;
    uint64_t imm;      /* address offset, branch target, flags: defined by the handler */
    const void *extra; /* more data for the handler: register lists, calls; owned by the program */
    uint32_t dst, a, b, c, d;
    uint32_t guard;      /* predicate; EMU_TRUE_SLOT without a guard */
    uint32_t guard_flip; /* all ones for @!p */
    uint32_t line;       /* PTX line */
    uint8_t unit;        /* emu_class */
    uint8_t waits;       /* uses the result of a global load that was not waited for yet */
    uint8_t bytes;       /* memory: size of one element */
    uint8_t count;       /* memory: elements */
    uint8_t space;       /* memory: ptx_space */
    uint8_t width;       /* memory: size of the register */
    uint16_t flags;      /* defined by the handler */
};

enum {
    EMU_TRUE_SLOT = 0, /* an always-true predicate */
    EMU_SINK_PREDICATE = 4,
    EMU_CARRY = 8,       /* condition codes of the lanes */
    EMU_SINK_SLOT = 128, /* 512 bytes for results that nothing reads */
    EMU_FIRST_SLOT = 640,
    EMU_BARRIERS = 16,                   /* barriers that a kernel can name */
    EMU_ALL_BARRIERS = EMU_BARRIERS + 8, /* and those of its warpgroups */
    EMU_WARPGROUP = 4,                   /* warps of a warpgroup */
    EMU_RANGES = 16,
    EMU_HOT = 256
};

/* A call of a function by some lanes of a warp. */
struct emu_frame {
    emu_frame *parent; /* NULL: the kernel's frame */
    const struct emu_function *function;
    const emu_op *call; /* the call that made the frame */
    uint32_t return_pc;
    uint8_t *registers;
    uint8_t
        *params; /* formal parameters, results and .param variables: param_bytes for each lane */
    uint32_t local_base;
    uint32_t depth;
    uint32_t inside;         /* lanes that have not returned */
    struct emu_unset *unset; /* checked launch: by register (check_flow.c) */
};

typedef enum emu_state {
    EMU_READY,
    EMU_AT_SYNC,    /* waits for other lanes of its warp to reach the same instruction */
    EMU_AT_BARRIER, /* waits for a barrier of the block */
    EMU_AT_CLUSTER  /* barrier.cluster.wait */
} emu_state;

/* Lanes that run together. */
typedef struct emu_split {
    emu_frame *frame;
    const emu_op *waiting_op;
    uint32_t pc;
    uint32_t mask;
    uint32_t turn; /* time of its last run, for fairness */
    uint8_t state;
    uint8_t barrier;
} emu_split;

struct emu_warp {
    uint8_t *base[2]; /* registers of the running frame, constants of the program */
    uint32_t mask;    /* lanes that execute the current operation */
    uint32_t dead;    /* lanes that are absent or have exited */
    uint32_t active;  /* lanes of the running split */
    uint32_t pc;      /* next operation */
    uint32_t limit;   /* pc that ends the split's run; 0 ends it at once */
    emu_frame *frame;
    emu_block *block;
    emu_worker *worker;
    unsigned current, split_count;
    emu_split splits[EMU_WARP];
    uint32_t turn;
    uint32_t patience; /* operations until waiting splits run */
    bool yields;       /* lets other warps run first */
    bool polls; /* checked launch: the turn ended because an mbarrier's phase is not complete */
    emu_frame *home; /* the kernel's frame, reused for each block */
    uint32_t index;  /* index in the block */
    uint64_t issued, waits;
    uint8_t *local;                   /* EMU_WARP x local_bytes */
    uint32_t local_bytes;             /* of one lane */
    uint32_t cluster_phase[EMU_WARP]; /* phase of each lane's arrival */
    uint16_t tid[3][EMU_WARP];
};

typedef struct emu_barrier {
    uint32_t arrived;         /* threads */
    uint32_t expected;        /* threads; 0: all of the block that have not exited */
    uint32_t warps;           /* arrived warps in this phase */
    uint32_t count, all, any; /* of bar.red's predicates */
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
    struct emu_block_order *order; /* only in a checked launch */
};

/* A sector that atomics of the group access. */
typedef struct emu_hot {
    uint64_t sector;
    uint64_t lanes;
} emu_hot;

/* The blocks of one cluster (or one block), run by one host thread. */
struct emu_group {
    emu_group *next;
    emu_worker *worker;
    emu_block *blocks;
    uint32_t block_count;
    uint32_t live_threads;
    uint32_t cluster_arrived, cluster_phase;
    uint32_t sm;
    uint32_t idle;    /* in a checked launch: turns in which all warps waited for mbarriers */
    uint64_t hottest; /* maximum number of lanes on one of these sectors; 0: there are none */
    emu_hot hot[EMU_HOT];
};

/* Data shared by a launch's host threads. */
typedef struct emu_run_state {
    const emu_launch *launch;
    const struct emu_function *function;
    emu_limits limits;
    uint32_t cluster[3];
    uint32_t blocks_per_group;
    uint64_t groups, groups_per_sm; /* each SM has consecutive groups */
    uint32_t quantum;               /* operations of a warp before the next one runs */
    atomic_ullong next_sm;
    atomic_int stop;
    emu_fault *fault;
    pthread_mutex_t lock;
    struct timespec started;
    uint32_t poison;          /* variant of the initial garbage in shared memory */
    uint64_t most_operations; /* limit after which a checked launch counts as endless */
} emu_run_state;

/* A host thread's state, in its own cache lines because its counters change all the time. */
struct emu_worker {
    _Alignas(128) emu_run_state *run;
    emu_group *spare;             /* an ended group, for reuse */
    emu_range ranges[EMU_RANGES]; /* the last allocation of an operation, by its line */
    struct emu_l1 *l1;
    struct emu_check *check; /* NULL: not checked */
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

/* Writes a predicate's lanes in `mask`. */
static inline void emu_set_predicate(emu_warp *warp, uint32_t operand, uint32_t mask,
                                     uint32_t value)
{
    uint32_t *place = (uint32_t *)(warp->base[0] + operand);
    *place = (*place & ~mask) | (value & mask);
}

static inline unsigned emu_popcount(uint32_t value)
{
    /* most masks are full, and not every host has the instruction */
    return value == UINT32_MAX ? EMU_WARP : (unsigned)__builtin_popcount(value);
}

/* iterates over the lanes in a mask */
#define EMU_FOR_LANES(lane, lanes)                                                                 \
    for (uint32_t rest_ = (lanes), lane;                                                           \
         rest_ && (((lane) = (uint32_t)__builtin_ctz(rest_)), true); rest_ &= rest_ - 1)

/* Vectorises a loop over independent lanes, even if result and operand are one register. */
#if defined(__clang__)
#define EMU_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#else
#define EMU_VECTOR _Pragma("GCC ivdep")
#endif

/* Compiles a second version of the function for AVX2, which the loader selects. The results are
 * equal, because operations are not contracted. Not with sanitizers, which are not ready when the
 * loader selects. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) &&                            \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define EMU_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define EMU_WIDE
#endif

/* ---- groups (group.c) ---- */

typedef enum emu_progress { EMU_ENDED, EMU_SPENT, EMU_STUCK } emu_progress;

/* Prepares a group to start on the worker, reusing its spare. NULL if memory runs out. */
emu_group *emu_group_start(emu_worker *worker, uint64_t index, uint32_t sm);
/* Runs the warps in turn for about `budget` operations, until all have exited, or until none can
 * continue. */
emu_progress emu_group_run(emu_group *group, uint64_t budget);
/* Adds the warps' counts to the worker's counters, and keeps the group as its spare. */
void emu_group_end(emu_group *group);
void emu_group_free(emu_group *group);

/* ---- splits (split.c) ---- */

/* Runs the warp until all its lanes wait or have exited, or for about `budget` operations. Returns
 * the number executed. */
uint32_t emu_warp_run(emu_warp *warp, uint32_t budget);

bool emu_warp_is_ready(const emu_warp *warp);

/* Continues the lanes in `mask` of the running split at `target`, and the others after the current
 * operation. */
void emu_branch(emu_warp *warp, uint32_t mask, uint32_t target);

/* Adds a ready split. */
void emu_add_split(emu_warp *warp, emu_frame *frame, uint32_t pc, uint32_t mask);

/* Removes lanes from the running split; the rest continues after the current operation. */
void emu_leave_split(emu_warp *warp, uint32_t mask);

/* Makes the lanes in `mask` wait in `state`, and then continue at `pc`. */
void emu_wait(emu_warp *warp, const emu_op *op, uint32_t mask, emu_state state, unsigned barrier,
              uint32_t pc);

/* Returns all lanes in the running lanes' mask `operand`: lanes of one operation may belong to
 * several sets with different masks. */
uint32_t emu_members(const emu_warp *warp, uint32_t operand);

/* For .sync operations: returns true if all live lanes of `members` execute this operation now.
 * Otherwise the split waits for them before it, and the handler must return. */
bool emu_gather(emu_warp *warp, const emu_op *op, uint32_t members);

/* ---- frames (frame.c) ---- */

/* Creates a frame of the function inside `parent` (NULL: the kernel's). NULL if memory runs out. */
emu_frame *emu_frame_new(emu_warp *warp, const struct emu_function *function, emu_frame *parent);
/* Zeroes all registers, so that a kernel that reads an unwritten one is deterministic. */
void emu_frame_clear(emu_frame *frame);
void emu_frame_free(emu_frame *frame);
/* Return the lanes from the frame, or exit it and all its callers. A frame without lanes is
 * freed. */
void emu_frame_return(emu_frame *frame, uint32_t mask);
void emu_frame_exit(emu_frame *frame, uint32_t mask);
/* Frees the frames of all calls of the warp's lanes. */
void emu_frames_free(emu_warp *warp);

/* ---- barriers (op_barrier.c) ---- */

/* Makes the running lanes wait for the other warps of their warpgroup. */
void emu_warpgroup_wait(emu_warp *warp, const emu_op *op);
/* Check the barriers again after threads of the block have exited. */
void emu_barriers_check(emu_block *block);
void emu_cluster_check(emu_group *group);

/* ---- faults (fault.c) ---- */

/* Records the launch's first fault, caused by `lane`, and stops all its warps. */
__attribute__((format(printf, 6, 7))) void emu_raise(emu_warp *warp, const emu_op *op, int code,
                                                     unsigned lane, uint64_t address,
                                                     const char *format, ...);
