/* Evaluates how a configuration is launched, step by step. Each function of a binding that returns
 * a gt_limit is a step: it reads the slots of axes, sets slots for later steps, and returns the
 * limit that the configuration breaks. Steps do not set the thread's message, because a space
 * evaluates them very often. */
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
    uint32_t step;        /* index of the kernel that the steps evaluate */
    gt_kernel_step shape; /* the shape of that kernel so far; its name and parameters are not set */
    int carveout_kb;
} gt_binding;

/* Sets the slots that depend on the problem and the device; all others become 0. */
void gt_slots_fill(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                   const gt_problem *problem, const gt_device *device);
/* Sets the slots of an axis. A word that names a type also sets a slot to the type's size. */
void gt_slots_axis(int64_t slots[GT_SLOT_MAX], const gt_template *template, uint32_t axis,
                   uint8_t choice);
void gt_slots_config(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                     const gt_config *config);

/* Opens a binding, which keeps the pointers, and sets the slots of the problem and the device. */
void gt_binding_open(gt_binding *out, const gt_template *template, const gt_problem *problem,
                     const gt_device *device);
gt_limit gt_binding_cluster(gt_binding *binding);
/* Evaluates block, launch_bounds() and maxreg(). */
gt_limit gt_binding_block(gt_binding *binding);
/* Evaluates the dynamic shared memory, and sets the slots of max_blocks and max_clusters. */
gt_limit gt_binding_shared(gt_binding *binding);
/* Returns true if a run-time size is 0, in which case grids may have no blocks. */
bool gt_binding_has_empty_size(const gt_binding *binding);
/* Evaluates one dimension of the grid, and rounds it up to a multiple of the cluster. */
gt_limit gt_binding_grid(gt_binding *binding, uint32_t dimension);
gt_limit gt_binding_carveout(gt_binding *binding);
/* Checks that all blocks of a cooperative launch can run together. */
gt_limit gt_binding_cooperative(gt_binding *binding);
/* Computes the features for gt_space_features(). No configuration need be set in the binding. */
uint32_t gt_binding_features(double out[GT_LAUNCH_FEATURES], const gt_binding *binding,
                             const gt_config *config);
/* Returns true if all require()s are true. All steps must have run before. */
bool gt_binding_permits(const gt_binding *binding);
/* Checks that the vectors divide the rows of all buffers (launch.c). */
gt_limit gt_binding_vectors(const gt_binding *binding);
/* Checks all kernels of a pipeline. The binding must contain the shape of the first kernel. */
gt_limit gt_binding_steps(gt_binding *binding);
/* Evaluates the kernels of a launch, and makes its sequence of loops. */
gt_limit gt_steps_bind(gt_launch *out, const gt_binding *binding);
/* Returns the limit that a value of an axis breaks, whatever the values of the other axes are
 * (launch.c). */
gt_limit gt_axis_limit(const gt_binding *binding, const gt_workload *workload, uint32_t axis,
                       uint8_t choice);
/* Sets the slots of a configuration, and runs all steps. Returns the first broken limit. */
gt_limit gt_binding_all(gt_binding *binding, const gt_config *config);

/* Fills `out` with the pass() blocks. ways[i] states how block i is passed, if this is known. If
 * `ways` is NULL, the configuration determines it. Returns the broken limit. */
gt_limit gt_blocks_make(gt_block out[GT_BLOCK_MAX], const gt_binding *binding,
                        const gt_pass ways[GT_BLOCK_MAX]);
gt_limit gt_binding_blocks(gt_binding *binding);

/* Returns the configuration of reference(self) (workload.c). */
gt_config gt_reference_config(const gt_template *template);
/* Evaluates a buffer's extents, the slowest first (workload.c). EINVAL or ETEMPLATE for an extent
 * below 1. */
gputune_status gt_argument_shape(uint64_t out[3], const gt_argument *argument,
                                 const int64_t *slots);

#define GT_BUFFER_BYTES_MAX (UINT64_C(1) << 47)
/* Sets *out to a buffer's number of elements (workload.c). EINVAL if there are too many. */
gputune_status gt_elements_count(uint64_t *out, const gt_argument *buffer, const int64_t *slots);

/* Adds a parameter to a launch, and returns it (launch.c). */
gt_parameter *gt_launch_add(gt_launch *launch, gt_parameter_kind kind, uint32_t bytes,
                            int argument);
/* Adds the blocks and arguments of a launch (launch.c). If `plain`, passes addresses for buffers of
 * tensor maps and textures. */
gputune_status gt_launch_arguments(gt_launch *launch, const gt_binding *binding, bool plain);
/* ---- workload_elements.c ---- */

/* Sets the types, fills and bytes of a buffer's elements. Converts buffer->elements from the number
 * of elements to the number of components. ETEMPLATE for integers without a fill, and for unknown
 * members. */
gputune_status gt_elements_bind(gt_workload *out, gt_buffer *buffer, const gt_binding *binding,
                                const gt_argument *declared);
/* Evaluates a scalar argument. EINVAL for a value that does not fit the scalar's type. */
gputune_status gt_scalar_bind(gt_workload *workload, gt_scalar *out, const gt_binding *binding,
                              const gt_argument *argument);

/* ---- layout.c ---- */

/* Appends a struct's members for a message: "alpha at 0, n at 8". */
void gt_structure_describe(gt_text *out, const gt_binding *binding, const char *name);
/* Returns the element of a type. For a struct, only size and alignment are set. */
gt_element gt_element_resolve(const gt_binding *binding, const char *name);
/* Sets out->holder and out->offset if a struct contains the address of the argument. `first` is the
 * index of the parameter of the first argument. */
gputune_status gt_argument_hold(gt_parameter *out, const gt_binding *binding,
                                const gt_argument *argument, uint32_t first);

/* ---- tensormap.c ---- */

/* Fills `out` with all tensor maps. Returns the limit that is broken. */
gt_limit gt_maps_make(gt_tensormap out[GT_TENSORMAP_MAX], const gt_binding *binding);
gt_limit gt_binding_maps(gt_binding *binding);

/* Fills `out` with all textures. ETEMPLATE if a texture is not possible. */
gputune_status gt_textures_make(gt_texture out[GT_TEXTURE_MAX], const gt_binding *binding);
