/* How one kernel is launched, as plain data: made by src/kernel, carried by src/farm and src/store,
 * carried out by src/gpu. */
#pragma once

#include "base/sequence.h"
#include "base/status.h"

/* How a block of parameters reaches the kernel. */
typedef enum gt_pass {
    GT_PASS_NONE,  /* not at all */
    GT_PASS_VALUE, /* a const __grid_constant__ struct parameter */
    GT_PASS_SPLIT, /* as much by value as every driver takes beside the other parameters, the rest
                      through __constant__ */
    GT_PASS_CONSTANT, /* a __constant__ array, copied before each launch */
    GT_PASS_GLOBAL    /* a device buffer, copied before each launch */
} gt_pass;

enum {
    GT_PARAMETER_PORTABLE_BYTES = 4096, /* every driver; more on CC >= 7.0 with driver >= 12.1 */
    GT_PARAMETER_LARGE_BYTES = 32764,
    GT_PARAMETER_MAX = 64, /* kernel parameters, blocks and scratch included */
    GT_BLOCK_MAX = 8,
    GT_TENSORMAP_MAX = 8,
    GT_TENSORMAP_RANK = 5,
    GT_TENSORMAP_BYTES = 128,
    GT_TENSORMAP_ALIGNMENT = 64,
    GT_TEXTURE_MAX = 8,
    GT_TEXTURE_ALIGNMENT = 512, /* of the address, and */
    GT_TEXTURE_PITCH = 32,      /* of rows: bytes, of every GPU since compute capability 2.0 */
    GT_ENTRY_MAX = 128,
    GT_HELD_BYTES = 4096 /* of all structs of a launch that hold addresses */
};

/* The __constant__ symbol that generated sources use for the constant part of the block NAME is
 * called this and NAME. */
#define GT_PASS_SYMBOL "gputune_pass_constant_"

/* One block of bytes that the caller gives as host memory. */
typedef struct gt_block {
    gt_pass pass;
    uint32_t bytes; /* the whole block */
    uint32_t
        by_value_bytes; /* of it in the parameter itself: all, the first part of a split, or 0 */
    char symbol[96];    /* with `split` and `constant`: what takes the rest, "" otherwise */
    bool may_lack;      /* an image without the symbol does not use it; else it is an error */
} gt_block;

typedef enum gt_parameter_kind {
    GT_PARAMETER_BUFFER, /* a device address */
    GT_PARAMETER_SCALAR,
    GT_PARAMETER_BLOCK,     /* a block's by-value part, or the address of its device buffer */
    GT_PARAMETER_SCRATCH,   /* a device address that the plan owns */
    GT_PARAMETER_VALUE,     /* an integer that the launch's sequence computes */
    GT_PARAMETER_TENSORMAP, /* a CUtensorMap of the buffer that `argument` is */
    GT_PARAMETER_TEXTURE    /* a texture object of it */
} gt_parameter_kind;

/* One kernel parameter in the order of the parameter list. */
typedef struct gt_parameter {
    gt_parameter_kind kind;
    uint32_t bytes;         /* of the parameter itself: 8 for an address */
    int argument;           /* index into the caller's arguments; -1: none. A scratch buffer with
                               one begins each launch as a copy of it */
    uint64_t scratch_bytes; /* of a scratch buffer at this geometry, or of one that a reference gets
                               behind the arguments; of a scalar there, the value itself */
    uint32_t map; /* of a tensor map or texture: index into the launch's; of a value: the run's */
    bool zero_first; /* of a scratch buffer: zeros before the first launch; else anything */
    uint32_t holder; /* of an address in a struct: 1 and the index of the parameter that this is, */
    uint32_t offset; /* and where in its bytes; steps do not take the address. 0: it is in none */
} gt_parameter;

/* How a tensor map is encoded (cuTensorMapEncodeTiled), fastest dimension first; but for the
 * address, which is the caller's. Enumerators are the driver's. */
typedef struct gt_tensormap {
    uint32_t rank, type, interleave, swizzle, l2_promotion, nan_fill;
    uint32_t alignment; /* bytes that the address must be a multiple of */
    uint64_t sizes[GT_TENSORMAP_RANK];
    uint64_t strides[GT_TENSORMAP_RANK]; /* bytes; of all dimensions but the first, from [0] on */
    uint32_t box[GT_TENSORMAP_RANK];
} gt_tensormap;

/* What a texture object reads. */
typedef enum gt_texture_memory {
    GT_TEXTURE_BUFFER, /* the caller's buffer */
    GT_TEXTURE_ARRAY,  /* a copy of it in an array of the plan's, made before each launch */
    GT_TEXTURE_LAYERED /* the same in layers */
} gt_texture_memory;

/* How a texture object is made (cuTexObjectCreate); but for the address, which is the caller's.
 * Enumerators and flags are the driver's. */
typedef struct gt_texture {
    uint32_t format, channels, filter, address, flags;
    uint32_t memory;           /* a gt_texture_memory */
    uint32_t height, depth;    /* rows, and slices or layers; 0: there are none */
    uint64_t width, row_bytes; /* elements of a row, and their bytes */
    uint64_t pitch_bytes;      /* from row to row of the buffer; of linear memory, all bytes */
} gt_texture;

/* One buffer or scratch to zero before every launch, on the launch's stream. */
typedef struct gt_clear {
    int parameter; /* index into the parameters */
    uint64_t bytes;
} gt_clear;

/* The buffer that an l2_persist axis is about, and what of the level-2 cache it gets. */
typedef struct gt_l2_window {
    bool used;          /* the template has such an axis */
    uint32_t parameter; /* index into the parameters */
    uint64_t set_aside_bytes;
    uint64_t window_bytes; /* from the buffer's beginning; 0: none */
} gt_l2_window;
enum { GT_STEPS_MAX = 8, GT_STEP_ARGUMENTS = 32 };

/* One kernel of a launch. */
typedef struct gt_kernel_step {
    char entry[GT_ENTRY_MAX]; /* its name, as gt_image_entry() (gpu/image.h) finds it */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];        /* all 1: no cluster attribute */
    uint32_t preferred_cluster; /* in x, a multiple of the cluster's; 0: none */
    uint32_t shared_bytes;      /* dynamic */
    uint32_t times;             /* so many launches in a row */
    uint32_t cooperative;     /* 1: all blocks are resident at once, and may wait for each other */
    uint32_t programmatic;    /* 1: it may begin before the kernel before it ends */
    uint32_t takes_none;      /* 1: the kernel has no parameters */
    uint32_t parameter_count; /* 0: it takes all of the launch's, in order */
    uint32_t parameters[GT_STEP_ARGUMENTS]; /* indices into the launch's parameters */
} gt_kernel_step;

/* Everything that launching one variant at one problem size needs, next to its image. */
typedef struct gt_launch {
    uint32_t step_count;                /* 1, or more of a pipeline, which are launched in order */
    gt_kernel_step steps[GT_STEPS_MAX]; /* what the sequence sets is that of their first launch, but
                                           for the block, which is the largest */
    gt_sequence sequence;
    int carveout_kb;      /* of all steps; -1: the driver's choice */
    uint32_t block_count; /* the first of the caller's arguments, each a pointer to its bytes */
    gt_block blocks[GT_BLOCK_MAX];
    uint32_t argument_count; /* what the caller passes */
    uint32_t parameter_count;
    gt_parameter parameters[GT_PARAMETER_MAX];
    uint32_t held_count; /* of them in structs */
    uint32_t map_count;
    gt_tensormap maps[GT_TENSORMAP_MAX];
    uint32_t texture_count;
    gt_texture textures[GT_TEXTURE_MAX];
    uint32_t clear_count;
    gt_clear clears[GT_PARAMETER_MAX];
    gt_l2_window l2;
} gt_launch;

/* How many parameters a step takes, and which of the launch's each of them is. */
static inline uint32_t gt_step_parameters(const gt_launch *launch, const gt_kernel_step *step)
{
    return step->parameter_count || step->takes_none ? step->parameter_count
                                                     : launch->parameter_count;
}
static inline uint32_t gt_step_parameter(const gt_kernel_step *step, uint32_t index)
{
    return step->parameter_count ? step->parameters[index] : index;
}

/* Counts the parameters that are in structs, and makes steps that would take all of them name the
 * others. EUNSUPPORTED for more than a step names, and for structs that need more room than there
 * is. */
gputune_status gt_launch_name_parameters(gt_launch *launch);
/* Of a launch's parameters: copies the structs that hold addresses, and puts these into them. */
void gt_launch_hold(void *parameters[GT_PARAMETER_MAX], unsigned char room[GT_HELD_BYTES],
                    const gt_launch *launch);

/* Sets what the sequence leaves to the step. */
void gt_step_complete(gt_iteration *run, const gt_kernel_step *step);
/* The next launch of all, after gt_iteration_begin(), with the shape that the step states. */
bool gt_launch_next(gt_iteration *run, const gt_launch *launch);

/* How many kernels one launch launches. */
uint64_t gt_launch_kernels(const gt_launch *launch);

static inline uint32_t gt_volume(const uint32_t size[3])
{
    return size[0] * size[1] * size[2];
}

enum { GT_SHAPES_TEXT = GT_STEPS_MAX * 56 };
/* Writes the grids, or the blocks, of a launch's kernels: "128x8"; of several in order, "47 + 1",
 * and with grids how often each is launched, "64 (3 times) + 12"; where that differs the first and
 * the last, "255..1 (255 times)". */
void gt_launch_grids(char out[GT_SHAPES_TEXT], const gt_launch *launch);
void gt_launch_blocks(char out[GT_SHAPES_TEXT], const gt_launch *launch);

/* The bytes of a block that are copied to the device before each launch. */
static inline uint32_t gt_block_copied(const gt_block *block)
{
    return block->pass == GT_PASS_VALUE || block->pass == GT_PASS_NONE
               ? 0
               : block->bytes - block->by_value_bytes;
}

/* Whether a launch copies any, or to an array. */
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
    uint32_t load_widths, store_widths; /* of global memory, in the machine code: bytes, each a bit
                                           (4 | 16); 0: unknown, or none */
} gt_resources;

/* Machine code, or PTX for an emulated device. */
typedef struct gt_image {
    void *data; /* owned by whoever holds the struct */
    size_t bytes;
} gt_image;
