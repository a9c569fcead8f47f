/* Descriptions of a plan's kernel parameters, for programs that launch the kernels themselves. */
#pragma once

#include "tuner/request.h"

typedef struct gt_described {
    gputune_parameter parameter; /* the result of gputune_plan_argument() */
    uint32_t element_bytes, whole_bytes;
    const char *members; /* layout of a struct argument, as in "alpha at 0, n at 8"; otherwise "" */
} gt_described;

/* The parameters of a plan. The struct is small, because a program may have thousands of plans. */
typedef struct gt_description {
    char *sizes; /* as text: "n=1024" */
    gt_texts texts;
    uint32_t argument_count, constant_count;
    gt_described *arguments;
    gputune_parameter *parameters;
    gputune_constant *constants; /* symbols to which parts of a block argument are copied */
} gt_description;

/* Describes a launch. The template and the launch must outlive *out. The caller frees *out, even
 * after ENOMEM. */
gputune_status gt_description_make(gt_description *out, const gt_request *request,
                                   const gt_launch_view *launch);
void gt_description_free(gt_description *description);
