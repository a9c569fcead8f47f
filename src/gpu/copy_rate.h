/* How fast a GPU copies its own memory. */
#pragma once

#include "gpu/driver.h"

/* Copies between two buffers of the GPU, of 256 MB or an eighth of what is free, a few times, in
 * its primary context. *bytes_per_s: read plus written. EDEVMEM where its memory is full, ECUDA. */
gputune_status gt_copy_rate(double *bytes_per_s, const gt_driver *driver, int ordinal);
