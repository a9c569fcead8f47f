/* Headers that the compiler of kernels lacks and brings nowhere: the C library's, as far as device
 * code has use for them, and CUB's umbrella, whose texts are in src/gpu/headers; of C++'s library
 * those that the toolkit has as <cuda/std/…>, and nothing in place of those for host code. */
#pragma once

#include <stddef.h>

/* Names and texts of all of them, as nvrtcCreateProgram() takes them: they come before those of any
 * folder. Returns how many there are; the arrays live for ever. */
size_t gt_device_header_list(const char *const **names, const char *const **texts);
/* The text of the one of that name, or NULL. */
const char *gt_device_header_text(const char *name);
