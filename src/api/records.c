/* Lists, deletes, checks, exports, imports and merges stored results. */
#include "api/tuner.h"

#include "base/file.h"
#include "base/number.h"
#include "base/selection.h"
#include "base/signals.h"
#include "base/sized.h"
#include "store/store.h"
#include "tuner/tune.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct asked {
    gputune *tuner;
    gt_wanted wanted; /* has pointers into this struct and into the caller's texts */
    GT_ARRAY(const gt_template *) templates;
    GT_ARRAY(const char *) kernels;
    const char *stored; /* the requested kernel name if no template has it; otherwise NULL */
    bool any_gpu;       /* true if results of other GPUs are requested too */
    char host[GT_ENVIRONMENT_MAX];
    const char *environments[2];
} asked;

static int take_template(void *user, const gt_template *template)
{
    asked *asked = user;
    GT_TRY(gt_array_push(&asked->templates, template));
    return gt_array_push(&asked->kernels, template->name);
}

static gputune_status name_kernels(asked *out, const char *kernel)
{
    gputune_status status =
        kernel ? gt_catalog_each(out->tuner->catalog, kernel, take_template, out) : GPUTUNE_OK;
    if (status != GPUTUNE_OK) {
        if (gt_catalog_is_path(kernel) || status == GPUTUNE_ENOMEM) {
            return status;
        }
        out->templates.count = out->kernels.count = 0;
        out->stored = kernel;
        GT_TRY(gt_array_push(&out->kernels, kernel));
    }
    out->wanted.kernels = out->kernels.items;
    out->wanted.kernel_count = out->kernels.count;
    return GPUTUNE_OK;
}

static void free_asked(asked *asked)
{
    gt_array_free(&asked->templates);
    gt_array_free(&asked->kernels);
}

static const gt_template *find_template(const asked *asked, const char *kernel)
{
    const gt_template *template;
    for (size_t i = 0; i < asked->templates.count; i++) {
        if (strcmp(asked->templates.items[i]->name, kernel) == 0) {
            return asked->templates.items[i];
        }
    }
    return gt_catalog_find(&template, asked->tuner->catalog, kernel) == GPUTUNE_OK ? template
                                                                                   : NULL;
}

static int stop_at_record(void *user, const gputune_record *record)
{
    (void)user, (void)record;
    return 1;
}

static int check_name(const asked *asked)
{
    const gt_template *template;
    const gt_records_filter filter = {
        .wanted = {.kernels = asked->wanted.kernels, .kernel_count = 1}, .all_trials = true};
    int answer =
        asked->stored ? gt_store_records(asked->tuner->store, &filter, stop_at_record, NULL) : 1;
    return answer == 1 ? GPUTUNE_OK
           : answer    ? answer
                       : gt_catalog_find(&template, asked->tuner->catalog, asked->stored);
}

static bool find_at_hand(void *user, const char *kernel, gt_hash *identity)
{
    const gt_template *template = find_template(user, kernel);
    if (template) {
        *identity = template->identity;
    }
    return template != NULL;
}

typedef struct listing {
    const asked *asked;
    size_t count;
    gt_record_fn each;
    void *user;
    char kernel[GT_NAME_MAX];    /* kernel of the previous record, or "" */
    const gt_template *template; /* template of `kernel`, or NULL */
} listing;

/* Finds the template of a record, and remembers it, because records are ordered by kernel. */
static const gt_template *template_of(listing *listing, const char *kernel)
{
    if (strcmp(kernel, listing->kernel) != 0) {
        (void)gt_snprintf(listing->kernel, sizeof listing->kernel, "%s", kernel);
        listing->template = find_template(listing->asked, kernel);
    }
    return listing->template;
}

static bool is_of_device(const asked *asked, const char *environment)
{
    return asked->tuner->has_device && gt_is_listed(environment, asked->environments, 2);
}

/* Sets *out to the launch of the record's configuration. Returns false if the record is outdated or
 * belongs to another kind of GPU, or if its template was not found. */
static bool bind_record(gt_launch *out, listing *listing, const gputune_record *record)
{
    const gputune *tuner = listing->asked->tuner;
    gt_problem problem;
    gt_config config;
    if (record->outdated || !is_of_device(listing->asked, record->environment)) {
        return false;
    }
    const gt_template *template = template_of(listing, record->kernel);
    return template && gt_problem_parse(&problem, template, record->sizes) == GPUTUNE_OK &&
           gt_config_parse(&config, template, record->configuration, true) == GPUTUNE_OK &&
           gt_launch_bind(out, template, &problem, &config, &tuner->device) == GPUTUNE_OK;
}

/* Clears a winner's speed-up if the template's default has changed. */
static void compare_default(gputune_record *shown, const gt_template *template)
{
    GT_FREED char *text = NULL;
    const gt_config standard = template ? gt_config_default(template) : (gt_config){0};
    if (!template || shown->outdated || !shown->is_winner ||
        gt_config_text(&text, template, &standard) != GPUTUNE_OK) {
        return;
    }
    if (strcmp(text, shown->default_configuration) != 0) {
        shown->default_ns = shown->speedup = shown->speedup_low = shown->speedup_high = 0;
    }
}

static bool is_start(const gputune_record *record, const gt_template *template)
{
    gt_config config;
    bool found = false;
    if (!template || !template->start_count || record->outdated ||
        gt_config_parse(&config, template, record->configuration, true) != GPUTUNE_OK) {
        return false;
    }
    for (uint32_t i = 0; i < template->start_count; i++) {
        found |= gt_config_is(&template->starts[i], &config);
    }
    return found;
}

static int list_record(void *user, const gputune_record *record)
{
    listing *listing = user;
    gt_shapes texts;
    gputune_record shown = *record;
    GT_FREED gt_launch *launch = malloc(sizeof *launch);
    listing->count++;
    GT_TRY(gt_allocated(launch));
    if (bind_record(launch, listing, record)) {
        gt_launch_show(&shown, &texts, launch);
    }
    compare_default(&shown, template_of(listing, record->kernel));
    shown.is_start = is_start(record, template_of(listing, record->kernel));
    return listing->each(listing->user, &shown);
}

/* Converts a caller's filter, which may be NULL, for the store. Do not move *out afterwards. */
static gputune_status read_asked(asked *out, gt_records_filter *filter, gputune *tuner,
                                 const gputune_record_filter *given)
{
    gputune_record_filter known = GPUTUNE_RECORD_FILTER_INIT;
    GT_TRY(GT_SIZED_READ(gputune_record_filter, &known, given));
    *out = (asked){.tuner = tuner,
                   .wanted = {.gpu = known.gpu, .sizes = known.sizes, .rules = known.rules},
                   .any_gpu = known.any_gpu || known.gpu};
    gt_environment_join(out->host, tuner->device.environment, tuner->device.processor);
    out->environments[0] = tuner->device.environment;
    out->environments[1] = out->host;
    if (!out->any_gpu && tuner->has_device) {
        out->wanted.environments = out->environments;
        out->wanted.environment_count = 2;
    }
    GT_TRY(name_kernels(out, known.kernel));
    *filter = (gt_records_filter){.wanted = out->wanted,
                                  .all_trials = known.all_trials,
                                  .failures = known.failures,
                                  .one_version = !known.history,
                                  .at_hand = find_at_hand,
                                  .user = out};
    return GPUTUNE_OK;
}

int gputune_records(gputune *tuner, const gputune_record_filter *filter,
                    int (*each)(void *user, const gputune_record *record), void *user)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(free_asked) asked asked = {.tuner = tuner};
    gt_records_filter wanted;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(read_asked(&asked, &wanted, tuner, filter));
    listing listing = {&asked, 0, each, user, "", NULL};
    int answer = gt_store_records(tuner->store, &wanted, list_record, &listing);
    answer = answer ? answer : gt_store_check(tuner->store, false);
    return answer || listing.count ? answer : check_name(&asked);
}

int gputune_forget(gputune *tuner, const gputune_record_filter *filter,
                   const gputune_forget_options *options,
                   int (*each)(void *user, const gputune_record *record), void *user)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(free_asked) asked asked = {.tuner = tuner};
    gt_records_filter wanted;
    gputune_forget_options what = GPUTUNE_FORGET_OPTIONS_INIT;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(GT_SIZED_READ(gputune_forget_options, &what, options));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(read_asked(&asked, &wanted, tuner, filter));
    const gt_wanted *of = &wanted.wanted; /* a filter without conditions selects all results */
    bool is_selective = of->kernel_count || (of->gpu && *of->gpu) ||
                        (of->sizes && !gt_sizes_match("", of->sizes, false)) || what.outdated ||
                        what.everything;
    GT_REFUSE(
        !is_selective, GPUTUNE_EINVAL,
        "%s: neither the filter nor the options select records; name a kernel, a GPU or sizes, "
        "or set 'everything' to delete all results",
        __func__);
    int answer = gt_store_forget(tuner->store, &wanted, &what, each, user, NULL);
    gt_plan_table_refresh(tuner->plans);
    return answer;
}

/* Returns true if the template has changed, or if applications on this kind of GPU would not use
 * the rule. For other kinds of GPU, checks only the template. */
static bool is_rule_outdated(const asked *asked, const gt_listed_rule *listed)
{
    const gputune *tuner = asked->tuner;
    const gt_scenario *scenario = &listed->site.scenario;
    const gt_template *template = find_template(asked, scenario->kernel);
    gt_rule *rule;
    if (!template || !gt_hash_equal(template->identity, scenario->identity)) {
        return template;
    }
    gputune_status status = gt_rule_parse(&rule, template, listed->rule.text);
    if (status != GPUTUNE_OK) {
        return status == GPUTUNE_ERECORDED;
    }
    if (is_of_device(asked, scenario->environment)) {
        status = gt_rule_check_sources(rule, listed->rule.sources, template, &tuner->device,
                                       gt_catalog_prelude(tuner->catalog));
        GT_THEN(status, gt_rule_check_choices(rule, template, &tuner->device));
    }
    gt_rule_free(rule);
    return status == GPUTUNE_ENOTFOUND;
}

int gputune_rules(gputune *tuner, const gputune_record_filter *filter,
                  int (*each)(void *user, const gputune_rule *rule), void *user)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(free_asked) asked asked = {.tuner = tuner};
    GT_SCOPED(gt_listed_rules_free) gt_listed_rules rules = {0};
    gt_records_filter wanted;
    int answer = 0;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(read_asked(&asked, &wanted, tuner, filter));
    wanted.wanted.rules = true;
    GT_TRY(gt_store_rules(&rules, tuner->store, &wanted.wanted));
    for (size_t i = 0; i < rules.count && !answer; i++) {
        const gt_site *site = &rules.items[i].site;
        const gt_stored_rule *stored = &rules.items[i].rule;
        const gputune_rule rule = {.size = sizeof rule,
                                   .kernel = site->scenario.kernel,
                                   .gpu = site->gpu,
                                   .environment = site->scenario.environment,
                                   .objective = site->scenario.objective,
                                   .cache = site->scenario.cache,
                                   .alignment = site->scenario.alignment,
                                   .inputs = site->scenario.inputs,
                                   .text = stored->text,
                                   .created = stored->created,
                                   .driver_version = stored->driver_version,
                                   .unproved = !stored->proved,
                                   .outdated = is_rule_outdated(&asked, &rules.items[i])};
        answer = each(user, &rule);
    }
    return answer ? answer : gt_store_check(tuner->store, false);
}

int gputune_check_database(gputune *tuner)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    return gt_store_check(tuner->store, true);
}

static gputune_status export_text(gt_text *out, uint32_t *count, gputune *tuner,
                                  const gputune_record_filter *filter, bool whole,
                                  const char *function)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(free_asked) asked asked = {.tuner = tuner};
    gt_records_filter wanted;
    uint32_t found;
    GT_TRY(gt_call_begin(&call, tuner, function));
    GT_TRY(read_asked(&asked, &wanted, tuner, filter));
    GT_REFUSE(!asked.any_gpu && !tuner->has_device, GPUTUNE_EINVAL,
              "this tuner has no device; name a GPU, or set any_gpu");
    GT_TRY(gt_store_export(out, &found, tuner->store, &asked.wanted, whole));
    if (!found) {
        GT_TRY((gputune_status)check_name(&asked));
    }
    if (count) {
        *count = found;
    }
    return GPUTUNE_OK;
}

int gputune_wisdom_export(char **out, uint32_t *count, gputune *tuner,
                          const gputune_record_filter *filter, bool whole)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(export_text(&text, count, tuner, filter, whole, __func__));
    return gt_text_take(out, &text);
}

int gputune_wisdom_save(uint32_t *count, gputune *tuner, const char *path,
                        const gputune_record_filter *filter, bool whole)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    GT_TRY(gt_need(__func__, "path", path));
    GT_TRY(export_text(&text, count, tuner, filter, whole, __func__));
    gt_output output;
    GT_SCOPED(gt_signal_release) gt_held_signal held;
    gt_signal_hold(&held);
    GT_TRY(gt_output_open(&output, path));
    (void)fwrite(text.data, 1, text.length, output.file);
    return gt_output_close(&output);
}

static gputune_status read_options(gputune_wisdom_options *out, const gputune_wisdom_options *given)
{
    *out = (gputune_wisdom_options)GPUTUNE_WISDOM_OPTIONS_INIT;
    GT_TRY(GT_SIZED_READ(gputune_wisdom_options, out, given));
    return (uint32_t)out->trust <= GPUTUNE_TRUST_BOUND
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EINVAL, "wisdom options: trust is %d; expected a gputune_trust",
                         (int)out->trust);
}

static gputune_status take_wisdom(uint32_t *count, const gputune *tuner, const char *text,
                                  const char *from, gputune_wisdom_options o)
{
    gt_wisdom_import import = {.trusted = o.trust == GPUTUNE_TRUST_BOUND,
                               .driver_version = tuner->device.driver_version,
                               .keep = o.keep,
                               .log = &tuner->log,
                               .from = from};
    GT_TRY(gt_store_import(&import, tuner->store, text, NULL));
    *count = import.taken;
    return GPUTUNE_OK;
}

static gputune_status import_text(uint32_t *count, gputune *tuner, const char *text,
                                  const char *from, const gputune_wisdom_options *options,
                                  const char *function)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    gputune_wisdom_options o;
    uint32_t taken = 0;
    GT_TRY(read_options(&o, options));
    GT_TRY(gt_call_begin(&call, tuner, function));
    GT_TRY(gt_tuner_not_pinned(tuner, function));
    gputune_status status = take_wisdom(&taken, tuner, text, from, o);
    gt_plan_table_refresh(tuner->plans);
    if (status == GPUTUNE_OK && count) {
        *count = taken;
    }
    return status;
}

static gputune_status read_wisdom(char **out, const char *path)
{
    static const size_t most_bytes = 512 << 20; /* enough for 250,000 winners of about 2 KB */
    return gt_file_read_most(out, NULL, path, most_bytes);
}

gputune_status gt_load_pinned(gputune *tuner)
{
    static const gputune_wisdom_options bound = {.size = sizeof bound,
                                                 .trust = GPUTUNE_TRUST_BOUND};
    GT_FREED char *text = NULL;
    uint32_t taken;
    GT_TRY(read_wisdom(&text, tuner->pinned));
    GT_TRY(take_wisdom(&taken, tuner, text, tuner->pinned, bound));
    gt_log_line(&tuner->log, taken ? GPUTUNE_LOG_INFO : GPUTUNE_LOG_WARNING,
                "pinned to %s, which has %u result%s", tuner->pinned, taken, gt_plural(taken));
    return GPUTUNE_OK;
}

int gputune_wisdom_import(uint32_t *count, gputune *tuner, const char *text,
                          const gputune_wisdom_options *options)
{
    GT_TRY(gt_need(__func__, "text", text));
    return import_text(count, tuner, text, "the text", options, __func__);
}

int gputune_wisdom_load(uint32_t *count, gputune *tuner, const char *path,
                        const gputune_wisdom_options *options)
{
    GT_FREED char *text = NULL;
    GT_TRY(gt_need(__func__, "path", path));
    GT_TRY(gt_need(__func__, "the tuner", tuner));
    GT_SCOPED(gt_signal_release) gt_held_signal held;
    gt_signal_hold(&held);
    GT_TRY(read_wisdom(&text, path));
    return import_text(count, tuner, text, path, options, __func__);
}

int gputune_merge(gputune_merged *out, gputune *tuner, const char *const *paths, size_t count)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    gputune_merged merged;
    GT_TRY(gt_need(__func__, "out", out));
    for (size_t i = 0; i < count; i++) {
        GT_TRY(gt_need(__func__, "paths", paths ? paths[i] : NULL));
    }
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_not_pinned(tuner, __func__));
    GT_TRY(gt_store_merge(&merged, tuner->store, paths, count));
    gt_plan_table_refresh(tuner->plans);
    return GT_SIZED_WRITE(gputune_merged, out, &merged);
}
