/* From compiled to verified variants. */
#include "tuner/field_parts.h"

#include "base/clock.h"
#include "base/number.h"
#include "tuner/outcome.h"

#include <math.h>
#include <string.h>

/* Where every variant is tried, one whose first launch takes this many times the best cannot win:
 * the race would drop a variant that is as slow. */
#define SLOWER_OF_ALL 2.0
/* The launch that verified a variant is timed by events, with a cold cache. A shorter one tells the
 * host's time as well, unless the clock is a model. */
#define LONG_ENOUGH_NS 50e3
/* A first launch that is this many times faster than the samples was luck. */
#define LUCK 1.05

gputune_status gt_field_bind_launches(const gt_field *field, const gt_variant *variant,
                                      gt_launch launches[GT_WORKLOAD_MAX])
{
    const gt_request *r = field->options.request;
    GT_TRY(gt_launch_bind(&launches[0], r->template, &r->problem, &variant->config, r->device));
    return r->awkward_text[0]
               ? gt_launch_bind(&launches[1], r->template, &r->awkward, &variant->config, r->device)
               : GPUTUNE_OK;
}

static gputune_status describe_launches(gt_verify_job *job, const gt_field *field,
                                        gt_variant *variant)
{
    const gt_request *r = field->options.request;
    GT_TRY(gt_field_bind_launches(field, variant, job->launches));
    GT_TRY(gt_work_ratio(&variant->work, r->template, &r->problem, &variant->config, r->device));
    job->work = variant->work;
    return GPUTUNE_OK;
}

/* ---- the first launch ------------------------------------------------------------------------ */

bool gt_field_pilot_is_sample(const gt_field *field, const gt_variant *variant)
{
    return field->setup->cache == GPUTUNE_CACHE_COLD &&
           variant->verified.pilot_ns >= LONG_ENOUGH_NS;
}

double gt_field_pilot(const gt_field *field, const gt_variant *variant)
{
    double pilot_ns = variant->verified.pilot_ns;
    bool modelled = field->options.request->device->emulated &&
                    field->setup->cache == GPUTUNE_CACHE_COLD && pilot_ns > 0;
    bool tells = field->setup->objective == GPUTUNE_OBJECTIVE_KERNEL &&
                 (modelled || gt_field_pilot_is_sample(field, variant));
    return tells ? gt_variant_value(variant, pilot_ns) : 0;
}

static double slower_ratio(const gt_field *field)
{
    return field->options.proposer->learns ? GT_CLEARLY_SLOWER : SLOWER_OF_ALL;
}

static double slower_of(const gt_field *field, const gt_variant *variant)
{
    static const double least_ns = 1e-3; /* any launch takes longer */
    if (variant->role == GT_ROLE_SKETCH) {
        return least_ns;
    }
    bool may_drop = field->options.races && variant->role == GT_ROLE_PROPOSED &&
                    !variant->surely_proved &&
                    field->options.request->options.effort != GPUTUNE_EXHAUSTIVE;
    return may_drop ? slower_ratio(field) * field->best_ns * variant->work : 0;
}

/* The time of the first launch of a variant that is right, in the form in which variants are
 * compared; 0 if that launch does not tell the variant's time. First launches are compared with
 * first launches, which are a little slower than samples; but not with a lucky one. */
static double first_launch(const gt_field *field, const gt_variant *variant)
{
    double pilot = gt_field_pilot(field, variant);
    return pilot > 0 && variant->median_ns > LUCK * pilot ? variant->median_ns : pilot;
}

static void note_best(gt_field *field, const gt_variant *variant)
{
    double first = first_launch(field, variant);
    bool races = variant->role != GT_ROLE_FALLBACK;
    if (first > 0 && races && (first < field->best_ns || !(field->best_ns > 0))) {
        field->best_ns = first;
    }
}

/* Has a variant proved after all, if its first launch is not clearly slower than the present
 * fastest variant. */
static gputune_status reconsider(gt_field *field, gt_variant *variant)
{
    bool is_slower =
        field->best_ns > 0 && gt_field_pilot(field, variant) > slower_ratio(field) * field->best_ns;
    if (variant->stage != GT_STAGE_SLOWER || is_slower || field->abandoned) {
        return GPUTUNE_OK;
    }
    variant->surely_proved = true; /* not put off for ever */
    gt_field_move(field, variant, GT_STAGE_WAITING);
    return gt_array_push(&field->compiled, variant);
}

gputune_status gt_field_prove_slower(gt_field *field)
{
    field->best_ns = 0;
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        if (variant->stage == GT_STAGE_READY) {
            note_best(field, variant);
        }
    }
    for (gt_variant *variant = field->first; variant && field->in[GT_STAGE_SLOWER];
         variant = variant->next) {
        GT_TRY(reconsider(field, variant));
    }
    return GPUTUNE_OK;
}

gputune_status gt_field_note_median(gt_field *field, gt_variant *variant, double median_ns)
{
    bool was_best = first_launch(field, variant) <= field->best_ns;
    variant->median_ns = median_ns;
    gt_field_tell(field, variant, median_ns);
    bool was_luck = was_best && first_launch(field, variant) > field->best_ns;
    return was_luck ? gt_field_prove_slower(field) : GPUTUNE_OK;
}

/* ---- verifying ------------------------------------------------------------------------------- */

/* Sends a variant to the measure worker. A variant whose launch cannot be made fails instead. */
static gputune_status submit_verify(gt_field *field, gt_variant *variant)
{
    gt_farm *farm = field->options.farm;
    GT_FREED gt_verify_job *job = calloc(1, sizeof *job);
    GT_TRY(gt_allocated(job));
    gputune_status status = describe_launches(job, field, variant);
    if (status != GPUTUNE_OK) {
        return gt_field_fail(field, variant, status, true, gt_message());
    }
    job->id = variant->id;
    job->standard = variant->role == GT_ROLE_DEFAULT;
    job->patient = variant->deferral == GT_DEFERRED_HUNG || field->options.request->check;
    job->image = variant->unit->compiled.image;
    job->slower_ns = slower_of(field, variant);
    job->saves = field->saves;
    job->save_count = variant->id == 0 ? field->save_count : 0;
    job->look_twice = field->options.proposer->learns && variant->role != GT_ROLE_SKETCH;
    GT_TRY(farm->ops->verify(farm, job));
    gt_field_move(field, variant, GT_STAGE_VERIFYING);
    variant->turn = ++field->turns;
    field->verifying++;
    return GPUTUNE_OK;
}

void gt_field_settle_sketch(gt_field *field, gt_variant *variant)
{
    bool tells = gt_field_pilot_is_sample(field, variant);
    gt_field_move(field, variant, GT_STAGE_SKETCHED);
    gt_field_tell(field, variant,
                  tells ? gt_variant_value(variant, variant->verified.pilot_ns) : 0);
}

gputune_status gt_field_mark_ready(gt_field *field, gt_variant *variant)
{
    gt_field_move(field, variant, GT_STAGE_READY);
    note_best(field, variant);
    gt_field_tell(field, variant, gt_field_pilot(field, variant));
    return gt_array_push(&field->newly_ready, variant);
}

/* Whether the measure worker has room for a newcomer. It has none while it is the contestants' turn
 * to be sampled. */
static bool has_room(const gt_field *field)
{
    return field->verifying < gt_schedule_in_hand(&field->schedule) &&
           !(field->rounds_wait && gt_schedule_is_rounds_turn(&field->schedule, 1));
}

/* Takes the variant at that place out of the queue of those that wait to be verified. */
static gt_variant *take_compiled(gt_field *field, size_t at)
{
    gt_variant **place = &field->compiled.items[at], *taken = *place;
    memmove(place, place + 1, (--field->compiled.count - at) * sizeof *place);
    return taken;
}

/* Puts a variant in front of all others that wait to be verified. */
static gputune_status put_first(gt_field *field, gt_variant *variant)
{
    GT_TRY(gt_array_reserve(&field->compiled));
    gt_variant **first = field->compiled.items;
    memmove(first + 1, first, field->compiled.count++ * sizeof *first);
    *first = variant;
    return GPUTUNE_OK;
}

gputune_status gt_field_verify_compiled(gt_field *field)
{
    for (size_t i = 0; i < field->compiled.count && field->awaits_default && field->preparing;
         i++) {
        if (field->compiled.items[i] == field->standard) {
            field->awaits_default = false;
            GT_TRY(put_first(field, take_compiled(field, i)));
        }
    }
    while (field->preparing && !field->awaits_default && field->compiled.count && has_room(field)) {
        GT_TRY(submit_verify(field, take_compiled(field, 0)));
    }
    return GPUTUNE_OK;
}

/* Notes that a worker has launched a variant, found it clearly slower than the best, and not proved
 * it. ENOMEM. */
static gputune_status mark_slower(gt_field *field, gt_variant *variant)
{
    gt_field_move(field, variant, GT_STAGE_SLOWER);
    gt_field_tell(field, variant, gt_field_pilot(field, variant));
    return reconsider(field, variant); /* the best may have failed meanwhile */
}

/* Takes over the event's answer. */
static void take_over(gt_variant *variant, gt_event *event)
{
    free(variant->verified.findings);
    free(variant->verified.single);
    variant->verified = event->verified;
    event->verified.findings = event->verified.single = NULL;
}

/* Has a variant that was found wrong verified once more behind the default, if the default was not
 * verified before it: what the default gets wrong on rare data is not demanded of others. *waits:
 * it will be verified again. */
static gputune_status let_default_precede(bool *waits, gt_field *field, gt_variant *variant)
{
    if (!field->standard) {
        GT_TRY(gt_field_add_default(field));
        field->added_default = field->awaits_default;
    }
    *waits = field->awaits_default || (field->standard && field->standard->turn > variant->turn);
    if (!*waits) {
        return GPUTUNE_OK;
    }
    gt_field_move(field, variant, GT_STAGE_WAITING);
    return gt_array_push(&field->compiled, variant);
}

gputune_status gt_field_handle_verified(gt_field *field, gt_event *event)
{
    bool again = false;
    gt_variant *variant = field->variants.items[event->id];
    field->verifying--;
    GT_REFUSE(event->status != GPUTUNE_OK && !gt_ending_of(event->status)->costs_one_variant,
              event->status, "%s", event->message);
    if (event->status == GPUTUNE_EWRONG && variant->role != GT_ROLE_SKETCH) {
        GT_TRY(let_default_precede(&again, field, variant));
    }
    if (again) {
        return GPUTUNE_OK;
    }
    if (event->status == GPUTUNE_ETIMEOUT && !event->repeatable && field->options.races &&
        variant->role != GT_ROLE_SKETCH && variant->deferral == GT_DEFERRED_NEVER) {
        return gt_field_defer(field, variant, GT_DEFERRED_HUNG, event->status, event->message);
    }
    if (event->status != GPUTUNE_OK) {
        return gt_field_fail(field, variant, event->status, event->repeatable, event->message);
    }
    take_over(variant, event);
    if (variant->role == GT_ROLE_SKETCH) {
        gt_field_settle_sketch(field, variant);
        return GPUTUNE_OK;
    }
    return event->verified.proved ? gt_field_mark_ready(field, variant)
                                  : mark_slower(field, variant);
}

gputune_status gt_field_reverify(gt_field *field)
{
    field->newly_ready.count = 0;
    for (gt_variant *variant = field->first; variant; variant = variant->next) {
        if (variant->stage == GT_STAGE_READY) {
            variant->dropped = false;
            variant->surely_proved = true;
            gt_field_move(field, variant, GT_STAGE_WAITING);
            GT_TRY(gt_array_push(&field->compiled, variant));
        }
    }
    return gt_field_verify_compiled(field);
}

static gputune_status retry(gt_field *field, gt_variant *variant)
{
    bool compiled = variant->unit && variant->unit->stage == GT_STAGE_READY;
    variant->retried = true;
    variant->failure = GPUTUNE_OK;
    gt_field_move(field, variant, GT_STAGE_WAITING);
    return compiled ? submit_verify(field, variant) : gt_field_start(field, variant);
}

gputune_status gt_field_retry(gt_field *field, uint32_t *count)
{
    *count = 0;
    for (gt_variant *variant = field->first; variant; variant = variant->next) {
        if (gt_variant_may_be_retried(variant)) {
            ++*count;
            GT_TRY(retry(field, variant));
        }
    }
    return GPUTUNE_OK;
}
