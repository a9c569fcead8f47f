/* Decides which stored results answer a request. Pure functions. */
#pragma once

#include "base/hash.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* The conditions under which a result was made; in a request, the least that it accepts. */
typedef struct gt_terms {
    gt_hash space;  /* gt_space_signature() of the variants to try */
    uint32_t limit; /* maximum number of variants to try; 0: all */
    gputune_effort effort;
    int driver_version; /* 13000 for 13.0 */
    /* true unless a limit or a cancel ended the tuning; always true in the system's database */
    bool final;
    bool complete; /* true if every variant was tried; a final result may have left out some */
    bool proved;   /* true if a worker verified the result on this kind of GPU */
    bool by_rule;  /* true if a rule chose the result; in a request: if such a result suffices */
    /* seconds; in a request: the time limit, or 0 if only a final result answers; in a result: the
     * time limit that ended the tuning, or 0 */
    double limit_s;
} gt_terms;

/* Returns true if the result answers the request. Ignores `final` and `proved` of the request.
 * - A request that may not measure accepts any result with at least its effort. The caller checks
 * whether the request allows the configuration.
 * - A request that a rule may answer accepts any result of a rule.
 * - A request that may measure accepts a proved result of the same space and driver, with at least
 * its effort and number of variants. The result must be final, or its tuning must have had at least
 * the request's time limit; if nothing was measured in that time, less effort suffices. */
bool gt_answers(const gt_terms *result, const gt_terms *request);

/* Returns true if `other` is not needed beside `kept`. The effort and variants of `kept` must cover
 * those of `other`, as in gt_answers(). If `other` is final, proved or made by a rule, so must be
 * `kept`. Unless `kept` is final, its tuning must have had at least as much time. */
bool gt_answers_for(const gt_terms *kept, const gt_terms *other);
