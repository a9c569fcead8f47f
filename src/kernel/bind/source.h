/* Makes, for a configuration, the source that is compiled (source.c) and the launch (launch.c). */
#pragma once

#include "kernel/bind/problem.h"
#include "kernel/template/config.h"

enum { GT_INSTANCES_MAX = GT_STEPS_MAX, GT_SOURCE_OPTIONS = 65 };

/* A source to compile. Variants whose sources have equal hashes share the compiled code. */
typedef struct gt_source {
    char *text;        /* complete CUDA source: #line kept, macros and prelude in front, no includes
                          left to resolve except the caller's own search paths; owned */
    gt_hash hash;      /* of the prelude, the macros, the template's tokens, the options and the
                          instances: comments and line numbers do not count */
    size_t head_bytes; /* the text's first bytes, prelude and leading #includes, which are the same
                          in all variants; 0: the compiler reads no headers there */
    /* Extra NVRTC options beyond the standard ones: --maxrregcount=…; owned. */
    char *options[GT_SOURCE_OPTIONS];
    size_t option_count;
    char *instances[GT_INSTANCES_MAX]; /* C++ templates to instantiate: "scan<float, 128>"; owned */
    size_t instance_count;
} gt_source;

/* Generates the source of a configuration. `prelude` is the text of templates/gputune.cuh. The
 * kernel is `extern "C"` unless it is a C++ template. The source must be compiled as C++17 with
 * -default-device, which makes functions without an execution space device functions: a generic
 * lambda, the prelude's loop body, cannot say __device__. The source depends on compile-time
 * problem values, never on sizes. ETEMPLATE when a macro cannot be made, ENOVARIANT when a pass
 * block does not fit. gt_source_free() releases *out. */
gputune_status gt_source_generate(gt_source *out, const gt_template *template,
                                  const gt_problem *problem, const gt_config *config,
                                  const gt_device *device, const char *prelude);
/* Generates the source of the reference and the check kernel, with the default configuration's
 * values, and with doubles where the reference declares them. ETEMPLATE when the template has
 * neither kernel. gt_source_free() releases *out. */
gputune_status gt_source_reference(gt_source *out, const gt_template *template,
                                   const gt_problem *problem, const gt_device *device,
                                   const char *prelude);
/* Sets *out to the hash of the code that computes the expected results: the reference and the check
 * kernel, or, if the template has neither, the variant that others are compared with. Sets it to
 * zero if any edit of the template that changes this code also changes the source of every variant,
 * or the template's identity. Fails as gt_source_generate() does. */
gputune_status gt_source_expected(gt_hash *out, const gt_template *template,
                                  const gt_problem *problem, const gt_device *device,
                                  const char *prelude);
void gt_source_free(gt_source *source);

/* Works out how a configuration is launched at a problem: geometry, parameters, scratch, clears. */
gputune_status gt_launch_bind(gt_launch *out, const gt_template *template,
                              const gt_problem *problem, const gt_config *config,
                              const gt_device *device);
/* Sets *out to the work of one launch of a configuration at a problem, divided by the work of the
 * default configuration's launch; 1 if work() uses no axis. ETEMPLATE if work() has no value there,
 * or none above 0. In workload.c. */
gputune_status gt_work_ratio(double *out, const gt_template *template, const gt_problem *problem,
                             const gt_config *config, const gt_device *device);
/* The widest access, in bytes, that a configuration's vector axes ask for; at most the device's
 * widest, 16 bytes, or 32 from compute capability 10.0 on. 0: no axis asks for more than one
 * element. */
uint32_t gt_vector_bytes(const gt_template *template, const gt_problem *problem,
                         const gt_config *config, const gt_device *device);
/* A hash of all that a launch gives the device: geometry, passing, parameters' sizes, scratch and
 * clears. Two launches of the same code with equal hashes do the same. */
gt_hash gt_launch_hash(const gt_launch *launch);
/* A trial's key: the source's hash joined with the texts of block, grid, shared and the like, and
 * with the values of the axes that the launch depends on. So trials with equal sources but
 * different launches have different keys. */
gt_hash gt_trial_hash(const gt_template *template, const gt_config *config, gt_hash source);
