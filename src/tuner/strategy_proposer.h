/* A search strategy as the proposer of a tuning. One thread. */
#pragma once

#include "base/array.h"
#include "search/quick.h"
#include "tuner/history.h"
#include "tuner/proposer.h"
#include "tuner/request.h"

typedef struct gt_strategy_proposer {
    gt_proposer proposer; /* the first member: one address for both */
    const gt_request *request;
    gt_strategy *strategy;
    gt_quick quick;
    gt_domain domain; /* the request's space */
    gt_domain_axis axes[GT_AXIS_MAX];
    double *values[GT_AXIS_MAX];
    gt_point fallback;
    GT_ARRAY(gt_tried) earlier; /* what is right in earlier tunings, the fastest first */
    size_t first, next_first;   /* so many of them may win still; so many were proposed */
    uint32_t known;             /* variants of earlier tunings that are not proposed again */
    bool content; /* the search ended because nothing better is expected, with variants untried */
} gt_strategy_proposer;

/* Opens a proposer that runs the request's strategy over the request's space. Unless `force` is
 * set, the history's trials that may win are proposed first (or in the order of the space, if all
 * are tried), and the others count as known. Stored trials at other sizes and on other GPUs are
 * hints. ENOMEM. gt_strategy_proposer_close() is needed in any case. *out must not be moved. */
gputune_status gt_strategy_proposer_open(gt_strategy_proposer *out, const gt_request *request,
                                         const gt_history *history);
void gt_strategy_proposer_close(gt_strategy_proposer *proposer);

/* Sets *out to the fastest variant of earlier tunings, and returns its time; 0: none is known. */
double gt_strategy_proposer_champion(gt_config *out, const gt_strategy_proposer *proposer);
