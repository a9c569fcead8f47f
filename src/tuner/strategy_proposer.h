/* A search strategy as a proposer. Not thread-safe. */
#pragma once

#include "base/array.h"
#include "search/quick.h"
#include "tuner/history.h"
#include "tuner/proposer.h"
#include "tuner/request.h"

typedef struct gt_strategy_proposer {
    gt_proposer proposer; /* first member, because its functions cast `self` to this struct */
    const gt_request *request;
    gt_strategy *strategy;
    gt_quick quick;
    gt_domain domain; /* the request's space */
    gt_domain_axis axes[GT_AXIS_MAX];
    double *values[GT_AXIS_MAX];
    gt_point fallback;
    GT_ARRAY(gt_tried) earlier; /* correct variants of earlier tunings, fastest first */
    size_t first;               /* number of elements of `earlier` that can still win */
    size_t next_first;          /* number of elements of `earlier` that were proposed */
    GT_ARRAY(gt_config) starts; /* configurations to try first */
    size_t next_start;          /* number of elements of `starts` that were proposed */
    uint32_t known;             /* number of earlier variants that need not be proposed again */
    bool content;               /* true if the search has ended because it expects no gain */
} gt_strategy_proposer;

/* Opens a proposer for the space of a request. It first proposes the request's start configurations
 * that have no result; those outside of the space are logged. Then, unless `force` is set, it
 * proposes earlier trials that may win. Trials of other sizes and GPUs are used as hints. If
 * `history` is NULL, neither starts nor trials are used. The caller must call
 * gt_strategy_proposer_close() even after a failure, and must not move *out. */
gputune_status gt_strategy_proposer_open(gt_strategy_proposer *out, const gt_request *request,
                                         gputune_strategy strategy, const gt_history *history);
void gt_strategy_proposer_close(gt_strategy_proposer *proposer);

/* Sets *out to the fastest variant of earlier tunings, and returns its time; 0 if there is none. */
double gt_strategy_proposer_champion(gt_config *out, const gt_strategy_proposer *proposer);
