/* Variants that take too long: they do not hold up the others, are tried last, and are remembered
 * with the limit that they had. */
#include "tuner/field_parts.h"

#include "base/clock.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>

/* The fraction of the limit for which a compile may always hold its worker, and for which other
 * variants wait for the default. */
static const double SHARE = 0.2;
/* The fraction of the limit from which on a variant counts as too slow for that limit. */
static const double MOST = 0.5;
/* The fraction of the limit, in seconds of processor time, that a compile which was put off must
 * have had to count as too slow for that limit: on a busy machine each compile takes long. */
static const double FAIR = 0.3;
/* A compile that was not put off and had fewer seconds is not judged. */
static const double LEAST_S = 3;
/* A compile is slow if it takes this many times as long as the longest one that ended. */
static const double SLOW = 8;
/* No compile is given up earlier, in seconds: replacing the worker takes about half a second. */
static const double GIVEN_UP_S = 1;
/* A compile is asked about again when it has been running for so many times as long. */
static const double AGAIN = 1.25;
enum { AT_ONCE = 256 }; /* compiles that are looked at */

static double limit_s(const gt_field *field)
{
    return field->options.request->options.time_limit_s;
}

/* --- during the call -------------------------------------------------------------------------- */

gputune_status gt_field_defer(gt_field *field, gt_variant *variant, gt_deferral why,
                              gputune_status failure, const char *message)
{
    gt_field_move(field, variant, GT_STAGE_DEFERRED);
    variant->deferral = why;
    variant->failure = failure;
    if (why == GT_DEFERRED_WORTHLESS) {
        field->worthless += 1 + (uint32_t)variant->duplicates.count;
    }
    gt_field_tell(field, variant, 0);
    return message ? gt_field_explain(field, variant, message) : GPUTUNE_OK;
}

void gt_field_note_compiled(gt_field *field, const gt_unit *unit)
{
    if (unit->id >= GT_UNIT_FIRST && unit->stage == GT_STAGE_READY) {
        double seconds = unit->compiled.compile_ns * 1e-9;
        field->longest_s = fmax(field->longest_s, seconds);
        gt_schedule_note_compile(&field->schedule, seconds);
    }
}

/* Without a reference the default's results are the expected ones. */
static gputune_status stop_waiting_for_default(gt_field *field)
{
    const gt_workload *workload = &field->options.request->workload;
    if (!field->awaits_default || !gt_workload_is_judged(workload) ||
        gt_seconds_since(field->start_ns) < SHARE * limit_s(field)) {
        return GPUTUNE_OK;
    }
    field->awaits_default = false;
    return gt_field_verify_compiled(field);
}

static bool others_wait(const gt_field *field, uint32_t running)
{
    return field->compiling > running || field->started < field->variants.count ||
           gt_field_has_more_proposals(field);
}

/* Whether no variant that waits for a unit is tried late already, or is the default: such compiles
 * go on to the end, or to the end of the call. The default may only hold up others if it does not
 * hold the only worker. */
static bool may_be_put_off(const gt_field *field, const gt_unit *unit)
{
    bool only = field->options.farm->compile_workers == 1;
    for (const gt_variant *next = unit->waiting; next; next = next->sibling) {
        if (next->retried || (next->role == GT_ROLE_DEFAULT && !only)) {
            return false;
        }
    }
    return true;
}

/* How long a compile may hold its worker. Where none has ended, perhaps none is faster: then only
 * one worker at a time is freed. */
static double compile_share_s(const gt_field *field)
{
    double share_s = SHARE * limit_s(field);
    if (field->longest_s > 0) {
        return fmax(share_s, SLOW * field->longest_s);
    }
    bool is_time = !field->last_put_off_ns || gt_seconds_since(field->last_put_off_ns) > share_s;
    return is_time ? share_s : INFINITY;
}

/* Whether a compile is given up that has been running for so long. The default and the fallback are
 * always waited for; another source is waited for while the proposer wants one of its variants. */
static bool is_given_up(const gt_field *field, gt_unit *unit, double seconds)
{
    gt_proposer *proposer = field->options.proposer;
    if (!proposer->gives_up || seconds < fmax(GIVEN_UP_S, unit->asked_s * AGAIN)) {
        return false;
    }
    unit->asked_s = seconds;
    for (const gt_variant *next = unit->waiting; next; next = next->sibling) {
        if (next->role != GT_ROLE_PROPOSED ||
            !proposer->gives_up(proposer, &next->config, seconds)) {
            return false;
        }
    }
    return true;
}

/* Ends a compile that is given up, or that is put off while others wait for its worker. */
static void end_if_slow(gt_field *field, const gt_compiling *job, uint32_t running)
{
    gt_unit *unit = field->units.items[job->id];
    if (job->id < GT_UNIT_FIRST || unit->given_up || unit->put_off) {
        return;
    }
    unit->given_up = is_given_up(field, unit, job->seconds);
    unit->put_off = !unit->given_up && field->options.races && others_wait(field, running) &&
                    may_be_put_off(field, unit) && job->seconds > compile_share_s(field);
    if (unit->put_off) {
        field->last_put_off_ns = gt_now_ns();
        unit->spent_s += job->seconds;
    }
    if (unit->given_up || unit->put_off) {
        field->options.farm->ops->give_up(field->options.farm, job->id);
    }
}

gputune_status gt_field_end_slow_compiles(gt_field *field)
{
    gt_compiling jobs[AT_ONCE];
    gt_farm *farm = field->options.farm;
    if (!field->compiling) {
        return GPUTUNE_OK;
    }
    uint32_t count = farm->ops->compiling(farm, jobs, AT_ONCE);
    for (uint32_t i = 0; i < count; i++) {
        end_if_slow(field, &jobs[i], count);
    }
    return field->options.races ? stop_waiting_for_default(field) : GPUTUNE_OK;
}

/* --- at its end ------------------------------------------------------------------------------- */

/* Whether a source that is not compiled has been compiling for most of the limit, or had a fair
 * part of it in turns of its own: until it was put off, and after all others. */
static bool compiles_slowly(const gt_field *field, const gt_variant *variant,
                            const gt_compiling *jobs, uint32_t count)
{
    const gt_unit *unit = variant->unit;
    double now_s = 0;
    if (!unit || unit->stage == GT_STAGE_READY) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        now_s = jobs[i].id == unit->id ? jobs[i].seconds : now_s;
    }
    return now_s > fmax(MOST * limit_s(field), LEAST_S) ||
           ((unit->spent_s > 0 || variant->retried) &&
            unit->spent_s + now_s > FAIR * limit_s(field));
}

/* The measure worker answers in order: it has the variant in hand that was sent first. */
static uint32_t turn_in_hand(const gt_field *field)
{
    uint32_t least = UINT32_MAX;
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        if (variant->stage == GT_STAGE_VERIFYING && variant->turn < least) {
            least = variant->turn;
        }
    }
    return least;
}

static gputune_status fail_unfinished(gt_field *field, gt_variant *variant)
{
    bool compiled = variant->unit->stage == GT_STAGE_READY;
    char message[96];
    gt_snprintf(message, sizeof message, "%s within the %.3g s limit; raise the time limit",
                compiled ? "did not finish" : "was not compiled", limit_s(field));
    variant->limit_s = limit_s(field);
    return variant->stage == GT_STAGE_DEFERRED
               ? gt_field_defer(field, variant, variant->deferral, GPUTUNE_ETIMEOUT, message)
               : gt_field_fail(field, variant, GPUTUNE_ETIMEOUT, false, message);
}

/* The default is not suspected for a kernel that is slow as such. */
static bool runs_for_too_long(const gt_field *field, const gt_variant *variant, uint32_t in_hand,
                              double busy_s)
{
    bool suspect = variant->turn == in_hand && field->prepared &&
                   variant->role != GT_ROLE_DEFAULT && busy_s > MOST * limit_s(field);
    return variant->stage == GT_STAGE_VERIFYING &&
           (variant->deferral == GT_DEFERRED_HUNG || suspect);
}

/* Whether a default that is in hand for so long may never end: for half of what the farm allows it
 * (farm_measure.c), so that a call of a limit below that does not return it. */
static bool may_never_end(const gt_field *field, double busy_s)
{
    static const double least_s = 0.5, least_emulated_s = 2, references = 500, preparations = 2.5;
    const gt_prepared *prepared = &field->preparation;
    double least = field->options.request->device->emulated ? least_emulated_s : least_s;
    least = fmax(least, references * prepared->reference_ns * 1e-9);
    return busy_s > fmax(least, preparations * prepared->prepare_ns * 1e-9);
}

static gputune_status fail_running(gt_field *field, gt_variant *standard, double busy_s)
{
    char message[128];
    gt_snprintf(
        message, sizeof message,
        "it had been running for %.3g s when the time limit came: it may never end, or need a "
        "longer limit",
        busy_s);
    standard->limit_s = MOST * limit_s(field); /* a call of the same limit tries it again */
    return gt_field_defer(field, standard, GT_DEFERRED_LATE, GPUTUNE_ETIMEOUT, message);
}

gputune_status gt_field_note_unfinished(gt_field *field, double busy_s)
{
    gt_compiling jobs[AT_ONCE];
    gt_farm *farm = field->options.farm;
    uint32_t count = farm->ops->compiling(farm, jobs, AT_ONCE);
    uint32_t in_hand = turn_in_hand(field);
    double most_s = MOST * limit_s(field);
    for (uint32_t i = 0; i < field->started; i++) {
        gt_variant *variant = field->variants.items[i];
        bool deferred = gt_variant_may_be_retried(variant);
        if (variant->role == GT_ROLE_SKETCH) {
            continue;
        }
        bool in_hand_now = variant->stage == GT_STAGE_VERIFYING && variant->turn == in_hand;
        bool waits = variant->stage == GT_STAGE_WAITING || deferred;
        if (deferred && variant->failure != GPUTUNE_OK) {
            variant->limit_s = most_s; /* a call of the same limit may have time to try it again */
        } else if ((waits && compiles_slowly(field, variant, jobs, count)) ||
                   runs_for_too_long(field, variant, in_hand, busy_s)) {
            GT_TRY(fail_unfinished(field, variant));
        } else if (variant->role == GT_ROLE_DEFAULT && in_hand_now && field->prepared &&
                   may_never_end(field, busy_s)) {
            GT_TRY(fail_running(field, variant, busy_s));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_field_note_running(gt_field *field, double busy_s)
{
    const uint32_t in_hand = turn_in_hand(field);
    for (uint32_t i = 0; i < field->started; i++) {
        gt_variant *variant = field->variants.items[i];
        if (variant->stage == GT_STAGE_VERIFYING && variant->turn == in_hand && field->prepared &&
            may_never_end(field, busy_s)) {
            return fail_running(field, variant, busy_s);
        }
    }
    return GPUTUNE_OK;
}
