/* Plain data that describe how a variant's kernels are launched: src/kernel makes the data,
 * src/farm and src/store pass them on, and src/gpu launches the kernels. */
#pragma once

#include "base/sequence.h"
#include "base/status.h"

/* How a parameter block is passed to the kernel. */
typedef enum gt_pass {
    GT_PASS_NONE,  /* not passed */
    GT_PASS_VALUE, /* a const __grid_constant__ struct parameter */
    GT_PASS_SPLIT, /* by value up to the size that every driver accepts, the rest in a __constant__
                      array */
    GT_PASS_CONSTANT, /* a __constant__ array, copied before each launch */
    GT_PASS_GLOBAL    /* a device buffer, copied before each launch */
} gt_pass;

enum {
    GT_PARAMETER_PORTABLE_BYTES =
        4096, /* limit of every driver; the larger limit needs CC >= 7.0 and driver >= 12.1 */
    GT_PARAMETER_LARGE_BYTES = 32764,
    GT_PARAMETER_MAX = 64, /* kernel parameters, including blocks and scratch buffers */
    GT_BLOCK_MAX = 8,
    GT_TENSORMAP_MAX = 8,
    GT_TENSORMAP_RANK = 5,
    GT_TENSORMAP_BYTES = 128,
    GT_TENSORMAP_ALIGNMENT = 64,
    GT_TEXTURE_MAX = 8,
    GT_TEXTURE_ALIGNMENT = 512, /* required alignment of the address */
    GT_TEXTURE_PITCH = 32,      /* required alignment of a row, since CC 2.0 */
    GT_ENTRY_MAX = 128,
    GT_HELD_BYTES = 4096 /* total size of a launch's structs that contain addresses */
};

/* The prefix of the __constant__ symbol in generated sources that holds the constant part of a
 * block: gputune_pass_constant_NAME. */
#define GT_PASS_SYMBOL "gputune_pass_constant_"

/* A block of bytes that the caller passes in host memory. */
typedef struct gt_block {
    gt_pass pass;
    uint32_t bytes;          /* size of the block */
    uint32_t by_value_bytes; /* bytes in the parameter: all, the first part of a split block, or
                                0 */
    char symbol[96];         /* name of the __constant__ symbol for the block's rest; "" if none */
    uint32_t may_lack;       /* 1: an image that does not use the block may lack the symbol */
} gt_block;

typedef enum gt_parameter_kind {
    GT_PARAMETER_BUFFER, /* a device address */
    GT_PARAMETER_SCALAR,
    GT_PARAMETER_BLOCK,     /* by-value part of a pass() block, or the address of its device
                               buffer */
    GT_PARAMETER_SCRATCH,   /* a device address that the plan owns */
    GT_PARAMETER_VALUE,     /* an integer that the launch's sequence computes */
    GT_PARAMETER_TENSORMAP, /* a CUtensorMap of the buffer that `argument` names */
    GT_PARAMETER_TEXTURE    /* a texture object of the buffer that `argument` names */
} gt_parameter_kind;

enum {
    GT_SCRATCH_ZERO = 1, /* zeroed before the first launch */
    GT_SCRATCH_RACES = 2 /* threads may store the same value concurrently (races()) */
};

/* A kernel parameter, in the order of the parameter list. */
typedef struct gt_parameter {
    gt_parameter_kind kind;
    uint32_t bytes; /* size of the parameter itself: 8 for an address */
    int argument;   /* index of the caller's argument; -1: no argument. A scratch buffer with an
                       argument gets a copy of that buffer before each launch */
    uint32_t map;   /* index into the launch's maps, the launch's textures, or
                       gt_iteration.values */
    uint64_t scratch_bytes; /* size of a scratch buffer or a reference's extra buffer, or the value
                               of a reference's scalar */
    uint32_t scratch;       /* flags of a scratch buffer: GT_SCRATCH_... */
    uint32_t holder;        /* 1 + index of the parameter whose struct has the address, or 0 */
    uint32_t offset;        /* offset of the address in that struct */
    uint32_t base;          /* 1 + index of a parameter that is added to the address; 0: nothing is
                               added */
    uint64_t clear_bytes;   /* bytes of a buffer or scratch buffer to zero before every launch */
} gt_parameter;

/* The arguments of cuTensorMapEncodeTiled() except the address, with the driver's enumerators. */
typedef struct gt_tensormap {
    uint32_t rank, type, interleave, swizzle, l2_promotion, nan_fill;
    uint32_t alignment; /* required alignment of the address */
    uint32_t box[GT_TENSORMAP_RANK];
    uint64_t sizes[GT_TENSORMAP_RANK];
    uint64_t strides[GT_TENSORMAP_RANK]; /* strides in bytes, from the second dimension on */
} gt_tensormap;

/* The memory that a texture object reads. */
typedef enum gt_texture_memory {
    GT_TEXTURE_BUFFER, /* the caller's buffer */
    GT_TEXTURE_ARRAY,  /* a copy of the buffer in an array, made before each launch */
    GT_TEXTURE_LAYERED /* a copy in a layered array, made before each launch */
} gt_texture_memory;

/* The arguments of cuTexObjectCreate() except the address, with the driver's enumerators. */
typedef struct gt_texture {
    uint32_t format, channels, filter, address, flags;
    uint32_t memory;           /* a gt_texture_memory */
    uint32_t height, depth;    /* number of rows; number of slices or layers; 0: no such
                                  dimension */
    uint64_t width, row_bytes; /* elements and bytes per row */
    uint64_t pitch_bytes;      /* bytes between the buffer's rows; size of linear memory */
} gt_texture;
/* Returns the size of a texture's array. */
static inline uint64_t gt_texture_bytes(const gt_texture *texture)
{
    return texture->row_bytes * (texture->height ? texture->height : 1) *
           (texture->depth ? texture->depth : 1);
}

/* The buffer of an l2_persist axis, and its share of the L2 cache. */
typedef struct gt_l2_window {
    bool used;          /* true if the template has an l2_persist axis */
    uint32_t parameter; /* index of the buffer's parameter */
    uint64_t set_aside_bytes;
    uint64_t window_bytes; /* size of the window from the buffer's beginning; 0: no window */
} gt_l2_window;
enum { GT_STEPS_MAX = 8 };

typedef struct gt_kernel_step {
    char entry[GT_ENTRY_MAX]; /* the kernel's name, as found by gt_image_entry() (gpu/image.h) */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];   /* all 1: the cluster attribute is not set */
    uint32_t shared_bytes; /* dynamic shared memory */
    uint32_t times;        /* number of launches in a row */
    uint32_t cooperative;  /* 1: all blocks are resident together and may wait for each other */
    uint32_t programmatic; /* 1: may start before the previous kernel ends */
    uint32_t parameter_count;
    uint32_t parameters[GT_PARAMETER_MAX]; /* indices into the launch's parameters */
} gt_kernel_step;

/* All data for launching one variant at one problem size, except its image. */
typedef struct gt_launch {
    uint32_t step_count;     /* the kernels, launched in order; 1 except for a pipeline */
    int carveout_kb;         /* shared memory per SM, for all steps; -1: the driver's choice */
    uint32_t block_count;    /* number of blocks; the first arguments point to them */
    uint32_t argument_count; /* arguments that the caller passes */
    uint32_t parameter_count;
    uint32_t held_count; /* parameters that are addresses in structs */
    uint32_t map_count;
    uint32_t texture_count;
    gt_l2_window l2;
    gt_parameter parameters[GT_PARAMETER_MAX];
    gt_kernel_step steps[GT_STEPS_MAX]; /* values of the first launch of each step, if the sequence
                                           sets them; but `block` is the step's largest block */
    gt_block blocks[GT_BLOCK_MAX];
    gt_tensormap maps[GT_TENSORMAP_MAX];
    gt_texture textures[GT_TEXTURE_MAX];
    gt_sequence sequence;
} gt_launch;

/* A read-only view of a launch: the members of gt_launch, in arrays that may be only as long as
 * needed. */
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

/* The members of a launch that change with the sizes, for variants whose other members do not
 * change. */
typedef struct gt_launch_sizes {
    /* Two launches have the same id only if their sizes are equal. When the id changes, a stream's
     * scratch memory that is zeroed before the first launch is zeroed again. */
    uint64_t id;
    const uint32_t (*grids)[3]; /* the grid of each step, never empty */
    const uint64_t *bytes;      /* for each parameter: bytes of a scratch buffer, or of a buffer
                                   that is zeroed before every launch; NULL: no such parameter */
} gt_launch_sizes;

/* Returns a view of a launch, which must outlive it. */
gt_launch_view gt_launch_view_of(const gt_launch *launch);
/* Copies a launch in as little memory as it needs, because an application may keep thousands. The
 * caller releases *out with one free(). ENOMEM. */
gputune_status gt_launch_pack(gt_launch_view **out, const gt_launch *launch);

/* Returns true if any buffer is zeroed before every launch. */
static inline bool gt_launch_clears(const gt_launch_view *launch)
{
    bool clears = false;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        clears |= launch->parameters[i].clear_bytes > 0;
    }
    return clears;
}

/* Passes all parameters that are not in structs to the first kernel, in order. */
void gt_launch_take_all(gt_launch *launch);
/* Sets held_count. EUNSUPPORTED if the structs exceed GT_HELD_BYTES. */
gputune_status gt_launch_count_held(gt_launch *launch);
/* Copies the structs that contain addresses to `room`, and stores the addresses in the copies.
 * `parameters` points to the values of the launch's parameters; the elements of these structs are
 * changed to point to the copies. */
void gt_launch_hold(void *parameters[GT_PARAMETER_MAX], unsigned char room[GT_HELD_BYTES],
                    const gt_launch_view *launch);

void gt_iteration_begin(gt_iteration *run);
/* Advances *run to the next kernel launch, skipping grids of 0 blocks. Values that the sequence
 * does not set come from the step. Returns false at the end, or if run->error is set. */
bool gt_launch_next(gt_iteration *run, const gt_launch_view *launch);

/* Returns how many kernels one launch of the variant launches; 0 if all grids are empty. */
uint64_t gt_launch_kernels(const gt_launch *launch);

static inline uint32_t gt_volume(const uint32_t size[3])
{
    return size[0] * size[1] * size[2];
}

enum { GT_SHAPES_TEXT = GT_STEPS_MAX * 56 };
/* Formats the grids or blocks of a launch's kernels: "128x8", or "47 + 1" for two kernels. A grid
 * that is launched repeatedly is written "64 (3 times)". For grids that change from launch to
 * launch, only the first and the last are written: "255..1 (255 times)". */
void gt_launch_grids(char out[GT_SHAPES_TEXT], const gt_launch *launch);
void gt_launch_blocks(char out[GT_SHAPES_TEXT], const gt_launch *launch);

/* Returns how many bytes of a block are copied to the device before each launch. */
static inline uint32_t gt_block_copied(const gt_block *block)
{
    return block->pass == GT_PASS_VALUE || block->pass == GT_PASS_NONE
               ? 0
               : block->bytes - block->by_value_bytes;
}

/* Returns true if each launch copies part of a block, or a buffer to an array. */
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
    uint32_t registers, spill_bytes; /* spills: stores plus loads, from the ptxas log */
    uint32_t static_shared_bytes, local_bytes;
} gt_resources;

/* Machine code, or PTX for an emulated device. */
typedef struct gt_image {
    void *data; /* owned by the struct's owner */
    size_t bytes;
} gt_image;
/* Copies machine code or PTX, and appends a NUL that `bytes` does not count. ENOMEM. */
gputune_status gt_image_copy(gt_image *out, const void *data, size_t bytes);
