/* Which result answers which request. The one rule: the plan table, the store and the tuner ask
 * here and nowhere else. Pure. */
#pragma once

#include "base/hash.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* What a result was made under; of a request, what it must have been made under at least. Both are
 * of one scenario: other sizes, objectives, inputs and so on have other keys. */
typedef struct gt_terms {
    gt_hash space;  /* gt_space_signature(): which variants were to be tried, as which code */
    uint32_t limit; /* most variants that were to be tried; 0: all */
    gputune_effort effort;
    gputune_isolation isolation;
    int driver_version; /* 13000 for 13.0 */
    bool final;         /* decided: neither the time limit nor the caller ended the tuning; or those
                           decided who put it into the system's database */
    bool complete;      /* every one of them was tried; a search may be final without that */
    bool proved;        /* right, as a worker on this kind of GPU found */
    double limit_s;     /* of a request: its time limit, or 0: only a final result will do. Of a
                           result: the limit that ended its tuning in this process, else 0 */
} gt_terms;

/* Whether the result answers the request (whose `final` and `proved` do not matter).
 * - A request that may not measure takes every result of at least its effort; whether the
 *   configuration is one that it allows is the caller's to check.
 * - A request that may measure takes a result that is proved and final, of at least its effort,
 *   over the same space with at least as many variants (all of them where it asks for all to be
 *   tried), with the same driver, and made in worker processes unless the request does without
 *   them. In place of a final one it takes one whose tuning was given at least its time, also where
 *   nothing was measured in that time: such a result has less effort, since it is no estimate. */
bool gt_answers(const gt_terms *result, const gt_terms *request);

/* Whether a kept result makes this other one of the same space superfluous: it is as final, or had
 * as much time, is as proved, and answers what the other one would. */
bool gt_answers_for(const gt_terms *kept, const gt_terms *other);
