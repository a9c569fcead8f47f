/* The phases of making a rule, which find, measure and test its configurations. */
#include "tuner/rule.h"

#include "base/text.h"
#include "tuner/rule_sizes.h"
#include "tuner/tune.h"

#include <math.h>
#include <string.h>

/* Where the phases of a round end, as points of gt_rule_time_at_s(). */
static const double tuning_end = 0.58, pool_end = 0.66, search_end = 0.83, finding_end = 1,
                    measuring_end = 2, testing_end = 3;

/* Returns how many seconds a size may take: a tenth of the phase, but at most the time left. */
static double size_limit_s(const gt_rule_maker *maker, double begin, double end)
{
    const double phase_s = gt_rule_time_at_s(maker, end) - gt_rule_time_at_s(maker, begin);
    return fmin(phase_s / 10, gt_rule_left_s(maker, end));
}

static double cost_at(const gt_rule_maker *maker, size_t size, uint32_t member)
{
    const gt_pool *pool = &maker->pool;
    const uint32_t fastest = gt_pool_fastest(pool, size);
    const double time = gt_pool_time(pool, size, member);
    return fastest == UINT32_MAX || !(time < INFINITY)
               ? 3
               : fmin(log(time / gt_pool_time(pool, size, fastest)), 3);
}

static uint32_t fastest_kept(const gt_rule_maker *maker, size_t size)
{
    uint32_t best = maker->kept.items[0];
    for (size_t k = 1; k < maker->kept.count; k++) {
        const uint32_t member = maker->kept.items[k];
        best = cost_at(maker, size, member) < cost_at(maker, size, best) ? member : best;
    }
    return best;
}

static bool is_kept(const gt_rule_maker *maker, uint32_t member)
{
    bool is = false;
    for (size_t k = 0; k < maker->kept.count; k++) {
        is |= maker->kept.items[k] == member;
    }
    return is;
}

/* Estimates how much the choice of a member matters at a point, from the two nearest sizes. */
static double doubt_at(const gt_rule_maker *maker, const gt_problem *point)
{
    const gt_pool *pool = &maker->pool;
    size_t near[2] = {0, 0};
    double distances[2] = {INFINITY, INFINITY};
    for (size_t s = 0; s < pool->sizes.count; s++) {
        const double distance =
            gt_region_distance(pool->template, point, &pool->sizes.items[s].problem);
        if (distance < distances[1] && gt_pool_time(pool, s, fastest_kept(maker, s)) < INFINITY) {
            const int rank = distance >= distances[0];
            near[1] = rank ? s : near[0];
            distances[1] = rank ? distance : distances[0];
            near[0] = rank ? near[0] : s;
            distances[0] = fmin(distance, distances[0]);
        }
    }
    const uint32_t a = fastest_kept(maker, near[0]), b = fastest_kept(maker, near[1]);
    const double loss = fmin(cost_at(maker, near[0], b), 1) + fmin(cost_at(maker, near[1], a), 1);
    return loss * fmin(distances[0], 2);
}

/* Returns false if the kernel has no valid buffers at a size, for example because one is empty. */
static gputune_status has_buffers(bool *out, const gt_pool *pool, const gt_problem *problem)
{
    GT_FREED gt_workload *workload = malloc(sizeof *workload);
    GT_TRY(gt_allocated(workload));
    gputune_status status =
        gt_workload_bind(workload, pool->template, problem, pool->device, 0, NULL, 0);
    *out = status == GPUTUNE_OK;
    return status == GPUTUNE_ENOMEM ? status : GPUTUNE_OK;
}

/* Adds the next point of the sequence as a size. If `is_doubtful` is true, adds instead the one of
 * several next points at which the choice of a member matters most. *added is false if the size is
 * not possible, or if the pool has it already. */
static gputune_status add_size(bool *added, gt_rule_maker *maker, bool is_doubtful)
{
    enum { OFFERED = 24 };
    gt_pool *pool = &maker->pool;
    gt_problem best;
    double most = -1;
    for (int i = 0; i < (is_doubtful ? OFFERED : 1); i++) {
        const gt_problem point = gt_rule_next_point(maker);
        bool possible;
        GT_TRY(has_buffers(&possible, pool, &point));
        const double doubt = !possible ? -1 : is_doubtful ? doubt_at(maker, &point) : 0;
        if (doubt > most) {
            most = doubt;
            best = point;
        }
    }
    *added = most >= 0;
    GT_TRY(*added ? gt_pool_add_size(added, pool, &best) : GPUTUNE_OK);
    if (*added) {
        pool->sizes.items[pool->sizes.count - 1].is_doubtful = is_doubtful;
    }
    return GPUTUNE_OK;
}

/* ---- tuning ---------------------------------------------------------------------------------- */

static int by_median(const void *left, const void *right)
{
    const double a = ((const gt_trial *)left)->time.median;
    const double b = ((const gt_trial *)right)->time.median;
    return (a > b) - (a < b);
}

static bool is_measured(const gt_trial *trial)
{
    return gt_trial_is_correct(trial->status) && trial->time.median > 0;
}

/* Returns true if a trial is a rival: measured, and not of the default or a kept member. */
static bool is_rival(const gt_rule_maker *maker, const gt_trial *trial)
{
    bool is = is_measured(trial) && !trial->is_default;
    for (size_t k = 0; k < maker->kept.count; k++) {
        const gt_pool_member *member = &maker->pool.members.items[maker->kept.items[k]];
        is &= strcmp(member->text, trial->config) != 0;
    }
    return is;
}

/* Adds variants that are nearly as fast as the winner. Sets *rivals if a rival was measured. */
static gputune_status add_near_winners(bool *rivals, gt_rule_maker *maker,
                                       const gt_request *request)
{
    enum { NEAR_MOST = 4, POOL_LEAST = 32, POOL_FACTOR = 4 };
    static const double near = 1.1;
    const uint32_t most = POOL_FACTOR * maker->most_codes;
    GT_SCOPED(gt_trial_list_free) gt_trial_list trials = {0};
    GT_TRY(gt_store_trials(&trials, request->services->store, &request->scenario,
                           request->device->driver_version, &request->patience));
    gt_array_sort(&trials, by_median);
    double least = 0;
    uint32_t count = 0;
    *rivals = false;
    for (size_t i = 0; i < trials.count; i++) {
        *rivals |= is_rival(maker, &trials.items[i]);
    }
    for (size_t i = 0; i < trials.count && count < NEAR_MOST; i++) {
        const gt_trial *trial = &trials.items[i];
        gt_config config;
        if (!is_measured(trial) ||
            maker->pool.members.count >= (most > POOL_LEAST ? most : POOL_LEAST)) {
            continue;
        }
        least = least > 0 ? least : trial->time.median;
        if (trial->time.median > near * least) {
            break;
        }
        if (gt_request_stored(&config, request, trial->config, trial->hash) == GPUTUNE_OK) {
            GT_TRY(gt_pool_add(NULL, &maker->pool, request, &config));
            count++;
        }
    }
    return GPUTUNE_OK;
}

/* Adds the winner of a tuning, and nearly as fast variants, to the pool. If the tuning is final or
 * has measured a rival, counts the size as tuned and updates maker->novelty. */
static gputune_status take_winner(gt_rule_maker *maker, const gt_request *request, size_t size,
                                  const gt_choice *choice)
{
    static const double weight = 0.1;
    gt_pool *pool = &maker->pool;
    uint32_t member;
    bool rivals;
    GT_TRY(gt_pool_take_trials(pool, request, size));
    const uint32_t known = gt_pool_fastest(pool, size);
    const double known_ns = known == UINT32_MAX ? INFINITY : gt_pool_time(pool, size, known);
    GT_TRY(gt_pool_add(&member, pool, request, &choice->config));
    GT_TRY(add_near_winners(&rivals, maker, request));
    GT_TRY(gt_pool_take_trials(pool, request, size));
    if (rivals || (choice->terms.final && pool->options.max_variants != 1)) {
        const double gain = log(known_ns / gt_pool_time(pool, size, member));
        /* an unknown gain (NAN) counts as 0 */
        maker->novelty += weight * (fmin(fmax(gain, 0), 0.2) - maker->novelty);
        pool->sizes.items[size].is_tuned = true;
    }
    return GPUTUNE_OK;
}

/* Tunes the size that was added last, or removes it if no configuration is valid. If the time was
 * too short to compare variants, leaves the size untuned and doubles the time for the next size. */
static gputune_status tune_size(gt_rule_maker *maker, double share_s)
{
    static const double longest_s = 10;
    gt_pool *pool = &maker->pool;
    const size_t size = pool->sizes.count - 1;
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_SCOPED(gt_choice_free) gt_choice choice = {0};
    GT_TRY(gt_pool_request(&request, pool, size, fmin(maker->shares * share_s, longest_s)));
    gputune_status status = gt_request_prepare_space(request);
    GT_THEN(status, gt_space_require_any(request->space));
    GT_THEN(status, gt_tune(&choice, request));
    if (status == GPUTUNE_OK &&
        (choice.source == GPUTUNE_SOURCE_MEASURED || choice.source == GPUTUNE_SOURCE_CACHED)) {
        GT_TRY(take_winner(maker, request, size, &choice));
    }
    const bool is_short =
        (status == GPUTUNE_OK && !pool->sizes.items[size].is_tuned) || status == GPUTUNE_ETIMEOUT;
    maker->shares = is_short ? 2 * maker->shares : fmax(maker->shares / 2, 1);
    if (status == GPUTUNE_ENOVARIANT) {
        gt_pool_drop_size(pool);
    }
    if (status == GPUTUNE_EDEVMEM) {
        return gt_fail_prefix(status, "%s: %s, a size of the region, cannot be tuned", pool->kernel,
                              request->problem_text);
    }
    return status == GPUTUNE_ENOVARIANT || is_short ? GPUTUNE_OK : status;
}

gputune_status gt_rule_tune(gt_rule_maker *maker)
{
    enum { LEAST = 40, MOST = 96, TRIES = 8 * MOST };
    static const double little = 0.005;
    gt_pool *pool = &maker->pool;
    const size_t first = pool->sizes.count;
    maker->novelty = 0.1;
    maker->shares = 3; /* the first search takes longer, as other sizes have no results yet */
    bool any = false, has_size = false;
    for (int i = 0; i < TRIES && !gt_rule_is_late(maker, tuning_end); i++) {
        bool added;
        const size_t done = pool->sizes.count - first;
        if (done >= MOST || (done >= LEAST && maker->novelty <= little)) {
            break;
        }
        GT_TRY(add_size(&added, maker, false));
        any |= added;
        /* leave time for other sizes: a nearly fastest variant is found early */
        if (added) {
            const double shares = done < LEAST ? (double)(LEAST - done) : 1;
            GT_TRY(tune_size(maker, gt_rule_left_s(maker, tuning_end) / shares));
        }
    }
    GT_TRY(gt_rule_list_sizes(&maker->tuned, maker, GT_RULE_SIZES_TUNED));
    for (size_t i = 0; i < pool->sizes.count; i++) {
        has_size |= !pool->sizes.items[i].is_corner;
    }
    GT_REFUSE(!has_size && (any || !gt_rule_is_late(maker, tuning_end)), GPUTUNE_ENOVARIANT,
              "%s: found no size between the corners of the region at which a configuration is "
              "valid; widen it, or tune its sizes one by one",
              pool->kernel);
    gt_rule_note(maker,
                 "tuned %zu sizes, which gave %zu variants; the latest winners gained %.1f%%",
                 maker->tuned.count, pool->members.count, 100 * maker->novelty);
    return GPUTUNE_OK;
}

/* ---- the pool -------------------------------------------------------------------------------- */

typedef struct standing {
    uint32_t member, count; /* `count`: number of tuned sizes at which the member has a time */
    double loss;            /* mean of the losses at these sizes and of one assumed loss */
    double least;
} standing;

static standing standing_of(const gt_rule_maker *maker, uint32_t member)
{
    static const double assumed = 0.1;
    standing at = {.member = member, .loss = assumed, .least = INFINITY};
    for (size_t i = 0; i < maker->tuned.count; i++) {
        if (!isnan(gt_pool_time(&maker->pool, maker->tuned.items[i], member))) {
            const double loss = cost_at(maker, maker->tuned.items[i], member);
            at.loss += loss;
            at.least = fmin(at.least, loss);
            at.count++;
        }
    }
    at.loss /= 1 + at.count;
    return at;
}

static int by_loss(const void *left, const void *right)
{
    const double a = ((const standing *)left)->loss, b = ((const standing *)right)->loss;
    return (a > b) - (a < b);
}

static bool cannot_win(const standing *at)
{
    enum { ENOUGH = 6 };
    static const double near = 0.18;
    return at->count >= ENOUGH && at->least > near;
}

/* Lists the members that are worth measuring, best first. */
static gputune_status list_promising(gt_member_list *out, const gt_rule_maker *maker)
{
    const gt_pool *pool = &maker->pool;
    GT_FREED GT_ARRAY(standing) all = {0};
    for (uint32_t m = 0; m < pool->members.count; m++) {
        const standing at = standing_of(maker, m);
        if (!pool->members.items[m].is_refuted && (m == 0 || !cannot_win(&at))) {
            GT_TRY(gt_array_push(&all, at)); /* the default (index 0) is always listed */
        }
    }
    gt_array_sort(&all, by_loss);
    out->count = 0;
    for (size_t i = 0; i < all.count; i++) {
        GT_TRY(gt_array_push(out, all.items[i].member));
    }
    return GPUTUNE_OK;
}

/* Uses stored times for members that were added after this size was tuned. */
static gputune_status take_trials(gt_rule_maker *maker, size_t size)
{
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_TRY(gt_pool_request(&request, &maker->pool, size, maker->limit_s));
    return gt_pool_take_trials(&maker->pool, request, size);
}

gputune_status gt_rule_measure_pool(gt_rule_maker *maker)
{
    gt_pool *pool = &maker->pool;
    GT_FREED gt_member_list members = {0};
    size_t count = 0;
    for (size_t i = 0; i < maker->tuned.count; i++) {
        GT_TRY(take_trials(maker, maker->tuned.items[i]));
    }
    for (; count < maker->tuned.count && !gt_rule_is_late(maker, pool_end); count++) {
        GT_TRY(list_promising(&members, maker));
        GT_TRY(gt_pool_measure(pool, maker->tuned.items[count], members.items, members.count, false,
                               size_limit_s(maker, tuning_end, pool_end)));
    }
    gt_rule_note(maker, "measured %zu variants at %zu sizes, of which %zu remain",
                 pool->members.count, count, members.count);
    return GPUTUNE_OK;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* Keeps a few members that together are nearly as fast as all of `members` at these sizes. */
static gputune_status thin_out(gt_rule_maker *maker, const gt_member_list *members,
                               const gt_size_list *at)
{
    enum { FACTOR = 2, MORE = 8 };
    static const double worthwhile = 5e-4; /* least useful reduction of the mean loss */
    const size_t sizes = at->count, most = FACTOR * maker->most_codes + MORE;
    GT_FREED double *costs = calloc(sizes + 1, sizeof *costs);
    GT_TRY(gt_allocated(costs));
    for (size_t s = 0; s < sizes; s++) {
        costs[s] = 10;
    }
    maker->kept.count = 0;
    while (maker->kept.count < most) {
        double saved_most = worthwhile * (double)sizes;
        uint32_t best = UINT32_MAX;
        for (size_t i = 0; i < members->count; i++) {
            double saved = 0;
            for (size_t s = 0; s < sizes; s++) {
                saved += fmax(costs[s] - cost_at(maker, at->items[s], members->items[i]), 0);
            }
            if (saved > saved_most) {
                saved_most = saved;
                best = members->items[i];
            }
        }
        if (best == UINT32_MAX) {
            break;
        }
        GT_TRY(gt_array_push(&maker->kept, best));
        for (size_t s = 0; s < sizes; s++) {
            costs[s] = fmin(costs[s], cost_at(maker, at->items[s], best));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status list_working(gt_member_list *out, const gt_pool *pool)
{
    out->count = 0;
    for (uint32_t m = 0; m < pool->members.count; m++) {
        if (!pool->members.items[m].is_refuted) {
            GT_TRY(gt_array_push(out, m));
        }
    }
    GT_REFUSE(!out->count, GPUTUNE_EWRONG, "%s: no variant was verified at all sizes of the region",
              pool->kernel);
    return GPUTUNE_OK;
}

/* Removes sizes at which all measured members are refuted. */
static void drop_unknown(gt_size_list *sizes, const gt_pool *pool)
{
    size_t count = 0;
    for (size_t s = 0; s < sizes->count; s++) {
        sizes->items[count] = sizes->items[s];
        count += gt_pool_fastest(pool, sizes->items[s]) != UINT32_MAX;
    }
    sizes->count = count;
}

/* Chooses the sources with the fastest code at these sizes, and then a few configurations that are
 * together nearly as fast. Removes sizes at which no member is known to work. */
static gputune_status choose_members(gt_rule_maker *maker, gt_size_list *sizes)
{
    GT_FREED gt_member_list members = {0}, chosen = {0};
    GT_SCOPED(gt_rule_view_free) gt_rule_view view = {0};
    GT_TRY(list_working(&members, &maker->pool));
    drop_unknown(sizes, &maker->pool);
    GT_TRY(gt_rule_view_make(&view, maker, &members, sizes, 0));
    GT_FREED bool *kept = calloc(members.count, sizeof *kept);
    GT_TRY(gt_allocated(kept));
    gputune_status status = gt_portfolio_choose(kept, &view.data);
    GT_TRY(status == GPUTUNE_ENOVARIANT
               ? gt_fail_prefix(status,
                                "%s: raise the number of codes (--variants), or narrow the region",
                                maker->pool.kernel)
               : status);
    for (size_t i = 0; i < members.count; i++) {
        GT_TRY(kept[i] ? gt_array_push(&chosen, members.items[i]) : GPUTUNE_OK);
    }
    GT_TRY(thin_out(maker, &chosen, sizes));
    uint32_t universal = UINT32_MAX; /* a member that runs at all sizes */
    for (size_t i = members.count; i-- > 0;) {
        if (kept[i] && !view.data.needs[i] && !is_kept(maker, universal)) {
            universal = members.items[i];
        }
    }
    return universal == UINT32_MAX || is_kept(maker, universal)
               ? GPUTUNE_OK
               : gt_array_push(&maker->kept, universal);
}

/* ---- searching ------------------------------------------------------------------------------- */

static void drop_eliminated(gt_member_list *members, const gt_rule_maker *maker)
{
    size_t count = 0;
    for (size_t i = 0; i < members->count; i++) {
        const standing at = standing_of(maker, members->items[i]);
        members->items[count] = members->items[i];
        count += !cannot_win(&at);
    }
    members->count = count;
}

/* For each value of an axis, the first value that gives the same source when all other axes are at
 * their default. Changing between such values needs no compile. */
typedef struct free_values {
    uint8_t first[GT_AXIS_MAX][UINT8_MAX + 1];
    bool any; /* true if two values of an axis have the same source */
} free_values;

static void find_free_values(free_values *out, const gt_pool *pool, const gt_request *request)
{
    out->any = false;
    for (uint32_t a = 0; a < pool->template->axis_count; a++) {
        gt_hash hashes[UINT8_MAX + 1];
        gt_config config = gt_config_default(pool->template);
        for (uint32_t v = 0; v < pool->template->axes[a].count; v++) {
            GT_SCOPED(gt_source_free) gt_source source = {0};
            uint8_t first = (uint8_t)v;
            config.choice[a] = (uint8_t)v;
            hashes[v] = (gt_hash){0};
            if (gt_request_source(&source, request, &config) == GPUTUNE_OK) {
                hashes[v] = source.hash;
                for (first = 0; !gt_hash_equal(hashes[first], source.hash); first++) {
                }
            }
            out->first[a][v] = first;
            out->any |= first < v;
        }
    }
}

/* Changes axes at random, to values with the same source. Returns false if this is not valid. */
static bool redraw_values(gt_config *config, gt_rule_maker *maker, gt_space *space,
                          const free_values *same)
{
    const gt_template *template = maker->pool.template;
    for (uint32_t a = 0; a < template->axis_count; a++) {
        const uint64_t drawn = gt_random_below(&maker->random, template->axes[a].count);
        if (same->first[a][drawn] == same->first[a][config->choice[a]]) {
            config->choice[a] = (uint8_t)drawn;
        }
    }
    return gt_space_has(space, config);
}

/* Makes a random valid change to one axis. Returns false if there is no valid change. */
static bool change_axis(gt_config *config, gt_rule_maker *maker, gt_space *space)
{
    const gt_template *template = maker->pool.template;
    const gt_config from = *config;
    uint32_t found = 0;
    for (uint32_t a = 0; a < template->axis_count; a++) {
        for (uint32_t v = 0; v < template->axes[a].count; v++) {
            gt_config one = from;
            one.choice[a] = (uint8_t)v;
            if (v != from.choice[a] && gt_space_has(space, &one) &&
                gt_random_below(&maker->random, ++found) == 0) {
                *config = one;
            }
        }
    }
    return found > 0;
}

/* Tries neighbours of kept members that are fast at this size. Half of the neighbours differ in one
 * axis, the others only in values that need no compile. Measures the faster ones at all sizes. */
static gputune_status search_at(gt_rule_maker *maker, size_t size, const free_values *same)
{
    enum { NEIGHBOURS = 16, TRIES = 200 };
    static const double near = 0.1, gain = 0.01;
    gt_pool *pool = &maker->pool;
    const uint32_t best = fastest_kept(maker, size);
    const double loss = cost_at(maker, size, best);
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_FREED gt_member_list added = {0}, faster = {0};
    GT_TRY(gt_pool_request(&request, pool, size, maker->limit_s));
    for (int i = 0; i < TRIES && added.count < NEIGHBOURS; i++) {
        const uint32_t from = maker->kept.items[gt_random_below(&maker->random, maker->kept.count)];
        gt_config config = pool->members.items[from].config;
        const uint32_t before = (uint32_t)pool->members.count;
        uint32_t member;
        if (cost_at(maker, size, from) <= loss + near &&
            (same->any && i % 2 ? redraw_values(&config, maker, request->space, same)
                                : change_axis(&config, maker, request->space))) {
            GT_TRY(gt_pool_add(&member, pool, request, &config));
            GT_TRY(member == before ? gt_array_push(&added, member) : GPUTUNE_OK);
        }
    }
    GT_TRY(gt_pool_measure(pool, size, added.items, added.count, false,
                           size_limit_s(maker, pool_end, search_end)));
    const double least = gt_pool_time(pool, size, best);
    for (size_t i = 0; i < added.count; i++) {
        if (gt_pool_time(pool, size, added.items[i]) < (1 - gain) * least) {
            GT_TRY(gt_array_push(&faster, added.items[i]));
        }
    }
    for (size_t s = 0; s < maker->tuned.count && !gt_rule_is_late(maker, search_end); s++) {
        drop_eliminated(&faster, maker);
        GT_TRY(gt_pool_measure(pool, maker->tuned.items[s], faster.items, faster.count, false,
                               size_limit_s(maker, pool_end, search_end)));
    }
    return GPUTUNE_OK;
}

gputune_status gt_rule_search(gt_rule_maker *maker)
{
    gt_pool *pool = &maker->pool;
    const size_t before = pool->members.count;
    GT_FREED uint32_t *visits = calloc(pool->sizes.count + 1, sizeof *visits); /* of each size */
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    free_values same;
    GT_TRY(gt_allocated(visits));
    GT_TRY(gt_pool_request(&request, pool, 0, maker->limit_s));
    find_free_values(&same, pool, request);
    for (size_t round = 0; round < 4 * maker->tuned.count + 1; round++) {
        size_t worst = 0;
        double most = -1;
        GT_TRY(choose_members(maker, &maker->tuned));
        if (gt_rule_is_late(maker, search_end) || !maker->tuned.count) {
            break;
        }
        for (size_t i = 0; i < maker->tuned.count; i++) {
            const size_t size = maker->tuned.items[i];
            const double loss =
                (0.01 + cost_at(maker, size, fastest_kept(maker, size))) / (1 + visits[size]);
            if (loss > most) {
                most = loss;
                worst = size;
            }
        }
        visits[worst]++;
        GT_TRY(search_at(maker, worst, &same));
    }
    gt_rule_note(maker, "searched %zu more variants", pool->members.count - before);
    return GPUTUNE_OK;
}

/* ---- comparison at more sizes ---------------------------------------------------------------- */

static gputune_status list_candidates(gt_member_list *out, const gt_rule_maker *maker)
{
    enum { FACTOR = 3 };
    GT_FREED gt_member_list others = {0};
    GT_TRY(list_promising(&others, maker));
    for (size_t k = 0; k < maker->kept.count; k++) {
        GT_TRY(gt_array_push(out, maker->kept.items[k]));
    }
    for (size_t i = 0; i < others.count && out->count < FACTOR * maker->most_codes; i++) {
        GT_TRY(is_kept(maker, others.items[i]) ? GPUTUNE_OK : gt_array_push(out, others.items[i]));
    }
    return GPUTUNE_OK;
}

static bool any_runs(const gt_rule_maker *maker, size_t size)
{
    bool any = false;
    for (size_t k = 0; k < maker->kept.count; k++) {
        any |= !(gt_pool_time(&maker->pool, size, maker->kept.items[k]) == INFINITY);
    }
    return any;
}

static gputune_status compare_next(gt_rule_maker *maker, const gt_member_list *candidates)
{
    gt_pool *pool = &maker->pool;
    const size_t size = pool->sizes.count;
    bool added;
    GT_TRY(add_size(&added, maker, false));
    if (!added) {
        return GPUTUNE_OK;
    }
    pool->sizes.items[size].is_compared = true;
    GT_TRY(gt_pool_measure(pool, size, candidates->items, candidates->count, false,
                           size_limit_s(maker, search_end, finding_end)));
    if (!any_runs(maker, size)) {
        gt_pool_drop_size(pool);
        return GPUTUNE_OK;
    }
    return gt_array_push(&maker->compared, size);
}

gputune_status gt_rule_compare(gt_rule_maker *maker)
{
    enum { SIZES_MOST = 96, TRIES = 4 * SIZES_MOST };
    static const double share = 0.25; /* time limit, as a fraction of the round's time so far */
    const double now_s = gt_seconds_since(maker->start_ns);
    const double end_s =
        fmin(now_s + share * (now_s - maker->points_s[0]), gt_rule_time_at_s(maker, finding_end));
    GT_FREED gt_member_list candidates = {0};
    GT_TRY(list_candidates(&candidates, maker));
    GT_TRY(gt_rule_list_sizes(&maker->compared, maker, GT_RULE_SIZES_COMPARED));
    const size_t known = maker->compared.count;
    size_t done = 0;
    for (; done < known && gt_seconds_since(maker->start_ns) < end_s; done++) {
        GT_TRY(gt_pool_measure(&maker->pool, maker->compared.items[done], candidates.items,
                               candidates.count, false,
                               size_limit_s(maker, search_end, finding_end)));
    }
    for (int i = 0; i < TRIES && candidates.count > maker->kept.count &&
                    maker->compared.count < SIZES_MOST && gt_seconds_since(maker->start_ns) < end_s;
         i++) {
        GT_TRY(compare_next(maker, &candidates));
    }
    /* if there was too little time for all these sizes, use only tuned sizes */
    if (done < known) {
        GT_TRY(gt_rule_list_sizes(&maker->compared, maker, GT_RULE_SIZES_TUNED));
    }
    gt_rule_note(maker, "compared %zu variants at %zu sizes", candidates.count,
                 maker->compared.count);
    return choose_members(maker, &maker->compared);
}

/* ---- verification of kept members; new sizes ------------------------------------------------- */

static bool lost_one(const gt_rule_maker *maker)
{
    for (size_t k = 0; k < maker->kept.count; k++) {
        if (maker->pool.members.items[maker->kept.items[k]].is_refuted) {
            return true;
        }
    }
    return false;
}

/* Measures and verifies the kept members at these sizes, until one fails or the phase ends. */
static gputune_status prove_at(gt_rule_maker *maker, gt_rule_sizes which)
{
    enum { PARTS = 4 }; /* a size takes at most a quarter of the time that is left */
    GT_FREED gt_size_list sizes = {0};
    GT_TRY(gt_rule_list_sizes(&sizes, maker, which));
    for (size_t s = 0; s < sizes.count && !lost_one(maker); s++) {
        const double left_s = gt_rule_left_s(maker, measuring_end);
        const bool is_last = s + 1 == sizes.count;
        if (left_s > 0) {
            GT_TRY(gt_pool_measure(&maker->pool, sizes.items[s], maker->kept.items,
                                   maker->kept.count, true, is_last ? left_s : left_s / PARTS));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_rule_complete(gt_rule_maker *maker)
{
    const int64_t start_ns = gt_now_ns();
    for (bool again = true; again; again = lost_one(maker)) {
        if (lost_one(maker)) {
            GT_TRY(choose_members(maker, &maker->compared));
        }
        GT_TRY(prove_at(maker, GT_RULE_SIZES_CORNERS));
        maker->corners_s = gt_seconds_since(start_ns);
        GT_TRY(prove_at(maker, GT_RULE_SIZES_INNER));
    }
    gt_rule_note(maker, "proved %zu variants at the corners", maker->kept.count);
    return GPUTUNE_OK;
}

static gputune_status note_sizes(const gt_rule_maker *maker)
{
    GT_FREED gt_size_list measured = {0};
    GT_TRY(gt_rule_list_measured(&measured, maker));
    gt_rule_note(maker, "measured %zu variants at %zu sizes", maker->kept.count, measured.count);
    return GPUTUNE_OK;
}

gputune_status gt_rule_add_sizes(gt_rule_maker *maker)
{
    enum { TRIES = 4 }; /* number of points tried per new size */
    gt_pool *pool = &maker->pool;
    double spent_s = 0;
    size_t count = 0;
    for (size_t i = 0; i < TRIES * maker->most_sizes && pool->sizes.count < maker->most_sizes &&
                       !gt_rule_is_late(maker, measuring_end);
         i++) {
        bool added;
        GT_TRY(add_size(&added, maker, pool->sizes.count % 2));
        if (!added) {
            continue;
        }
        const size_t last = pool->sizes.count - 1;
        const int64_t start_ns = gt_now_ns();
        GT_TRY(gt_pool_measure(pool, last, maker->kept.items, maker->kept.count, true,
                               size_limit_s(maker, finding_end, measuring_end)));
        spent_s += gt_seconds_since(start_ns);
        if (lost_one(maker)) {
            GT_TRY(gt_rule_complete(maker));
        }
        if (!any_runs(maker, last)) { /* no kept member can run at this size */
            gt_pool_drop_size(pool);
            continue;
        }
        count++;
        maker->size_s = spent_s / (double)count;
    }
    return note_sizes(maker);
}

/* ---- testing --------------------------------------------------------------------------------- */

gputune_status gt_rule_test(gt_rule_maker *maker)
{
    enum { LEAST = 2, TESTS = 10, TRIES = 8 * TESTS };
    /* fraction of a test's time for tuning; the rest is for measuring the kept members */
    static const double tuning_share = 0.75;
    gt_pool *pool = &maker->pool;
    const int64_t start_ns = gt_now_ns();
    /* a test gets at most the planned time; the rest is better spent on another round */
    const double planned_s =
        gt_rule_time_at_s(maker, testing_end) - gt_rule_time_at_s(maker, measuring_end);
    const double share_s = fmin(gt_rule_left_s(maker, testing_end), planned_s) / TESTS;
    maker->shares = 1; /* tune_size() increases it if there was too little time */
    maker->tests.count = 0;
    for (int i = 0; i < TRIES && maker->tests.count < TESTS && !gt_rule_is_late(maker, testing_end);
         i++) {
        const size_t size = pool->sizes.count;
        bool added;
        GT_TRY(add_size(&added, maker, false));
        if (!added) {
            continue;
        }
        GT_TRY(tune_size(maker, tuning_share * share_s));
        if (size < pool->sizes.count && pool->sizes.items[size].is_tuned) {
            GT_TRY(gt_pool_measure(pool, size, maker->kept.items, maker->kept.count, false,
                                   gt_rule_left_s(maker, testing_end)));
            GT_TRY(gt_array_push(&maker->tests, size));
        }
    }
    GT_TRY(gt_rule_list_sizes(&maker->tuned, maker, GT_RULE_SIZES_TUNED));
    maker->is_covered =
        maker->tests.count < TESTS && maker->shares <= 1 && !gt_rule_is_late(maker, testing_end);
    /* if the region has hardly any further sizes, use all tuned sizes as tests */
    if (maker->is_covered && maker->tests.count < LEAST) {
        GT_TRY(gt_rule_list_sizes(&maker->tests, maker, GT_RULE_SIZES_TUNED));
    }
    maker->testing_s = gt_seconds_since(start_ns);
    return GPUTUNE_OK;
}
