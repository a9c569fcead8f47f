/* Elements as raw bits, computed on the host. The service kernels compute identical bits. */
#pragma once

#include "kernel/bind/problem.h"

/* Converts an element to double. Integers above 2^53 are rounded. */
double gt_bits_to_double(gt_type type, uint64_t bits);
/* Converts a number to the nearest element, ties to even. Truncates it if elements are integers. */
uint64_t gt_bits_from_double(gt_type type, double value);

/* Returns the bits of a number that is a part of a scalar argument. */
uint64_t gt_number_bits(const gt_number *number);
/* Writes the scalar->bytes bytes of a scalar argument to `out`. */
void gt_scalar_write(void *out, const gt_workload *workload, const gt_scalar *scalar);

/* Returns the seed from which the contents of a buffer are made. */
uint64_t gt_fill_seed(uint64_t seed, uint32_t buffer);
/* Returns the bits of element `index` of a buffer. `seed` comes from gt_fill_seed(). For a uniform
 * fill, the number at position `index` of a splitmix64 sequence is scaled: floats are low + u (high
 * - low) with u in [0, 1), and integers range from low to high. */
uint64_t gt_fill_bits(const gt_buffer *buffer, uint64_t seed, uint64_t index);
/* Fills a whole buffer on the host. */
void gt_fill_host(void *out, const gt_workload *workload, const gt_buffer *buffer, uint64_t seed);

/* Formats an element. Floats have enough digits to show any difference. Returns `out`. */
const char *gt_bits_text(char out[40], gt_type type, uint64_t bits);
