/* Names of enumerated values. */
#include <gputune.h>

#include "base/objective.h"

const char *gputune_source_name(gputune_source source)
{
    static const char *const names[] = {"default",  "nearest",   "cached",
                                        "measured", "estimated", "forced"};
    size_t count = sizeof names / sizeof *names;
    return (size_t)source < count ? names[source] : "?";
}

const char *gputune_objective_name(gputune_objective objective)
{
    bool exists = (uint32_t)objective < GPUTUNE_OBJECTIVE_COUNT;
    return exists ? gt_objective_facts(objective)->name : "?";
}
