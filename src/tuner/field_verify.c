/* From compiled to verified variants, on the request's own GPU and on helpers.
 *
 * Helpers, other GPUs of the same kind, launch and prove newcomers first. A variant that is too
 * slow on a helper is left out. For every other variant the request's own GPU decides: it launches
 * the variant next. Times of a helper's GPU are scaled: now and then one variant is launched on
 * both GPUs, and the ratio of its times is the scale. */
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

/* The scale is measured once for every CALIBRATE_EVERY variants. A scale above EQUAL or below 1 /
 * EQUAL means that the GPUs are not equally fast; after UNEQUAL_MAX such scales in a row the helper
 * is left out. */
enum { CALIBRATE_EVERY = 32, UNEQUAL_MAX = 3 };
#define EQUAL 1.1
/* Weight of a new scale in the running mean of the scales. */
#define NEWS 0.3
/* A limit that every launch exceeds: a variant with this limit is only timed, and not proved. */
#define TIME_ALONE_NS 1

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

/* The time of a first launch on the helper's GPU from which on a variant is not proved there, in
 * nanoseconds of that GPU. `slower_ns` is the same limit on the request's own GPU. 0: no limit. A
 * variant that is already right here is launched on the helper for its time alone. The first one
 * is the exception: by it the helper's worker may learn what is right. */
static double helper_slower_ns(const gt_helper *helper, const gt_variant *variant, double slower_ns)
{
    bool calibrates = variant->stage == GT_STAGE_READY;
    return !(helper->scale > 0) ? 0 : calibrates ? TIME_ALONE_NS : slower_ns / helper->scale;
}

/* Sends a variant to the session's own measure worker (`helper` NULL), or to a helper's. A variant
 * whose launch cannot be made fails instead, and *sent is false. */
static gputune_status send_to(gt_field *field, gt_variant *variant, const gt_helper *helper,
                              bool *sent)
{
    gt_farm *farm = helper ? helper->farm : field->options.farm;
    GT_FREED gt_verify_job *job = calloc(1, sizeof *job);
    GT_TRY(gt_allocated(job));
    job->id = variant->id;
    job->standard = variant->role == GT_ROLE_DEFAULT;
    job->patient = variant->hangs > 0 || field->options.request->check;
    job->image = variant->unit->compiled.image;
    gputune_status status = describe_launches(job, field, variant);
    *sent = status == GPUTUNE_OK;
    if (status != GPUTUNE_OK) {
        status = gt_field_fail(field, variant, status, true, gt_message());
    } else {
        double slower_ns = slower_of(field, variant);
        job->slower_ns = helper ? helper_slower_ns(helper, variant, slower_ns) : slower_ns;
        job->saves = field->saves;
        job->save_count = variant->id == 0 ? field->save_count : 0;
        job->proved = variant->helped && variant->verified.proved && !variant->surely_proved;
        job->look_twice = field->options.proposer->learns && variant->role != GT_ROLE_SKETCH;
        status = farm->ops->verify(farm, job);
    }
    return status;
}

static gputune_status submit_verify(gt_field *field, gt_variant *variant)
{
    bool sent;
    GT_TRY(send_to(field, variant, NULL, &sent));
    if (sent) {
        gt_field_move(field, variant, GT_STAGE_VERIFYING);
        variant->turn = ++field->turns;
        field->verifying++;
    }
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

static gputune_status verify_here(gt_field *field)
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

/* Takes over the event's answer. The numerical errors stay those of the helper, if the variant's
 * results were compared there. */
static void take_over(gt_variant *variant, gt_event *event)
{
    const gt_verified before = variant->verified;
    free(before.findings);
    free(before.single);
    variant->verified = event->verified;
    event->verified.findings = event->verified.single = NULL;
    if (variant->helped && before.proved && !variant->surely_proved) {
        variant->verified.max_error = before.max_error;
    }
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

/* ---- helpers: their state -------------------------------------------------------------------- */

uint32_t gt_field_with_helpers(const gt_field *field)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < field->options.helper_count; i++) {
        count += field->options.helpers[i].in_hand;
    }
    return count;
}

void gt_field_schedule_helpers(gt_field *field)
{
    field->schedule.helped_per_s = 0;
    field->schedule.helped_in_hand = 0;
    for (uint32_t i = 0; i < field->options.helper_count; i++) {
        const gt_helper *helper = &field->options.helpers[i];
        bool works = !helper->lost && helper->scale > 0 && helper->schedule.newcomer_s > 0;
        field->schedule.helped_per_s += works ? 1 / helper->schedule.newcomer_s : 0;
        field->schedule.helped_in_hand += works ? gt_schedule_in_hand(&helper->schedule) : 0;
    }
}

/* Leaves a helper out of the rest of the search. The jobs that it has in hand are still
 * answered. */
static void lose(gt_field *field, gt_helper *helper, const char *why)
{
    const gt_request *request = field->options.request;
    if (!helper->lost) {
        helper->lost = true;
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING, "%s: %s is left out of this search: %s",
                    request->template->name, helper->name, why);
    }
}

/* Notes that the worker has answered the first job that it had in hand. */
static void note_answer(gt_helper *helper)
{
    gt_schedule_note_newcomer(&helper->schedule, gt_seconds_since(helper->since_ns), false);
    helper->since_ns = gt_now_ns();
    helper->in_hand--;
}

/* ---- what they get --------------------------------------------------------------------------- */

gputune_status gt_field_take_helpers(gt_field *field, uint32_t count)
{
    bool has_come = count > field->options.helper_count;
    field->options.helper_count = count;
    return has_come && field->preparing ? gt_field_prepare_helpers(field) : GPUTUNE_OK;
}

gputune_status gt_field_prepare_helpers(gt_field *field)
{
    for (uint32_t i = 0; i < field->setup->input_count; i++) {
        if (field->setup->inputs[i].is_ipc) { /* another GPU's worker does not see that memory */
            field->options.helper_count = 0;
        }
    }
    for (uint32_t i = 0; i < field->options.helper_count; i++) {
        gt_helper *helper = &field->options.helpers[i];
        if (!helper->asked) {
            helper->asked = true;
            GT_TRY(helper->farm->ops->prepare(helper->farm, field->setup));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status send(gt_field *field, gt_helper *helper, gt_variant *variant, bool *sent)
{
    GT_TRY(send_to(field, variant, helper, sent));
    if (*sent) {
        helper->since_ns = helper->in_hand++ ? helper->since_ns : gt_now_ns();
        helper->launched++;
    }
    return GPUTUNE_OK;
}

/* The variant that is launched on both GPUs to measure the scale: the fastest one, but at first the
 * default, without which no other variant can be proved on the helper. NULL: there is none yet. */
static gt_variant *calibrator(const gt_field *field, const gt_helper *helper)
{
    gt_variant *best = NULL;
    double best_ns = INFINITY;
    for (gt_variant *variant = field->first; variant; variant = variant->next) {
        double first_ns = first_launch(field, variant);
        bool may = helper->scale > 0 || variant->role == GT_ROLE_DEFAULT;
        if (variant->stage == GT_STAGE_READY && may && first_ns > 0 && first_ns < best_ns) {
            best = variant;
            best_ns = first_ns;
        }
    }
    return best;
}

static gputune_status calibrate(gt_field *field, gt_helper *helper)
{
    gt_variant *variant = calibrator(field, helper);
    if (!variant || helper->calibrates) {
        return GPUTUNE_OK;
    }
    helper->uncalibrated = 0;
    return send(field, helper, variant, &helper->calibrates);
}

/* Takes the next variant that no GPU has launched out of the queue; NULL: there is none. */
static gt_variant *take_newcomer(gt_field *field)
{
    for (size_t i = 0; i < field->compiled.count; i++) {
        const gt_variant *variant = field->compiled.items[i];
        bool may = variant->role == GT_ROLE_PROPOSED || variant->role == GT_ROLE_SKETCH;
        if (may && !variant->helped && !variant->surely_proved && !variant->hangs) {
            return take_compiled(field, i);
        }
    }
    return NULL;
}

static gputune_status give(gt_field *field, gt_helper *helper)
{
    gt_variant *variant;
    while (helper->in_hand < gt_schedule_in_hand(&helper->schedule) && helper->scale > 0 &&
           (variant = take_newcomer(field))) {
        bool sent;
        GT_TRY(send(field, helper, variant, &sent));
        variant->helper = sent ? helper : NULL;
        helper->uncalibrated += sent;
    }
    return GPUTUNE_OK;
}

/* Gives newcomers to the helpers, as many as they have room for. */
static gputune_status give_helpers(gt_field *field)
{
    for (uint32_t i = 0; i < field->options.helper_count && field->compiled.count; i++) {
        gt_helper *helper = &field->options.helpers[i];
        if (!helper->prepared || helper->lost) {
            continue;
        }
        if (!(helper->scale > 0) || helper->uncalibrated >= CALIBRATE_EVERY) {
            GT_TRY(calibrate(field, helper));
        }
        GT_TRY(give(field, helper));
    }
    return GPUTUNE_OK;
}

/* ---- what they answer ------------------------------------------------------------------------ */

static void note_scale(gt_field *field, gt_helper *helper, const gt_variant *variant,
                       double pilot_ns)
{
    double scale = first_launch(field, variant) / gt_variant_value(variant, pilot_ns);
    bool is_equal = scale < EQUAL && scale > 1 / EQUAL;
    helper->unequal = is_equal ? 0 : helper->unequal + 1;
    if (helper->unequal >= UNEQUAL_MAX) {
        char why[160];
        gt_snprintf(why, sizeof why,
                    "a launch takes %.2f times as long there: it, or this one, is throttled or "
                    "busy; see nvidia-smi",
                    1 / scale);
        lose(field, helper, why);
    }
    if (!is_equal) {
        helper->uncalibrated = CALIBRATE_EVERY; /* once more */
    } else {
        helper->scale = helper->scale > 0 ? helper->scale + NEWS * (scale - helper->scale) : scale;
    }
}

static void take_calibration(gt_field *field, gt_helper *helper, const gt_event *event)
{
    helper->calibrates = false;
    if (event->status != GPUTUNE_OK) {
        lose(field, helper, event->message);
        return;
    }
    note_scale(field, helper, field->variants.items[event->id], event->verified.pilot_ns);
}

/* The request's own GPU is next: at once after a success on the helper, else after all others. */
static gputune_status take_launch(gt_field *field, gt_helper *helper, const gt_event *event)
{
    gt_variant *variant = field->variants.items[event->id];
    variant->verified = event->verified;
    variant->verified.pilot_ns *= helper->scale;
    if (variant->role == GT_ROLE_SKETCH) {
        gt_field_settle_sketch(field, variant);
        return GPUTUNE_OK;
    }
    if (!event->verified.proved) {
        return mark_slower(field, variant);
    }
    GT_TRY(helper->farm->ops->drop(helper->farm, event->id));
    gt_field_tell(field, variant, gt_field_pilot(field, variant));
    variant->helped = true;
    return put_first(field, variant);
}

static gputune_status take_failure(gt_field *field, gt_helper *helper, const gt_event *event)
{
    gt_variant *variant = field->variants.items[event->id];
    if (event->status == GPUTUNE_ETIMEOUT) { /* it is tried again here, when nothing else is left */
        variant->hangs++;
        return gt_field_fail(field, variant, event->status, false, event->message);
    }
    if (!gt_ending_of(event->status)->costs_one_variant) {
        lose(field, helper, event->message);
    }
    variant->helped = true;
    return gt_array_push(&field->compiled, variant);
}

gputune_status gt_field_handle_helper(gt_field *field, gt_event *event)
{
    gt_helper *helper = &field->options.helpers[event->gpu - 1];
    if (event->kind == GT_EVENT_PREPARED) {
        helper->prepared = event->status == GPUTUNE_OK;
        if (!helper->prepared) {
            lose(field, helper, event->message);
        }
        return GPUTUNE_OK;
    }
    gt_variant *variant = field->variants.items[event->id];
    note_answer(helper);
    if (variant->helper != helper) {
        take_calibration(field, helper, event);
        return GPUTUNE_OK;
    }
    variant->helper = NULL;
    return event->status == GPUTUNE_OK ? take_launch(field, helper, event)
                                       : take_failure(field, helper, event);
}

/* ---- either ---------------------------------------------------------------------------------- */

gputune_status gt_field_verify_compiled(gt_field *field)
{
    GT_TRY(verify_here(field));
    return give_helpers(field);
}

gputune_status gt_field_handle_verified(gt_field *field, gt_event *event)
{
    bool again = false;
    gt_variant *variant = field->variants.items[event->id];
    if (event->gpu) {
        return gt_field_handle_helper(field, event);
    }
    field->verifying--;
    GT_REFUSE(event->status != GPUTUNE_OK && !gt_ending_of(event->status)->costs_one_variant,
              event->status, "%s", event->message);
    if (event->status == GPUTUNE_EWRONG && variant->role != GT_ROLE_SKETCH) {
        GT_TRY(let_default_precede(&again, field, variant));
    }
    if (again) {
        return GPUTUNE_OK;
    }
    if (event->status != GPUTUNE_OK) {
        variant->hangs += event->status == GPUTUNE_ETIMEOUT;
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

static gputune_status try_again(gt_field *field, gt_variant *variant, gt_tried_again *out)
{
    if (gt_variant_may_be_late(variant)) {
        variant->failure = GPUTUNE_OK;
        out->hung++;
        return submit_verify(field, variant);
    }
    if (variant->stage != GT_STAGE_LATE) {
        return GPUTUNE_OK;
    }
    variant->tried_late = true;
    gt_field_move(field, variant, GT_STAGE_WAITING);
    return gt_field_start(field, variant);
}

gputune_status gt_field_try_again(gt_field *field, gt_tried_again *out)
{
    *out = (gt_tried_again){.late = field->in[GT_STAGE_LATE]};
    for (gt_variant *variant = field->first; variant; variant = variant->next) {
        GT_TRY(try_again(field, variant, out));
    }
    return GPUTUNE_OK;
}
