/* Binds a configuration to a problem and a device in several stages. A stage is a function
 * gt_binding_*() that returns a gt_limit. It reads the slots that earlier stages have set, sets
 * slots for later stages, and returns the first limit that the configuration breaks. Stages do not
 * set error messages, because a space calls them very often. */
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
    uint32_t step;        /* index of the kernel that is being evaluated */
    gt_kernel_step shape; /* launch shape of this kernel, without its name and parameters */
    int carveout_kb;
} gt_binding;

/* Sets the slots of the problem values and of the device properties. Sets all other slots to 0. */
void gt_slots_fill(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                   const gt_problem *problem, const gt_device *device);
/* Sets the slot of an axis. If the value is a type, also sets the slot for the type's size. */
void gt_slots_axis(int64_t slots[GT_SLOT_MAX], const gt_template *template, uint32_t axis,
                   uint8_t choice);
void gt_slots_config(int64_t slots[GT_SLOT_MAX], const gt_template *template,
                     const gt_config *config);

/* Initialises a binding. The template, problem and device must outlive it. */
void gt_binding_open(gt_binding *out, const gt_template *template, const gt_problem *problem,
                     const gt_device *device);
gt_limit gt_binding_cluster(gt_binding *binding);
gt_limit gt_binding_block(gt_binding *binding);
/* Checks maxreg(), and checks that the block is not larger than launch_bounds() allows. */
gt_limit gt_binding_bounds(gt_binding *binding);
/* Evaluates the dynamic shared memory, and sets the slots of max_blocks and max_clusters. */
gt_limit gt_binding_shared(gt_binding *binding);
/* Returns true if a run-time size is 0, so a grid may be empty. */
bool gt_binding_has_empty_size(const gt_binding *binding);
/* Evaluates a grid dimension, and rounds it up to a multiple of the cluster size. */
gt_limit gt_binding_grid(gt_binding *binding, uint32_t dimension);
gt_limit gt_binding_carveout(gt_binding *binding);
gt_limit gt_binding_cooperative(gt_binding *binding);
/* Computes the features of `config`, not of the binding's configuration, for
 * gt_space_features(). */
uint32_t gt_binding_features(double out[GT_LAUNCH_FEATURES], const gt_binding *binding,
                             const gt_config *config);
/* Returns true if these require() clauses are true. All stages must have filled the slots. */
bool gt_constraints_hold(const gt_expression *const *constraints, uint32_t count,
                         const int64_t *slots);
/* Checks that vector widths divide the rows of all buffers (launch.c). */
gt_limit gt_binding_vectors(const gt_binding *binding);
/* Checks all kernels of a pipeline. The shape of the first kernel must have been computed. */
gt_limit gt_binding_steps(gt_binding *binding);
/* Evaluates computed argument `index` of a launch without loops, and checks that it fits its type.
 */
gt_limit gt_binding_value(int64_t *out, const gt_binding *binding, uint32_t index);
/* Evaluates all kernels of a launch, and lists the launches in its loops. */
gt_limit gt_steps_bind(gt_launch *out, const gt_binding *binding);
/* Returns a limit that all configurations with this value of an axis break, if any (launch.c). */
gt_limit gt_axis_limit(const gt_binding *binding, const gt_workload *workload, uint32_t axis,
                       uint8_t choice);
/* Runs all stages for a configuration. Returns the first limit that it breaks. */
gt_limit gt_binding_all(gt_binding *binding, const gt_config *config);

/* Fills in the pass() blocks. `ways` contains the way to pass each block; if it is NULL, the
 * configuration determines it. Returns the limit that is broken. */
gt_limit gt_blocks_make(gt_block out[GT_BLOCK_MAX], const gt_binding *binding,
                        const gt_pass ways[GT_BLOCK_MAX]);
gt_limit gt_binding_blocks(gt_binding *binding);

/* Returns the configuration with which reference(self) is launched (workload.c). */
gt_config gt_reference_config(const gt_template *template);
/* Evaluates the extents of a buffer, beginning with the slowest dimension (workload.c). EINVAL or
 * ETEMPLATE if an extent is below 1. */
gputune_status gt_argument_shape(uint64_t out[3], const gt_argument *argument,
                                 const int64_t *slots);

#define GT_BUFFER_BYTES_MAX (UINT64_C(1) << 47)
/* Sets *out to the number of elements of a buffer (workload.c). EINVAL if it is too large. */
gputune_status gt_elements_count(uint64_t *out, const gt_argument *buffer, const int64_t *slots);

/* Returns the size in bytes of the widest load or store of a thread at a compute capability
 * (launch.c). No vector needs a larger alignment. */
uint32_t gt_widest_access(int cc);
/* Returns how many bytes of a buffer are read or written together; 0 without vectors (launch.c). */
uint32_t gt_binding_vector_bytes(const gt_binding *binding, uint32_t argument);
/* Appends a parameter to a launch, and returns the parameter (launch.c). */
gt_parameter *gt_launch_add(gt_launch *launch, gt_parameter_kind kind, uint32_t bytes,
                            int argument);
/* Appends the parameter blocks and the arguments to a launch (launch.c). If `plain`, passes
 * pointers instead of tensor maps and textures. */
gputune_status gt_launch_arguments(gt_launch *launch, const gt_binding *binding, bool plain);
/* ---- workload_elements.c ---- */

/* Sets the element type, the fill and the size in bytes of a buffer. Converts buffer->elements to a
 * number of vector components. ETEMPLATE if integers have no fill, or if a member is unknown. */
gputune_status gt_elements_bind(gt_workload *out, gt_buffer *buffer, const gt_binding *binding,
                                const gt_argument *declared);
/* Decides which numbers of a buffer the proof may vary: those that have the same value in every
 * element and, in blocks and small buffers, floats without a range. */
gputune_status gt_elements_open(gt_workload *workload, gt_buffer *buffer, const gt_binding *binding,
                                bool is_block);
/* Evaluates a scalar argument. EINVAL if its type cannot represent the value. */
gputune_status gt_scalar_bind(gt_workload *workload, gt_scalar *out, const gt_binding *binding,
                              const gt_argument *argument);

/* ---- layout.c ---- */

/* Appends the offsets of a struct's members, for messages: "alpha at 0, n at 8". */
void gt_structure_describe(gt_text *out, const gt_binding *binding, const char *name);
/* Returns the element type with this name. For a struct, sets only the size and the alignment. */
gt_element gt_element_resolve(const gt_binding *binding, const char *name);
/* If the argument is a pointer in a struct, sets out->offset to the pointer's offset in the struct,
 * and out->holder to 1 + the parameter index of the struct. `first` is the parameter index of the
 * first argument. */
gputune_status gt_argument_hold(gt_parameter *out, const gt_binding *binding,
                                const gt_argument *argument, uint32_t first);

/* ---- tensormap.c ---- */

/* Sets all members of a tensor map except its sizes, box and strides. */
gt_limit gt_map_modes(gt_tensormap *out, const gt_map *map, const gt_binding *binding);
/* Fills in all tensor maps. Returns the limit that is broken. */
gt_limit gt_maps_make(gt_tensormap out[GT_TENSORMAP_MAX], const gt_binding *binding);
gt_limit gt_binding_maps(gt_binding *binding);

/* Fills in all textures. ETEMPLATE if a texture is invalid. */
gputune_status gt_textures_make(gt_texture out[GT_TEXTURE_MAX], const gt_binding *binding);
