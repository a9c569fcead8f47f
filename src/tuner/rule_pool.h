/* The configurations from which a rule is made, and their times at many sizes. One thread. */
#pragma once

#include "kernel/rule/rule.h"
#include "tuner/request.h"

#include <math.h>

/* A size at which configurations are verified and measured. */
typedef struct gt_pool_size {
    gt_problem problem;
    GT_ARRAY(double)
    times_ns; /* of each member; NAN: not measured; INFINITY: it cannot run there */
} gt_pool_size;

typedef struct gt_pool_member {
    gt_config config;
    char *text;
    gt_hash source;
    uint32_t code;   /* the first member with the same source */
    bool is_refuted; /* it failed to compile, or its proof at some size */
} gt_pool_member;

typedef struct gt_pool {
    const gt_services *services;
    const gt_device *device;
    const char *kernel;
    const gt_template *template;
    gputune_options options; /* of each session, apart from the limit */
    gt_patience patience;    /* of the whole work */
    gt_log log;
    GT_ARRAY(gt_pool_member) members;
    GT_ARRAY(gt_pool_size) sizes;
} gt_pool;

void gt_pool_free(gt_pool *pool);
/* Makes a request at the size, with a limit in seconds. gt_request_free() frees *out. */
gputune_status gt_pool_request(gt_request **out, const gt_pool *pool, size_t size, double limit_s);
/* Adds a size unless it is known. Sets *is_new. ENOMEM. */
gputune_status gt_pool_add_size(bool *is_new, gt_pool *pool, const gt_problem *problem);
/* Adds a configuration unless it is known, and sets *member (may be NULL) to its index. The source
 * is made for `request`, but does not depend on its sizes. */
gputune_status gt_pool_add(uint32_t *member, gt_pool *pool, const gt_request *request,
                           const gt_config *config);
static inline double gt_pool_time(const gt_pool *pool, size_t size, uint32_t member)
{
    const gt_pool_size *at = &pool->sizes.items[size];
    return member < at->times_ns.count ? at->times_ns.items[member] : (double)NAN;
}
/* Returns the fastest member at the size that is not refuted, or UINT32_MAX. */
uint32_t gt_pool_fastest(const gt_pool *pool, size_t size);

/* Verifies and measures the given members at the size, side by side, except those that were
 * measured there or are refuted. A member with a wrong result, a crash or a hang is refuted, with a
 * warning. Sets INFINITY for members that constraints exclude at the size. Times of several calls
 * are comparable, because the fastest known member is measured again each time. OK also if none of
 * the members works; ETIMEOUT or ECANCELED at the end of the patience. */
gputune_status gt_pool_measure(gt_pool *pool, size_t size, const uint32_t *members, size_t count);
