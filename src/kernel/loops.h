/* The loops of a pipeline: how a configuration carries out its steps. */
#pragma once

#include "kernel/binding.h"

/* Works out the sequence of launches of a template with loops, and sets each step to the grid of
 * its first launch and to its largest block. The steps must be bound already. If the template has
 * no loops, the sequence is empty. Returns the first limit that a launch breaks, or GT_LIMIT_NONE.
 */
gt_limit gt_sequence_bind(gt_sequence *out, gt_kernel_step steps[GT_STEPS_MAX],
                          const gt_binding *binding);
