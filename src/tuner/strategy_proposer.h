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
        next_first; /* how many of `earlier` may still win; how many of those are proposed */
    GT_ARRAY(gt_config) starts; /* configurations to try first, and how many are proposed */
    size_t next_start;
    uint32_t known; /* number of earlier variants that will not be proposed */
    bool content;   /* true if the search ended early, because it expects nothing better */
} gt_strategy_proposer;

/* Opens a proposer with the request's strategy and space. Unless `force` is set, trials of the
 * history that may win are proposed first, and the others count as known. The request's starts that
 * have no result yet come before them; a log line reports each one that the space does not have.
 * Trials of other sizes and GPUs are hints. ENOMEM. Requires gt_strategy_proposer_close(), also
 * after a failure. *out must not be moved. */
gputune_status gt_strategy_proposer_open(gt_strategy_proposer *out, const gt_request *request,
                                         const gt_history *history);
void gt_strategy_proposer_close(gt_strategy_proposer *proposer);

/* Gets the fastest variant of earlier tunings and returns its time; 0: none is known. */
double gt_strategy_proposer_champion(gt_config *out, const gt_strategy_proposer *proposer);
