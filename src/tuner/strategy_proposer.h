/* A search strategy as the proposer of a tuning. Not thread-safe. */
#pragma once

#include "base/array.h"
#include "search/quick.h"
#include "tuner/history.h"
#include "tuner/proposer.h"
#include "tuner/request.h"

typedef struct gt_strategy_proposer {
    gt_proposer proposer; /* must be the first member */
    const gt_request *request;
    gt_strategy *strategy;
    gt_quick quick;
    gt_domain domain; /* the request's space */
    gt_domain_axis axes[GT_AXIS_MAX];
    double *values[GT_AXIS_MAX];
    gt_point fallback;
    GT_ARRAY(gt_tried) earlier; /* correct variants of earlier tunings, the fastest first */
    size_t first,
        /* number of entries of `earlier` that may still win, and of those already proposed */
        next_first;
    /* configurations to try first, and how many of them are already proposed */
    GT_ARRAY(gt_config) starts;
    size_t next_start;
    uint32_t known; /* number of earlier variants that will not be proposed */
    bool content;   /* true if the search ended early because it expects no improvement */
} gt_strategy_proposer;

/* Opens a proposer with the request's strategy and space. It first proposes the request's starts
 * that have no result yet, then the trials of the history that may win; other trials count as
 * known. With `force`, it ignores the history. A log line reports each start that the space does
 * not contain. Trials of other sizes and GPUs are hints. ENOMEM. The caller must call
 * gt_strategy_proposer_close(), even after a failure, and must not move *out. */
gputune_status gt_strategy_proposer_open(gt_strategy_proposer *out, const gt_request *request,
                                         const gt_history *history);
void gt_strategy_proposer_close(gt_strategy_proposer *proposer);

/* Sets *out to the fastest variant of earlier tunings and returns its time. Returns 0 if there is
 * none. */
double gt_strategy_proposer_champion(gt_config *out, const gt_strategy_proposer *proposer);
