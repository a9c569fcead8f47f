/* Writes a rule as a C header with the code of its variants, the decision and the launch. The
 * header is C11, C++11 and CUDA C++, and needs CUDA's headers and driver only. */
#pragma once

#include "kernel/rule/rule.h"

#include "base/launch.h"

/* The compiled code of several variants for one architecture. */
typedef struct gt_header_code {
    gt_image image;
    char *entries[GT_STEPS_MAX]; /* the symbol of each kernel */
} gt_header_code;

typedef struct gt_header {
    const gt_template *template;
    const gt_rule *rule;
    const char *text;        /* the rule's text, for a comment */
    const gt_device *device; /* the device for which the rule was made */
    bool runtime_api;        /* true to find the driver's functions through the runtime library */
    const uint32_t *codes;   /* by variant: index of its code */
    uint32_t code_count, arch_count;
    const char *const *archs;       /* "sm_90a" */
    const gt_header_code *compiled; /* by architecture and code: [arch * code_count + code] */
} gt_header;

/* Return how many kernels a launch has, and the name of one (gt_kernel_step.entry). */
uint32_t gt_header_kernel_count(const gt_template *template);
const char *gt_header_kernel(const gt_template *template, uint32_t index);
/* Refuses rules for which no header can be written. EUNSUPPORTED with the part that is missing. */
gputune_status gt_header_check(const gt_template *template, const gt_rule *rule);
/* Writes the header. The caller frees *out. EUNSUPPORTED for an expression that cannot be written,
 * ENOMEM. */
gputune_status gt_header_write(char **out, const gt_header *header);
