/* The order of configurations that are equally fast. It is the same on every machine and in every
 * run, whatever the order in which variants were proposed, compiled or measured. */
#pragma once

#include "tuner/request.h"

/* Returns true if configuration `a` wins a tie against `b`. The template's default comes first.
 * Next comes the configuration that uses fewer resources: a smaller cluster, less shared memory per
 * block, fewer registers per thread, narrower vectors. Next comes the configuration with the
 * earlier value of the first axis in which they differ. Values that the template does not list come
 * last, the smallest number first. */
bool gt_precedes(const gt_request *request, const gt_config *a, const gt_resources *of_a,
                 const gt_config *b, const gt_resources *of_b);
