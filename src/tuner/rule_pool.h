/* The configurations from which a rule is made, and their times at many sizes. Not thread-safe. */
#pragma once

#include "kernel/rule/rule.h"
#include "tuner/request.h"

#include <math.h>

/* The time and the proof of a member at a size. */
typedef struct gt_pool_entry {
    double time_ns; /* NAN: not measured; INFINITY: the member cannot run there */
    bool proved;
} gt_pool_entry;

/* A size at which configurations are verified and measured. */
typedef struct gt_pool_size {
    gt_problem problem;
    double volume; /* the product of the sizes, to order by cost */
    bool is_corner;
    bool is_tuned, is_compared;
    /* true if the size was chosen because different members may be the fastest there */
    bool is_doubtful;
    /* one entry per member; members beyond the end were not measured */
    GT_ARRAY(gt_pool_entry) entries;
} gt_pool_size;

typedef struct gt_pool_member {
    gt_config config;
    char *text;
    gt_hash source;
    uint32_t code;   /* index of the first member with the same source */
    size_t origin;   /* index of the size at which it was found */
    bool is_refuted; /* true if it failed to compile, or failed its proof at some size */
} gt_pool_member;

typedef struct gt_pool {
    const gt_services *services;
    const gt_device *device;
    const char *kernel;
    const gt_template *template;
    gputune_options options; /* options of each session, without its limit */
    gt_patience patience;    /* limit of the whole work */
    gt_log log;
    GT_ARRAY(gt_pool_member) members;
    GT_ARRAY(gt_pool_size) sizes;
} gt_pool;

void gt_pool_free(gt_pool *pool);
/* Makes a request at the size, with a limit of `limit_s` seconds. gt_request_free() frees *out. */
gputune_status gt_pool_request(gt_request **out, const gt_pool *pool, size_t size, double limit_s);
/* Adds a size unless it is known. Sets *is_new to true if it was added. ENOMEM. */
gputune_status gt_pool_add_size(bool *is_new, gt_pool *pool, const gt_problem *problem);
/* Removes the last size. */
void gt_pool_drop_size(gt_pool *pool);
/* Adds a configuration that was found at a size unless it is known, and sets *member (may be NULL)
 * to its index. The source is made for `request`, but does not depend on its sizes. */
gputune_status gt_pool_add(uint32_t *member, gt_pool *pool, const gt_request *request, size_t size,
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
/* Returns true if the member was proved at the size, or cannot run there. */
bool gt_pool_is_proved(const gt_pool *pool, size_t size, uint32_t member);
/* Returns the fastest member at the size that is not refuted, or UINT32_MAX. */
uint32_t gt_pool_fastest(const gt_pool *pool, size_t size);

/* Copies times that the tuning of the size has stored, for members that were not measured there. */
gputune_status gt_pool_take_trials(gt_pool *pool, const gt_request *request, size_t size);

/* Measures the given members at the size, side by side, in the order of `members`. Takes at most
 * `limit_s` seconds; the times of the remaining members stay unknown. Skips refuted members and
 * members whose time there is known; with `prove`, only those that are proved there. Members that
 * are clearly slower than the best one get only a rough time and, without `prove`, no proof. A
 * member with a wrong result, a crash or a hang is refuted, with a warning. Members that
 * constraints exclude at the size get the time INFINITY. Times of several calls are comparable,
 * because the fastest known member is measured again each time. Returns OK even if no member works;
 * ECANCELED if the caller cancelled. */
gputune_status gt_pool_measure(gt_pool *pool, size_t size, const uint32_t *members, size_t count,
                               bool prove, double limit_s);
