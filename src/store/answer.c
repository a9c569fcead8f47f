/* Decides which stored results answer a request. */
#include "store/answer.h"

static bool covers_terms(const gt_terms *result, const gt_terms *request)
{
    bool tried_enough = /* a limit of 0 means all variants */
        !result->limit || (request->limit && request->limit <= result->limit);
    return gt_hash_equal(result->space, request->space) && tried_enough &&
           result->complete >= request->complete &&
           result->driver_version == request->driver_version;
}

bool gt_answers(const gt_terms *result, const gt_terms *request)
{
    const bool rules = request->by_rule && result->by_rule;
    bool is_enough = result->effort >= request->effort;
    if (request->effort < GPUTUNE_MEASURE || rules) {
        return is_enough || rules;
    }
    /* the time limit expired before any variant was measured */
    bool measured_nothing = result->effort < GPUTUNE_MEASURE && result->limit_s > 0;
    bool had_the_time = request->limit_s > 0 && result->limit_s >= request->limit_s;
    return (is_enough || measured_nothing) && result->proved && (result->final || had_the_time) &&
           covers_terms(result, request);
}

bool gt_answers_for(const gt_terms *kept, const gt_terms *other)
{
    return kept->effort >= other->effort && kept->by_rule >= other->by_rule &&
           kept->final >= other->final && (kept->final || kept->limit_s >= other->limit_s) &&
           kept->proved >= other->proved && covers_terms(kept, other);
}
