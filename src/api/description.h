/* Descriptions of the parameters of a plan's kernels, for programs that launch the kernels
 * themselves. */
#pragma once

#include "tuner/request.h"

/* A caller's argument. */
typedef struct gt_described {
    gputune_parameter parameter;         /* the description that gputune_plan_argument() returns */
    uint32_t element_bytes, whole_bytes; /* size of an element or scalar; size of a whole block */
    const char *type;                    /* owned by the template or by gt_description.texts */
    const char *members;                 /* layout of a struct: "alpha at 0, n at 8"; else "" */
} gt_described;

/* Arguments and parameters of a plan. Kept small, because a program may have thousands of plans. */
typedef struct gt_description {
    char *sizes;    /* as text: "n=1024" */
    gt_texts texts; /* texts that the template does not have */
    uint32_t argument_count, constant_count;
    gt_described *arguments;       /* arguments in the order of gputune_args */
    gputune_parameter *parameters; /* parameters in the order of the parameter list */
    gputune_constant *constants;   /* the symbols that receive parts of blocks */
} gt_description;

/* Describes a launch. `launch` and the template must outlive *out, which must be freed even on
 * failure. ENOMEM. */
gputune_status gt_description_make(gt_description *out, const gt_request *request,
                                   const gt_launch_view *launch);
void gt_description_free(gt_description *description);
