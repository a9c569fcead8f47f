/* Evaluates how a configuration is launched, step by step, so that a space can stop at the first
 * step that fails. The steps come in the order of the functions here; each needs the axes that its
 * expressions use in `slots`, and sets the slots that later ones may use. No messages: fast. */
#pragma once

#include "kernel/limits.h"
#include "kernel/symbols.h"

typedef struct gt_binding {
    const gt_template *template;
    const gt_problem *problem;
    const gt_device *device;
    int64_t slots[GT_SLOT_MAX];
    gt_kernel_step first; /* of the steps, as far as it is known; without name and parameters */
    int carveout_kb;      /* as in gt_launch */
} gt_binding;

/* A binding with the problem's and the device's slots filled. */
void gt_binding_open(gt_binding *out, const gt_template *template, const gt_problem *problem,
                     const gt_device *device);
gt_limit gt_binding_cluster(gt_binding *binding);
/* What is against so much dynamic shared memory: nothing from 0 to the device's most. */
gt_limit gt_shared_limit(const gt_device *device, int64_t bytes);
/* Also launch_bounds and maxreg. */
gt_limit gt_binding_block(gt_binding *binding);
/* Also max_blocks and max_clusters. */
gt_limit gt_binding_shared(gt_binding *binding);
/* One dimension of the grid, rounded up to the cluster. */
gt_limit gt_binding_grid(gt_binding *binding, uint32_t dimension);
gt_limit gt_binding_carveout(gt_binding *binding);
/* Whether the launch is cooperative, and then whether its blocks can be resident at once, by
 * threads and shared memory (registers are unknown). */
gt_limit gt_binding_cooperative(gt_binding *binding);
/* What is against any step of a pipeline; the first one's shape is the binding's already. */
gt_limit gt_binding_steps(gt_binding *binding);
/* The steps' shapes and numbers, without names and parameters, and what they follow each other by.
 */
gt_limit gt_steps_bind(gt_kernel_step steps[GT_STEPS_MAX], gt_sequence *sequence,
                       const gt_binding *binding);
/* The blocks that the GPU holds at once, by what threads and shared memory let one multiprocessor
 * hold (CUDA programming guide, "Hardware Multithreading"); registers are unknown. */
int64_t gt_blocks_resident(const gt_device *device, const uint32_t block[3], uint32_t shared_bytes);
/* gt_binding_maps() of tensormap.h is one more. All of them, after setting the configuration's
 * slots. */
gt_limit gt_binding_all(gt_binding *binding, const gt_config *config);

/* The template's blocks for one way to pass each (NONE: it takes no part yet); a split whose block
 * fits by value becomes that. The limit that they break, if any. */
gt_limit gt_blocks_make(gt_block out[GT_BLOCK_MAX], const gt_binding *binding,
                        const gt_pass ways[GT_BLOCK_MAX]);
/* The same for the binding's configuration, as a step. */
gt_limit gt_binding_blocks(gt_binding *binding);
/* How a configuration passes each block. */
void gt_blocks_ways(gt_pass out[GT_BLOCK_MAX], const gt_template *template,
                    const gt_config *config);

/* The configuration that reference(self) names. In workload.c. */
gt_config gt_reference_config(const gt_template *template);
/* Evaluates a buffer's extents, slowest first. EINVAL below 1. In workload.c. */
gputune_status gt_argument_shape(uint64_t out[3], const gt_argument *argument,
                                 const int64_t *slots);

/* Where the address goes that an argument is, if a struct holds it: into the parameter that this
 * struct is, the first argument's being `first`. In structure_layout.c. */
gputune_status gt_argument_hold(gt_parameter *out, const gt_binding *binding,
                                const gt_argument *argument, uint32_t first);

/* The element that the type of an argument, a pass block or a scratch is at the binding's problem.
 * Of a struct only bytes and alignment are meant. In structure_layout.c. */
gt_element gt_element_resolve(const gt_binding *binding, const char *name);
