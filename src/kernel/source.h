/* From a configuration to the source that is compiled (source.c) and to its launch (launch.c). */
#pragma once

#include "kernel/space.h"

enum { GT_INSTANCES_MAX = GT_STEPS_MAX };

/* One thing to compile. Variants with equal hash share it. */
typedef struct gt_source {
    char *text;        /* complete CUDA source: #line kept, macros and prelude in front, no includes
                          left to resolve except the caller's own search paths; owned */
    gt_hash hash;      /* of the prelude, the macros, the template's tokens, the options and the
                          instances: comments and line numbers do not count */
    size_t head_bytes; /* of the text: prelude and leading #includes, the same in all variants; 0:
                          the compiler reads no headers there */
    char **options;    /* extra NVRTC options beyond the standard ones: --maxrregcount=…; owned */
    size_t option_count;
    char *instances[GT_INSTANCES_MAX]; /* C++ templates to instantiate: "scan<float, 128>"; owned */
    size_t instance_count;
} gt_source;

/* Generates the source of a configuration. `prelude` is templates/gputune.cuh's text. The kernel is
 * `extern "C"`, unless it is a C++ template. It is meant for C++17 with functions of no execution
 * space taken for device ones
 * (-default-device), since a generic lambda, the prelude's loop body, cannot say __device__.
 * Depends on compile-time problem values, never on sizes. ETEMPLATE when a macro cannot be made,
 * ENOVARIANT when the pass block does not fit. gt_source_free() releases. */
gputune_status gt_source_generate(gt_source *out, const gt_template *template,
                                  const gt_problem *problem, const gt_config *config,
                                  const gt_device *device, const char *prelude);
/* The source that holds the reference and the check kernel (default configuration, doubles where
 * declared). ETEMPLATE when the template has neither. gt_source_free() releases. */
gputune_status gt_source_reference(gt_source *out, const gt_template *template,
                                   const gt_problem *problem, const gt_device *device,
                                   const char *prelude);
void gt_source_free(gt_source *source);

/* How to launch a configuration at a problem: geometry, parameters, scratch, clears. */
gputune_status gt_launch_bind(gt_launch *out, const gt_template *template,
                              const gt_problem *problem, const gt_config *config,
                              const gt_device *device);
/* How much work a launch of a configuration does at a problem, over that of the default's: 1 where
 * work() uses no axis. ETEMPLATE where work() has no value there, or none above 0. In
 * workload.c. */
gputune_status gt_work_ratio(double *out, const gt_template *template, const gt_problem *problem,
                             const gt_config *config, const gt_device *device);
/* The widest access in bytes that a configuration's vector axes ask for, as far as the device has
 * one: 16, or 32 from compute capability 10.0 on. 0: none asks for more than one element. */
uint32_t gt_vector_bytes(const gt_template *template, const gt_problem *problem,
                         const gt_config *config, const gt_device *device);
/* Equal for two launches of the same code that cannot be told apart by what the device is given:
 * geometry, passing, parameters' sizes, scratch and clears. */
gt_hash gt_launch_hash(const gt_launch *launch);
/* A trial's key: the source's hash joined with the texts of block, grid, shared and the like, and
 * with the values of the axes that the launch depends on. So trials with equal source and another
 * launch have other keys. */
gt_hash gt_trial_hash(const gt_template *template, const gt_config *config, gt_hash source);
/* The configuration that launches safely with any alignment, and does the same work as the given
 * one: the default with every vector axis at its narrowest, and the given one's values of the axes
 * that work() uses. *same: it is the given one. In config.c. */
gputune_status gt_config_scalar(gt_config *out, bool *same, const gt_template *template,
                                const gt_config *config);
