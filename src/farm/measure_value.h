/* Elements as raw bits on the host, exactly as the service kernels make them on the device. */
#pragma once

#include "kernel/bind/problem.h"

/* The value of an element, given as its bits. 64-bit integers beyond 2^53 are rounded. */
double gt_bits_to_double(gt_type type, uint64_t bits);
/* The bits of the element that is nearest to a value. Half types are rounded by way of float, ties
 * to even; integers are truncated. */
uint64_t gt_bits_from_double(gt_type type, double value);

/* The bits of a scalar argument's number: the first gt_type_bytes() of the result are the number.
 */
uint64_t gt_number_bits(const gt_number *number);
/* Writes any scalar argument to `out`, scalar->bytes of it. */
void gt_scalar_write(void *out, const gt_workload *workload, const gt_scalar *scalar);

/* The seed of one buffer's contents, from the setup's seed. */
uint64_t gt_fill_seed(uint64_t seed, uint32_t buffer);
/* The bits of element `index` of a buffer that is filled from `seed` (of gt_fill_seed()). A uniform
 * fill takes number `index` of the splitmix64 sequence and scales it: floats are
 * low + u (high - low) with u in [0, 1), integers low ... high. */
uint64_t gt_fill_bits(const gt_buffer *buffer, uint64_t seed, uint64_t index);
/* Fills `out`, host memory of buffer->bytes bytes, with the contents of the whole buffer. */
void gt_fill_host(void *out, const gt_workload *workload, const gt_buffer *buffer, uint64_t seed);

/* Writes an element as text for a message to `out`, and returns it. Floats have enough digits to
 * tell neighbours apart. */
const char *gt_bits_text(char out[40], gt_type type, uint64_t bits);
