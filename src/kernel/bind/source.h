/* Makes the source (source.c, source_shorten.c) and the launch (launch.c) of a configuration. */
#pragma once

#include "kernel/bind/problem.h"
#include "kernel/template/config.h"

enum { GT_INSTANCES_MAX = GT_STEPS_MAX, GT_SOURCE_OPTIONS = 65 };

/* A source to compile. Variants whose sources have the same hash share their compiled code. */
typedef struct gt_source {
    char *text; /* the CUDA source with prelude, macros and #line; owned */
    /* hash of the prelude, macros, tokens, options and instances; independent of comments and
     * line numbers */
    gt_hash hash;
    /* length of the prelude and the #includes at the beginning, which all variants share; 0:
     * there are no #includes */
    size_t head_bytes;
    /* NVRTC options in addition to the standard ones, such as --maxrregcount=64; owned */
    char *options[GT_SOURCE_OPTIONS];
    size_t option_count;
    /* C++ templates to instantiate, as "scan<float, 128>" or, with a numbered entry, "scan_launch2
     * = scan<float, 64>"; owned */
    char *instances[GT_INSTANCES_MAX];
    size_t instance_count;
} gt_source;

/* Generates the source of a configuration, which must be compiled as C++17 with -default-device.
 * `prelude` is the text of templates/gputune.cuh. The source does not depend on run-time sizes.
 * ETEMPLATE if a macro cannot be made, ENOVARIANT if a pass() block does not fit. */
gputune_status gt_source_generate(gt_source *out, const gt_template *template,
                                  const gt_problem *problem, const gt_config *config,
                                  const gt_device *device, const char *prelude);
/* Generates the source of the judges, with the default's values. ETEMPLATE if there are no
 * judges. */
gputune_status gt_source_reference(gt_source *out, const gt_template *template,
                                   const gt_problem *problem, const gt_device *device,
                                   const char *prelude);
/* Sets *out to the hash of the code that computes the expected results: the judges, or the variant
 * with which others are compared. Sets *out to zero if an edit of that code always changes all
 * sources or the template's identity. */
gputune_status gt_source_expected(gt_hash *out, const gt_template *template,
                                  const gt_problem *problem, const gt_device *device,
                                  const char *prelude);
/* Writes the source for readers and other programs: without #line, and with only those parts of the
 * prelude that the kernel uses. NVRTC and nvcc can compile it. `prelude` is the prelude from which
 * the source was generated. The caller frees *out. ENOMEM. */
gputune_status gt_source_shorten(char **out, const gt_source *source, const char *prelude);
void gt_source_free(gt_source *source);

/* Makes the launch of a configuration at a problem. ENOVARIANT if it breaks a limit. */
gputune_status gt_launch_bind(gt_launch *out, const gt_template *template,
                              const gt_problem *problem, const gt_config *config,
                              const gt_device *device);
/* Sets *out to the work of a configuration divided by that of the default, which is 1 if they are
 * the same. ETEMPLATE if the work is not above 0. */
gputune_status gt_work_ratio(double *out, const gt_template *template, const gt_problem *problem,
                             const gt_config *config, const gt_device *device);
/* Returns the size in bytes of the widest access that the vector axes allow on the device, or 0 if
 * there are no vector axes. */
uint32_t gt_vector_bytes(const gt_template *template, const gt_problem *problem,
                         const gt_config *config, const gt_device *device);
/* Returns a hash of everything that a launch passes to the device. */
gt_hash gt_launch_hash(const gt_launch *launch);
/* Returns the key of a trial: a hash of the source and of how it is launched. */
gt_hash gt_trial_hash(const gt_template *template, const gt_config *config, gt_hash source);
