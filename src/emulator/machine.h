/* The emulated SMs: parse PTX and execute grids.
 *
 * This is the interface between the driver (cu* calls, memory, streams, the clock) and the machine
 * (parser, decoder, executor). The machine owns no device memory; the driver finds allocations for
 * it. Every device address inside an allocation is also a host address of this process.
 *
 * Codes are CUresult values as integers. Nothing here prints or ends the process. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EMU_WARP = 32,              /* lanes of a warp */
    EMU_MAX_PARAM_BYTES = 32764 /* parameter space with CC >= 7.0 and toolkit >= 12.1 */
};

/* Generic addresses: the top 16 bits select the space. Zero means global or constant memory, which
 * is host memory, because host addresses have these bits clear. */
#define EMU_TAG_SHIFT  48
#define EMU_TAG_SHARED 1u
#define EMU_TAG_LOCAL  2u
#define EMU_TAG_PARAM  3u

/* ---- programs -------------------------------------------------------------------------------- */

typedef enum emu_space { EMU_SPACE_GLOBAL, EMU_SPACE_CONST } emu_space;

/* A formal parameter of a kernel: its place in the parameter block. */
typedef struct emu_param {
    uint32_t offset;
    uint32_t bytes;
    uint32_t align;
} emu_param;

/* Properties of a kernel in the PTX. Values that are not given are 0. */
typedef struct emu_kernel {
    const char *name;
    const emu_param *params;
    uint32_t param_count;
    uint32_t param_bytes;           /* size of the parameter block: end of the last parameter */
    uint32_t static_shared_bytes;   /* of the kernel and its callees */
    uint32_t dynamic_shared_offset; /* start of extern shared arrays: static bytes, aligned */
    uint32_t local_bytes;           /* per thread, of the kernel and its deepest call chain */
    uint32_t const_bytes;           /* constant memory declared by the module */
    uint32_t registers; /* estimate: maximum number of live 32-bit values, plus a fixed reserve */
    uint32_t max_threads[3];      /* .maxntid */
    uint32_t required_threads[3]; /* .reqntid */
    uint32_t min_blocks;          /* .minnctapersm */
    uint32_t max_registers;       /* .maxnreg */
    uint32_t cluster[3];          /* .reqnctapercluster */
    uint32_t max_cluster_rank;    /* .maxclusterrank */
    bool explicit_cluster;        /* .explicitcluster */
} emu_kernel;

/* A module-scope variable in global or constant memory. The driver allocates `bytes` bytes with
 * alignment `align`, initialises them with emu_program_initialise() and passes the address with
 * each launch. bytes is 0 for an extern array. */
typedef struct emu_global {
    const char *name;
    emu_space space;
    bool is_external; /* declared but defined elsewhere: launches that need it fail */
    bool is_used;     /* by code, or by another variable's initial value */
    uint64_t bytes;
    uint32_t align;
} emu_global;

/* A parsed and decoded PTX module. Immutable after loading; any number of threads and launches may
 * share it. */
typedef struct emu_program emu_program;

/* Parses and decodes `bytes` bytes of PTX (a NUL ends the text early) for compute capability `cc`
 * (major * 10 + minor). Returns 0 and sets *out, which the caller frees; 218 (invalid PTX) if the
 * text is wrong, needs a newer architecture than cc, or uses an instruction that the machine lacks;
 * 2 if memory runs out. On failure *out is unchanged and `log` (may be NULL if log_bytes is 0) gets
 * one line with the opcode or directive and its PTX line. */
int emu_program_load(emu_program **out, const char *ptx, size_t bytes, int cc, char *log,
                     size_t log_bytes);

/* Frees the program, which no launch may be using. NULL is allowed. */
void emu_program_free(emu_program *program);

/* Return the kernels (.entry) in the order of the text. The program owns them. */
size_t emu_program_kernel_count(const emu_program *program);
const emu_kernel *emu_program_kernel_at(const emu_program *program, size_t index);

/* Finds a kernel by its (mangled) name, or returns NULL. */
const emu_kernel *emu_program_kernel(const emu_program *program, const char *name);

/* Return the module-scope variables in the order of the text. The program owns them. */
size_t emu_program_global_count(const emu_program *program);
const emu_global *emu_program_global_at(const emu_program *program, size_t index);

/* Writes the initial contents of global `index` to `out`: its `bytes` bytes, zero without an
 * initialiser. addresses[i] is the device address of global i, for initialisers with addresses. */
void emu_program_initialise(const emu_program *program, size_t index, const uint64_t *addresses,
                            void *out);

/* ---- memory, owned by the driver ---- */

/* An allocation: device (= host) addresses [base, end). */
typedef struct emu_range {
    uint64_t base;
    uint64_t end;
    bool is_read_only; /* a store or atomic to it is an illegal address */
} emu_range;

/* The memory and settings of a texture object. Enumerators and flags are those of the driver
 * API. */
typedef struct emu_texture {
    uint64_t base;
    unsigned rank;                  /* dimensions without layers; 0: linear memory */
    uint64_t layers;                /* 0: not layered */
    uint64_t sizes[3], pitch_bytes; /* width, height and depth in elements; pitch in bytes */
    int format, channels, address[3], filter;
    unsigned flags;
} emu_texture;

/* Returns the size of one component of a CUarray_format; 0 if it is not emulated. */
unsigned emu_texture_component_bytes(int format);

/* Functions by which the machine accesses the driver's memory. */
typedef struct emu_memory {
    /* Finds the live allocation that contains `address`; false if there is none. Called
     * concurrently by several threads. The result is cached until the launch ends, or the thread
     * calls release(), so no other memory may be freed during a launch. */
    bool (*find)(void *context, uint64_t address, emu_range *out);
    /* Finds a texture object by its handle, or returns NULL. Called concurrently; the result must
     * live until the launch ends. NULL: there are none. */
    const emu_texture *(*texture)(void *context, uint64_t object);
    /* malloc() of a kernel: returns the address of `bytes` bytes, or 0 if they do not fit. free():
     * returns false if malloc() did not return the address. Called concurrently. NULL: the heap is
     * empty. */
    uint64_t (*allocate)(void *context, uint64_t bytes);
    bool (*release)(void *context, uint64_t address);
    void *context;
} emu_memory;

/* ---- launches -------------------------------------------------------------------------------- */

/* Limits of the device and the host, from the profile. Zero means the default in brackets. */
typedef struct emu_limits {
    uint32_t sm_count;      /* [1] each SM runs an equal share of the blocks, with its own L1 */
    uint32_t blocks_per_sm; /* [1] with sm_count: how many blocks can wait for each other */
    uint32_t l1_bytes;      /* [0: no hits] L1 cache of an SM */
    uint32_t stack_bytes;   /* [1024] local memory for calls, in addition to the kernel's */
    uint32_t workers;       /* [online CPUs] host threads */
} emu_limits;

/* A launch. All pointers must stay valid until emu_run() returns. */
typedef struct emu_launch {
    const emu_program *program;
    const emu_kernel *kernel;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t cluster[3]; /* {1,1,1} or zeros: none; divides grid */
    uint32_t dynamic_shared_bytes;
    uint64_t grid_workspace; /* cooperative launch: the device address (8 bytes, initially zero) in
                                %envreg1 and 2 for grid barriers. All its blocks run in turn on one
                                host thread. 0: not cooperative */
    const void *params;      /* kernel->param_bytes bytes with the layout of kernel->params */
    const uint64_t *globals; /* device addresses of the program's globals, by index; may be NULL if
                                there are none */
    const emu_limits *limits;
    const emu_memory *memory;
    void (*print)(void *context, const char *text,
                  size_t bytes); /* device printf; serialised; may be NULL */
    void *print_context;
    bool is_programmatic;     /* may begin before the previous launch has ended */
    struct emu_check *check;  /* sanitizer (check.h), on one host thread; may be NULL */
    const atomic_int *cancel; /* non-zero ends the launch soon, with code 719; may be NULL */
} emu_launch;

/* Classes of warp instructions, by the unit that executes them. */
typedef enum emu_class {
    EMU_CLASS_ALU,     /* integer, logic, compare, select, move, f32 min/max */
    EMU_CLASS_FMA,     /* f32, f16, bf16 add, mul, fma; integer multiply */
    EMU_CLASS_FP64,    /* double arithmetic */
    EMU_CLASS_SFU,     /* approximations, conversions, population counts */
    EMU_CLASS_LDST,    /* loads, stores, atomics of every space */
    EMU_CLASS_BRANCH,  /* branch, call, return, exit */
    EMU_CLASS_BARRIER, /* block, cluster and warp barriers, fences */
    EMU_CLASS_WARP,    /* shuffle, vote, match, redux */
    EMU_CLASS_FOLDED,  /* not issued: PTX that ptxas usually folds, such as parameter loads, cvta,
                          immediates */
    EMU_CLASS_COUNT
} emu_class;

/* Counts of a launch, summed over its warps. Deterministic if the control flow does not depend on
 * the order of threads. A request is one memory instruction of one warp; a sector has 32 bytes, a
 * line 128. */
typedef struct emu_counters {
    uint64_t warps;
    uint64_t thread_instructions; /* active lanes after the guard predicate */
    uint64_t issued[EMU_CLASS_COUNT];

    uint64_t global_load_lines;   /* distinct 128-byte lines per request: tag look-ups */
    uint64_t global_load_sectors; /* distinct sectors per request */
    uint64_t global_load_l1_hits; /* those sectors that hit in the L1 model */
    uint64_t global_store_lines;
    uint64_t global_store_sectors;

    uint64_t local_sectors; /* loads and stores; words of 32 lanes are interleaved as on hardware */

    uint64_t shared_requests; /* loads and stores of the block's own shared memory */
    uint64_t
        shared_wavefronts; /* their cycles: 1 each without conflicts, 2 and 4 for 64 and 128 bits */

    uint64_t cluster_requests; /* loads and stores of other blocks' shared memory */
    uint64_t cluster_sectors;

    uint64_t
        const_requests; /* loads of constant memory and of parameters through the constant path */
    uint64_t const_addresses; /* distinct words in them, which are cycles; equal to requests if
                                 uniform */

    uint64_t global_atomic_sectors;
    uint64_t
        shared_atomic_serial; /* sum over requests of the maximum number of lanes on one address */
    uint64_t cluster_atomic_lanes;
    uint64_t
        hottest_address_lanes; /* maximum number of atomic lanes on one global sector within a block
                                  or cluster, summed over these; approximate for many sectors */

    uint64_t block_barriers;   /* warps' arrivals */
    uint64_t cluster_barriers; /* warps' arrivals */
    uint64_t memory_waits; /* instructions that need the result of an earlier global load or atomic:
                              one latency each, for any number of loads in flight */
    uint64_t longest_warp; /* maximum number of instructions of one warp */
    uint64_t longest_waits; /* maximum memory_waits of one warp */
} emu_counters;

/* The reason why a launch failed. The message is one line: error, kernel, PTX line, block, thread,
 * address. */
typedef struct emu_fault {
    int code; /* 700 illegal address, 716 misaligned, 717 wrong space, 715 illegal instruction, 718
                 invalid program counter, 719 launch failed (trap, cancelled), 710 assert, 2 out of
                 host memory */
    uint64_t address; /* generic address for 700, 716 and 717; otherwise 0 */
    char message[384];
} emu_fault;

/* Runs the whole grid on the host's cores and returns 0, or the fault's code with *fault set.
 * Always sets *out. Blocks start in the order of their index; blocks of a cluster run together.
 * Waits for the end of the kernel, forever if it does not end, unless *cancel is set. Thread-safe.
 * The driver has validated the launch: dimensions within the device's limits, a cluster that
 * divides the grid, allowed shared memory. */
int emu_run(const emu_launch *launch, emu_counters *out, emu_fault *fault);
