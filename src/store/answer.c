/* The rule by which results answer requests. */
#include "store/answer.h"

/* A limit of 0 is none. */
static bool tried_enough(uint32_t tried, uint32_t asked)
{
    return !tried || (asked && asked <= tried);
}

static bool isolated_enough(gputune_isolation made, gputune_isolation asked)
{
    return made == GPUTUNE_ISOLATION_PROCESS || made == asked;
}

static bool covers(const gt_terms *result, const gt_terms *request)
{
    return gt_hash_equal(result->space, request->space) &&
           tried_enough(result->limit, request->limit) && result->complete >= request->complete &&
           isolated_enough(result->isolation, request->isolation) &&
           result->driver_version == request->driver_version;
}

/* Returns true if the tuning of the result ended for good: it is final, or it already had the time
 * that the request gives. */
static bool ended_for(const gt_terms *result, const gt_terms *request)
{
    return result->final || (request->limit_s > 0 && result->limit_s >= request->limit_s);
}

/* Returns true if the time limit of the result's tuning passed before anything was measured. */
static bool measured_in_vain(const gt_terms *result)
{
    return result->effort < GPUTUNE_MEASURE && result->limit_s > 0;
}

bool gt_answers(const gt_terms *result, const gt_terms *request)
{
    bool is_enough = result->effort >= request->effort;
    if (request->effort < GPUTUNE_MEASURE) {
        return is_enough;
    }
    return (is_enough || measured_in_vain(result)) && result->proved &&
           ended_for(result, request) && covers(result, request);
}

bool gt_answers_for(const gt_terms *kept, const gt_terms *other)
{
    return kept->effort >= other->effort && kept->final >= other->final &&
           (kept->final || kept->limit_s >= other->limit_s) && kept->proved >= other->proved &&
           covers(kept, other);
}
