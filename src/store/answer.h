/* Decides which stored results answer a request. Pure functions. */
#pragma once

#include "base/hash.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* The conditions under which a result was made, or that a request requires of a result. */
typedef struct gt_terms {
    gt_hash space;  /* gt_space_signature() of the variants to try */
    uint32_t limit; /* maximum number of variants to try; 0: all */
    gputune_effort effort;
    int driver_version; /* 13000 for 13.0 */
    /* true unless a limit or a cancel ended the tuning; always true in the system's database */
    bool final;
    bool complete; /* true if every variant was tried; a final result need not be complete */
    bool proved;   /* true if a worker verified the result on this kind of GPU */
    bool by_rule;  /* result: a rule chose it; request: also accepts results that a rule chose */
    /* Time limit in seconds. In a request, 0 means that only a final result is accepted. In a
     * result, it is the limit that ended the tuning, or 0 if no time limit did. */
    double limit_s;
} gt_terms;

/* Returns true if a stored result answers a request. `final` and `proved` of the request are
 * ignored.
 *
 * - If the request may not measure, any result with at least the effort of the request answers it.
 *   The caller must check that the request allows the configuration.
 * - If the request accepts rules, any result that was chosen by a rule answers it.
 * - If the request may measure, the result must be proved, have the same space and driver, and have
 *   at least the effort and the number of variants of the request. It must also be final, or its
 *   tuning must have had at least as much time as the request allows. If the tuning measured
 *   nothing in that time, less effort is enough. */
bool gt_answers(const gt_terms *result, const gt_terms *request);

/* Returns true if the result `kept` makes the result `other` unnecessary. Both must have the same
 * space and driver. `kept` must have at least the effort and the number of variants of `other`, and
 * must have each of the flags final, complete, proved and by_rule that `other` has. Unless `kept`
 * is final, its limit_s must be at least that of `other`. */
bool gt_answers_for(const gt_terms *kept, const gt_terms *other);
