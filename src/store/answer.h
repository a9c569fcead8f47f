/* The rule by which results answer requests, used by plan table, store and tuner. Pure. */
#pragma once

#include "base/hash.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* The conditions under which a result was made, or the least conditions that a request accepts.
 * Result and request belong to one scenario, which has its own key. */
typedef struct gt_terms {
    gt_hash space;  /* hash of the variants to try, by gt_space_signature() */
    uint32_t limit; /* maximum number of variants to try; 0: all */
    gputune_effort effort;
    int driver_version; /* 13000 for 13.0 */
    bool final; /* true if neither the time limit nor the caller ended the tuning early; always true
                   for results of the system's database */
    bool complete; /* true if every variant was tried; a search may be final without this */
    bool proved;   /* true if a worker verified the results on this kind of GPU */
    /* in a result: true if a rule chose the configuration; in a request: true if a rule's result is
     * enough */
    bool by_rule;
    double limit_s; /* in a request: its time limit in seconds, or 0 if only a final result answers
                       it; in a result: the time limit that ended its tuning, or 0 if none did */
} gt_terms;

/* Returns true if the result answers the request, whose `final` and `proved` are ignored.
 * - A request that may not measure accepts any result with at least its effort. The caller checks
 * whether the request allows the configuration.
 * - A request that a rule may answer accepts any result of a rule.
 * - A request that may measure accepts a proved result of the same space and driver. The result
 * needs the request's effort and number of variants (all if it asks for all). It must also be
 * final, or have had at least the request's time limit; if nothing was measured in that time, less
 * effort is enough. */
bool gt_answers(const gt_terms *result, const gt_terms *request);

/* Returns true if the result `kept` makes `other` superfluous. It must have at least the effort of
 * `other`, and cover the variants of `other` as in gt_answers(). If `other` is final, proved or
 * made by a rule, `kept` must be, too. Unless `kept` is final, its tuning must have had at least as
 * much time. */
bool gt_answers_for(const gt_terms *kept, const gt_terms *other);
