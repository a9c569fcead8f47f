/* From compiled to verified variants. */
#include "tuner/field_parts.h"

#include "tuner/outcome.h"

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
    if (field->workload_count == 1) {
        return GPUTUNE_OK;
    }
    return gt_launch_bind(&launches[1], r->template, &field->awkward, &variant->config, r->device);
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

bool gt_field_pilot_is_sample(const gt_field *field, uint32_t index)
{
    return field->setup->cache == GPUTUNE_CACHE_COLD &&
           field->variants.items[index].verified.pilot_ns >= LONG_ENOUGH_NS;
}

double gt_field_pilot(const gt_field *field, uint32_t index)
{
    double pilot_ns = field->variants.items[index].verified.pilot_ns;
    bool modelled = field->options.request->device->emulated &&
                    field->setup->cache == GPUTUNE_CACHE_COLD && pilot_ns > 0;
    bool tells = field->setup->objective == GPUTUNE_OBJECTIVE_KERNEL &&
                 (modelled || gt_field_pilot_is_sample(field, index));
    return tells ? gt_field_value(field, index, pilot_ns) : 0;
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
    bool may_drop = field->options.drops_slower && variant->role == GT_ROLE_PROPOSED &&
                    !variant->surely_proved &&
                    field->options.request->options.effort != GPUTUNE_EXHAUSTIVE;
    return may_drop ? slower_ratio(field) * field->best_ns * variant->work : 0;
}

/* First launches are compared with first launches, which are a little slower than samples; but not
 * with a lucky one. */
double gt_field_first_launch(const gt_field *field, uint32_t index)
{
    double pilot = gt_field_pilot(field, index);
    double median = field->variants.items[index].median_ns;
    return pilot > 0 && median > LUCK * pilot ? median : pilot;
}

static void note_best(gt_field *field, uint32_t index)
{
    double first = gt_field_first_launch(field, index);
    bool races = field->variants.items[index].role != GT_ROLE_FALLBACK;
    if (first > 0 && races && (first < field->best_ns || !(field->best_ns > 0))) {
        field->best_ns = first;
    }
}

/* Has a variant proved after all, if its first launch is not clearly slower than the present
 * fastest variant. */
static gputune_status reconsider(gt_field *field, uint32_t index)
{
    gt_variant *variant = &field->variants.items[index];
    bool is_slower =
        field->best_ns > 0 && gt_field_pilot(field, index) > slower_ratio(field) * field->best_ns;
    if (variant->stage != GT_STAGE_SLOWER || is_slower || field->abandoned) {
        return GPUTUNE_OK;
    }
    variant->surely_proved = true; /* not put off for ever */
    variant->stage = GT_STAGE_WAITING;
    field->slower--;
    return gt_array_push(&field->compiled, index);
}

gputune_status gt_field_prove_slower(gt_field *field)
{
    field->best_ns = 0;
    for (uint32_t i = 0; i < field->variants.count; i++) {
        if (field->variants.items[i].stage == GT_STAGE_READY) {
            note_best(field, i);
        }
    }
    for (uint32_t i = 0; i < field->variants.count && field->slower; i++) {
        GT_TRY(reconsider(field, i));
    }
    return GPUTUNE_OK;
}

gputune_status gt_field_note_median(gt_field *field, uint32_t index, double median_ns)
{
    bool was_best = gt_field_first_launch(field, index) <= field->best_ns;
    field->variants.items[index].median_ns = median_ns;
    gt_field_tell(field, index, median_ns);
    bool was_luck = was_best && gt_field_first_launch(field, index) > field->best_ns;
    return was_luck ? gt_field_prove_slower(field) : GPUTUNE_OK;
}

/* ---- verifying ------------------------------------------------------------------------------- */

gputune_status gt_field_send(gt_field *field, uint32_t index, const gt_helper *helper, bool *sent)
{
    gt_variant *variant = &field->variants.items[index];
    gt_farm *farm = helper ? helper->farm : field->options.farm;
    GT_FREED gt_verify_job *job = calloc(1, sizeof *job);
    GT_TRY(gt_allocated(job));
    job->id = index;
    job->standard = variant->role == GT_ROLE_DEFAULT;
    job->patient = variant->hangs > 0 || field->options.request->check;
    job->image = field->units.items[variant->unit].compiled.image;
    gputune_status status = describe_launches(job, field, variant);
    *sent = status == GPUTUNE_OK;
    if (status != GPUTUNE_OK && variant->role == GT_ROLE_SKETCH) {
        gt_field_settle_sketch(field, index, status);
        status = GPUTUNE_OK;
    } else if (status != GPUTUNE_OK) {
        status = gt_field_fail(field, index, status, true, gt_message());
    } else {
        double slower_ns = slower_of(field, variant);
        job->slower_ns = helper ? gt_helper_slower_ns(helper, variant, slower_ns) : slower_ns;
        job->saves = field->saves;
        job->save_count = index == 0 ? field->save_count : 0;
        job->proved = variant->helped && variant->verified.proved && !variant->surely_proved;
        job->look_twice = field->options.proposer->learns && variant->role != GT_ROLE_SKETCH;
        status = farm->ops->verify(farm, job);
    }
    return status;
}

static gputune_status submit_verify(gt_field *field, uint32_t index)
{
    bool sent;
    gt_variant *variant = &field->variants.items[index];
    GT_TRY(gt_field_send(field, index, NULL, &sent));
    if (sent) {
        variant->stage = GT_STAGE_VERIFYING;
        variant->turn = ++field->turns;
        field->verifying++;
    }
    return GPUTUNE_OK;
}

/* A sketch whose launch is too short to tell its time is of no use. */
void gt_field_settle_sketch(gt_field *field, uint32_t index, gputune_status failure)
{
    gt_variant *variant = &field->variants.items[index];
    bool tells = failure == GPUTUNE_OK && gt_field_pilot_is_sample(field, index);
    variant->stage = GT_STAGE_SKETCHED;
    variant->failure = tells || failure != GPUTUNE_OK ? failure : GPUTUNE_EUNSUPPORTED;
    gt_field_tell(field, index,
                  tells ? gt_field_value(field, index, variant->verified.pilot_ns) : 0);
    variant->failure = GPUTUNE_OK; /* a sketch is no trial */
}

gputune_status gt_field_mark_ready(gt_field *field, uint32_t index)
{
    field->variants.items[index].stage = GT_STAGE_READY;
    field->ready++;
    note_best(field, index);
    gt_field_tell(field, index, gt_field_pilot(field, index));
    return gt_array_push(&field->newly_ready, index);
}

/* Whether the measure worker has room for a newcomer. It has none while it is the contestants' turn
 * to be sampled. */
static bool has_room(const gt_field *field)
{
    return field->verifying < gt_schedule_in_hand(&field->schedule) &&
           !(field->rounds_wait && gt_schedule_is_rounds_turn(&field->schedule, 1));
}

static gputune_status verify_here(gt_field *field)
{
    gputune_status status = GPUTUNE_OK;
    for (size_t i = 0; i < field->compiled.count && field->awaits_default && field->preparing;
         i++) {
        uint32_t index = field->compiled.items[i];
        if (field->variants.items[index].role == GT_ROLE_DEFAULT) {
            field->awaits_default = false;
            memmove(&field->compiled.items[1], field->compiled.items, i * sizeof index);
            field->compiled.items[0] = index;
        }
    }
    if (!field->preparing || field->awaits_default) {
        return GPUTUNE_OK;
    }
    size_t sent = 0;
    while (sent < field->compiled.count && !status && has_room(field)) {
        status = submit_verify(field, field->compiled.items[sent++]);
    }
    if (!sent) {
        return status;
    }
    field->compiled.count -= sent;
    memmove(field->compiled.items, &field->compiled.items[sent],
            field->compiled.count * sizeof *field->compiled.items);
    return status;
}

gputune_status gt_field_verify_compiled(gt_field *field)
{
    GT_TRY(verify_here(field));
    return gt_field_give_helpers(field);
}

gputune_status gt_field_mark_slower(gt_field *field, uint32_t index)
{
    field->variants.items[index].stage = GT_STAGE_SLOWER;
    field->slower++;
    gt_field_tell(field, index, gt_field_pilot(field, index));
    return reconsider(field, index); /* the best may have failed meanwhile */
}

/* Takes over the event's answer. The numerical errors stay those of the helper, if the variant's
 * results were compared there. */
static void take_over(gt_variant *variant, gt_event *event)
{
    const gt_verified before = variant->verified;
    free(before.findings);
    variant->verified = event->verified;
    event->verified.findings = NULL;
    if (variant->helped && before.proved && !variant->surely_proved) {
        variant->verified.max_error = before.max_error;
    }
}

/* Has a variant that was found wrong verified once more behind the default, if the default was not
 * verified before it: what the default gets wrong on rare data is not demanded of others. *granted:
 * it will be. */
static gputune_status appeal(bool *granted, gt_field *field, uint32_t index)
{
    if (gt_field_default(field) == GT_NO_VARIANT) {
        GT_TRY(gt_field_add_default(field));
        field->umpire = field->awaits_default ? (uint32_t)field->variants.count : 0;
    }
    uint64_t standard = gt_field_default(field);
    gt_variant *variant = &field->variants.items[index];
    *granted = field->awaits_default ||
               (standard != GT_NO_VARIANT && field->variants.items[standard].turn > variant->turn);
    if (!*granted) {
        return GPUTUNE_OK;
    }
    variant->stage = GT_STAGE_WAITING;
    return gt_array_push(&field->compiled, index);
}

gputune_status gt_field_handle_verified(gt_field *field, gt_event *event)
{
    bool again = false;
    gt_variant *variant = &field->variants.items[event->id];
    if (event->gpu) {
        return gt_field_handle_helper(field, event);
    }
    field->verifying--;
    GT_REFUSE(event->status != GPUTUNE_OK && !gt_ending_of(event->status)->costs_one_variant,
              event->status, "%s", event->message);
    if (event->status != GPUTUNE_OK && variant->role == GT_ROLE_SKETCH) {
        gt_field_settle_sketch(field, (uint32_t)event->id, event->status);
        return GPUTUNE_OK;
    }
    if (event->status == GPUTUNE_EWRONG) {
        GT_TRY(appeal(&again, field, (uint32_t)event->id));
        variant = &field->variants.items[event->id];
    }
    if (again) {
        return GPUTUNE_OK;
    }
    if (event->status != GPUTUNE_OK) {
        variant->hangs += event->status == GPUTUNE_ETIMEOUT;
        return gt_field_fail(field, (uint32_t)event->id, event->status, event->repeatable,
                             event->message);
    }
    take_over(variant, event);
    if (variant->role == GT_ROLE_SKETCH) {
        gt_field_settle_sketch(field, (uint32_t)event->id, GPUTUNE_OK);
        return GPUTUNE_OK;
    }
    return event->verified.proved ? gt_field_mark_ready(field, (uint32_t)event->id)
                                  : gt_field_mark_slower(field, (uint32_t)event->id);
}

void gt_field_note_newcomer(gt_field *field, double seconds)
{
    gt_schedule_note_newcomer(&field->schedule, seconds, field->rounds_wait);
}

gputune_status gt_field_reverify(gt_field *field)
{
    field->newly_ready.count = 0;
    for (uint32_t i = 0; i < field->variants.count; i++) {
        gt_variant *variant = &field->variants.items[i];
        if (variant->stage == GT_STAGE_READY) {
            variant->dropped = false;
            variant->surely_proved = true;
            variant->stage = GT_STAGE_WAITING;
            field->ready--;
            GT_TRY(gt_array_push(&field->compiled, i));
        }
    }
    return gt_field_verify_compiled(field);
}

gputune_status gt_field_retry_hung(gt_field *field, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < field->variants.count; i++) {
        gt_variant *variant = &field->variants.items[i];
        if (gt_variant_may_be_late(variant)) {
            variant->failure = GPUTUNE_OK;
            field->failed--;
            (*count)++;
            GT_TRY(submit_verify(field, i));
        }
    }
    return GPUTUNE_OK;
}
