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

/* Opens a proposer that runs the request's strategy over the request's space, and walks through it.
 * The strategy is told the trials that the history has of this space: those that may win are
 * proposed first, or, where all are tried, in the order of the space, and the others count as
 * known. The option `force` turns this off. Stored trials of the same kernel at other sizes or on
 * other GPUs are hints to the strategy. ENOMEM. gt_strategy_proposer_close() is needed whatever the
 * status. *out must stay where it is. */
gputune_status gt_strategy_proposer_open(gt_strategy_proposer *out, const gt_request *request,
                                         const gt_history *history);
void gt_strategy_proposer_close(gt_strategy_proposer *proposer);

/* Sets *out to the fastest variant of earlier tunings, and returns its time; 0: none is known. */
double gt_strategy_proposer_champion(gt_config *out, const gt_strategy_proposer *proposer);
