/* Measures configurations side by side at many sizes. */
#include "tuner/rule_pool.h"

#include "base/text.h"
#include "tuner/outcome.h"
#include "tuner/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gt_pool_free(gt_pool *pool)
{
    for (size_t i = 0; i < pool->members.count; i++) {
        free(pool->members.items[i].text);
    }
    for (size_t i = 0; i < pool->sizes.count; i++) {
        gt_array_free(&pool->sizes.items[i].times_ns);
    }
    gt_array_free(&pool->members);
    gt_array_free(&pool->sizes);
}

gputune_status gt_pool_request(gt_request **out, const gt_pool *pool, size_t size, double limit_s)
{
    gputune_options options = pool->options;
    const double left_s = gt_patience_left_s(&pool->patience);
    options.time_limit_s = fmax(fmin(limit_s, left_s), 1e-3);
    return gt_request_make_at(out, pool->services, pool->device, pool->kernel, pool->template,
                              &pool->sizes.items[size].problem, &options);
}

gputune_status gt_pool_add_size(bool *is_new, gt_pool *pool, const gt_problem *problem)
{
    *is_new = true;
    for (size_t i = 0; i < pool->sizes.count && *is_new; i++) {
        *is_new = memcmp(&pool->sizes.items[i].problem, problem, sizeof *problem) != 0;
    }
    const gt_pool_size size = {.problem = *problem};
    return *is_new ? gt_array_push(&pool->sizes, size) : GPUTUNE_OK;
}

gputune_status gt_pool_add(uint32_t *out, gt_pool *pool, const gt_request *request,
                           const gt_config *config)
{
    uint32_t at = 0;
    while (at < pool->members.count && !gt_config_is(&pool->members.items[at].config, config)) {
        at++;
    }
    if (at == pool->members.count) {
        GT_SCOPED(gt_source_free) gt_source source = {0};
        GT_TRY(gt_array_reserve(&pool->members));
        gt_pool_member *member = &pool->members.items[at];
        *member = (gt_pool_member){.config = *config};
        GT_TRY(gt_request_source(&source, request, config));
        GT_TRY(gt_config_text(&member->text, pool->template, config));
        member->source = source.hash;
        while (!gt_hash_equal(pool->members.items[member->code].source, source.hash)) {
            member->code++;
        }
        pool->members.count++;
    }
    if (out) {
        *out = at;
    }
    return GPUTUNE_OK;
}

uint32_t gt_pool_fastest(const gt_pool *pool, size_t size)
{
    uint32_t fastest = UINT32_MAX;
    double least = INFINITY;
    for (uint32_t m = 0; m < pool->members.count; m++) {
        const double time = gt_pool_time(pool, size, m);
        if (!pool->members.items[m].is_refuted && time < least) {
            least = time;
            fastest = m;
        }
    }
    return fastest;
}

/* ---- measuring ------------------------------------------------------------------------------- */

typedef struct comparison {
    gt_pool *pool;
    size_t size;
    const gt_request *request;
    GT_ARRAY(uint32_t) members; /* those that are measured, the anchor first if there is one */
    bool has_anchor;
    double anchor_ns; /* its time in this session; 0: unknown */
    GT_ARRAY(double) times_ns;
} comparison;

static void free_comparison(comparison *at)
{
    gt_array_free(&at->members);
    gt_array_free(&at->times_ns);
}

/* Sets a time, after those of members that are not measured yet. */
static gputune_status set_time(gt_pool *pool, size_t size, uint32_t member, double time_ns)
{
    gt_pool_size *at = &pool->sizes.items[size];
    while (at->times_ns.count <= member) {
        GT_TRY(gt_array_push(&at->times_ns, (double)NAN));
    }
    at->times_ns.items[member] = time_ns;
    return GPUTUNE_OK;
}

/* Returns true if a failed proof or compile counts for all sizes. */
static bool is_for_good(const char *status)
{
    return strcmp(status, "wrong") == 0 || strcmp(status, "crashed") == 0 ||
           strcmp(status, "hung") == 0 || strcmp(status, "compile") == 0;
}

static void refute(const comparison *at, gt_pool_member *member, const char *status,
                   const char *message)
{
    if (!member->is_refuted) {
        gt_log_line(&at->pool->log, GPUTUNE_LOG_WARNING,
                    "%s: the rule does not use %s, which failed at %s (%s): %s", at->pool->kernel,
                    member->text, at->request->problem_text, status, message);
    }
    member->is_refuted = true;
}

static int take_record(void *user, const gputune_record *record)
{
    comparison *at = user;
    for (size_t i = 0; i < at->members.count; i++) {
        gt_pool_member *member = &at->pool->members.items[at->members.items[i]];
        if (strcmp(member->text, record->configuration) != 0) {
            continue;
        }
        if (is_for_good(record->status)) {
            refute(at, member, record->status, record->message);
        }
        const bool is_measured = strcmp(record->status, "ok") == 0 && record->median_ns > 0;
        at->times_ns.items[i] = is_measured ? record->median_ns : INFINITY;
        if (i == 0 && at->has_anchor && is_measured) {
            at->anchor_ns = record->median_ns;
        }
    }
    return 0;
}

/* Lists what to measure. Members that are excluded here get their INFINITY at once. */
static gputune_status list_members(comparison *at, const uint32_t *members, size_t count)
{
    gt_pool *pool = at->pool;
    const uint32_t anchor = gt_pool_fastest(pool, at->size);
    if (anchor != UINT32_MAX) {
        at->has_anchor = true;
        GT_TRY(gt_array_push(&at->members, anchor));
    }
    for (size_t i = 0; i < count; i++) {
        const gt_pool_member *member = &pool->members.items[members[i]];
        if (member->is_refuted || !isnan(gt_pool_time(pool, at->size, members[i]))) {
            continue;
        }
        if (gt_request_permits(at->request, &member->config)) {
            GT_TRY(gt_array_push(&at->members, members[i]));
        } else {
            GT_TRY(set_time(pool, at->size, members[i], INFINITY));
        }
    }
    for (size_t i = 0; i < at->members.count; i++) {
        GT_TRY(gt_array_push(&at->times_ns, (double)NAN));
    }
    return GPUTUNE_OK;
}

static gputune_status run(comparison *at, gt_request *request)
{
    const size_t count = at->members.count;
    GT_FREED gt_config *configs = calloc(count + 1, sizeof *configs);
    GT_TRY(gt_allocated(configs));
    for (size_t i = 0; i < count; i++) {
        configs[i] = at->pool->members.items[at->members.items[i]].config;
    }
    gputune_status status = gt_run(request, configs, count, take_record, at);
    if (status == GPUTUNE_OK || !gt_ending_of(status)->costs_one_variant) {
        return status;
    }
    const char *name = gt_trial_status_name(gt_ending_of(status)->trial);
    for (size_t i = 0; i < count; i++) { /* no configuration works */
        if (is_for_good(name)) {
            refute(at, &at->pool->members.items[at->members.items[i]], name, gt_message());
        }
        at->times_ns.items[i] = INFINITY;
    }
    return GPUTUNE_OK;
}

gputune_status gt_pool_measure(gt_pool *pool, size_t size, const uint32_t *members, size_t count)
{
    GT_SCOPED(free_comparison) comparison at = {.pool = pool, .size = size};
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_TRY(gt_pool_request(&request, pool, size, INFINITY));
    at.request = request;
    GT_TRY(list_members(&at, members, count));
    const uint32_t first = at.has_anchor;
    if (at.members.count <= first) {
        return GPUTUNE_OK;
    }
    GT_TRY(run(&at, request));
    const double scale =
        at.anchor_ns > 0 ? gt_pool_time(pool, size, at.members.items[0]) / at.anchor_ns : 1;
    for (size_t i = first; i < at.members.count; i++) {
        GT_TRY(set_time(pool, size, at.members.items[i], at.times_ns.items[i] * scale));
    }
    return GPUTUNE_OK;
}
