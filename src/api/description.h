/* Describes the parameters of a plan's kernel, for programs that launch the kernel themselves. */
#pragma once

#include "tuner/request.h"

typedef struct gt_description gt_description;

/* A caller's argument, as it is on the device. */
typedef struct gt_described_argument {
    char name[GT_NAME_MAX], type[GT_NAME_MAX];
    uint32_t element_bytes, whole_bytes; /* element_bytes: of a scalar or an element; whole_bytes:
                                            of a block as a whole */
    char *members;                       /* "alpha at 0, n at 8" of a struct, or "" */
    gputune_parameter parameter;         /* as gputune_plan_argument() gives it */
} gt_described_argument;

/* Describes a launch of the request's kernel; `launch` must outlive it. *out is for
 * gt_description_free(). ENOMEM. */
gputune_status gt_description_make(gt_description **out, const gt_request *request,
                                   const gt_launch *launch);
void gt_description_free(gt_description *description);

/* The sizes as text: "n=1024". */
const char *gt_description_sizes(const gt_description *description);
/* The parameter at `index` in the parameter list, or NULL beyond the last. Its strings live as long
 * as the description. */
const gputune_parameter *gt_description_parameter(const gt_description *description,
                                                  uint32_t index);

/* The constant symbols that take parts of blocks; *count is their number. */
const gputune_constant *gt_description_constants(const gt_description *description,
                                                 uint32_t *count);
/* An argument by its place in gputune_args, or NULL beyond the last. */
const gt_described_argument *gt_description_argument(const gt_description *description,
                                                     uint32_t index);
