/* A prototype is a configuration that has been bound once. After that, its launches at other
 * run-time sizes can be computed in far less than a microsecond. */
#pragma once

#include "kernel/bind/binding.h"

typedef struct gt_prototype gt_prototype;

/* Makes a prototype of a configuration that is valid for the problem. The caller frees *out. The
 * template and the device must outlive *out. EUNSUPPORTED if run-time sizes may affect more than
 * grids and buffers. This is so if blocks, clusters, shared memory or repetitions depend on a size,
 * or if the template has loops, tensor maps, textures, pass() blocks, cooperative kernels or a
 * window of level-2 cache. */
gputune_status gt_prototype_make(gt_prototype **out, const gt_template *template,
                                 const gt_problem *problem, const gt_config *config,
                                 const gt_device *device);

/* Computes a launch for a problem that differs only in its run-time sizes. Writes the grid of each
 * kernel to `grids`. Unless `bytes` is NULL, writes the size in bytes of each argument and scratch
 * buffer to `bytes` (0 for scalars). Returns false if the configuration is invalid at these sizes,
 * if a grid is empty, or if a buffer is too large. Allocates no memory. Thread-safe. */
bool gt_prototype_launch(uint32_t (*grids)[3], uint64_t *bytes, const gt_prototype *prototype,
                         const gt_problem *problem);
