/* A prototype keeps what is the same for a configuration at all run-time sizes. With it, the
 * launches at further sizes are computed in far less than a microsecond. */
#pragma once

#include "kernel/bind/binding.h"

typedef struct gt_prototype gt_prototype;

/* Makes a prototype of a configuration that is valid for the problem. The caller frees *out. The
 * template and the device must outlive *out. EUNSUPPORTED if blocks, clusters, shared memory or
 * repetitions depend on a run-time size, or if the template has loops, textures, pass() blocks,
 * cooperative kernels or a window of level-2 cache. */
gputune_status gt_prototype_make(gt_prototype **out, const gt_template *template,
                                 const gt_problem *problem, const gt_config *config,
                                 const gt_device *device);

/* The members of a launch that depend on run-time sizes. */
typedef struct gt_prototype_sizes {
    uint32_t grids[GT_STEPS_MAX][3];
    uint64_t bytes[GT_PARAMETER_MAX]; /* size of each argument and scratch buffer; 0 for scalars */
    gt_tensormap maps[GT_TENSORMAP_MAX];
    int64_t values[GT_VALUES_MAX]; /* values of the computed arguments */
} gt_prototype_sizes;

/* Computes a launch for a problem that differs only in its run-time sizes. Returns false if the
 * configuration is invalid at these sizes, if a grid is empty, or if a buffer is too large.
 * Allocates no memory. Thread-safe. */
bool gt_prototype_launch(gt_prototype_sizes *out, const gt_prototype *prototype,
                         const gt_problem *problem);
