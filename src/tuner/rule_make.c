/* Makes a rule: checks the region, runs the phases of rule_search.c, and learns a tree. */
#include "tuner/rule.h"

#include "base/text.h"
#include "kernel/bind/binding.h"
#include "tuner/rule_sizes.h"
#include "tuner/tune.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

double gt_rule_time_at_s(const gt_rule_maker *maker, double point)
{
    const int before = point < 3 ? (int)point : 2;
    const double *ends_s = &maker->points_s[before];
    return ends_s[0] + (point - before) * (ends_s[1] - ends_s[0]);
}

double gt_rule_left_s(const gt_rule_maker *maker, double point)
{
    const double left_s = gt_rule_time_at_s(maker, point) - gt_seconds_since(maker->start_ns);
    return fmax(fmin(left_s, gt_patience_left_s(&maker->pool.patience)), 0);
}

void gt_rule_note(const gt_rule_maker *maker, const char *format, ...)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    va_list values;
    va_start(values, format);
    gt_text_vprintf(&text, format, values);
    va_end(values);
    gt_log_line(&maker->pool.log, GPUTUNE_LOG_INFO, "%s: rule: %.1f s: %s", maker->pool.kernel,
                gt_seconds_since(maker->start_ns), gt_text_string(&text));
}

gt_problem gt_rule_next_point(gt_rule_maker *maker)
{
    return gt_region_point(maker->pool.template, &maker->region, maker->next_point++);
}

static bool is_listed(const gt_rule_maker *maker, size_t size, gt_rule_sizes which)
{
    const gt_pool_size *at = &maker->pool.sizes.items[size];
    return which == GT_RULE_SIZES_CORNERS ? at->is_corner
           : which == GT_RULE_SIZES_INNER
               ? !at->is_corner
               : (at->is_tuned || (at->is_compared && which == GT_RULE_SIZES_COMPARED)) &&
                     gt_pool_fastest(&maker->pool, size) != UINT32_MAX;
}

static gputune_status insert_size(gt_size_list *list, const gt_rule_maker *maker, size_t size)
{
    const gt_pool_size *sizes = maker->pool.sizes.items;
    GT_TRY(gt_array_push(list, size));
    size_t at = list->count - 1;
    for (; at > 0 && sizes[list->items[at - 1]].volume > sizes[size].volume; at--) {
        list->items[at] = list->items[at - 1];
    }
    list->items[at] = size;
    return GPUTUNE_OK;
}

gputune_status gt_rule_list_sizes(gt_size_list *out, const gt_rule_maker *maker,
                                  gt_rule_sizes which)
{
    out->count = 0;
    for (size_t s = 0; s < maker->pool.sizes.count; s++) {
        if (is_listed(maker, s, which)) {
            GT_TRY(which == GT_RULE_SIZES_INNER || which == GT_RULE_SIZES_COMPARED
                       ? gt_array_push(out, s)
                       : insert_size(out, maker, s));
        }
    }
    return GPUTUNE_OK;
}

/* Returns how many kept members lack a time at a size; SIZE_MAX if none is known to run there. */
static size_t count_missing(const gt_rule_maker *maker, size_t size)
{
    size_t missing = 0;
    bool runs = false;
    for (size_t k = 0; k < maker->kept.count; k++) {
        const double time = gt_pool_time(&maker->pool, size, maker->kept.items[k]);
        missing += isnan(time);
        runs |= time < INFINITY;
    }
    return runs ? missing : SIZE_MAX;
}

gputune_status gt_rule_list_measured(gt_size_list *out, const gt_rule_maker *maker)
{
    out->count = 0;
    for (size_t missing = 0; 2 * missing <= maker->kept.count; missing++) {
        for (size_t s = 0; s < maker->pool.sizes.count; s++) {
            GT_TRY(count_missing(maker, s) == missing ? insert_size(out, maker, s) : GPUTUNE_OK);
        }
        if (out->count >= GT_RULE_PROVED_SIZES) {
            break;
        }
    }
    return GPUTUNE_OK;
}

/* ---- the learner's data ---------------------------------------------------------------------- */

void gt_rule_view_free(gt_rule_view *view)
{
    gt_size_features_free(&view->features);
    free(view->shown);
    free(view->times_ns);
    free(view->values);
    free(view->codes);
}

gputune_status gt_rule_view_make(gt_rule_view *out, const gt_rule_maker *maker,
                                 const gt_member_list *members, const gt_size_list *sizes,
                                 size_t predicted)
{
    const gt_pool *pool = &maker->pool;
    const size_t count = members->count, all_sizes = sizes->count + predicted;
    GT_SCOPED(gt_rule_view_free) gt_rule_view view = {0};
    GT_FREED gt_config *configs = calloc(count + 1, sizeof *configs);
    view.codes = calloc(count + 1, sizeof *view.codes);
    view.times_ns = calloc(all_sizes * count + 1, sizeof *view.times_ns);
    GT_TRY(configs && view.codes && view.times_ns ? GPUTUNE_OK : gt_fail_memory());
    for (size_t i = 0; i < count; i++) {
        configs[i] = pool->members.items[members->items[i]].config;
        view.codes[i] = pool->members.items[members->items[i]].code;
        for (size_t s = 0; s < all_sizes; s++) {
            view.times_ns[s * count + i] =
                s < sizes->count ? gt_pool_time(pool, sizes->items[s], members->items[i])
                                 : (double)NAN;
        }
    }
    GT_TRY(gt_size_features_make(&view.features, pool->template, &maker->region, pool->device,
                                 configs, count));
    const uint32_t features = view.features.count;
    view.shown = calloc(features + 1, sizeof *view.shown);
    view.values = calloc(all_sizes * features + 1, sizeof *view.values);
    GT_TRY(view.shown && view.values ? GPUTUNE_OK : gt_fail_memory());
    for (uint32_t f = 0; f < features; f++) {
        const gt_size_feature *feature = &view.features.items[f];
        view.shown[f] = (gt_rule_feature){feature->expression->text, feature->is_condition,
                                          feature->grants, feature->denies};
    }
    for (size_t s = 0; s < all_sizes; s++) {
        int64_t slots[GT_SLOT_MAX];
        const gt_problem problem = s < sizes->count
                                       ? pool->sizes.items[sizes->items[s]].problem
                                       : gt_region_point(pool->template, &maker->region,
                                                         maker->next_point + s - sizes->count);
        gt_slots_fill(slots, pool->template, &problem, pool->device);
        gt_size_features_evaluate(&view.values[s * features], &view.features, slots);
    }
    view.data = (gt_rule_data){.size_count = (uint32_t)all_sizes,
                               .config_count = (uint32_t)count,
                               .feature_count = features,
                               .coordinate_count = view.features.size_count,
                               .times_ns = view.times_ns,
                               .values = view.values,
                               .features = view.shown,
                               .codes = view.codes,
                               .needs = view.features.needs,
                               .most_codes = maker->most_codes,
                               .load_features = view.features.load_features,
                               .load_factors = view.features.load_factors};
    *out = gt_take(&view);
    return GPUTUNE_OK;
}

static gputune_status check_corner(const gt_pool *pool, const gt_problem *corner)
{
    const uint64_t most = (uint64_t)pool->device->memory_bytes;
    const uint64_t limit = pool->options.memory_limit_bytes;
    GT_FREED gt_workload *workload = malloc(sizeof *workload);
    gt_space *space;
    GT_TRY(gt_allocated(workload));
    GT_TRY(gt_workload_bind(workload, pool->template, corner, pool->device, 0, NULL, 0));
    const uint64_t bytes = gt_workload_device_bytes(workload);
    GT_REFUSE(most && bytes > most, GPUTUNE_EDEVMEM,
              "its buffers and their guard zones take %.3g GB, and the GPU has %.3g GB",
              (double)bytes * 1e-9, (double)most * 1e-9);
    GT_REFUSE(limit && bytes > limit, GPUTUNE_EDEVMEM,
              "its buffers and their guard zones take %.3g GB, and the memory limit is %.3g GB; "
              "raise it (--memory, memory_limit_bytes)",
              (double)bytes * 1e-9, (double)limit * 1e-9);
    GT_TRY(gt_space_open(&space, pool->template, corner, workload, pool->device, NULL, 0));
    gputune_status status = gt_space_prepare(space);
    GT_THEN(status, gt_space_require_any(space));
    gt_space_free(space);
    return status;
}

static gputune_status refuse_corner(gputune_status status, const gt_pool *pool,
                                    const gt_problem *corner)
{
    GT_FREED char *text = NULL;
    GT_TRY(gt_problem_text(&text, pool->template, corner));
    return gt_fail_prefix(
        status, "%s: no configuration can run at %s, a corner of the region; narrow the region",
        pool->kernel, text);
}

static gputune_status add_corners(gt_rule_maker *maker)
{
    gt_pool *pool = &maker->pool;
    gt_problem corners[GT_CORNERS_MOST];
    const uint32_t count = gt_region_corners(corners, pool->template, &maker->region);
    for (uint32_t i = 0; i < count; i++) {
        bool added;
        GT_TRY(gt_pool_add_size(&added, pool, &corners[i]));
        pool->sizes.items[pool->sizes.count - 1].is_corner = true;
        gputune_status status = check_corner(pool, &corners[i]);
        if (status != GPUTUNE_OK) {
            return refuse_corner(status, pool, &corners[i]);
        }
    }
    return GPUTUNE_OK;
}

/* Adds the default as the first member, because it works at most sizes. With a memory limit, first
 * launches it at the largest sizes, so a limit that is too small is reported at once. */
static gputune_status add_default(gt_rule_maker *maker)
{
    enum { LARGEST = 1 }; /* index of the corner with the largest sizes */
    static const double share = 0.05;
    gt_pool *pool = &maker->pool;
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    const gt_config standard = gt_config_default(pool->template);
    uint32_t member = 0;
    GT_TRY(gt_pool_request(&request, pool, 0, maker->limit_s));
    GT_TRY(gt_pool_add(&member, pool, request, &standard));
    gputune_status status =
        pool->options.memory_limit_bytes
            ? gt_pool_measure(pool, LARGEST, &member, 1, false, share * maker->limit_s)
            : GPUTUNE_OK;
    return status == GPUTUNE_EDEVMEM
               ? refuse_corner(status, pool, &pool->sizes.items[LARGEST].problem)
               : status;
}

/* Removes kept members that were not verified at all corners. ETIMEOUT if none remains. */
static gputune_status keep_proved(gt_rule_maker *maker)
{
    GT_FREED gt_size_list corners = {0};
    size_t count = 0;
    GT_TRY(gt_rule_list_sizes(&corners, maker, GT_RULE_SIZES_CORNERS));
    for (size_t k = 0; k < maker->kept.count; k++) {
        const uint32_t member = maker->kept.items[k];
        bool proved = !maker->pool.members.items[member].is_refuted;
        for (size_t c = 0; c < corners.count; c++) {
            proved &= gt_pool_is_proved(&maker->pool, corners.items[c], member);
        }
        maker->kept.items[count] = member;
        count += proved;
    }
    maker->kept.count = count;
    return count ? GPUTUNE_OK : GPUTUNE_ETIMEOUT;
}

static gputune_status learn_tree(gt_rule_tree *tree, gt_rule_view *view, gt_rule_loss *loss,
                                 const gt_rule_maker *maker)
{
    enum { PREDICTED = 4000 };
    GT_FREED gt_size_list sizes = {0};
    GT_TRY(gt_rule_list_measured(&sizes, maker));
    GT_TRY(gt_rule_view_make(view, maker, &maker->kept, &sizes, PREDICTED));
    GT_TRY(gt_rule_learn(tree, &view->data));
    return gt_rule_estimate(loss, maker, tree->losses, &sizes);
}

static void warn_of_few_sizes(const gt_rule_maker *maker, const gt_member_list *used)
{
    const gt_pool *pool = &maker->pool;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < used->count; i++) {
        size_t count = 0;
        for (size_t s = 0; s < pool->sizes.count; s++) {
            count += gt_pool_is_proved(pool, s, used->items[i]);
        }
        least = count < least ? count : least;
    }
    if (least < GT_RULE_PROVED_SIZES && !maker->is_covered) {
        gt_log_line(&pool->log, GPUTUNE_LOG_WARNING,
                    "%s: the rule was proved at only %zu sizes within the time limit of %.3g s, "
                    "instead of %d; raise the limit for a better rule",
                    pool->kernel, least, maker->limit_s, GT_RULE_PROVED_SIZES);
    }
}

/* Writes a rule with the kept members that its tree uses. */
static gputune_status write_rule(char **out, const gt_rule_maker *maker)
{
    const gt_pool *pool = &maker->pool;
    const gt_member_list *kept = &maker->kept;
    GT_SCOPED(gt_rule_view_free) gt_rule_view view = {0};
    GT_SCOPED(gt_rule_tree_free) gt_rule_tree tree = {0};
    GT_FREED gt_member_list used = {0};
    gt_rule_loss loss;
    GT_TRY(learn_tree(&tree, &view, &loss, maker));
    GT_REFUSE(isnan(loss.mean) && maker->is_covered, GPUTUNE_EINVAL,
              "%s: only %zu size%s of the region can be tuned besides its corners, too few to know "
              "the loss of a rule; widen it, or tune its sizes one by one",
              pool->kernel, maker->tuned.count, gt_plural(maker->tuned.count));
    GT_REFUSE(isnan(loss.mean), GPUTUNE_ETIMEOUT,
              "%s: %zu size%s tuned within the time limit of %.3g s, too few to know the loss of a "
              "rule; raise the limit",
              pool->kernel, maker->tuned.count, maker->tuned.count == 1 ? " was" : "s were",
              maker->limit_s);
    GT_FREED uint32_t *numbers = calloc(kept->count + 1, sizeof *numbers);
    GT_FREED gt_config *configs = calloc(kept->count + 1, sizeof *configs);
    GT_FREED char *text = NULL;
    GT_TRY(numbers && configs ? GPUTUNE_OK : gt_fail_memory());
    for (size_t k = 0; k < kept->count; k++) {
        bool is_used = false;
        for (uint32_t n = 0; n < tree.node_count; n++) {
            is_used |= !tree.nodes[n].otherwise && tree.nodes[n].config == k;
        }
        if (is_used) {
            numbers[k] = (uint32_t)used.count;
            configs[used.count] = pool->members.items[kept->items[k]].config;
            GT_TRY(gt_array_push(&used, kept->items[k]));
        }
    }
    warn_of_few_sizes(maker, &used);
    GT_TRY(gt_rule_tree_text(&text, &tree, &view.data, numbers));
    return gt_rule_text(out, pool->template, &maker->region, &loss, configs, used.count, text);
}

static gputune_status store_rule(const gt_rule_maker *maker, char *text)
{
    const gt_pool *pool = &maker->pool;
    gt_rule *parsed;
    GT_FREED char *sources = NULL;
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_TRY(gt_pool_request(&request, pool, 0, maker->limit_s));
    GT_TRY(gt_rule_parse(&parsed, pool->template, text));
    gputune_status status = gt_rule_sources(&sources, parsed, pool->template, pool->device,
                                            gt_catalog_prelude(pool->services->catalog));
    gt_rule_free(parsed);
    GT_TRY(status);
    const gt_stored_rule rule = {.text = text,
                                 .sources = sources,
                                 .driver_version = pool->device->driver_version,
                                 .nvrtc_version = pool->device->nvrtc_version,
                                 .proved = true};
    const gt_site site = gt_site_of(&request->scenario, pool->device, request->host_text);
    const gt_rule_outcome outcome = {.site = &site, .rule = &rule};
    return gt_store_put_rule(pool->services->store, &outcome, &pool->patience);
}

static gputune_status explain_end(const gt_rule_maker *maker, gputune_status status)
{
    const gt_pool *pool = &maker->pool;
    const bool force = pool->options.force;
    if (gt_patience_canceled(&pool->patience)) {
        return gt_fail(GPUTUNE_ECANCELED,
                       "%s: stopped before the rule was proved; the sizes that were tuned are "
                       "stored, and making the rule again%s continues there",
                       pool->kernel, force ? " without `force` (--force)" : "");
    }
    GT_REFUSE(status == GPUTUNE_ETIMEOUT && maker->kept.count && !maker->tuned.count, status,
              "%s: only the default was measured, so there is nothing to choose from; raise the "
              "time limit of %.3g s%s",
              pool->kernel, maker->limit_s,
              pool->options.max_variants ? ", or max_variants (--max-variants)" : "");
    return status == GPUTUNE_ETIMEOUT
               ? gt_fail(status,
                         "%s: the time limit of %.3g s passed before a variant was proved at all "
                         "corners of the region; raise it%s, or narrow the region",
                         pool->kernel, maker->limit_s,
                         force ? ", leave out `force` (--force) to use the sizes tuned so far" : "")
               : status;
}

enum { SIZES_FIRST = 128, SIZES_LATER = 250, SIZES_MOST = 400 };

/* Divides the remaining time among the phases of a round. Returns false if too little is left. */
static bool plan_round(gt_rule_maker *maker)
{
    static const double first_share = 0.15, testing_share = 0.19, learning_share = 0.05,
                        least_share = 0.1; /* fractions of the time limit */
    static const double margin = 1.25;
    const bool is_first = !maker->tuned.count;
    const double learning_s = fmax(2 * maker->learning_s, learning_share * maker->limit_s);
    const double measuring_s = is_first ? first_share * maker->limit_s
                                        : margin * (maker->corners_s + SIZES_LATER * maker->size_s);
    const double testing_s = is_first ? testing_share * maker->limit_s : margin * maker->testing_s;
    double *points_s = maker->points_s;
    maker->most_sizes = is_first ? SIZES_FIRST : SIZES_LATER;
    points_s[0] = gt_seconds_since(maker->start_ns);
    points_s[3] = fmax(maker->limit_s - learning_s, points_s[0]);
    points_s[2] = fmax(points_s[3] - testing_s, points_s[0]);
    points_s[1] = fmax(points_s[2] - measuring_s, points_s[0]);
    return is_first || points_s[1] - points_s[0] > least_share * maker->limit_s;
}

static gputune_status judge_loss(gt_rule_loss *loss, gt_rule_maker *maker)
{
    GT_SCOPED(gt_rule_view_free) gt_rule_view view = {0};
    GT_SCOPED(gt_rule_tree_free) gt_rule_tree tree = {0};
    const int64_t start_ns = gt_now_ns();
    GT_TRY(keep_proved(maker));
    GT_TRY(learn_tree(&tree, &view, loss, maker));
    maker->learning_s = gt_seconds_since(start_ns);
    return GPUTUNE_OK;
}

static gputune_status do_round(gt_rule_loss *loss, gt_rule_maker *maker)
{
    if (!maker->tuned.count) { /* later rounds use the sizes that the first round has tuned */
        GT_TRY(gt_rule_tune(maker));
    }
    GT_TRY(gt_rule_measure_pool(maker));
    GT_TRY(gt_rule_search(maker));
    GT_TRY(gt_rule_compare(maker));
    GT_TRY(gt_rule_complete(maker));
    GT_TRY(gt_rule_add_sizes(maker));
    GT_TRY(gt_rule_test(maker));
    return judge_loss(loss, maker);
}

/* Runs rounds until the loss is small or does not fall any more. Then measures more sizes. */
static gputune_status do_rounds(gt_rule_maker *maker)
{
    enum { ROUNDS = 4 };
    static const double small = 1.01, little = 0.003;
    double before = INFINITY;
    for (int round = 0; plan_round(maker) && round < ROUNDS; round++) {
        gt_rule_loss loss;
        GT_TRY(do_round(&loss, maker));
        if (loss.mean <= small) {
            return GPUTUNE_OK;
        }
        if (maker->novelty <= little || log(before / loss.mean) < little) {
            break;
        }
        before = loss.mean;
    }
    maker->most_sizes = SIZES_MOST;
    maker->points_s[2] = maker->points_s[3]; /* no tests follow, so measuring gets their time */
    GT_TRY(gt_rule_add_sizes(maker));
    return keep_proved(maker);
}

static gputune_status find_configs(gt_rule_maker *maker)
{
    GT_TRY(add_corners(maker));
    GT_TRY(add_default(maker));
    GT_TRY(do_rounds(maker));
    return maker->tuned.count ? GPUTUNE_OK : GPUTUNE_ETIMEOUT;
}

static gputune_status finish_rule(char **out, const gt_rule_maker *maker)
{
    GT_FREED char *text = NULL;
    GT_TRY(write_rule(&text, maker));
    GT_TRY(store_rule(maker, text));
    *out = gt_take(&text);
    return GPUTUNE_OK;
}

static void free_maker(gt_rule_maker *maker)
{
    gt_pool_free(&maker->pool);
    gt_array_free(&maker->kept);
    gt_array_free(&maker->tuned);
    gt_array_free(&maker->compared);
    gt_array_free(&maker->tests);
}

/* A gputune_log_fn. Logs a session's warnings as details, because they do not concern the rule. */
static void log_detail(void *user, gputune_log_level level, const char *line)
{
    const gt_rule_maker *maker = user;
    if (level <= GPUTUNE_LOG_WARNING) {
        gt_log_line(&maker->pool.log, GPUTUNE_LOG_INFO, "%s", line);
    }
}

gputune_status gt_make_rule(char **out, const gt_services *services, const gt_device *device,
                            const char *kernel, const gputune_range *ranges, size_t range_count,
                            uint32_t most_codes, const gputune_options *options)
{
    static const double usual_s = 120, measuring_epsilon = 0.02;
    GT_SCOPED(free_maker)
    gt_rule_maker maker = {
        .services = *services,
        .pool = {.device = device, .kernel = kernel, .options = *options, .log = services->log},
        .most_codes = most_codes,
        .random = {options->seed},
        .start_ns = gt_now_ns()};
    gt_pool *pool = &maker.pool;
    maker.services.log = (gt_log){log_detail, &maker};
    pool->services = &maker.services;
    maker.limit_s = options->time_limit_s > 0 ? options->time_limit_s : usual_s;
    pool->patience = gt_patience_for(maker.limit_s, options->cancel);
    pool->patience.closing = services->closing;
    pool->options.effort = GPUTUNE_MEASURE;
    pool->options.epsilon = options->epsilon > 0 ? options->epsilon : measuring_epsilon;
    GT_TRY(gt_catalog_find(&pool->template, services->catalog, kernel));
    GT_TRY(gt_region_make(&maker.region, pool->template, ranges, range_count));
    gputune_status status = find_configs(&maker);
    return status == GPUTUNE_OK ? finish_rule(out, &maker) : explain_end(&maker, status);
}
