#include <gputune.h>

const char *gputune_source_name(gputune_source source)
{
    static const char *const names[] = {"default", "nearest", "cached", "measured", "estimated"};
    size_t count = sizeof names / sizeof *names;
    return (size_t)source < count ? names[source] : "?";
}

const char *gputune_objective_name(gputune_objective objective)
{
    static const char *const names[] = {"default", "kernel", "launch", "latency", "energy"};
    size_t count = sizeof names / sizeof *names;
    return (size_t)objective < count ? names[objective] : "?";
}
