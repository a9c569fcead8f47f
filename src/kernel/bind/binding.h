/* Evaluates how a configuration is launched, in steps. A space stops at the first step that fails.
 * A step reads the slots of its axes, sets slots for later steps, and returns the limit
 * that is broken. It sets no message. */
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
    uint32_t step; /* the kernel of a pipeline that the steps here work out, 0 for the first */
    gt_kernel_step shape; /* of that kernel, as far as it is known, without name and parameters */
    int carveout_kb;      /* as in gt_launch */
} gt_binding;

/* Fills all slots that a problem and a device decide, and sets all others to 0. */
void gt_slots_fill(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                   const gt_problem *problem, const gt_device *device);
/* Sets the slots of one axis. A word that names a type problem value has the bytes of its type. */
void gt_slots_axis(int64_t slots[GT_SLOT_MAX], const gt_template *template, uint32_t axis,
                   uint8_t choice);
void gt_slots_config(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                     const gt_config *config);

/* Opens a binding, which keeps the pointers, and fills the slots that these decide. */
void gt_binding_open(gt_binding *out, const gt_template *template, const gt_problem *problem,
                     const gt_device *device);
gt_limit gt_binding_cluster(gt_binding *binding);
/* Evaluates block, launch_bounds and maxreg. */
gt_limit gt_binding_block(gt_binding *binding);
/* Evaluates the dynamic shared memory, and sets the slots of max_blocks and max_clusters. */
gt_limit gt_binding_shared(gt_binding *binding);
/* Returns whether a run-time size is 0, which allows a grid of 0 blocks. */
bool gt_binding_has_empty_size(const gt_binding *binding);
/* Evaluates one dimension of the grid, and rounds it up to a multiple of the cluster. */
gt_limit gt_binding_grid(gt_binding *binding, uint32_t dimension);
gt_limit gt_binding_carveout(gt_binding *binding);
/* Evaluates whether all blocks of a cooperative launch can be resident at once. */
gt_limit gt_binding_cooperative(gt_binding *binding);
/* As gt_space_features(), of a binding without a configuration. */
uint32_t gt_binding_features(double out[GT_LAUNCH_FEATURES], const gt_binding *binding,
                             const gt_config *config);
/* Evaluates all kernels of a pipeline; the shape of the first is in the binding already. */
gt_limit gt_binding_steps(gt_binding *binding);
/* Works out the steps of a launch, and the sequence of loops. Returns a limit. */
gt_limit gt_steps_bind(gt_launch *out, const gt_binding *binding);
/* Returns the limit that vectors of so many elements break in rows, which they must divide. */
gt_limit gt_vector_limit(const gt_binding *binding, uint32_t axis, int64_t width);
/* Returns the limit that a value of an axis breaks by itself. In launch.c. */
gt_limit gt_axis_limit(const gt_binding *binding, const gt_workload *workload, uint32_t axis,
                       uint8_t choice);
/* Returns the bytes of the widest access, to which the prelude's types are aligned. */
static inline uint32_t gt_widest_access(const gt_device *device)
{
    return device->cc >= 100 ? 32 : 16;
}
/* Returns how many blocks the GPU holds, by threads and shared memory. */
int64_t gt_blocks_resident(const gt_device *device, const uint32_t block[3], uint32_t shared_bytes);
/* Sets the configuration's slots and runs all steps. Returns the first limit that is broken. */
gt_limit gt_binding_all(gt_binding *binding, const gt_config *config);

/* Fills `out` with the pass blocks, passed as `ways` says (GT_PASS_NONE: not yet) or as configured
 * (NULL). Returns the limit that they break. */
gt_limit gt_blocks_make(gt_block out[GT_BLOCK_MAX], const gt_binding *binding,
                        const gt_pass ways[GT_BLOCK_MAX]);
/* Checks the pass blocks of the binding's configuration. A step as above. */
gt_limit gt_binding_blocks(gt_binding *binding);

/* The configuration that reference(self) names. In workload.c. */
gt_config gt_reference_config(const gt_template *template);
/* Evaluates a buffer's extents, slowest first. EINVAL below 1. In workload.c. */
gputune_status gt_argument_shape(uint64_t out[3], const gt_argument *argument,
                                 const int64_t *slots);

#define GT_BUFFER_BYTES_MAX (UINT64_C(1) << 47)
/* Sets *out to a buffer's elements. EINVAL for none, or too many. In workload.c. */
gputune_status gt_elements_count(uint64_t *out, const gt_argument *buffer, const int64_t *slots);

/* Adds a parameter to a launch, and returns it for what else is to be set. In launch.c. */
gt_parameter *gt_launch_add(gt_launch *launch, gt_parameter_kind kind, uint32_t bytes,
                            int argument);
/* Adds blocks and arguments; `plain`: no maps and textures. In launch.c. */
gputune_status gt_launch_arguments(gt_launch *launch, const gt_binding *binding, bool plain);
/* ---- workload_elements.c ---- */

/* Sets a buffer's elements, in `elements` as declared, their fills and bytes. Numbers that are
 * filled one by one go to out->numbers. ETEMPLATE for integers without a fill, and for unknown
 * members. */
gputune_status gt_elements_bind(gt_workload *out, gt_buffer *buffer, const gt_binding *binding,
                                const gt_argument *declared);
/* Sets *out to a scalar argument. EINVAL for a value that its type does not hold. */
gputune_status gt_scalar_bind(gt_workload *workload, gt_scalar *out, const gt_binding *binding,
                              const gt_argument *argument);

/* ---- layout.c ---- */

/* Appends the members of a struct for a message: "alpha at 0, n at 8". */
void gt_structure_describe(gt_text *out, const gt_binding *binding, const char *name);
/* Returns the element of a type's name; of a struct only bytes and alignment. */
gt_element gt_element_resolve(const gt_binding *binding, const char *name);
/* If a struct holds the argument's address, sets out->holder and out->offset: the struct's
 * parameter and the address's place in it. `first`: the first argument's parameter. */
gputune_status gt_argument_hold(gt_parameter *out, const gt_binding *binding,
                                const gt_argument *argument, uint32_t first);

/* ---- tensormap.c ---- */

/* Fills `out` with all maps. Returns the first limit that a map breaks. */
gt_limit gt_maps_make(gt_tensormap out[GT_TENSORMAP_MAX], const gt_binding *binding);
/* Checks the maps; a step of binding.h. */
gt_limit gt_binding_maps(gt_binding *binding);

/* Fills `out` with all textures. ETEMPLATE for what a texture cannot have. */
gputune_status gt_textures_make(gt_texture out[GT_TEXTURE_MAX], const gt_binding *binding);
