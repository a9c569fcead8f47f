/* Evaluates how a configuration is launched, step by step, so that a space can stop at the first
 * step that fails. The steps come in the order of the functions here; each needs the axes that its
 * expressions use in `slots`, and sets the slots that later ones may use. No messages: fast. */
#ifndef GT_KERNEL_BINDING_H
#define GT_KERNEL_BINDING_H

#include "kernel/limits.h"
#include "kernel/symbols.h"

typedef struct gt_binding {
    const gt_template *template;
    const gt_problem *problem;
    const gt_device *device;
    int64_t slots[GT_SLOT_MAX];
    gt_geometry geometry;
} gt_binding;

/* A binding with the problem's and the device's slots filled. */
void gt_binding_open(gt_binding *out, const gt_template *template, const gt_problem *problem,
                     const gt_device *device);
gt_limit gt_binding_cluster(gt_binding *binding);
/* Also launch_bounds and maxreg. */
gt_limit gt_binding_block(gt_binding *binding);
/* What is against so much dynamic shared memory: nothing from 0 to the device's most. */
gt_limit gt_shared_limit(const gt_device *device, int64_t bytes);
/* Also max_blocks and max_clusters. */
gt_limit gt_binding_shared(gt_binding *binding);
/* One dimension of the grid, rounded up to the cluster. */
gt_limit gt_binding_grid(gt_binding *binding, uint32_t dimension);
gt_limit gt_binding_carveout(gt_binding *binding);
/* All of them, after setting the configuration's slots. */
gt_limit gt_binding_all(gt_binding *binding, const gt_config *config);

/* How many bytes of the pass block go where, and what all parameters take together. */
typedef struct gt_pass_layout {
    gt_pass pass;             /* GT_PASS_VALUE for a split whose block fits by value */
    uint64_t block_bytes;     /* whole block; 0 without one */
    uint64_t by_value_bytes;  /* of it, in the parameter list */
    uint64_t parameter_bytes; /* all parameters with their padding */
} gt_pass_layout;

/* The layout for one way to pass; the limit that it breaks, if any. */
gt_limit gt_pass_layout_make(gt_pass_layout *out, const gt_binding *binding, gt_pass pass);

/* The configuration that reference(self) names. In workload.c. */
gt_config gt_reference_config(const gt_template *template);
/* Evaluates a buffer's extents, slowest first. EINVAL below 1. In workload.c. */
gputune_status gt_argument_shape(uint64_t out[3], const gt_argument *argument,
                                 const int64_t *slots);

/* The element that the type of an argument, a pass block or a scratch is at the binding's problem.
 * Of a struct only bytes and alignment are meant. In structure_layout.c. */
gt_element gt_element_resolve(const gt_binding *binding, const char *name);

#endif
