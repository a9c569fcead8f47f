/* The steps of a pipeline: how a configuration launches each of them. */
#ifndef GT_KERNEL_PIPELINE_H
#define GT_KERNEL_PIPELINE_H

#include "kernel/binding.h"

/* What is against any step behind the first, whose shape is the template's own. Needs the axes that
 * their expressions use in the binding's slots. */
gt_limit gt_binding_steps(gt_binding *binding);
/* Adds the steps to a launch whose parameters are known; nothing for a template with one kernel. */
gt_limit gt_launch_add_steps(gt_launch *launch, const gt_binding *binding);
/* Bit i: a step uses axis i. */
uint64_t gt_steps_axes(const gt_template *template);

#endif
