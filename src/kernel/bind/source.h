/* Makes, for a configuration, the source that is compiled (source.c, or for people
 * source_shorten.c) and the launch (launch.c). */
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
 * kernel is `extern "C"` unless it is a C++ template. Compile it as C++17 with -default-device,
 * since the prelude's generic lambda cannot say __device__. It depends on no run-time size.
 * ETEMPLATE when a macro cannot be made, ENOVARIANT when a pass block does not fit. */
gputune_status gt_source_generate(gt_source *out, const gt_template *template,
                                  const gt_problem *problem, const gt_config *config,
                                  const gt_device *device, const char *prelude);
/* Generates the judges' source, with the default's values. ETEMPLATE if there are none. */
gputune_status gt_source_reference(gt_source *out, const gt_template *template,
                                   const gt_problem *problem, const gt_device *device,
                                   const char *prelude);
/* Sets *out to the hash of the code that computes the expected results: the judges, or else the
 * variant that others are compared with; zero if an edit of that code changes every variant's
 * source or the template's identity anyway. */
gputune_status gt_source_expected(gt_hash *out, const gt_template *template,
                                  const gt_problem *problem, const gt_device *device,
                                  const char *prelude);
/* Writes the source for people and other programs: of the prelude only what the kernel uses,
 * without #line. NVRTC and nvcc compile it. `prelude` is the one it was generated with. The caller
 * frees *out. ENOMEM. */
gputune_status gt_source_shorten(char **out, const gt_source *source, const char *prelude);
void gt_source_free(gt_source *source);

/* Works out how a configuration is launched at a problem: geometry, parameters, scratch, clears. */
gputune_status gt_launch_bind(gt_launch *out, const gt_template *template,
                              const gt_problem *problem, const gt_config *config,
                              const gt_device *device);
/* Sets *out to the work over that of the default's launch, or 1. ETEMPLATE for no work. */
gputune_status gt_work_ratio(double *out, const gt_template *template, const gt_problem *problem,
                             const gt_config *config, const gt_device *device);
/* Returns the bytes of the vector axes' widest access that the device has; 0: one element. */
uint32_t gt_vector_bytes(const gt_template *template, const gt_problem *problem,
                         const gt_config *config, const gt_device *device);
/* Returns a hash of all that a launch gives the device, which equal launches share. */
gt_hash gt_launch_hash(const gt_launch *launch);
/* Returns a trial's key: the hashes of the source and of how it is launched. */
gt_hash gt_trial_hash(const gt_template *template, const gt_config *config, gt_hash source);
