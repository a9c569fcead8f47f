/* How a variant's kernels are launched, as plain data: src/kernel makes it, src/farm and src/store
 * carry it, src/gpu carries it out. */
#pragma once

#include "base/sequence.h"
#include "base/status.h"

/* How a block of parameters reaches the kernel. */
typedef enum gt_pass {
    GT_PASS_NONE,  /* the block is not passed */
    GT_PASS_VALUE, /* a const __grid_constant__ struct parameter */
    GT_PASS_SPLIT, /* by value as many bytes as every driver takes beside the other parameters, the
                      rest through __constant__ */
    GT_PASS_CONSTANT, /* a __constant__ array, copied before each launch */
    GT_PASS_GLOBAL    /* a device buffer, copied before each launch */
} gt_pass;

enum {
    GT_PARAMETER_PORTABLE_BYTES = 4096, /* of every driver; more on CC >= 7.0 with driver >= 12.1 */
    GT_PARAMETER_LARGE_BYTES = 32764,
    GT_PARAMETER_MAX = 64, /* kernel parameters, blocks and scratch included */
    GT_BLOCK_MAX = 8,
    GT_TENSORMAP_MAX = 8,
    GT_TENSORMAP_RANK = 5,
    GT_TENSORMAP_BYTES = 128,
    GT_TENSORMAP_ALIGNMENT = 64,
    GT_TEXTURE_MAX = 8,
    GT_TEXTURE_ALIGNMENT = 512, /* bytes that the address is a multiple of */
    GT_TEXTURE_PITCH = 32,      /* bytes that a row is a multiple of, on every GPU since CC 2.0 */
    GT_ENTRY_MAX = 128,
    GT_HELD_BYTES = 4096 /* of all structs of a launch that hold addresses, together */
};

/* The prefix of a __constant__ symbol: generated sources call the symbol for the constant part of
 * the block NAME gputune_pass_constant_NAME. */
#define GT_PASS_SYMBOL "gputune_pass_constant_"

/* One block of bytes that the caller gives as host memory. */
typedef struct gt_block {
    gt_pass pass;
    uint32_t bytes;          /* the whole block */
    uint32_t by_value_bytes; /* bytes of it in the parameter itself: all, the first part of a split,
                                or 0 */
    char symbol[96];   /* with `split` and `constant`: the symbol that takes the rest, else "" */
    uint32_t may_lack; /* 1: an image may lack the symbol, if it does not use the block; else that
                          is an error */
} gt_block;

typedef enum gt_parameter_kind {
    GT_PARAMETER_BUFFER, /* a device address */
    GT_PARAMETER_SCALAR,
    GT_PARAMETER_BLOCK,     /* a block's by-value part, or the address of its device buffer */
    GT_PARAMETER_SCRATCH,   /* a device address that the plan owns */
    GT_PARAMETER_VALUE,     /* an integer that the launch's sequence computes */
    GT_PARAMETER_TENSORMAP, /* a CUtensorMap of the buffer that `argument` names */
    GT_PARAMETER_TEXTURE    /* a texture object of the buffer that `argument` names */
} gt_parameter_kind;

/* One kernel parameter in the order of the parameter list. */
enum {
    GT_SCRATCH_ZERO = 1, /* is zeroed before the first launch */
    GT_SCRATCH_RACES = 2 /* its threads may store the same value at once (races()) */
};

typedef struct gt_parameter {
    gt_parameter_kind kind;
    uint32_t bytes; /* of the parameter itself: 8 for an address */
    int argument; /* index into the caller's arguments; -1: none. A scratch buffer with an argument
                     begins each launch as a copy of that buffer */
    uint32_t map; /* of a tensor map or texture: index into the launch's maps or textures; of a
                     value: index into gt_iteration.values */
    uint64_t scratch_bytes; /* of a scratch buffer at this geometry, or of one that a reference gets
                               behind the arguments; of a scalar there, the value itself */
    uint32_t scratch;       /* of a scratch buffer: GT_SCRATCH_... */
    uint32_t holder; /* of an address in a struct: 1 + index of the struct's parameter; else 0 */
    uint32_t offset; /* where in the struct the address is; no step takes it as a parameter */
    uint32_t base;   /* of a value that is added to the address of a buffer or scratch: 1 + index of
                        that parameter; else 0 */
    uint64_t clear_bytes; /* of a buffer or scratch buffer: so many are zeroed before every launch,
                             on the launch's stream */
} gt_parameter;

/* How a tensor map is encoded (cuTensorMapEncodeTiled), fastest dimension first. The address is
 * missing, since each launch gives it. Enumerators have the driver's values. */
typedef struct gt_tensormap {
    uint32_t rank, type, interleave, swizzle, l2_promotion, nan_fill;
    uint32_t alignment; /* bytes that the address must be a multiple of */
    uint32_t box[GT_TENSORMAP_RANK];
    uint64_t sizes[GT_TENSORMAP_RANK];
    uint64_t strides[GT_TENSORMAP_RANK]; /* bytes; strides[0] is that of the second dimension, since
                                            the first has none */
} gt_tensormap;

/* What a texture object reads. */
typedef enum gt_texture_memory {
    GT_TEXTURE_BUFFER, /* the caller's buffer */
    GT_TEXTURE_ARRAY,  /* a copy of the buffer in an array that the plan owns, made before each
                          launch */
    GT_TEXTURE_LAYERED /* the same in a layered array */
} gt_texture_memory;

/* How a texture object is made (cuTexObjectCreate). The address is missing, since each launch gives
 * it. Enumerators and flags have the driver's values. */
typedef struct gt_texture {
    uint32_t format, channels, filter, address, flags;
    uint32_t memory;           /* a gt_texture_memory */
    uint32_t height, depth;    /* how many rows, and slices or layers; 0: there are none */
    uint64_t width, row_bytes; /* elements in a row, and bytes of a row */
    uint64_t pitch_bytes; /* bytes from row to row of the buffer; of linear memory, bytes in all */
} gt_texture;

/* The buffer that an l2_persist axis names, and how much of the level-2 cache it gets. */
typedef struct gt_l2_window {
    bool used;          /* the template has such an axis */
    uint32_t parameter; /* index into the parameters */
    uint64_t set_aside_bytes;
    uint64_t window_bytes; /* bytes from the buffer's beginning; 0: no window */
} gt_l2_window;
enum { GT_STEPS_MAX = 8 };

/* One kernel of a launch. */
typedef struct gt_kernel_step {
    char entry[GT_ENTRY_MAX]; /* its name, as gt_image_entry() (gpu/image.h) finds it */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];        /* all 1: no cluster attribute */
    uint32_t preferred_cluster; /* in x, a multiple of the cluster's; 0: none */
    uint32_t shared_bytes;      /* dynamic */
    uint32_t times;             /* how many times in a row the kernel is launched */
    uint32_t cooperative;  /* 1: all blocks are resident at once, and may wait for each other */
    uint32_t programmatic; /* 1: the kernel may begin before the previous one ends */
    uint32_t parameter_count;
    uint32_t parameters[GT_PARAMETER_MAX]; /* that it takes, as indices into the launch's */
} gt_kernel_step;

/* Everything that is needed to launch one variant at one problem size, except its image. From
 * `steps` on the arrays are in the order of how rarely they are used: gt_launch_keep() leaves out
 * what is behind the last element in use. */
typedef struct gt_launch {
    uint32_t step_count;  /* 1; of a pipeline, its kernels, which are launched in order */
    int carveout_kb;      /* of all steps; -1: the driver's choice */
    uint32_t block_count; /* so many of the caller's arguments, the first ones, are pointers to the
                             bytes of blocks */
    uint32_t argument_count; /* how many arguments the caller passes */
    uint32_t parameter_count;
    uint32_t held_count; /* how many parameters are addresses in structs */
    uint32_t map_count;
    uint32_t texture_count;
    uint32_t is_cut; /* 1: made by gt_launch_keep(), without a sequence */
    gt_l2_window l2;
    gt_parameter parameters[GT_PARAMETER_MAX];
    gt_kernel_step steps[GT_STEPS_MAX]; /* members that the sequence sets have their values of the
                                           step's first launch; the block is the largest */
    gt_block blocks[GT_BLOCK_MAX];
    gt_tensormap maps[GT_TENSORMAP_MAX];
    gt_texture textures[GT_TEXTURE_MAX];
    gt_sequence sequence;
} gt_launch;

/* Whether the launches of its kernels follow a sequence. */
static inline bool gt_launch_has_sequence(const gt_launch *launch)
{
    return !launch->is_cut && launch->sequence.item_count > 0;
}

/* Sets *out to a copy of the launch for free(), which is not to be copied itself: it ends behind
 * the last element in use. An application may keep thousands. ENOMEM. */
gputune_status gt_launch_keep(gt_launch **out, const gt_launch *launch);

/* Whether anything is zeroed before every launch. */
static inline bool gt_launch_clears(const gt_launch *launch)
{
    bool clears = false;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        clears |= launch->parameters[i].clear_bytes > 0;
    }
    return clears;
}

/* Makes the first kernel take all parameters that are not in structs, in order. */
void gt_launch_take_all(gt_launch *launch);
/* Sets held_count. EUNSUPPORTED where the structs need more room than GT_HELD_BYTES. */
gputune_status gt_launch_count_held(gt_launch *launch);
/* Copies the structs that hold addresses into `room`, makes `parameters` point to the copies, and
 * writes the addresses into them. `parameters` are pointers to the values of the launch's
 * parameters. */
void gt_launch_hold(void *parameters[GT_PARAMETER_MAX], unsigned char room[GT_HELD_BYTES],
                    const gt_launch *launch);

void gt_iteration_begin(gt_iteration *run);
/* Moves *run to the next launch of a kernel. Grid, block and times that the sequence does not set
 * are those of the step. False: there is none, or run->error is set. */
bool gt_launch_next(gt_iteration *run, const gt_launch *launch);

/* How many kernel launches one launch of the variant makes. */
uint64_t gt_launch_kernels(const gt_launch *launch);

static inline uint32_t gt_volume(const uint32_t size[3])
{
    return size[0] * size[1] * size[2];
}

enum { GT_SHAPES_TEXT = GT_STEPS_MAX * 56 };
/* Writes the grids, or the blocks, of a launch's kernels: "128x8"; of several kernels in order, "47
 * + 1". Grids also say how often each kernel is launched, "64 (3 times) + 12", and where the grid
 * differs between launches the first and the last, "255..1 (255 times)". */
void gt_launch_grids(char out[GT_SHAPES_TEXT], const gt_launch *launch);
void gt_launch_blocks(char out[GT_SHAPES_TEXT], const gt_launch *launch);

/* The bytes of a block that are copied to the device before each launch. */
static inline uint32_t gt_block_copied(const gt_block *block)
{
    return block->pass == GT_PASS_VALUE || block->pass == GT_PASS_NONE
               ? 0
               : block->bytes - block->by_value_bytes;
}

/* Whether a launch copies bytes of a block, or a buffer to an array. */
static inline bool gt_launch_copies(const gt_launch *launch)
{
    bool copies = false;
    for (uint32_t i = 0; i < launch->texture_count; i++) {
        copies |= launch->textures[i].memory != GT_TEXTURE_BUFFER;
    }
    for (uint32_t i = 0; i < launch->block_count; i++) {
        copies |= gt_block_copied(&launch->blocks[i]) > 0;
    }
    return copies;
}

/* What ptxas and the driver say of a compiled variant. */
typedef struct gt_resources {
    uint32_t registers, spill_bytes; /* spills: stores plus loads, from the ptxas log */
    uint32_t static_shared_bytes, local_bytes, constant_bytes;
    uint32_t load_widths, store_widths; /* widths in bytes of accesses to global memory in the
                                           machine code, each a bit (4 | 16); 0: unknown, or none */
} gt_resources;

/* Machine code, or PTX for an emulated device. */
typedef struct gt_image {
    void *data; /* owned by whoever holds the struct */
    size_t bytes;
} gt_image;
/* Copies machine code or PTX. A NUL follows the copy, beyond its bytes. ENOMEM. */
gputune_status gt_image_copy(gt_image *out, const void *data, size_t bytes);
