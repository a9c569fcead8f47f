/* Elements as raw bits on the host, exactly as the service kernels make them on the device. */
#pragma once

#include "kernel/problem.h"

/* The element that these bits are, as a double (64-bit integers beyond 2^53 are rounded). */
double gt_bits_to_double(gt_type type, uint64_t bits);
/* The nearest element to a value: half types by way of float, ties to even; integers truncated. */
uint64_t gt_bits_from_double(gt_type type, double value);

/* A scalar argument of one number: the first gt_type_bytes() of the result are the argument. */
uint64_t gt_scalar_bits(const gt_scalar *scalar);
/* Any scalar argument, gt_scalar_bytes() of it. */
void gt_scalar_write(void *out, const gt_workload *workload, const gt_scalar *scalar);

/* The seed of one buffer's contents. */
uint64_t gt_fill_seed(uint64_t seed, uint32_t buffer);
/* Element `index` of a buffer filled from `seed` (of gt_fill_seed): element i of the splitmix64
 * sequence, scaled: floats low + u (high - low) with u in [0, 1), integers low ... high. */
uint64_t gt_fill_bits(const gt_buffer *buffer, uint64_t seed, uint64_t index);
/* The whole buffer in host memory of buffer->bytes bytes. */
void gt_fill_host(void *out, const gt_workload *workload, const gt_buffer *buffer, uint64_t seed);

/* An element as text for a message, floats with as many digits as tell neighbours apart. */
const char *gt_bits_text(char out[40], gt_type type, uint64_t bits);
