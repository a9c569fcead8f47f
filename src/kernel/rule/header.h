/* Writes a rule as a C header that contains the code of its variants, the decision and the launch.
 * The header is valid C11, C++11 and CUDA C++, and needs only CUDA's headers and driver. */
#pragma once

#include "kernel/rule/rule.h"

#include "base/launch.h"

/* The compiled code of several variants for one architecture. */
typedef struct gt_header_code {
    gt_image image;
    char *entries[GT_STEPS_MAX]; /* symbol of each kernel in the image */
} gt_header_code;

typedef struct gt_header {
    const gt_template *template;
    const gt_rule *rule;
    const char *text;        /* text of the rule, for a comment */
    const gt_device *device; /* device for which the rule was made */
    bool runtime_api;        /* true to find the driver's functions through the runtime library */
    const uint32_t *codes;   /* code of each variant, as an index below code_count */
    uint32_t code_count, arch_count;
    const char *const *archs;       /* names of architectures, such as "sm_90a" */
    const gt_header_code *compiled; /* compiled code at [arch * code_count + code] */
} gt_header;

/* Return the number of kernels of a launch, and the name of kernel `index`
 * (gt_kernel_step.entry). */
uint32_t gt_header_kernel_count(const gt_template *template);
const char *gt_header_kernel(const gt_template *template, uint32_t index);
/* Checks that a header can be written for the rule. The message of EUNSUPPORTED names the
 * unsupported part. */
gputune_status gt_header_check(const gt_template *template, const gt_rule *rule);
/* Sets *out to the text of the header. The caller frees *out. EUNSUPPORTED for an expression that C
 * cannot express, ENOMEM. */
gputune_status gt_header_write(char **out, const gt_header *header);
