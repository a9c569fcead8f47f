/* The experiments of a trial: a data set is tried on the reference and the default variant, and
 * what they do not survive is dropped, value by value. */
#include "base/hash.h"
#include "base/number.h"
#include "farm/measure_trial_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Contents -------------------------------------------------------------------------------- */

bool gt_variation_is(const gt_variation *a, const gt_variation *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static gputune_status make(gt_trial *trial, const gt_variation *variation)
{
    gt_measure *measure = &trial->measure;
    gt_workspace *workspace = &measure->workspaces[0];
    gt_workload_vary(&workspace->workload, &trial->base, variation);
    trial->now = *variation;
    trial->made = false;
    measure->has_tolerances = measure->has_expected = false;
    measure->damage = GT_DAMAGE_NONE;
    GT_TRY(gt_workspace_values(measure, workspace));
    GT_TRY(gt_tables_plan(measure));
    GT_TRY(gt_contents_make(measure, measure->setup.seed, false));
    trial->made = true;
    return GPUTUNE_OK;
}

gputune_status gt_trial_hold(gt_trial *trial, const gt_variation *variation)
{
    return trial->made && gt_variation_is(&trial->now, variation)
               ? gt_contents_refresh(&trial->measure)
               : make(trial, variation);
}

/* ---- One launch ------------------------------------------------------------------------------ */

/* Passes one buffer for each pair of twins: that holds what the other does, unless it was sent. */
gputune_status gt_trial_launch(gt_trial *trial, gt_loaded *variant)
{
    const gt_workspace *on = &trial->measure.workspaces[0];
    const void *arguments[GT_BLOCK_MAX + GT_PARAMETER_MAX];
    memcpy(arguments, on->arguments, on->argument_count * sizeof *arguments);
    for (const gt_buffer_slot *slot = on->slots; slot < on->slots_end; ++slot) {
        const uint32_t twin = slot->buffer->twin;
        if (twin && !slot->live && !on->slots[twin - 1].live) {
            arguments[gt_argument_place(&on->workload, slot->index)] =
                arguments[gt_argument_place(&on->workload, twin - 1)];
        }
    }
    return gt_measure_launch(trial->parent, variant->launchers[trial->launcher], arguments);
}

gputune_status gt_trial_launch_checked(gt_trial *trial, gt_loaded *variant)
{
    gt_measure *own = &trial->measure;
    GT_TRY(gt_service_run(own, GT_SERVICE_RESET, &own->again, false));
    GT_TRY(gt_service_poison_shared(own, GT_POISON_MIXED + 2));
    GT_TRY(gt_trial_launch(trial, variant));
    if (own->workspaces[0].workload.has_check) {
        GT_TRY(gt_check_launch(own, &own->workspaces[0]));
    }
    return gt_service_check(own, &own->check, false, own->findings);
}

/* ---- Judging --------------------------------------------------------------------------------- */

void gt_trial_say_name(gt_text *text, const gt_scalar *scalar, const gt_number *number)
{
    bool is_part = strcmp(scalar->name, number->name) != 0;
    gt_text_printf(text, is_part ? "%s.%s" : "%s", scalar->name, number->name);
}

void gt_trial_say_value(gt_text *text, const gt_number *number)
{
    if (gt_type_is_float(number->type)) {
        gt_text_printf(text, "%.6g", number->low);
    } else {
        gt_text_printf(text, "%lld", (long long)number->integer);
    }
}

/* Appends the scalars that have other values, the first ones by name. */
static void say_scalars(gt_text *text, const gt_workload *now, const gt_variation *variation)
{
    enum { NAMED = 6 };
    uint32_t changed = 0;
    for (uint32_t i = 0; i < now->scalar_count; ++i) {
        const gt_scalar *scalar = &now->scalars[i];
        for (uint32_t k = 0; k < scalar->number_count; ++k) {
            const uint32_t index = scalar->first_number + k;
            if (variation->scalars[index] == GT_SCALARS_OWN || changed++ >= NAMED) {
                continue;
            }
            gt_text_append(text, changed > 1 ? ", " : "where ");
            gt_trial_say_name(text, scalar, &now->numbers[index]);
            gt_text_append(text, " = ");
            gt_trial_say_value(text, &now->numbers[index]);
        }
    }
    if (changed > NAMED) {
        gt_text_printf(text, " and %u more scalars have other values", changed - NAMED);
    }
}

void gt_trial_describe(gt_text *text, const gt_trial *trial, const gt_workload *now,
                       const gt_variation *variation)
{
    static const char *const contents[] = {
        [GT_CONTENTS_PLAIN] = "other inputs",
        [GT_CONTENTS_EXTREMES] = "inputs with extremes and constants",
        [GT_CONTENTS_SPECIALS] = "inputs with NaN, infinities, extremes and constants",
        [GT_CONTENTS_ZERO] = "inputs that are all zero",
        [GT_CONTENTS_HIGH] = "inputs that are all the same",
        [GT_CONTENTS_LOW] = "inputs that are all the same",
        [GT_CONTENTS_TIES] = "inputs of few values, halfway between whole numbers",
        [GT_CONTENTS_ROWS] = "empty rows",
        [GT_CONTENTS_TWINS] = "one buffer for inputs of one type and size"};
    const char *awkward = trial->parent->setup.awkward;
    gt_text_printf(text, "%s%s%s", awkward[0] ? "at " : "", awkward, awkward[0] ? " " : "");
    size_t before = text->length;
    say_scalars(text, now, variation);
    gt_text_printf(text, "%swith %s", text->length > before ? ", " : "",
                   contents[variation->contents]);
}

static void describe_now(gt_text *text, const gt_trial *trial)
{
    gt_trial_describe(text, trial, &trial->measure.workspaces[0].workload, &trial->now);
}

gputune_status gt_trial_judge_results(gt_verified *out, gt_trial *trial, const char *words)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    gt_text_append(&text, " ");
    describe_now(&text, trial);
    gt_text_append(&text, words);
    return gt_report_trial(out, &trial->measure, gt_text_string(&text));
}

gputune_status gt_trial_wait(gt_trial *trial, const char *words)
{
    gt_verified ignored = {0};
    gputune_status status = gt_measure_wait(&trial->measure);
    trial->parent->lost |= trial->measure.lost;
    return status < 0 ? status : gt_trial_judge_results(&ignored, trial, words);
}

gputune_status gt_trial_say_where(gputune_status status, const gt_trial *trial)
{
    if (status < 0 && status != GPUTUNE_EWRONG) {
        GT_SCOPED(gt_text_free) gt_text text = {0};
        gt_text_append(&text, "launched ");
        describe_now(&text, trial);
        gt_message_prefix("%s", gt_text_string(&text));
    }
    return status;
}

/* ---- One experiment -------------------------------------------------------------------------- */

uint64_t gt_trial_key(const gt_variation *variation)
{
    return gt_hash64(variation, sizeof *variation) | 1;
}

gt_fate gt_trial_known_fate(gt_trial *trial, uint64_t key)
{
    for (uint32_t i = 0; i < trial->lost.item_count; i++) {
        if (trial->lost.items[i].key == key) {
            trial->met++;
            return trial->lost.items[i].hung ? GT_FATE_HANGS : GT_FATE_CRASHES;
        }
    }
    bool is_enough = trial->lost.item_count == GT_LOST_MAX && trial->met >= GT_LOST_MAX;
    return is_enough ? GT_FATE_UNTRIED : GT_FATE_SURVIVED;
}

void gt_trial_announce(const gt_trial *trial, uint64_t key)
{
    gt_desk *desk = trial->parent->desk;
    if (desk) {
        desk->hand.trying = key;
        gt_desk_take(desk, desk->hand.variant);
    }
}

/* How many of the numbers that a variation changes are flags. */
static uint32_t count_flags(const gt_trial *trial, const gt_variation *variation)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < trial->base.number_count; i++) {
        count += variation->scalars[i] != GT_SCALARS_OWN && gt_number_is_flag(&trial->base, i);
    }
    return count;
}

/* Whether the reference leaves more unwritten than with the scalars' own values: where such a
 * number counts elements, or steps from one to the next, it says nothing any more. */
static bool has_more_gaps(const gt_trial *trial)
{
    bool has = false;
    const gt_workspace *workspace = &trial->measure.workspaces[0];
    for (const gt_buffer_slot *slot = workspace->slots; slot < workspace->slots_end; ++slot) {
        has |= slot->gaps > trial->gaps[slot->index];
    }
    return has;
}

static gputune_status launch_and_judge(gt_trial *trial, gt_loaded *variant)
{
    GT_TRY(gt_trial_launch_checked(trial, variant));
    return gt_trial_wait(trial, "");
}

static gputune_status run(bool *fits, gt_trial *trial, const gt_variation *variation,
                          gt_loaded *standard)
{
    const bool emulated = trial->measure.device.emulated;
    const int64_t begun_ns = gt_budget_clock(emulated);
    gputune_status status = gt_trial_hold(trial, variation);
    trial->parent->lost |= trial->measure.lost;
    *fits = status == GPUTUNE_OK && !(count_flags(trial, variation) && has_more_gaps(trial));
    if (*fits) {
        trial->make_ns = fmax(trial->make_ns, (double)(gt_budget_clock(emulated) - begun_ns));
    }
    if (*fits && standard) {
        *fits = launch_and_judge(trial, standard) == GPUTUNE_OK;
    }
    return trial->parent->lost ? gt_fail(GPUTUNE_ECRASHED, "%s", gt_message()) : GPUTUNE_OK;
}

/* Tries a variation on the reference, and on the default variant unless that is NULL. Fails only if
 * the GPU is lost. */
static gputune_status experiment(gt_fate *out, gt_trial *trial, const gt_variation *variation,
                                 gt_loaded *standard)
{
    const uint64_t key = gt_trial_key(variation);
    bool fits;
    *out = gt_trial_known_fate(trial, key);
    if (*out != GT_FATE_SURVIVED) {
        return GPUTUNE_OK;
    }
    gt_trial_announce(trial, key);
    gputune_status status = run(&fits, trial, variation, standard);
    if (status == GPUTUNE_OK) {
        gt_trial_announce(trial, 0);
    }
    if (!fits && count_flags(trial, variation)) { /* who knows where it has written */
        trial->parent->damage = GT_DAMAGE_EVERYTHING;
    }
    *out = fits ? GT_FATE_SURVIVED : GT_FATE_DIFFERS;
    return status;
}

/* ---- What can be demanded -------------------------------------------------------------------- */

/* The next contents that demand less; false: there are none. */
static bool narrow_contents(gt_variation *variation)
{
    bool can = variation->contents > GT_CONTENTS_PLAIN;
    variation->contents =
        variation->contents == GT_CONTENTS_SPECIALS ? GT_CONTENTS_EXTREMES : GT_CONTENTS_PLAIN;
    return can;
}

/* Finds contents, as far as possible those of `*variation`, that survive with its scalars. Gives up
 * at the first crash if the scalars may be the cause. */
static gputune_status settle_contents(gt_fate *out, gt_trial *trial, gt_variation *variation,
                                      gt_loaded *standard)
{
    const gt_variation own = {.contents = variation->contents, .turn = variation->turn};
    const bool is_own = gt_variation_is(variation, &own);
    do {
        GT_TRY(experiment(out, trial, variation, standard));
    } while (*out != GT_FATE_SURVIVED && (*out == GT_FATE_DIFFERS || is_own) &&
             narrow_contents(variation));
    return GPUTUNE_OK;
}

/* Tries another value of one number, and leaves it where it survives: a float's, then one of the
 * same sign. */
static gputune_status settle_number(gt_trial *trial, gt_variation *variation, uint32_t number,
                                    gt_scalars wanted, gt_loaded *standard)
{
    gt_fate its;
    variation->scalars[number] = wanted;
    GT_TRY(experiment(&its, trial, variation, standard));
    if (its == GT_FATE_DIFFERS && wanted == GT_SCALARS_FAR &&
        gt_type_is_float(trial->base.numbers[number].type)) {
        variation->scalars[number] = GT_SCALARS_NEAR;
        GT_TRY(experiment(&its, trial, variation, standard));
    }
    if (its != GT_FATE_SURVIVED) {
        variation->scalars[number] = GT_SCALARS_OWN;
        trial->fates[number] = (uint8_t)its;
    }
    return GPUTUNE_OK;
}

/* Adds one by one the scalars of `wanted` that the variation lacks. In time that is up they keep
 * their values. */
static gputune_status settle_scalars(gt_trial *trial, gt_variation *variation,
                                     const gt_variation *wanted, gt_loaded *standard)
{
    const gt_budget all =
        gt_budget_of(trial, ONE_BY_ONE_NS * gt_trial_slowness(trial) + 4 * trial->make_ns);
    for (uint32_t i = 0; i < trial->base.number_count; i++) {
        bool lacks = wanted->scalars[i] != variation->scalars[i];
        if (lacks && !gt_budget_has(&all, trial->make_ns)) {
            trial->fates[i] = GT_FATE_UNTRIED;
        } else if (lacks) {
            GT_TRY(settle_number(trial, variation, i, (gt_scalars)wanted->scalars[i], standard));
        }
    }
    return GPUTUNE_OK;
}

void gt_trial_keep_flags(gt_variation *variation, const gt_trial *trial)
{
    for (uint32_t i = 0; i < trial->base.number_count; i++) {
        if (gt_number_is_flag(&trial->base, i)) {
            variation->scalars[i] = GT_SCALARS_OWN;
        }
    }
}

/* Leaves out the scalars of which another value has ended a worker. */
static void keep_fatal(gt_variation *variation, const gt_trial *trial)
{
    for (uint32_t i = 0; i < trial->base.number_count; i++) {
        if (trial->fates[i] == GT_FATE_CRASHES || trial->fates[i] == GT_FATE_HANGS) {
            variation->scalars[i] = GT_SCALARS_OWN;
        }
    }
}

gputune_status gt_trial_settle(gt_trial *trial, gt_data_set *set, gt_loaded *standard)
{
    enum { FEW = 8 };
    gt_fate its;
    gt_variation wanted = set->variation;
    keep_fatal(&wanted, trial);
    gt_variation found = wanted;
    if (count_flags(trial, &found) <= FEW) {
        gt_trial_keep_flags(&found, trial);
    }
    GT_TRY(settle_contents(&its, trial, &found, standard));
    if (its != GT_FATE_SURVIVED) {
        found = (gt_variation){.contents = wanted.contents, .turn = wanted.turn};
        GT_TRY(settle_contents(&its, trial, &found, standard));
    }
    set->tried = true;
    set->survived = its == GT_FATE_SURVIVED;
    GT_TRY(set->survived ? settle_scalars(trial, &found, &wanted, standard) : GPUTUNE_OK);
    set->variation = found;
    for (uint32_t i = 0; i < trial->base.number_count && set->survived && standard; i++) {
        trial->varied[i] |= found.scalars[i] != GT_SCALARS_OWN;
    }
    return GPUTUNE_OK;
}
