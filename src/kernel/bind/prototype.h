/* A prototype is a configuration that is bound only once. Its launches at other run-time sizes then
 * take much less than a microsecond to compute. */
#pragma once

#include "kernel/bind/binding.h"

typedef struct gt_prototype gt_prototype;

/* Makes the prototype of a configuration that is valid at the problem. The caller frees *out, which
 * keeps the pointers to the template and the device. Returns EUNSUPPORTED if sizes may change more
 * than grids and buffers: with loops, tensor maps, textures, pass() blocks, a window of level-2
 * cache or cooperative kernels, and if a block, a cluster, shared memory or repetitions depend on a
 * run-time size. */
gputune_status gt_prototype_make(gt_prototype **out, const gt_template *template,
                                 const gt_problem *problem, const gt_config *config,
                                 const gt_device *device);

/* Computes the launch at a problem with other run-time sizes. Sets the grid of each kernel and,
 * unless `bytes` is NULL, the bytes of each argument and scratch buffer (0 for scalars). Returns
 * false if the configuration is not valid there, if a grid is empty, or if a buffer is too large.
 * Allocates nothing. Any thread may call it. */
bool gt_prototype_launch(uint32_t (*grids)[3], uint64_t *bytes, const gt_prototype *prototype,
                         const gt_problem *problem);
