/* Elements as raw bits on the host, identical to those of the service kernels. */
#pragma once

#include "kernel/bind/problem.h"

/* Converts an element to double. 64-bit integers above 2^53 are rounded. */
double gt_bits_to_double(gt_type type, uint64_t bits);
/* Converts a number to the nearest element, ties to even; truncates it if elements are integers. */
uint64_t gt_bits_from_double(gt_type type, double value);

/* Returns the bits of a number as part of a scalar argument. */
uint64_t gt_number_bits(const gt_number *number);
/* Writes a scalar argument, which has scalar->bytes bytes, to `out`. */
void gt_scalar_write(void *out, const gt_workload *workload, const gt_scalar *scalar);

/* Returns the seed of a buffer's contents. */
uint64_t gt_fill_seed(uint64_t seed, uint32_t buffer);
/* Returns the bits of element `index` of a buffer. `seed` is a result of gt_fill_seed(). A uniform
 * fill scales the number at position `index` of the splitmix64 sequence. Floats are low + u (high -
 * low) with u in [0, 1). Integers are from low to high. */
uint64_t gt_fill_bits(const gt_buffer *buffer, uint64_t seed, uint64_t index);
/* Fills a whole buffer on the host. */
void gt_fill_host(void *out, const gt_workload *workload, const gt_buffer *buffer, uint64_t seed);

/* Formats an element. Floats have enough digits to distinguish neighbours. Returns `out`. */
const char *gt_bits_text(char out[40], gt_type type, uint64_t bits);
