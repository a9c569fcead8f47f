/* Orders equally fast configurations. The order is the same on every machine and in every run; it
 * does not depend on when variants were proposed, compiled or measured. */
#pragma once

#include "tuner/request.h"

/* Returns true if configuration `a` wins a tie against `b`. The default always wins. Otherwise the
 * configuration with fewer resources wins (smaller cluster, less shared memory per block, fewer
 * registers per thread, narrower vectors). If these are equal, the earlier value of the first axis
 * that differs wins. Values that the template does not list come last, in ascending order. */
bool gt_precedes(const gt_request *request, const gt_config *a, const gt_resources *of_a,
                 const gt_config *b, const gt_resources *of_b);
