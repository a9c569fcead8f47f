/* Decides which of two equally fast configurations wins. The result is the same on every machine
 * and in every run. It does not depend on when variants were proposed, compiled or measured. */
#pragma once

#include "tuner/request.h"

/* Returns true if configuration `a` wins a tie against `b`. The default wins against all others.
 * Otherwise, the one that needs fewer resources wins: a smaller cluster, less shared memory per
 * block, fewer registers per thread, narrower vectors. If these are equal, the first axis that
 * differs decides: the value that the template lists earlier wins. Values that are not listed come
 * last, in ascending order. */
bool gt_precedes(const gt_request *request, const gt_config *a, const gt_resources *of_a,
                 const gt_config *b, const gt_resources *of_b);
