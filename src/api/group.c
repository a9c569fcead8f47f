/* gputune_tune_together(): several processes launch what one of them found. */
#include "api/tuner.h"

#include "base/readers.h"
#include "base/versioned.h"
#include "tuner/tune.h"

#include <stdio.h>
#include <string.h>

/* What rank 0 tells the other ranks, as a fixed number of bytes. */
typedef struct verdict {
    int32_t status;
    int32_t is_default; /* nothing is known but the template's default */
    gt_hash identity;   /* which template was meant */
    double time_ns, default_ns;
    gt_verdict verdict;
    char text[3072]; /* the configuration, or the message */
} verdict;

static gputune_status share(verdict *v, const gputune_group *group)
{
    return group->broadcast(group->user, v, sizeof *v) == 0
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EIO, "gputune_tune_together: the group's broadcast failed");
}

static gputune_status find_identity(gt_hash *out, gputune *tuner, const char *kernel)
{
    const gt_template *template;
    GT_TRY(gt_catalog_find(&template, tuner->catalog, kernel));
    *out = template->identity;
    return GPUTUNE_OK;
}

static gputune_status describe(verdict *out, gputune *tuner, const char *kernel,
                               const gputune_plan *plan)
{
    gputune_info info = {.version = GPUTUNE_INFO_VERSION};
    GT_TRY(find_identity(&out->identity, tuner, kernel));
    GT_TRY(gputune_plan_info(&info, plan));
    GT_REFUSE(strlen(info.configuration) >= sizeof out->text, GPUTUNE_EUNSUPPORTED,
              "%s: a configuration of %zu characters is too long", kernel,
              strlen(info.configuration));
    snprintf(out->text, sizeof out->text, "%s", info.configuration);
    out->is_default = info.source == GPUTUNE_SOURCE_DEFAULT;
    out->time_ns = info.time_ns;
    out->default_ns = info.default_ns;
    out->verdict =
        (gt_verdict){info.speedup, info.speedup_low, info.speedup_high, info.tie, info.noisy};
    return GPUTUNE_OK;
}

/* The part of rank 0: it makes its plan as a call for itself alone, and tells the other ranks the
 * result, a failure too. */
static gputune_status lead(gputune_plan **out, gputune *tuner, const char *kernel,
                           gputune_sizes sizes, const gputune_options *options,
                           const gputune_group *group)
{
    gputune_plan *plan = NULL;
    verdict v = {.status = tune_kernel(&plan, tuner, kernel, sizes, options)};
    if (v.status == GPUTUNE_OK) {
        v.status = describe(&v, tuner, kernel, plan);
    }
    if (v.status != GPUTUNE_OK) {
        snprintf(v.text, sizeof v.text, "%s", gt_message());
    }
    gputune_status status = share(&v, group);
    if (v.status != GPUTUNE_OK || status != GPUTUNE_OK) {
        gputune_plan_release(plan);
        return v.status != GPUTUNE_OK ? gt_fail((gputune_status)v.status, "%s", v.text) : status;
    }
    *out = plan;
    return GPUTUNE_OK;
}

/* Makes a plan of rank 0's configuration, which is proved here unless it is known to be right. */
static gputune_status make_plan(gputune_plan **out, gt_terms *terms, gputune *tuner,
                                const char *kernel, gputune_sizes sizes,
                                const gputune_options *options, const verdict *v)
{
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_SCOPED(gt_choice_free) gt_choice choice = {0};
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EINVAL, "gputune_tune_together"));
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, kernel, sizes, options));
    GT_TRY(v->is_default ? gt_choose_default(&choice, request)
                         : gt_choose_forced(&choice, request, v->text));
    choice.source = v->is_default ? GPUTUNE_SOURCE_DEFAULT : GPUTUNE_SOURCE_CACHED;
    choice.time_ns = v->time_ns;
    choice.default_ns = v->default_ns;
    choice.verdict = v->verdict;
    *terms = choice.terms;
    return gt_plan_make(out, request, &choice, tuner->driver, tuner->overrides.debug);
}

/* The plan of that configuration in the table, retained, or NULL. */
static gputune_plan *find_known(gputune *tuner, const gt_plan_key *key, const char *configuration)
{
    const gt_terms whatever = {.effort = GPUTUNE_CACHED_ONLY,
                               .driver_version = tuner->device.driver_version};
    gputune_info info = {.version = GPUTUNE_INFO_VERSION};
    gputune_plan *plan = NULL;
    if (gt_readers_enter()) {
        plan = gt_plan_table_find(tuner->plans, key, &whatever);
        gt_readers_leave();
    }
    if (plan && (gputune_plan_info(&info, plan) != GPUTUNE_OK ||
                 strcmp(info.configuration, configuration) != 0)) {
        gputune_plan_release(plan);
        plan = NULL;
    }
    return plan;
}

/* Gives the plan that rank 0's verdict asks for: the plan in the table, or a new one in its place,
 * so that later calls of this process alone get the same plan. */
static gputune_status obey(gputune_plan **out, gputune *tuner, const char *kernel,
                           gputune_sizes sizes, const gputune_options *options, const verdict *v)
{
    GT_SCOPED(gt_plan_key_free) gt_plan_key key = {0};
    gt_terms terms;
    gputune_status status = GPUTUNE_OK;
    uint32_t forgets = gt_plan_table_forgets(tuner->plans);
    gt_plan_key_make(&key, kernel, sizes, options);
    gputune_plan *plan = find_known(tuner, &key, v->text);
    if (!plan) {
        status = make_plan(&plan, &terms, tuner, kernel, sizes, options, v);
        GT_THEN(status, gt_plan_table_add(tuner->plans, &key, &terms, plan, true, forgets));
    }
    return GT_GIVE(status, out, plan, gputune_plan_release(plan));
}

static gputune_status follow(gputune_plan **out, gputune *tuner, const char *kernel,
                             gputune_sizes sizes, const gputune_options *options,
                             const gputune_group *group)
{
    verdict v = {.status = GPUTUNE_EIO};
    gt_hash identity;
    GT_TRY(share(&v, group));
    v.text[sizeof v.text - 1] = '\0';
    GT_REFUSE(v.status != GPUTUNE_OK, (gputune_status)v.status, "%s", v.text);
    GT_TRY(find_identity(&identity, tuner, kernel));
    GT_REFUSE(
        !gt_hash_equal(identity, v.identity), GPUTUNE_EINVAL,
        "%s: rank %d has another version of the template than rank 0; give all the same templates",
        kernel, group->rank);
    return obey(out, tuner, kernel, sizes, options, &v);
}

static gputune_status read_group(gputune_group *out, const gputune_group *given)
{
    static const gt_layouts layouts = {
        "gputune_group", GPUTUNE_GROUP_VERSION, {GT_BYTES_THROUGH(gputune_group, user)}};
    GT_TRY(gt_need("gputune_tune_together", "the group", given));
    GT_TRY(gt_versioned_read(out, given, &layouts));
    return out->rank >= 0 && out->broadcast
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EINVAL, "gputune_tune_together: initialise the group with "
                                         "GPUTUNE_GROUP_INIT, and set its rank and its broadcast");
}

int gputune_tune_together(gputune_plan **out, gputune *tuner, const char *kernel,
                          gputune_sizes sizes, const gputune_options *options,
                          const gputune_group *group)
{
    gputune_options o;
    gputune_group known = GPUTUNE_GROUP_INIT;
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(read_group(&known, group));
    GT_TRY(gt_options_read(&o, options));
    GT_TRY(gt_call_check(kernel, sizes, &o));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    return (known.rank ? follow : lead)(out, tuner, kernel, sizes, &o, &known);
}
