/* Plain data that describes how to launch a variant's kernels. src/kernel makes the data, and
 * src/gpu launches the kernels. */
#pragma once

#include "base/sequence.h"
#include "base/status.h"

/* How a parameter block reaches the kernel. */
typedef enum gt_pass {
    GT_PASS_NONE,     /* not passed */
    GT_PASS_VALUE,    /* a const __grid_constant__ struct parameter */
    GT_PASS_SPLIT,    /* the first 4096 bytes by value, the rest in a __constant__ array */
    GT_PASS_CONSTANT, /* a __constant__ array, copied before each launch */
    GT_PASS_GLOBAL    /* a device buffer, copied before each launch */
} gt_pass;

enum {
    GT_PARAMETER_PORTABLE_BYTES =
        4096, /* maximum bytes for every driver; LARGE needs CC >= 7.0 and driver >= 12.1 */
    GT_PARAMETER_LARGE_BYTES = 32764,
    GT_PARAMETER_MAX = 64, /* maximum number of parameters, including blocks and scratch buffers */
    GT_BLOCK_MAX = 8,
    GT_TENSORMAP_MAX = 8,
    GT_TENSORMAP_RANK = 5,
    GT_TENSORMAP_BYTES = 128,
    GT_TENSORMAP_ALIGNMENT = 64,
    GT_TEXTURE_MAX = 8,
    GT_TEXTURE_ALIGNMENT = 512, /* required address alignment */
    GT_TEXTURE_PITCH = 32,      /* required alignment of a texture's rows, from CC 2.0 on */
    GT_ENTRY_MAX = 128,
    GT_HELD_BYTES = 4096 /* maximum total size of the structs that contain device addresses */
};

/* Prefix of a block's __constant__ symbol in generated sources: gputune_pass_constant_NAME. */
#define GT_PASS_SYMBOL "gputune_pass_constant_"

/* A struct in host memory that the caller passes. */
typedef struct gt_block {
    gt_pass pass;
    uint32_t bytes;
    uint32_t by_value_bytes; /* size of the part that is passed by value */
    char symbol[96];         /* __constant__ symbol for the rest of the block; "" if none */
    uint32_t may_lack;       /* 1 if images that do not use the block may omit the symbol */
} gt_block;

typedef enum gt_parameter_kind {
    GT_PARAMETER_BUFFER, /* a device address */
    GT_PARAMETER_SCALAR,
    GT_PARAMETER_BLOCK,     /* a block: the part that is passed by value, or its device address */
    GT_PARAMETER_SCRATCH,   /* the device address of a buffer that the plan owns */
    GT_PARAMETER_VALUE,     /* an integer: computed by the launch's sequence, or a constant */
    GT_PARAMETER_TENSORMAP, /* a CUtensorMap of the buffer argument */
    GT_PARAMETER_TEXTURE    /* a texture object of the buffer argument */
} gt_parameter_kind;

enum {
    GT_SCRATCH_ZERO = 1, /* zeroed before the first launch */
    GT_SCRATCH_RACES = 2 /* threads may store equal values concurrently (races()) */
};

typedef struct gt_parameter {
    gt_parameter_kind kind;
    uint32_t bytes; /* size of the parameter itself, such as 8 for an address */
    int argument;   /* index of the argument to pass, or to copy to scratch; -1: none */
    uint32_t map;   /* index into the launch's maps or textures, or into gt_iteration.values */
    uint64_t scratch_bytes; /* bytes of the plan's own buffer, or a constant's value */
    uint32_t scratch;       /* GT_SCRATCH_... flags */
    uint32_t holder; /* 1 + index of the struct parameter that contains this address; 0: none */
    uint32_t offset; /* offset of the address in the struct parameter */
    uint32_t base;   /* 1 + index of a parameter to add to the address; 0: none */
    uint64_t clear_bytes; /* bytes of the buffer to zero before every launch */
} gt_parameter;

/* Arguments of cuTensorMapEncodeTiled(), without the address. Enums have the driver's values. */
typedef struct gt_tensormap {
    uint32_t rank, type, interleave, swizzle, l2_promotion, nan_fill;
    uint32_t alignment; /* required address alignment */
    uint32_t box[GT_TENSORMAP_RANK];
    uint64_t sizes[GT_TENSORMAP_RANK];
    uint64_t strides[GT_TENSORMAP_RANK]; /* strides in bytes, from the second dimension on */
} gt_tensormap;

/* The memory that a texture object reads. */
typedef enum gt_texture_memory {
    GT_TEXTURE_BUFFER, /* the caller's buffer */
    GT_TEXTURE_ARRAY,  /* a CUDA array; each launch copies the buffer to it */
    GT_TEXTURE_LAYERED /* a layered CUDA array; each launch copies the buffer to it */
} gt_texture_memory;

/* Arguments of cuTexObjectCreate(), without the address. Enumerations have the driver's values. */
typedef struct gt_texture {
    uint32_t format, channels, filter, address, flags;
    uint32_t memory;           /* a gt_texture_memory */
    uint32_t height, depth;    /* number of rows, and of slices or layers; 0: no such dimension */
    uint64_t width, row_bytes; /* elements per row, and bytes per row */
    uint64_t pitch_bytes;      /* bytes between the buffer's rows, or size of linear memory */
} gt_texture;
static inline uint64_t gt_texture_bytes(const gt_texture *texture)
{
    return texture->row_bytes * (texture->height ? texture->height : 1) *
           (texture->depth ? texture->depth : 1);
}

/* The buffer of an l2_persist axis, and its access window in the L2 cache. */
typedef struct gt_l2_window {
    bool used;          /* true if there is an l2_persist axis */
    uint32_t parameter; /* index of the buffer's parameter */
    uint64_t set_aside_bytes;
    uint64_t window_bytes; /* size of the window at the buffer's beginning; 0: no window */
} gt_l2_window;
enum { GT_STEPS_MAX = 8 };

typedef struct gt_kernel_step {
    char entry[GT_ENTRY_MAX]; /* kernel name from gt_image_entry() (gpu/image.h) */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];   /* 1, 1, 1 if the kernel has no cluster attribute */
    uint32_t shared_bytes; /* dynamic shared memory */
    uint32_t times;        /* number of consecutive launches */
    uint32_t cooperative;  /* 1 if all blocks must be resident together */
    uint32_t programmatic; /* 1 if the kernel may start before the previous kernel ends */
    uint32_t parameter_count;
    uint32_t parameters[GT_PARAMETER_MAX]; /* indices into the launch's parameters */
} gt_kernel_step;

/* All data for launching a variant at one problem size, except the image. */
typedef struct gt_launch {
    uint32_t step_count;  /* number of kernels; more than 1 only for a pipeline */
    int carveout_kb;      /* shared memory per SM in KB; -1: the driver's choice */
    uint32_t block_count; /* number of parameter blocks, to which the first arguments point */
    uint32_t argument_count;
    uint32_t parameter_count;
    uint32_t held_count; /* number of device addresses inside structs */
    uint32_t map_count;
    uint32_t texture_count;
    gt_l2_window l2;
    gt_parameter parameters[GT_PARAMETER_MAX];
    /* If a sequence launches a step several times with different shapes, the step has the grid of
     * the first launch and the largest block. */
    gt_kernel_step steps[GT_STEPS_MAX];
    gt_block blocks[GT_BLOCK_MAX];
    gt_tensormap maps[GT_TENSORMAP_MAX];
    gt_texture textures[GT_TEXTURE_MAX];
    gt_sequence sequence;
} gt_launch;

/* A read-only view of a gt_launch. The arrays have at least as many elements as the counts say. */
typedef struct gt_launch_view {
    uint32_t step_count;
    int carveout_kb;
    uint32_t block_count, argument_count, parameter_count, held_count, map_count, texture_count;
    gt_l2_window l2;
    const gt_parameter *parameters;
    const gt_kernel_step *steps;
    const gt_block *blocks;
    const gt_tensormap *maps;
    const gt_texture *textures;
    const gt_sequence *sequence; /* NULL: the steps are launched in order */
} gt_launch_view;

/* The members of a launch that depend on the problem sizes. */
typedef struct gt_launch_sizes {
    /* Equal ids mean equal sizes. When the id changes, GT_SCRATCH_ZERO buffers are zeroed again. */
    uint64_t id;
    const uint32_t (*grids)[3]; /* the grid of each step, never empty */
    const uint64_t *bytes;    /* for each parameter, the scratch size or the number of bytes to zero
                                 before each launch; NULL: those of the launch */
    const gt_tensormap *maps; /* NULL: the launch's tensor maps */
    const int64_t *values;    /* values of GT_PARAMETER_VALUE parameters; NULL: the launch's */
} gt_launch_sizes;

/* Returns a view of the launch, which is valid as long as the launch is. */
gt_launch_view gt_launch_view_of(const gt_launch *launch);
/* Copies a launch into one allocation of minimal size, which the caller frees. Fails only with
 * ENOMEM. */
gputune_status gt_launch_pack(gt_launch_view **out, const gt_launch *launch);

/* Returns true if a buffer must be zeroed before each launch. */
static inline bool gt_launch_clears(const gt_launch_view *launch)
{
    bool clears = false;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        clears |= launch->parameters[i].clear_bytes > 0;
    }
    return clears;
}

/* Gives the first kernel all parameters that are not inside structs, in order. */
void gt_launch_take_all(gt_launch *launch);
/* Counts the device addresses inside structs. EUNSUPPORTED if the structs exceed GT_HELD_BYTES. */
gputune_status gt_launch_count_held(gt_launch *launch);
/* Copies the structs that contain device addresses to `room` and inserts the addresses.
 * `parameters` then points to the copies. */
void gt_launch_hold(void *parameters[GT_PARAMETER_MAX], unsigned char room[GT_HELD_BYTES],
                    const gt_launch_view *launch);

void gt_iteration_begin(gt_iteration *run);
/* Advances *run to the next kernel launch, and skips empty grids. Uses the step's grid, block and
 * `times` unless the sequence sets others. Returns false at the end, or if run->error is set. */
bool gt_launch_next(gt_iteration *run, const gt_launch_view *launch);

/* Returns how many kernels one launch of the variant launches; 0 if all grids are empty. */
uint64_t gt_launch_kernels(const gt_launch *launch);

static inline uint32_t gt_volume(const uint32_t size[3])
{
    return size[0] * size[1] * size[2];
}

enum { GT_SHAPES_TEXT = GT_STEPS_MAX * 56 };
/* Formats the grids or blocks of a launch's kernels, such as "128x8", or "47 + 1" for two kernels.
 * Repeated launches of one grid are written "64 (3 times)". If the grid changes, only the first and
 * the last grid are written: "255..1 (255 times)". */
void gt_launch_grids(char out[GT_SHAPES_TEXT], const gt_launch *launch);
void gt_launch_blocks(char out[GT_SHAPES_TEXT], const gt_launch *launch);

/* Returns how many bytes of the block must be copied to the device before each launch. */
static inline uint32_t gt_block_copied(const gt_block *block)
{
    return block->pass == GT_PASS_VALUE || block->pass == GT_PASS_NONE
               ? 0
               : block->bytes - block->by_value_bytes;
}

/* Returns true if each launch copies a block to the device, or a buffer to an array. */
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

/* Resources of a compiled variant, from ptxas and the driver. */
typedef struct gt_resources {
    uint32_t registers, spill_bytes; /* spill_bytes: stores plus loads, from the ptxas log */
    uint32_t static_shared_bytes, local_bytes;
} gt_resources;

/* A cubin, or PTX for an emulated device. */
typedef struct gt_image {
    void *data;
    size_t bytes;
} gt_image;
/* Copies an image and appends a NUL, which out->bytes does not count. Fails only with ENOMEM. */
gputune_status gt_image_copy(gt_image *out, const void *data, size_t bytes);
