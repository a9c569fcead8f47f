/* Newcomers on other GPUs of the same kind. */
#include "tuner/field_parts.h"

#include "base/clock.h"
#include "base/number.h"
#include "tuner/outcome.h"

#include <math.h>
#include <string.h>

/* The scale is measured once for every CALIBRATE_EVERY variants. A scale above EQUAL or below 1 /
 * EQUAL means that the GPUs are not equally fast; after UNEQUAL_MAX such scales in a row the helper
 * is left out. */
enum { CALIBRATE_EVERY = 32, UNEQUAL_MAX = 3 };
#define EQUAL 1.1
/* Weight of a new scale in the running mean of the scales. */
#define NEWS 0.3
/* A limit that every launch exceeds: a variant with this limit is only timed, and not proved. */
#define TIME_ALONE_NS 1

/* ---- their state ----------------------------------------------------------------------------- */

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
        gt_log_line(&request->services->log, GPUTUNE_LOG_WARNING,
                    "%s: %s is left out of this search: %s", request->template->name, helper->name,
                    why);
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

/* A variant that is already right here is launched on the helper for its time alone. The first one
 * is the exception: by it the helper's worker may learn what is right. */
double gt_helper_slower_ns(const gt_helper *helper, const gt_variant *variant, double slower_ns)
{
    bool calibrates = variant->stage == GT_STAGE_READY;
    return !(helper->scale > 0) ? 0 : calibrates ? TIME_ALONE_NS : slower_ns / helper->scale;
}

static gputune_status send(gt_field *field, gt_helper *helper, uint32_t index, bool *sent)
{
    GT_TRY(gt_field_send(field, index, helper, sent));
    if (*sent) {
        helper->since_ns = helper->in_hand++ ? helper->since_ns : gt_now_ns();
        helper->launched++;
    }
    return GPUTUNE_OK;
}

/* The variant that is launched on both GPUs to measure the scale: the fastest one, but at first the
 * default, without which no other variant can be proved on the helper. GT_NO_VARIANT: there is none
 * yet. */
static uint64_t calibrator(const gt_field *field, const gt_helper *helper)
{
    uint64_t best = GT_NO_VARIANT;
    double best_ns = INFINITY;
    for (uint32_t i = 0; i < field->variants.count; i++) {
        const gt_variant *variant = &field->variants.items[i];
        double first_ns = gt_field_first_launch(field, i);
        bool may = helper->scale > 0 || variant->role == GT_ROLE_DEFAULT;
        if (variant->stage == GT_STAGE_READY && may && first_ns > 0 && first_ns < best_ns) {
            best = i;
            best_ns = first_ns;
        }
    }
    return best;
}

static gputune_status calibrate(gt_field *field, gt_helper *helper)
{
    uint64_t index = calibrator(field, helper);
    if (index == GT_NO_VARIANT || helper->calibrates) {
        return GPUTUNE_OK;
    }
    helper->uncalibrated = 0;
    return send(field, helper, (uint32_t)index, &helper->calibrates);
}

/* Takes the next variant that no GPU has launched out of the queue; false: there is none. */
static bool take_newcomer(gt_field *field, uint32_t *index)
{
    for (size_t i = 0; i < field->compiled.count; i++) {
        const gt_variant *variant = &field->variants.items[field->compiled.items[i]];
        bool may = variant->role == GT_ROLE_PROPOSED || variant->role == GT_ROLE_SKETCH;
        if (may && !variant->helped && !variant->surely_proved && !variant->hangs) {
            *index = field->compiled.items[i];
            field->compiled.count--;
            memmove(&field->compiled.items[i], &field->compiled.items[i + 1],
                    (field->compiled.count - i) * sizeof *index);
            return true;
        }
    }
    return false;
}

static gputune_status give(gt_field *field, gt_helper *helper)
{
    uint32_t index;
    while (helper->in_hand < gt_schedule_in_hand(&helper->schedule) && helper->scale > 0 &&
           take_newcomer(field, &index)) {
        bool sent;
        gt_variant *variant = &field->variants.items[index];
        GT_TRY(send(field, helper, index, &sent));
        variant->helper = sent ? (uint32_t)(helper - field->options.helpers) + 1 : 0;
        helper->uncalibrated += sent;
    }
    return GPUTUNE_OK;
}

gputune_status gt_field_give_helpers(gt_field *field)
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

static void note_scale(gt_field *field, gt_helper *helper, uint32_t index, double pilot_ns)
{
    double scale = gt_field_first_launch(field, index) / gt_field_value(field, index, pilot_ns);
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
    note_scale(field, helper, (uint32_t)event->id, event->verified.pilot_ns);
}

/* Queues a variant for the request's own GPU: with `first` before all others, as after a success on
 * the helper, else after them. */
static gputune_status queue_here(gt_field *field, uint32_t index, bool first)
{
    field->variants.items[index].helped = true;
    GT_TRY(gt_array_push(&field->compiled, index));
    if (first) {
        memmove(&field->compiled.items[1], field->compiled.items,
                (field->compiled.count - 1) * sizeof index);
        field->compiled.items[0] = index;
    }
    return GPUTUNE_OK;
}

static gputune_status take_launch(gt_field *field, gt_helper *helper, gt_event *event)
{
    uint32_t index = (uint32_t)event->id;
    gt_variant *variant = &field->variants.items[index];
    variant->verified = event->verified;
    variant->verified.pilot_ns *= helper->scale;
    if (variant->role == GT_ROLE_SKETCH) {
        gt_field_settle_sketch(field, index, GPUTUNE_OK);
        return GPUTUNE_OK;
    }
    if (!event->verified.proved) {
        return gt_field_mark_slower(field, index);
    }
    GT_TRY(helper->farm->ops->drop(helper->farm, index));
    gt_field_tell(field, index, gt_field_pilot(field, index));
    return queue_here(field, index, true);
}

static gputune_status take_failure(gt_field *field, gt_helper *helper, const gt_event *event)
{
    uint32_t index = (uint32_t)event->id;
    if (event->status == GPUTUNE_ETIMEOUT && field->variants.items[index].role == GT_ROLE_SKETCH) {
        gt_field_settle_sketch(field, index, event->status);
        return GPUTUNE_OK;
    }
    if (event->status == GPUTUNE_ETIMEOUT) { /* it is tried again here, when nothing else is left */
        field->variants.items[index].hangs++;
        return gt_field_fail(field, index, event->status, false, event->message);
    }
    if (!gt_ending_of(event->status)->costs_one_variant) {
        lose(field, helper, event->message);
    }
    return queue_here(field, index, false);
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
    gt_variant *variant = &field->variants.items[event->id];
    note_answer(helper);
    if (variant->helper != event->gpu) {
        take_calibration(field, helper, event);
        return GPUTUNE_OK;
    }
    variant->helper = 0;
    return event->status == GPUTUNE_OK ? take_launch(field, helper, event)
                                       : take_failure(field, helper, event);
}
