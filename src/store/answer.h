/* Decides which result answers which request, for plan table, store and tuner alike. Pure. */
#pragma once

#include "base/hash.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* The terms that a result was made under, or, in a request, the least that it must have been made
 * under. Result and request are of one scenario, which has a key of its own. */
typedef struct gt_terms {
    gt_hash space;  /* gt_space_signature(): which variants were to be tried, as which code */
    uint32_t limit; /* the most variants to be tried; 0: all */
    gputune_effort effort;
    gputune_isolation isolation;
    int driver_version; /* 13000 for 13.0 */
    bool final; /* neither the time limit nor the caller ended the tuning early; or the result is in
                   the system's database, which is always taken as final */
    bool complete;  /* every variant was tried; a search may be final without that */
    bool proved;    /* a worker on this kind of GPU found the results to be right */
    double limit_s; /* a request's time limit in seconds, 0: only a final result will do; of a
                       result, the limit that ended its tuning here, else 0 */
} gt_terms;

/* Returns true if the result answers the request (whose `final` and `proved` do not matter).
 * - A request that may not measure takes every result whose effort is at least the request's. The
 *   caller checks whether the request allows the configuration.
 * - A request that may measure takes a result that is proved and final, whose effort is at least
 *   the request's. The result is of the same space with at least as many variants (all of them
 *   where the request asks for all), with the same driver, and made in worker processes unless the
 *   request does without them. Instead of a final result the request takes one whose tuning had at
 *   least the request's time limit. If nothing was measured in that time, the result may also have
 *   less effort than the request. */
bool gt_answers(const gt_terms *result, const gt_terms *request);

/* Returns true if the result `kept` makes the result `other` superfluous: `kept` has at least the
 * effort of `other`, is as final and as proved, had at least as much time unless it is final, and
 * is over the same space with at least as many variants, as gt_answers() demands. */
bool gt_answers_for(const gt_terms *kept, const gt_terms *other);
