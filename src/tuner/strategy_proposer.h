/* A search strategy as the proposer of a tuning. One thread. */
#pragma once

#include "tuner/history.h"
#include "tuner/proposer.h"
#include "tuner/request.h"

typedef struct gt_strategy_proposer gt_strategy_proposer;

/* Opens a proposer that runs the request's strategy over the request's space, and walks through it.
 * The strategy is told the trials that the history has of this space: those that may win are
 * proposed first, or, where all are tried, in the order of the space, and the others count as
 * known. The option `force` turns this off. Stored trials of the same kernel at other sizes or on
 * other GPUs are hints to the strategy. `workers`: how many variants are compiled at a time.
 * ENOMEM. *out is the caller's, for gt_strategy_proposer_free(). */
gputune_status gt_strategy_proposer_open(gt_strategy_proposer **out, const gt_request *request,
                                         const gt_history *history, uint32_t workers);
/* NULL is allowed. */
void gt_strategy_proposer_free(gt_strategy_proposer *proposer);

gt_proposer *gt_strategy_proposer_of(gt_strategy_proposer *proposer);
/* How many variants are known from earlier tunings and were not proposed again. */
uint32_t gt_strategy_proposer_known(const gt_strategy_proposer *proposer);
/* How many variants the space has, as far as that is known. */
uint64_t gt_strategy_proposer_size(const gt_strategy_proposer *proposer);
/* Sets *out to the fastest variant of earlier tunings, and returns its time; 0: none is known. */
double gt_strategy_proposer_champion(gt_config *out, const gt_strategy_proposer *proposer);
/* Whether the search ended because nothing better is expected, with variants left untried. */
bool gt_strategy_proposer_is_content(gt_strategy_proposer *proposer);
