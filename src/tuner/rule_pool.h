/* The configurations from which a rule is made, and their times at many sizes. Not thread-safe. */
#pragma once

#include "kernel/rule/rule.h"
#include "tuner/request.h"

#include <math.h>

typedef struct gt_pool_entry {
    double time_ns; /* NAN: not measured; INFINITY: the member cannot run at this size */
    bool proved;
} gt_pool_entry;

typedef struct gt_pool_size {
    gt_problem problem;
    double volume; /* product of all sizes, as an estimate of the cost */
    bool is_corner;
    bool is_tuned, is_compared;
    bool is_doubtful; /* true if chosen because it is unclear which member is fastest there */
    /* indexed by member; shorter than the list of members if the last ones were not measured */
    GT_ARRAY(gt_pool_entry) entries;
} gt_pool_size;

typedef struct gt_pool_member {
    gt_config config;
    char *text;
    gt_hash source;
    uint32_t code;   /* index of the first member with the same source */
    bool is_refuted; /* true if it does not compile, or was wrong, crashed or hung at a size */
} gt_pool_member;

typedef struct gt_pool {
    const gt_services *services;
    const gt_device *device;
    const char *kernel;
    const gt_template *template;
    gputune_options options; /* options of all sessions, except the time limit */
    gt_patience patience;    /* time limit for making the rule */
    gt_log log;
    GT_ARRAY(gt_pool_member) members;
    GT_ARRAY(gt_pool_size) sizes;
} gt_pool;

void gt_pool_free(gt_pool *pool);
/* Makes a request for a size, with a limit of `limit_s` seconds. The caller frees *out. ETEMPLATE
 * if the template was edited after pool->template was read. */
gputune_status gt_pool_request(gt_request **out, const gt_pool *pool, size_t size, double limit_s);
/* Adds a size if the pool does not have it yet; *is_new is then true. Fails only with ENOMEM. */
gputune_status gt_pool_add_size(bool *is_new, gt_pool *pool, const gt_problem *problem);
/* Removes the size that was added last. */
void gt_pool_drop_size(gt_pool *pool);
/* Adds a configuration, if the pool does not have it. Sets *member, unless NULL, to its index.
 * `request` may be of any size, because the source is the same at all sizes. */
gputune_status gt_pool_add(uint32_t *member, gt_pool *pool, const gt_request *request,
                           const gt_config *config);
static inline gt_pool_entry gt_pool_entry_of(const gt_pool *pool, size_t size, uint32_t member)
{
    const gt_pool_size *at = &pool->sizes.items[size];
    return member < at->entries.count ? at->entries.items[member] : (gt_pool_entry){NAN, false};
}
static inline double gt_pool_time(const gt_pool *pool, size_t size, uint32_t member)
{
    return gt_pool_entry_of(pool, size, member).time_ns;
}
/* Returns true if the member was verified at this size, or cannot run there. */
bool gt_pool_is_proved(const gt_pool *pool, size_t size, uint32_t member);
/* Returns the fastest member that works at this size; UINT32_MAX: there is none. */
uint32_t gt_pool_fastest(const gt_pool *pool, size_t size);

/* If a member has no time at this size, takes the time that the tuning of the size has stored. */
gputune_status gt_pool_take_trials(gt_pool *pool, const gt_request *request, size_t size);

/* Measures members at a size side by side, in the order of `members`, for at most `limit_s`
 * seconds. Skips refuted members. If `prove` is true, also skips members that were verified at this
 * size; otherwise, those whose time is known. If time is short, the last members stay unmeasured.
 *
 * Members that are far slower get only a rough time and, unless `prove` is true, are not proved.
 * Members that constraints exclude at this size get the time INFINITY. A member that is wrong,
 * crashes or hangs is refuted, with a warning. The fastest known member is measured again in each
 * call, to make the times of several calls comparable.
 *
 * Returns OK even if no member works; ECANCELED after a cancel. */
gputune_status gt_pool_measure(gt_pool *pool, size_t size, const uint32_t *members, size_t count,
                               bool prove, double limit_s);
