/* Shows, forgets and checks the contents of the store, as public structs. */
#include "api/asked.h"
#include "api/tuner.h"

#include "base/number.h"
#include "base/versioned.h"

#include <stdlib.h>
#include <string.h>

#define MAX_AGE_S 1e10 /* three centuries */

static bool find_at_hand(void *user, const char *kernel, gt_hash *identity)
{
    const gt_template *template = gt_asked_template(user, kernel);
    if (template) {
        *identity = template->identity;
    }
    return template != NULL;
}

static gputune_status read_filter(gputune_record_filter *out, const gputune_record_filter *given)
{
    static const gt_layouts layouts = {"gputune_record_filter",
                                       GPUTUNE_RECORD_FILTER_VERSION,
                                       {GT_BYTES_THROUGH(gputune_record_filter, any_gpu),
                                        GT_BYTES_THROUGH(gputune_record_filter, history),
                                        GT_BYTES_THROUGH(gputune_record_filter, failures),
                                        GT_BYTES_THROUGH(gputune_record_filter, sizes)}};
    *out = (gputune_record_filter)GPUTUNE_RECORD_FILTER_INIT;
    out->history = given; /* an older caller sees every version */
    return gt_versioned_read(out, given, &layouts);
}

/* Records as they go to the application. */
typedef struct listing {
    const gt_asked *asked;
    size_t count;
    int (*each)(void *user, const gputune_record *record);
    void *user;
    char kernel[GT_NAME_MAX];    /* of the last record; "": none yet */
    const gt_template *template; /* its template at hand; NULL: none */
} listing;

/* Finds a record's template, and remembers it: records come kernel by kernel, and looking for a
 * template reads the folders. */
static const gt_template *template_of(listing *listing, const char *kernel)
{
    if (strcmp(kernel, listing->kernel) != 0) {
        (void)gt_snprintf(listing->kernel, sizeof listing->kernel, "%s", kernel);
        listing->template = gt_asked_template(listing->asked, kernel);
    }
    return listing->template;
}

/* Binds the launch of a record's configuration. This is possible only with the kernel's present
 * template, on the tuner's GPU. */
static bool bind_record(gt_launch *out, listing *listing, const gputune_record *record)
{
    const gputune *tuner = listing->asked->tuner;
    gt_problem problem;
    gt_config config;
    if (!tuner->has_device || record->outdated ||
        strncmp(record->environment, tuner->device.environment,
                strlen(tuner->device.environment)) != 0) {
        return false;
    }
    const gt_template *template = template_of(listing, record->kernel);
    return template && gt_problem_parse(&problem, template, record->sizes) == GPUTUNE_OK &&
           gt_config_parse(&config, template, record->configuration) == GPUTUNE_OK &&
           gt_launch_bind(out, template, &problem, &config, &tuner->device) == GPUTUNE_OK;
}

/* A speed-up is the one over the default of that time. */
static void compare_default(gputune_record *shown, const gt_template *template)
{
    char *text;
    const gt_config standard = template ? gt_config_default(template) : (gt_config){0};
    if (!template || shown->outdated || !shown->is_winner ||
        gt_config_text(&text, template, &standard) != GPUTUNE_OK) {
        return;
    }
    if (strcmp(text, shown->default_configuration) != 0) {
        shown->default_ns = shown->speedup = shown->speedup_low = shown->speedup_high = 0;
    }
    free(text);
}

static int list_record(void *user, const gputune_record *record)
{
    listing *listing = user;
    gt_shapes texts;
    gputune_record shown = *record;
    gt_launch launch;
    listing->count++;
    if (bind_record(&launch, listing, record)) {
        gt_launch_show(&shown, &texts, &launch);
    }
    compare_default(&shown, template_of(listing, record->kernel));
    return listing->each(listing->user, &shown);
}

static int count_record(void *user, const gputune_record *record)
{
    (void)record;
    ((listing *)user)->count++;
    return 0;
}

static int ignore_template(void *user, const gt_template *template)
{
    (void)user, (void)template;
    return 0;
}

/* Called if nothing is stored for a filter: fails if the name is neither a template's nor that of
 * any stored kernel, on whatever GPU. */
static int check_name(const gt_asked *asked)
{
    listing any = {asked, 0, NULL, NULL, "", NULL};
    const gt_records_filter filter = {
        .wanted = {.kernels = asked->wanted.kernels, .kernel_count = 1}, .all_trials = true};
    GT_TRY(gt_store_records(asked->tuner->store, &filter, count_record, &any, NULL));
    return any.count ? GPUTUNE_OK
                     : gt_catalog_each(asked->tuner->catalog, asked->stored, ignore_template, NULL);
}

/* Reads a call's filter as the store's filter. */
static gputune_status read_asked(gt_asked *out, gt_records_filter *filter, gputune *tuner,
                                 const gputune_record_filter *given)
{
    gputune_record_filter known;
    GT_TRY(read_filter(&known, given));
    GT_TRY(gt_asked_find(out, tuner, known.kernel, known.gpu, known.any_gpu, known.sizes));
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
    GT_SCOPED(gt_asked_free) gt_asked asked = {.tuner = tuner};
    gt_records_filter wanted;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(read_asked(&asked, &wanted, tuner, filter));
    listing listing = {&asked, 0, each, user, "", NULL};
    int answer = gt_store_records(tuner->store, &wanted, list_record, &listing, NULL);
    answer = answer ? answer : gt_store_check(tuner->store, false);
    return answer || listing.count || !asked.stored ? answer : check_name(&asked);
}

static gputune_status read_forget_options(gt_forget *out, const gputune_forget_options *given)
{
    static const gt_layouts layouts = {"gputune_forget_options",
                                       GPUTUNE_FORGET_OPTIONS_VERSION,
                                       {GT_BYTES_THROUGH(gputune_forget_options, most_bytes)}};
    gputune_forget_options known = GPUTUNE_FORGET_OPTIONS_INIT;
    GT_TRY(gt_versioned_read(&known, given, &layouts));
    if (!(known.older_than_s >= 0 && known.older_than_s <= MAX_AGE_S)) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_forget: older_than_s is %g; expected 0 to %g",
                       known.older_than_s, MAX_AGE_S);
    }
    *out = (gt_forget){.only_say = known.only_say,
                       .outdated = known.outdated,
                       .older_drivers = known.older_drivers,
                       .older_than_s = known.older_than_s,
                       .most_bytes = known.most_bytes};
    return GPUTUNE_OK;
}

int gputune_forget(gputune *tuner, const gputune_record_filter *filter,
                   const gputune_forget_options *options,
                   int (*each)(void *user, const gputune_record *record), void *user)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(gt_asked_free) gt_asked asked = {.tuner = tuner};
    gt_records_filter wanted;
    gt_forget what;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(read_forget_options(&what, options));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(read_asked(&asked, &wanted, tuner, filter));
    return gt_store_forget(tuner->store, &wanted, &what, each, user, NULL);
}

int gputune_check_database(gputune *tuner)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    return gt_store_check(tuner->store, true);
}
