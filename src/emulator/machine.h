/* The emulated SMs: they load PTX and execute grids.
 *
 * This is the interface between the driver (calls, memory, streams, the clock) and the machine
 * (parser, decoder, executor). The machine owns no device memory; it asks the driver for
 * allocations. Each device address of an allocation is also a host address of this process.
 *
 * Codes are values of CUresult as integers. Nothing here prints or ends the process. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EMU_WARP = 32 }; /* number of lanes of a warp */

/* The top 16 bits of a generic address select the address space. They are zero for global and
 * constant memory, in which device addresses are host addresses. */
#define EMU_TAG_SHIFT  48
#define EMU_TAG_SHARED 1u
#define EMU_TAG_LOCAL  2u
#define EMU_TAG_PARAM  3u

/* ---- programs -------------------------------------------------------------------------------- */

typedef enum emu_space { EMU_SPACE_GLOBAL, EMU_SPACE_CONST } emu_space;

typedef struct emu_param {
    uint32_t offset;
    uint32_t bytes;
    uint32_t align;
} emu_param;

/* Properties of a kernel. A member is 0 if the PTX does not contain its directive. */
typedef struct emu_kernel {
    const char *name;
    const emu_param *params;
    uint32_t param_count;
    uint32_t param_bytes;
    uint32_t static_shared_bytes;   /* shared memory of the kernel and its callees */
    uint32_t dynamic_shared_offset; /* offset of the extern arrays, which follow the static bytes */
    uint32_t local_bytes;    /* a thread's local memory, including the deepest chain of calls */
    uint32_t const_bytes;    /* constant memory of the module */
    uint32_t registers;      /* estimated from the maximum number of live 32-bit values */
    uint32_t max_threads[3]; /* .maxntid */
    uint32_t required_threads[3]; /* .reqntid */
    uint32_t min_blocks;          /* .minnctapersm */
    uint32_t max_registers;       /* .maxnreg */
    uint32_t cluster[3];          /* .reqnctapercluster */
    uint32_t max_cluster_rank;    /* .maxclusterrank */
    bool explicit_cluster;        /* .explicitcluster */
} emu_kernel;

/* A module-scope variable in global or constant memory. The driver allocates it and initialises it
 * with emu_program_initialise(). `bytes` is 0 for extern arrays. */
typedef struct emu_global {
    const char *name;
    emu_space space;
    bool is_external; /* declared but not defined; a launch that needs it fails */
    bool is_used;     /* true if code or the initial value of a variable refers to it */
    uint64_t bytes;
    uint32_t align;
} emu_global;

/* A parsed and decoded PTX module. It is immutable, so threads and launches may share it. */
typedef struct emu_program emu_program;

/* Parses and decodes PTX text for compute capability `cc`, such as 90. The text ends after `bytes`
 * bytes or at a NUL. Returns 0 and sets *out, which the caller frees. Fails with 218 if the text is
 * invalid, needs a newer architecture or has an unsupported instruction, and with 2 if memory runs
 * out. A failure writes one line to `log`, which may be NULL if log_bytes is 0. */
int emu_program_load(emu_program **out, const char *ptx, size_t bytes, int cc, char *log,
                     size_t log_bytes);

/* Frees the program, which may be NULL. No launch may be using it. */
void emu_program_free(emu_program *program);

/* Return the kernels (.entry) in the order of the text. They belong to the program. */
size_t emu_program_kernel_count(const emu_program *program);
const emu_kernel *emu_program_kernel_at(const emu_program *program, size_t index);

/* Finds a kernel by its mangled name, or returns NULL. */
const emu_kernel *emu_program_kernel(const emu_program *program, const char *name);

/* Return the module-scope variables in the order of the text. They belong to the program. */
size_t emu_program_global_count(const emu_program *program);
const emu_global *emu_program_global_at(const emu_program *program, size_t index);

/* Writes the initial value of variable `index` to `out`, or zeros if it has none. The value may
 * contain addresses of variables: addresses[i] is the device address of variable i. */
void emu_program_initialise(const emu_program *program, size_t index, const uint64_t *addresses,
                            void *out);

/* ---- memory owned by the driver ---- */

/* An allocation at [base, end), which are both device and host addresses. */
typedef struct emu_range {
    uint64_t base;
    uint64_t end;
    bool is_read_only; /* a store or atomic to the range is an illegal access */
} emu_range;

/* The memory and settings of a texture object. The values are those of the driver API. */
typedef struct emu_texture {
    uint64_t base;
    unsigned rank;                  /* dimensions, not counting layers; 0: linear memory */
    uint64_t layers;                /* 0: not layered */
    uint64_t sizes[3], pitch_bytes; /* width, height, depth; bytes from row to row */
    int format, channels, address[3], filter;
    unsigned flags;
} emu_texture;

/* Returns the component size of a CUarray_format, or 0 if the format is not supported. */
unsigned emu_texture_component_bytes(int format);

/* Functions of the driver that give the machine access to memory. Thread-safe. */
typedef struct emu_memory {
    /* Finds the allocation that contains `address`, or returns false. The machine uses the range
     * until the launch ends. During a launch, only release() may therefore free memory. */
    bool (*find)(void *context, uint64_t address, emu_range *out);
    /* Finds a texture object by its handle, or returns NULL. The object must stay valid until the
     * launch ends. The member is NULL if there are no texture objects. */
    const emu_texture *(*texture)(void *context, uint64_t object);
    /* Implement malloc() and free() of kernels. allocate() returns an address, or 0 if the memory
     * does not fit. release() returns false for an invalid address. If both are NULL, the heap is
     * empty. */
    uint64_t (*allocate)(void *context, uint64_t bytes);
    bool (*release)(void *context, uint64_t address);
    void *context;
} emu_memory;

/* ---- launches -------------------------------------------------------------------------------- */

/* Limits of the device and the host. If a limit is 0, its default is used. */
typedef struct emu_limits {
    uint32_t sm_count;      /* number of SMs, among which blocks are divided equally; default: 1 */
    uint32_t blocks_per_sm; /* number of resident blocks per SM; default: 1 */
    uint32_t l1_bytes;      /* size of an SM's L1 cache; default: no cache */
    uint32_t stack_bytes;   /* local memory for function calls; default: 1024 bytes */
    uint32_t workers;       /* number of host threads; default: one per online CPU */
} emu_limits;

/* A launch. All pointers must stay valid until emu_run() returns. */
typedef struct emu_launch {
    const emu_program *program;
    const emu_kernel *kernel;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t cluster[3]; /* size of a cluster, a divisor of the grid; zeros or {1,1,1}: none */
    uint32_t dynamic_shared_bytes;
    uint64_t grid_workspace; /* device address of 8 zeroed bytes, if the launch is cooperative */
    const void *params;      /* the parameter block, laid out as in kernel->params */
    const uint64_t *globals; /* device address of each variable; may be NULL without variables */
    const emu_limits *limits;
    const emu_memory *memory;
    void (*print)(void *context, const char *text,
                  size_t bytes); /* gets the output of a kernel's printf(); never called
                                    concurrently; may be NULL */
    void *print_context;
    bool is_programmatic;     /* the launch may overlap the previous launch */
    struct emu_check *check;  /* the sanitizer (check.h), or NULL; needs one host thread */
    const atomic_int *cancel; /* a nonzero value ends the launch with code 719; may be NULL */
} emu_launch;

/* Classes of instructions, according to the kind of unit that executes them. */
typedef enum emu_class {
    EMU_CLASS_ALU,     /* integer, logic, compare, select, move, f32 min/max */
    EMU_CLASS_FMA,     /* f32, f16, bf16 add, mul, fma; integer multiply */
    EMU_CLASS_FP64,    /* double arithmetic */
    EMU_CLASS_SFU,     /* approximations, conversions, population counts */
    EMU_CLASS_LDST,    /* loads, stores and atomics of all spaces */
    EMU_CLASS_BRANCH,  /* branches, calls, returns, exits */
    EMU_CLASS_BARRIER, /* barriers of block, cluster and warp; fences */
    EMU_CLASS_WARP,    /* shuffle, vote, match, redux */
    EMU_CLASS_FOLDED,  /* part of other instructions on most hardware, such as parameter loads */
    EMU_CLASS_COUNT
} emu_class;

/* Counts of a launch, summed over its warps. Deterministic unless the control flow depends on the
 * order of threads. A request is one memory instruction of one warp. A sector has 32 bytes. */
typedef struct emu_counters {
    uint64_t warps;
    uint64_t issued[EMU_CLASS_COUNT];

    uint64_t global_load_lines;
    uint64_t global_load_sectors;
    uint64_t global_load_l1_hits;
    uint64_t global_store_lines;
    uint64_t global_store_sectors;

    uint64_t local_sectors; /* 32-byte sectors that loads and stores of local memory access */

    uint64_t shared_requests; /* loads and stores of the block's own shared memory */
    uint64_t shared_wavefronts;

    uint64_t cluster_requests; /* loads and stores of other blocks' shared memory */
    uint64_t cluster_sectors;

    uint64_t const_requests; /* number of loads of constant memory and of parameters */
    /* sum, over these requests, of the different addresses in each, which take a cycle each */
    uint64_t const_addresses;

    uint64_t global_atomic_sectors;
    uint64_t shared_atomic_serial; /* lanes at the busiest address, summed up over instructions */
    uint64_t cluster_atomic_lanes;
    /* number of lanes whose global atomics access the busiest sector of their group of blocks;
     * approximate if there are many sectors */
    uint64_t hottest_address_lanes;

    uint64_t block_barriers;   /* arrivals of warps at barriers of blocks */
    uint64_t cluster_barriers; /* arrivals of warps at barriers of clusters */
    uint64_t memory_waits;     /* instructions that wait for an earlier global load or atomic */
    uint64_t longest_warp;     /* largest number of instructions of any warp */
    uint64_t longest_waits;    /* largest number of memory_waits of any warp */
} emu_counters;

/* A launch's fault. The message is one line: error, kernel, PTX line, block, thread, address. */
typedef struct emu_fault {
    int code; /* 2 out of memory, 700 illegal address, 710 assert, 715 illegal instruction, 716
                 misaligned, 717 wrong space, 718 invalid program counter, 719 launch failed (trap,
                 cancelled) */
    uint64_t address; /* generic address for codes 700, 716 and 717; 0 for others */
    char message[384];
} emu_fault;

/* Runs a grid on the cores of the host until the kernel ends or *launch->cancel is set. Returns 0,
 * or sets *fault and returns the code of the first fault. Always sets *out, unless `out` is NULL.
 * Blocks start in the order of their index, and the blocks of a cluster run together. The caller
 * must have checked the limits of dimensions, clusters and shared memory. Thread-safe. */
int emu_run(const emu_launch *launch, emu_counters *out, emu_fault *fault);
