/* Describes the parameters of a plan's kernel, for programs that launch the kernel themselves. */
#pragma once

#include "tuner/request.h"

/* A caller's argument. */
typedef struct gt_described {
    gputune_parameter
        parameter; /* as gputune_plan_argument() gives it; its name is the template's */
    uint32_t element_bytes, whole_bytes; /* in bytes: a scalar or an element; a block as a whole */
    char *type;
    char *members; /* "alpha at 0, n at 8" of a struct, or "" */
} gt_described;

/* It is small, because an application may have thousands of plans. */
typedef struct gt_description {
    char *sizes; /* as text: "n=1024" */
    uint32_t argument_count, constant_count;
    gt_described *arguments;       /* by their places in gputune_args */
    gputune_parameter *parameters; /* by their places in the parameter list */
    gputune_constant *constants;   /* the symbols that take parts of blocks */
} gt_description;

/* Describes a launch; `launch` and the template must outlive it. ENOMEM; free it in any case. */
gputune_status gt_description_make(gt_description *out, const gt_request *request,
                                   const gt_launch *launch);
void gt_description_free(gt_description *description);
