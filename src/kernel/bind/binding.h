/* Binds a configuration to a problem and a device in stages. Each gt_binding function that returns
 * a gt_limit is a stage. A stage reads slots, sets slots for later stages, and returns the limit
 * that the configuration breaks. Stages set no error message, because a space calls them very
 * often. */
#pragma once

#include "kernel/bind/limits.h"
#include "kernel/bind/problem.h"
#include "kernel/template/config.h"
#include "kernel/template/declared.h"
#include "kernel/template/symbols.h"

typedef struct gt_binding {
    const gt_template *template;
    const gt_problem *problem;
    const gt_device *device;
    int64_t slots[GT_SLOT_MAX];
    uint32_t step;        /* index of the kernel to evaluate */
    gt_kernel_step shape; /* launch shape of the kernel; has no name and no parameters */
    int carveout_kb;
} gt_binding;

/* Sets the slots of problem values and device properties, and all other slots to 0. */
void gt_slots_fill(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                   const gt_problem *problem, const gt_device *device);
/* Sets the slot of an axis. If its value is a type, also sets the slot for the size of the type. */
void gt_slots_axis(int64_t slots[GT_SLOT_MAX], const gt_template *template, uint32_t axis,
                   uint8_t choice);
void gt_slots_config(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                     const gt_config *config);

/* Initialises a binding for a problem on a device. The binding keeps the pointers. */
void gt_binding_open(gt_binding *out, const gt_template *template, const gt_problem *problem,
                     const gt_device *device);
gt_limit gt_binding_cluster(gt_binding *binding);
gt_limit gt_binding_block(gt_binding *binding);
/* Checks maxreg(), and that the block fits launch_bounds(). */
gt_limit gt_binding_bounds(gt_binding *binding);
/* Evaluates the dynamic shared memory, and sets the slots of max_blocks and max_clusters. */
gt_limit gt_binding_shared(gt_binding *binding);
/* Returns true if a run-time size is 0. Grids may then be empty. */
bool gt_binding_has_empty_size(const gt_binding *binding);
/* Evaluates a grid dimension, and rounds it up to a multiple of the cluster size. */
gt_limit gt_binding_grid(gt_binding *binding, uint32_t dimension);
gt_limit gt_binding_carveout(gt_binding *binding);
gt_limit gt_binding_cooperative(gt_binding *binding);
/* Computes the features for gt_space_features(). Uses `config`, not the binding's configuration. */
uint32_t gt_binding_features(double out[GT_LAUNCH_FEATURES], const gt_binding *binding,
                             const gt_config *config);
/* Returns true if all require() clauses hold. All stages must have run. */
bool gt_binding_permits(const gt_binding *binding);
/* Checks that vector widths divide the rows of all buffers (launch.c). */
gt_limit gt_binding_vectors(const gt_binding *binding);
/* Checks all kernels of a pipeline. The binding must contain the first kernel's shape. */
gt_limit gt_binding_steps(gt_binding *binding);
/* Evaluates all kernels of a launch, and lists the launches of its loops. */
gt_limit gt_steps_bind(gt_launch *out, const gt_binding *binding);
/* Returns the limit that a value of an axis breaks for all values of the other axes (launch.c). */
gt_limit gt_axis_limit(const gt_binding *binding, const gt_workload *workload, uint32_t axis,
                       uint8_t choice);
/* Runs all stages for a configuration. Returns the first broken limit. */
gt_limit gt_binding_all(gt_binding *binding, const gt_config *config);

/* Makes the pass() blocks. `ways` lists how each block is passed; if it is NULL, the configuration
 * decides. Returns the broken limit. */
gt_limit gt_blocks_make(gt_block out[GT_BLOCK_MAX], const gt_binding *binding,
                        const gt_pass ways[GT_BLOCK_MAX]);
gt_limit gt_binding_blocks(gt_binding *binding);

/* Returns the configuration that reference(self) runs (workload.c). */
gt_config gt_reference_config(const gt_template *template);
/* Evaluates a buffer's extents, the slowest first (workload.c). EINVAL or ETEMPLATE if an extent is
 * below 1. */
gputune_status gt_argument_shape(uint64_t out[3], const gt_argument *argument,
                                 const int64_t *slots);

#define GT_BUFFER_BYTES_MAX (UINT64_C(1) << 47)
/* Sets *out to the number of elements of a buffer (workload.c). EINVAL if there are too many. */
gputune_status gt_elements_count(uint64_t *out, const gt_argument *buffer, const int64_t *slots);

/* Returns the bytes of the widest access of a thread, which is also the largest alignment that a
 * vector needs (launch.c). */
uint32_t gt_widest_access(const gt_device *device);
/* Appends a parameter to a launch and returns it (launch.c). */
gt_parameter *gt_launch_add(gt_launch *launch, gt_parameter_kind kind, uint32_t bytes,
                            int argument);
/* Appends the blocks and arguments to a launch (launch.c). If `plain`, tensor maps and textures
 * become plain pointers. */
gputune_status gt_launch_arguments(gt_launch *launch, const gt_binding *binding, bool plain);
/* ---- workload_elements.c ---- */

/* Sets the element types, fills and bytes of a buffer. Converts buffer->elements from elements to
 * vector components. ETEMPLATE for integers without a fill, and for unknown members. */
gputune_status gt_elements_bind(gt_workload *out, gt_buffer *buffer, const gt_binding *binding,
                                const gt_argument *declared);
/* Decides which numbers of a buffer may vary in proofs: numbers that the fill sets to one value.
 * Floats without a range may also vary, if the buffer is a block or has few elements. */
gputune_status gt_elements_open(gt_workload *workload, gt_buffer *buffer, const gt_binding *binding,
                                bool is_block);
/* Evaluates a scalar argument. EINVAL if the value does not fit the scalar's type. */
gputune_status gt_scalar_bind(gt_workload *workload, gt_scalar *out, const gt_binding *binding,
                              const gt_argument *argument);

/* ---- layout.c ---- */

/* Appends the offsets of a struct's members for a message: "alpha at 0, n at 8". */
void gt_structure_describe(gt_text *out, const gt_binding *binding, const char *name);
/* Returns the element that a type name denotes. For a struct, sets only size and alignment. */
gt_element gt_element_resolve(const gt_binding *binding, const char *name);
/* If the argument is a pointer member of a struct argument, sets out->holder to the struct and
 * out->offset to the member's offset. `first` is the parameter index of the first argument. */
gputune_status gt_argument_hold(gt_parameter *out, const gt_binding *binding,
                                const gt_argument *argument, uint32_t first);

/* ---- tensormap.c ---- */

/* Makes all tensor maps. Returns the broken limit. */
gt_limit gt_maps_make(gt_tensormap out[GT_TENSORMAP_MAX], const gt_binding *binding);
gt_limit gt_binding_maps(gt_binding *binding);

/* Makes all textures. ETEMPLATE for an invalid texture. */
gputune_status gt_textures_make(gt_texture out[GT_TEXTURE_MAX], const gt_binding *binding);
