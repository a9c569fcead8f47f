/* Makes the source (source.c, source_shorten.c) and the launch (launch.c) of a configuration. */
#pragma once

#include "kernel/bind/problem.h"
#include "kernel/template/config.h"

enum { GT_INSTANCES_MAX = GT_STEPS_MAX, GT_SOURCE_OPTIONS = 65 };

/* A source to compile. Variants with equal source hashes share compiled code. */
typedef struct gt_source {
    char *text;   /* CUDA source with prelude, macros and #line; owned */
    gt_hash hash; /* hash of everything that is compiled, except comments and line numbers */
    /* length of the prelude and #includes, which all variants share; 0 without #includes */
    size_t head_bytes;
    uint64_t headers; /* hash of the headers that the head includes; 0 without #includes */
    char *options[GT_SOURCE_OPTIONS]; /* NVRTC options such as --maxrregcount=64; owned */
    size_t option_count;
    /* instances of C++ templates, such as "scan<float, 128>"; owned */
    char *instances[GT_INSTANCES_MAX];
    size_t instance_count;
} gt_source;

/* Generates the source of a configuration, which must be compiled as C++17 with -default-device.
 * `prelude` is the text of templates/gputune.cuh. Run-time sizes do not affect the source.
 * ETEMPLATE for an invalid macro, ENOVARIANT if a pass() block does not fit. */
gputune_status gt_source_generate(gt_source *out, const gt_template *template,
                                  const gt_problem *problem, const gt_config *config,
                                  const gt_device *device, const char *prelude);
/* Generates the source of the judges for the default configuration. ETEMPLATE without judges. */
gputune_status gt_source_reference(gt_source *out, const gt_template *template,
                                   const gt_problem *problem, const gt_device *device,
                                   const char *prelude);
/* Sets *out to the hash of the code that computes the expected results: the judges, or the variant
 * used as reference. Sets *out to zero if no such hash is needed, because every edit of the code
 * also changes all sources or the template's identity. */
gputune_status gt_source_expected(gt_hash *out, const gt_template *template,
                                  const gt_problem *problem, const gt_device *device,
                                  const char *prelude);
/* Writes a source for readers and other programs, without #line and without unused parts of the
 * prelude. NVRTC and nvcc can compile the result. The source must have been generated from
 * `prelude`. The caller frees *out. ENOMEM. */
gputune_status gt_source_shorten(char **out, const gt_source *source, const char *prelude);
void gt_source_free(gt_source *source);

/* Makes the launch of a configuration for a problem. ENOVARIANT if a limit is broken. */
gputune_status gt_launch_bind(gt_launch *out, const gt_template *template,
                              const gt_problem *problem, const gt_config *config,
                              const gt_device *device);
/* Sets *out to the work of a configuration divided by the work of the default configuration.
 * ETEMPLATE if the work is not positive. */
gputune_status gt_work_ratio(double *out, const gt_template *template, const gt_problem *problem,
                             const gt_config *config, const gt_device *device);
/* Returns the widest access in bytes that the vector axes allow on the device, or 0 without vector
 * axes. */
uint32_t gt_vector_bytes(const gt_template *template, const gt_problem *problem,
                         const gt_config *config, const gt_device *device);
/* Returns a hash of everything that a launch passes to the device. */
gt_hash gt_launch_hash(const gt_launch *launch);
/* Returns the key of a trial: a hash of the source and of the launch settings. */
gt_hash gt_trial_hash(const gt_template *template, const gt_config *config, gt_hash source);
