/* The emulated multiprocessors: PTX text in, executed grids out.
 *
 * This is the boundary between the driver (cu* calls, memory, streams, the clock) and the machine
 * (parser, decoder, executor). The machine owns no device memory: the driver tells it where
 * allocations are. Every device address inside an allocation is at the same time a host address of
 * this process.
 *
 * Codes are the driver API's (CUresult) as plain integers. Nothing here prints or ends the process.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EMU_WARP = 32,              /* lanes of a warp */
    EMU_MAX_PARAM_BYTES = 32764 /* formal parameter space, CC >= 7.0 with toolkit >= 12.1 */
};

/* Generic addresses: the top 16 bits choose the space. Zero means global or constant memory, which
 * is host memory: a host address never has these bits set. */
#define EMU_TAG_SHIFT  48
#define EMU_TAG_SHARED 1u
#define EMU_TAG_LOCAL  2u
#define EMU_TAG_PARAM  3u

/* ---- programs -------------------------------------------------------------------------------- */

typedef enum emu_space { EMU_SPACE_GLOBAL, EMU_SPACE_CONST } emu_space;

/* One formal parameter of a kernel: where its bytes lie in the parameter block. */
typedef struct emu_param {
    uint32_t offset;
    uint32_t bytes;
    uint32_t align;
} emu_param;

/* What the text says about a kernel. A figure that the text leaves open is 0. */
typedef struct emu_kernel {
    const char *name;
    const emu_param *params;
    uint32_t param_count;
    uint32_t param_bytes;           /* size of the parameter block: end of the last parameter */
    uint32_t static_shared_bytes;   /* of the kernel and all that it calls */
    uint32_t dynamic_shared_offset; /* where extern shared arrays begin: static bytes, aligned */
    uint32_t local_bytes;           /* per thread, of the kernel and its deepest chain of calls */
    uint32_t const_bytes;           /* constant memory declared by the module */
    uint32_t registers;      /* estimate: most 32-bit values live at once, plus a fixed reserve */
    uint32_t max_threads[3]; /* .maxntid */
    uint32_t required_threads[3]; /* .reqntid */
    uint32_t min_blocks;          /* .minnctapersm */
    uint32_t max_registers;       /* .maxnreg */
    uint32_t cluster[3];          /* .reqnctapercluster */
    uint32_t max_cluster_rank;    /* .maxclusterrank */
    bool explicit_cluster;        /* .explicitcluster */
} emu_kernel;

/* A module-scope variable in global or constant memory. The driver allocates `bytes` at `align`,
 * fills them by emu_program_initialise and passes the address with each launch. bytes is 0 for an
 * extern array. */
typedef struct emu_global {
    const char *name;
    emu_space space;
    bool is_external; /* declared, defined elsewhere: a launch that needs it cannot be served */
    bool is_used;     /* by code, or by another one's initial value */
    uint64_t bytes;
    uint32_t align;
} emu_global;

/* One parsed and decoded PTX module: immutable once loaded, shared by any number of threads and
 * launches. */
typedef struct emu_program emu_program;

/* Parses and decodes `bytes` bytes of PTX (a NUL ends the text early) for compute capability `cc`
 * (major * 10 + minor). Returns 0 with *out the caller's to free; 218 (invalid PTX) when the text
 * is wrong, is for a newer architecture than cc, or uses an instruction the machine lacks; 2 when
 * memory runs out. On failure *out is untouched and `log` (may be NULL when log_bytes is 0) holds
 * one line that names the opcode or directive and its PTX line. */
int emu_program_load(emu_program **out, const char *ptx, size_t bytes, int cc, char *log,
                     size_t log_bytes);

/* Frees the program; no launch may be using it. NULL is fine. */
void emu_program_free(emu_program *program);

/* Kernels (.entry) in the order of the text. The objects belong to the program. */
size_t emu_program_kernel_count(const emu_program *program);
const emu_kernel *emu_program_kernel_at(const emu_program *program, size_t index);

/* The kernel of that (mangled) name, or NULL. */
const emu_kernel *emu_program_kernel(const emu_program *program, const char *name);

/* Module-scope variables in the order of the text. The objects belong to the program. */
size_t emu_program_global_count(const emu_program *program);
const emu_global *emu_program_global_at(const emu_program *program, size_t index);

/* Writes the initial contents of global `index` (its `bytes` bytes; zero where the text has no
 * initialiser) to `out`. addresses[i] is the device address of global i, for initialisers that hold
 * addresses. */
void emu_program_initialise(const emu_program *program, size_t index, const uint64_t *addresses,
                            void *out);

/* ---- memory, which the driver owns ---- */

/* One allocation: device (= host) addresses [base, end). */
typedef struct emu_range {
    uint64_t base;
    uint64_t end;
    bool is_read_only; /* a store or atomic to it is an illegal address */
} emu_range;

/* What a texture object reads. Enumerators and flags are the driver API's. */
typedef struct emu_texture {
    uint64_t base;
    unsigned rank;                  /* dimensions, layers not counted; 0: linear memory */
    uint64_t layers;                /* 0: it has none */
    uint64_t sizes[3], pitch_bytes; /* width, height and depth, in elements but for the pitch */
    int format, channels, address[3], filter;
    unsigned flags;
} emu_texture;

/* Bytes of one component of a CUarray_format; 0 for formats that are not emulated. */
unsigned emu_texture_component_bytes(int format);

/* How the machine asks for the allocation that holds an address. */
typedef struct emu_memory {
    /* True, with *out filled, when the byte at `address` belongs to a live allocation. Called from
     * several threads at once. The answer is remembered until the launch ends, or the thread calls
     * release(), so nothing else is freed during a launch. */
    bool (*find)(void *context, uint64_t address, emu_range *out);
    /* The texture object of that handle, or NULL. Called from several threads at once; what it
     * gives lives until the launch ends. NULL: there are none. */
    const emu_texture *(*texture)(void *context, uint64_t object);
    /* malloc() of a kernel: the address of `bytes` bytes, 0: there is no room. free(): false where
     * malloc() did not return the address. Called from several threads at once. NULL: no room. */
    uint64_t (*allocate)(void *context, uint64_t bytes);
    bool (*release)(void *context, uint64_t address);
    void *context;
} emu_memory;

/* ---- launches -------------------------------------------------------------------------------- */

/* What the device and the host allow; the profile's figures, not the machine's. Zero takes the
 * value in brackets. */
typedef struct emu_limits {
    uint32_t sm_count;      /* [1] each runs an equal part of the blocks, with its own level 1 */
    uint32_t blocks_per_sm; /* [1] with sm_count: how many blocks can wait for each other */
    uint32_t l1_bytes;      /* [0: no hits] level-1 cache of a multiprocessor */
    uint32_t stack_bytes;   /* [1024] local memory for calls, beyond the kernel's own */
    uint32_t workers;       /* [online CPUs] host threads */
} emu_limits;

/* One launch. All pointers stay valid until emu_run returns. */
typedef struct emu_launch {
    const emu_program *program;
    const emu_kernel *kernel;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t cluster[3]; /* {1,1,1} (or zeros) without; divides grid */
    uint32_t dynamic_shared_bytes;
    uint64_t grid_workspace; /* of a cooperative launch: the device address (8 bytes, zero at first)
                                that %envreg1 and 2 give for grid barriers. All its blocks run in
                                turn on one host thread. 0: no such launch */
    const void *params;      /* kernel->param_bytes bytes laid out by kernel->params */
    const uint64_t *globals; /* device address of each of the program's globals, by index; may be
                                NULL if none */
    const emu_limits *limits;
    const emu_memory *memory;
    void (*print)(void *context, const char *text,
                  size_t bytes); /* device printf; NULL drops it; serialised */
    void *print_context;
    bool is_programmatic;     /* it may begin before the one before has ended */
    struct emu_check *check;  /* what it is checked by (check.h), on one host thread; may be NULL */
    const atomic_int *cancel; /* non-zero ends the launch soon, with code 719; may be NULL */
} emu_launch;

/* Classes of warp instructions, after the units that serve them. */
typedef enum emu_class {
    EMU_CLASS_ALU,     /* integer, logic, compare, select, move, f32 min/max */
    EMU_CLASS_FMA,     /* f32, f16, bf16 add, mul, fma; integer multiply */
    EMU_CLASS_FP64,    /* double arithmetic */
    EMU_CLASS_SFU,     /* approximations, conversions, population counts */
    EMU_CLASS_LDST,    /* loads, stores, atomics of every space */
    EMU_CLASS_BRANCH,  /* branch, call, return, exit */
    EMU_CLASS_BARRIER, /* block, cluster and warp barriers, fences */
    EMU_CLASS_WARP,    /* shuffle, vote, match, redux */
    EMU_CLASS_FOLDED,  /* PTX that ptxas usually folds away: parameter loads, cvta, immediates; not
                          issued */
    EMU_CLASS_COUNT
} emu_class;

/* What a launch did, summed over its warps. Deterministic where the kernel's control flow does not
 * depend on the order of its threads. A request is one memory instruction of one warp; a sector is
 * 32 bytes; a line is 128 bytes. */
typedef struct emu_counters {
    uint64_t warps;
    uint64_t thread_instructions; /* active lanes, guard predicate applied */
    uint64_t issued[EMU_CLASS_COUNT];

    uint64_t global_load_lines;   /* distinct 128-byte lines per request: tag look-ups */
    uint64_t global_load_sectors; /* distinct sectors per request */
    uint64_t global_load_l1_hits; /* of those sectors, found in the level-1 model */
    uint64_t global_store_lines;
    uint64_t global_store_sectors;

    uint64_t local_sectors; /* loads and stores; 32 lanes' words are interleaved as on hardware */

    uint64_t shared_requests;   /* loads and stores of the block's own shared memory */
    uint64_t shared_wavefronts; /* cycles they take: 1 each without conflicts, 2 and 4 for 64 and
                                   128 bits */

    uint64_t cluster_requests; /* loads and stores of other blocks' shared memory */
    uint64_t cluster_sectors;

    uint64_t
        const_requests; /* loads of constant memory and of parameters through the constant path */
    uint64_t const_addresses; /* distinct words in them: cycles; equal to requests when uniform */

    uint64_t global_atomic_sectors;
    uint64_t shared_atomic_serial; /* sum over requests of the most lanes on one address */
    uint64_t cluster_atomic_lanes;
    uint64_t hottest_address_lanes; /* most atomic lanes on one global sector within a block or
                                       cluster, summed over them; about, when sectors are many */

    uint64_t block_barriers;   /* warps' arrivals */
    uint64_t cluster_barriers; /* warps' arrivals */
    uint64_t memory_waits; /* instructions that need the result of an earlier global load or atomic:
                              one latency each, however many loads were in flight */
    uint64_t longest_warp; /* most instructions one warp issued */
    uint64_t longest_waits; /* most memory_waits one warp had */
} emu_counters;

/* Why a launch failed. The message is one line: error, kernel, PTX line, block, thread, address. */
typedef struct emu_fault {
    int code; /* 700 illegal address, 716 misaligned, 717 wrong space, 715 illegal instruction, 718
                 invalid program counter, 719 launch failed (trap, cancelled), 710 assert, 2 out of
                 host memory */
    uint64_t address; /* generic, for 700, 716 and 717, else 0 */
    char message[384];
} emu_fault;

/* Runs the whole grid on the host's cores and returns 0, or the fault's code with *fault filled.
 * *out is filled either way. Blocks start in the order of their index; blocks of a cluster run
 * together. Blocks until done, and for ever when the kernel never ends (until *cancel).
 * Thread-safe. The launch has been validated by the driver: dimensions within the device's limits,
 * cluster dividing the grid, shared memory allowed. */
int emu_run(const emu_launch *launch, emu_counters *out, emu_fault *fault);
