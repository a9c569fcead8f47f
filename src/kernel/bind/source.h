/* Makes the source (source.c, source_shorten.c) and the launch (launch.c) of a configuration. */
#pragma once

#include "kernel/bind/problem.h"
#include "kernel/template/config.h"

enum { GT_INSTANCES_MAX = GT_STEPS_MAX, GT_SOURCE_OPTIONS = 65 };

/* A source to compile. Variants whose sources have the same hash share their compiled code. */
typedef struct gt_source {
    char *text;   /* CUDA source with prelude, macros and #line directives; owned */
    gt_hash hash; /* hash of everything that is compiled, without comments and line numbers */
    /* length of the prelude and the #includes, which all variants share; 0: no #includes */
    size_t head_bytes;
    uint64_t headers;                 /* hash of the included headers; 0: no #includes */
    char *options[GT_SOURCE_OPTIONS]; /* NVRTC options such as --maxrregcount=64; owned */
    size_t option_count;
    /* instances of C++ kernel templates, such as "scan<float, 128>"; owned */
    char *instances[GT_INSTANCES_MAX];
    size_t instance_count;
} gt_source;

/* Generates the source of a configuration. It must be compiled as C++17 with -default-device.
 * `prelude` is the text of templates/gputune.cuh. The source does not depend on run-time sizes.
 * ETEMPLATE for an invalid macro, ENOVARIANT if a pass() block does not fit. */
gputune_status gt_source_generate(gt_source *out, const gt_template *template,
                                  const gt_problem *problem, const gt_config *config,
                                  const gt_device *device, const char *prelude);
/* Generates the source of the judges for the default configuration. ETEMPLATE if the template has
 * no judges. */
gputune_status gt_source_reference(gt_source *out, const gt_template *template,
                                   const gt_problem *problem, const gt_device *device,
                                   const char *prelude);
/* Sets *out to the hash of the code that computes the expected results: the code of the judges, or
 * of the variant that is the reference. Sets *out to zero if the hash is not needed, because every
 * edit of that code also changes all sources or the identity of the template. */
gputune_status gt_source_expected(gt_hash *out, const gt_template *template,
                                  const gt_problem *problem, const gt_device *device,
                                  const char *prelude);
/* Writes a source that people can read and that NVRTC and nvcc can compile: without #line, and
 * without the parts of the prelude that are not used. The source must have been generated with the
 * same `prelude`. The caller frees *out. May return ENOMEM. */
gputune_status gt_source_shorten(char **out, const gt_source *source, const char *prelude);
void gt_source_free(gt_source *source);

/* Computes the launch of a configuration for a problem. ENOVARIANT if it breaks a limit; *out is
 * then incomplete. */
gputune_status gt_launch_bind(gt_launch *out, const gt_template *template,
                              const gt_problem *problem, const gt_config *config,
                              const gt_device *device);
/* Sets *out to the work of a configuration, relative to the work of the default configuration.
 * ETEMPLATE if the work is not positive. */
gputune_status gt_work_ratio(double *out, const gt_template *template, const gt_problem *problem,
                             const gt_config *config, const gt_device *device);
/* Returns the size in bytes of the widest access that the vector axes allow on the device. Returns
 * 0 if there are no vector axes. */
uint32_t gt_vector_bytes(const gt_template *template, const gt_problem *problem,
                         const gt_config *config, const gt_device *device);
/* Returns a hash of everything that a launch sends to the device. */
gt_hash gt_launch_hash(const gt_launch *launch);
/* Returns the key of a trial, which is a hash of its source and of its launch settings. */
gt_hash gt_trial_hash(const gt_template *template, const gt_config *config, gt_hash source);
