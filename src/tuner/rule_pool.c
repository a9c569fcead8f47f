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
        gt_array_free(&pool->sizes.items[i].entries);
    }
    gt_array_free(&pool->members);
    gt_array_free(&pool->sizes);
}

gputune_status gt_pool_request(gt_request **out, const gt_pool *pool, size_t size, double limit_s)
{
    gputune_options options = pool->options;
    const double left_s = gt_patience_left_s(&pool->patience);
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    options.time_limit_s = fmax(fmin(limit_s, left_s), 1e-3);
    GT_TRY(gt_request_make_at(&request, pool->services, pool->device, pool->kernel, pool->template,
                              &pool->sizes.items[size].problem, &options));
    GT_REFUSE(request->template != pool->template, GPUTUNE_ETEMPLATE,
              "%s was edited while its rule was made; make the rule again", pool->template->path);
    *out = gt_take(&request);
    return GPUTUNE_OK;
}

gputune_status gt_pool_add_size(bool *is_new, gt_pool *pool, const gt_problem *problem)
{
    *is_new = true;
    for (size_t i = 0; i < pool->sizes.count && *is_new; i++) {
        *is_new = memcmp(&pool->sizes.items[i].problem, problem, sizeof *problem) != 0;
    }
    gt_pool_size size = {.problem = *problem, .volume = 1};
    for (uint32_t i = 0; i < pool->template->problem_count; i++) {
        const bool is_size = pool->template->problem[i].kind == GT_PROBLEM_SIZE;
        size.volume *= is_size ? (double)problem->values[i].number : 1;
    }
    return *is_new ? gt_array_push(&pool->sizes, size) : GPUTUNE_OK;
}

void gt_pool_drop_size(gt_pool *pool)
{
    pool->sizes.count--;
    gt_array_free(&pool->sizes.items[pool->sizes.count].entries);
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

bool gt_pool_is_proved(const gt_pool *pool, size_t size, uint32_t member)
{
    const gt_pool_entry entry = gt_pool_entry_of(pool, size, member);
    return entry.proved || entry.time_ns == INFINITY;
}

static gputune_status set_entry(gt_pool *pool, size_t size, uint32_t member, gt_pool_entry entry)
{
    gt_pool_size *at = &pool->sizes.items[size];
    while (at->entries.count <= member) {
        GT_TRY(gt_array_push(&at->entries, ((gt_pool_entry){NAN, false})));
    }
    at->entries.items[member] = entry;
    return GPUTUNE_OK;
}

static uint32_t find_member(const gt_pool *pool, const char *config)
{
    uint32_t at = 0;
    while (at < pool->members.count && strcmp(pool->members.items[at].text, config) != 0) {
        at++;
    }
    return at < pool->members.count ? at : UINT32_MAX;
}

gputune_status gt_pool_take_trials(gt_pool *pool, const gt_request *request, size_t size)
{
    GT_SCOPED(gt_trial_list_free) gt_trial_list trials = {0};
    GT_TRY(gt_store_trials(&trials, request->services->store, &request->scenario,
                           request->device->driver_version, &request->patience));
    for (size_t i = 0; i < trials.count; i++) {
        const gt_trial *trial = &trials.items[i];
        const uint32_t member = find_member(pool, trial->config);
        gt_config config;
        if (gt_trial_is_correct(trial->status) && trial->time.median > 0 && member != UINT32_MAX &&
            isnan(gt_pool_time(pool, size, member)) &&
            gt_request_stored(&config, request, trial->config, trial->hash) == GPUTUNE_OK) {
            GT_TRY(set_entry(pool, size, member, (gt_pool_entry){trial->time.median, false}));
        }
    }
    return GPUTUNE_OK;
}

/* ---- measuring ------------------------------------------------------------------------------- */

typedef struct compared {
    uint32_t index; /* in gt_pool.members */
    gt_pool_entry entry;
} compared;

typedef struct comparison {
    gt_pool *pool;
    size_t size;
    const gt_request *request;
    bool prove;
    GT_ARRAY(compared) members; /* members to measure; if has_anchor, the first is the anchor */
    size_t taken;    /* how many of `members`, from the first, have had their record taken */
    bool has_anchor; /* true if the fastest known member is the anchor, which scales the times */
    bool is_needed;  /* true if one of the given members has to be measured or verified */
} comparison;

static void free_comparison(comparison *at)
{
    gt_array_free(&at->members);
}

static void refute_member(const comparison *at, gt_pool_member *member, const char *status,
                          const char *message)
{
    if (!member->is_refuted) {
        gt_log_line(&at->pool->log, GPUTUNE_LOG_WARNING,
                    "%s: the rule does not use %s, which failed at %s (%s): %s", at->pool->kernel,
                    member->text, at->request->problem_text, status, message);
    }
    member->is_refuted = true;
}

/* Converts a record. The time is NAN if the limit was too short, INFINITY if the variant failed. */
static gt_pool_entry entry_of(const gputune_record *record)
{
    const bool ok = strcmp(record->status, "ok") == 0;
    const bool is_unfinished = ok || strcmp(record->status, "unproved") == 0;
    return (gt_pool_entry){record->median_ns > 0 ? record->median_ns
                           : is_unfinished       ? (double)NAN
                                                 : INFINITY,
                           ok && record->median_ns > 0};
}

static int take_record(void *user, const gputune_record *record)
{
    /* failures that exclude a member at all sizes */
    static const char *const for_good[] = {"wrong", "crashed", "hung", "compile"};
    enum { FOR_GOOD = sizeof for_good / sizeof *for_good };
    comparison *at = user;
    const gt_pool_member *all = at->pool->members.items;
    const size_t count = at->members.count;
    while (at->taken < count &&
           strcmp(all[at->members.items[at->taken].index].text, record->configuration) != 0) {
        at->taken++; /* the run did not reach this member */
    }
    if (at->taken == count) {
        return 0;
    }
    compared *one = &at->members.items[at->taken++];
    if (gt_index_of(record->status, for_good, FOR_GOOD) < FOR_GOOD) {
        refute_member(at, &at->pool->members.items[one->index], record->status, record->message);
    }
    one->entry = entry_of(record);
    return 0;
}

static gputune_status add_compared(comparison *at, uint32_t member)
{
    const compared one = {member, {NAN, false}};
    return gt_array_push(&at->members, one);
}

/* Lists the members to measure. Members that constraints exclude get the time INFINITY. */
static gputune_status list_members(comparison *at, const uint32_t *members, size_t count)
{
    gt_pool *pool = at->pool;
    const uint32_t anchor = gt_pool_fastest(pool, at->size);
    if (anchor != UINT32_MAX) {
        at->has_anchor = true;
        GT_TRY(add_compared(at, anchor));
    }
    for (size_t i = 0; i < count; i++) {
        const gt_pool_member *member = &pool->members.items[members[i]];
        const gt_pool_entry entry = gt_pool_entry_of(pool, at->size, members[i]);
        const bool is_known =
            at->prove ? gt_pool_is_proved(pool, at->size, members[i]) : !isnan(entry.time_ns);
        if (member->is_refuted || is_known) {
            continue;
        }
        if (!gt_request_permits(at->request, &member->config)) {
            GT_TRY(set_entry(pool, at->size, members[i], (gt_pool_entry){INFINITY, false}));
            continue;
        }
        at->is_needed = true;
        GT_TRY(members[i] == anchor ? GPUTUNE_OK : add_compared(at, members[i]));
    }
    return GPUTUNE_OK;
}

static gputune_status run_comparison(comparison *at, gt_request *request)
{
    const size_t count = at->members.count;
    GT_FREED gt_config *configs = calloc(count + 1, sizeof *configs);
    GT_TRY(gt_allocated(configs));
    for (size_t i = 0; i < count; i++) {
        configs[i] = at->pool->members.items[at->members.items[i].index].config;
    }
    gputune_status status = gt_run(request, configs, count,
                                   at->prove ? GT_RUN_BRIEFLY : GT_RUN_TO_RANK, take_record, at);
    return status == GPUTUNE_ETIMEOUT ? GPUTUNE_OK : status;
}

/* Stores the new times, scaled so the anchor's new time equals its known time. */
static gputune_status take_entries(comparison *at)
{
    const compared *all = at->members.items;
    const bool scales = at->has_anchor && all->entry.time_ns < INFINITY;
    const double scale =
        scales ? gt_pool_time(at->pool, at->size, all->index) / all->entry.time_ns : 1;
    for (size_t i = at->has_anchor && !scales; i < at->members.count; i++) {
        const gt_pool_entry entry = {all[i].entry.time_ns * scale, all[i].entry.proved};
        if (!isnan(entry.time_ns)) {
            GT_TRY(set_entry(at->pool, at->size, all[i].index, entry));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_pool_measure(gt_pool *pool, size_t size, const uint32_t *members, size_t count,
                               bool prove, double limit_s)
{
    GT_SCOPED(free_comparison) comparison at = {.pool = pool, .size = size, .prove = prove};
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    if (gt_patience_left_s(&pool->patience) <= 0 && !gt_patience_canceled(&pool->patience)) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_pool_request(&request, pool, size, limit_s));
    at.request = request;
    GT_TRY(list_members(&at, members, count));
    if (!at.is_needed) {
        return GPUTUNE_OK;
    }
    GT_TRY(run_comparison(&at, request));
    return take_entries(&at);
}
