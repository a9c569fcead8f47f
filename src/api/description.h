/* What the kernel of a plan takes, parameter by parameter, for those who launch it themselves. */
#ifndef GT_API_DESCRIPTION_H
#define GT_API_DESCRIPTION_H

#include "tuner/request.h"

typedef struct gt_description gt_description;

/* Describes a launch of the request's kernel. *out is for gt_description_free(). ENOMEM. */
gputune_status gt_description_make(gt_description **out, const gt_request *request,
                                   const gt_launch *launch);
void gt_description_free(gt_description *description);

/* The sizes as text: "n=1024". */
const char *gt_description_sizes(const gt_description *description);
/* A parameter in the order of the parameter list, or NULL beyond the last. Its strings live as long
 * as the description. */
const gputune_parameter *gt_description_parameter(const gt_description *description,
                                                  uint32_t index);

#endif
