/* Writes a rule as a C header with the compiled code of its variants, the decision and the launch.
 * The header is valid C11, C++11 and CUDA C++, and needs only the driver and CUDA's headers. */
#pragma once

#include "kernel/rule/rule.h"

#include "base/launch.h"

/* The compiled code that one or several variants use on an architecture. */
typedef struct gt_header_code {
    gt_image image;
    char *entries[GT_STEPS_MAX]; /* name of each kernel's symbol in the image */
} gt_header_code;

typedef struct gt_header {
    const gt_template *template;
    const gt_rule *rule;
    const char *text;        /* text of the rule, which is written as a comment */
    const gt_device *device; /* device on which the rule was made */
    bool runtime_api; /* true if the header gets the driver's functions from the runtime library */
    const uint32_t *codes; /* for each variant, the index of its code; it is less than code_count */
    uint32_t code_count, arch_count;
    const char *const *archs;       /* names of architectures, such as "sm_90a" */
    const gt_header_code *compiled; /* code for each architecture, at [arch * code_count + code] */
} gt_header;

/* Returns the name of a kernel of a launch (gt_kernel_step.entry); NULL after the last one. */
const char *gt_header_kernel(const gt_template *template, uint32_t index);
/* Checks that a header can launch the kernels of the rule. EUNSUPPORTED if it cannot; the message
 * names the unsupported part. */
gputune_status gt_header_check(const gt_template *template, const gt_rule *rule);
/* Sets *out to the text of the header. The caller frees *out. EUNSUPPORTED if gt_header_check()
 * fails or an expression cannot be written in C. May return ENOMEM. */
gputune_status gt_header_write(char **out, const gt_header *header);
