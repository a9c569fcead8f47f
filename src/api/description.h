/* Describes the parameters of a plan's kernel, for programs that launch the kernel themselves. */
#pragma once

#include "tuner/request.h"

/* A caller's argument. */
typedef struct gt_described {
    gputune_parameter parameter;         /* as gputune_plan_argument() returns it */
    uint32_t element_bytes, whole_bytes; /* in bytes: a scalar or an element; a block as a whole */
    const char *type;                    /* owned by the template, or by `texts` */
    const char *members;                 /* of a struct: "alpha at 0, n at 8"; otherwise "" */
} gt_described;

/* The description of a plan's arguments. It is small, because an application may keep thousands of
 * plans. */
typedef struct gt_description {
    char *sizes;    /* as text: "n=1024" */
    gt_texts texts; /* texts that the arguments do not share with the template */
    uint32_t argument_count, constant_count;
    gt_described *arguments;       /* by their places in gputune_args */
    gputune_parameter *parameters; /* by their places in the parameter list */
    gputune_constant *constants;   /* the symbols that take parts of blocks */
} gt_description;

/* Describes a launch; `launch` and the template must outlive it. ENOMEM; free it in any case. */
gputune_status gt_description_make(gt_description *out, const gt_request *request,
                                   const gt_launch_view *launch);
void gt_description_free(gt_description *description);
