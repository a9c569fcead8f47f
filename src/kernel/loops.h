/* The loops of a pipeline: how a configuration carries out its steps. */
#pragma once

#include "kernel/binding.h"

/* Works out the sequence of a template whose steps do not merely follow each other; else makes it
 * empty. The steps, bound already, get what it sets: the grid of their first launch and the largest
 * block. What is against any of the launches. */
gt_limit gt_sequence_bind(gt_sequence *out, gt_kernel_step steps[GT_STEPS_MAX],
                          const gt_binding *binding);
