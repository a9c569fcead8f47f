/* The trial: further data sets at the odd-tail size, on which variants are proved as well. Scalars
 * that are not sizes have other values, and inputs contain rare values. A trial is a gt_measure
 * with one workload, which shares the device with its parent.
 *
 * Each data set is an experiment until the reference and the default variant have survived it. Only
 * values that make one of them fail, or both disagree, are dropped; other variants are tried with
 * the rest. An experiment may end the worker or hang. Therefore the worker reports an experiment's
 * key before it runs, and the host passes the keys of those that ended workers to the next worker
 * (gt_lost). */
#include "farm/measure_trial.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"
#include "farm/measure_contents.h"
#include "farm/measure_memory.h"
#include "farm/measure_report.h"
#include "farm/measure_service.h"
#include "farm/measure_tables.h"
#include "farm/measure_verify.h"
#include "kernel/bind/vary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum gt_fate {
    GT_FATE_SURVIVED,
    GT_FATE_DIFFERS, /* the reference has no usable results, or the default's results differ from
                        them */
    GT_FATE_CRASHES,
    GT_FATE_HANGS,
    GT_FATE_UNTRIED
} gt_fate;

typedef struct gt_data_set {
    gt_variation variation; /* the data to try; after that, the part of them that survived */
    /* tried: the data were tried; survived: a part of them did not end the worker */
    bool tried, survived;
} gt_data_set;

enum { ROUNDS_MAX = 11 + GT_OTHER_MAX };

struct gt_data_trial {
    gt_measure measure;             /* state of the trial; its parent is the setup's state */
    gt_workload base;               /* the workload with the requested values */
    gt_data_set usual;              /* the data set on which every variant is tried */
    gt_data_set rounds[ROUNDS_MAX]; /* further data sets for a winner */
    uint32_t round_count;
    gt_variation now;             /* the data set in the buffers */
    bool made;                    /* true if the buffers also have the reference's results for it */
    gt_lost lost;                 /* experiments during which earlier workers ended */
    uint32_t met;                 /* how many of these experiments this worker has skipped so far */
    uint8_t fates[GT_NUMBER_MAX]; /* by number: the effect of other values */
    bool varied[GT_NUMBER_MAX];   /* by number: true if the default survived another value */
    uint64_t gaps[GT_PARAMETER_MAX]; /* by buffer: elements that the reference does not write with
                                        the own values */
    char words[128];                 /* how `usual` differs from the requested data */
    uint32_t launcher;               /* index of a variant's launcher for the trial's size */
    double share;                    /* fraction of the time for launches that may be spent */
    double spend_ns;                 /* time limit of a winner's trial */
    double make_ns;    /* longest time for creating a data set and the reference's results */
    uint64_t standard; /* the default variant; GT_NO_VARIANT: not proved yet */
};

/* Returns the current time, or on an emulated device the processor time. */
static double trial_now_ns(const gt_data_trial *trial)
{
    return trial->measure.device.emulated ? (double)clock() * (1e9 / CLOCKS_PER_SEC)
                                          : (double)gt_now_ns();
}

/* The time for each part of the trial in ns, and the factor for more time on an emulated device. */
enum {
    OFTEN_NS = 3000000,
    ROW_NS = 6000000,
    ROUNDS_NS = 20000000,
    ONE_BY_ONE_NS = 100000000,
    EMULATED = 50
};

static double gt_trial_slowness(const gt_data_trial *trial)
{
    return trial->measure.device.emulated ? EMULATED : 1;
}

static bool variation_is(const gt_variation *a, const gt_variation *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Fills the buffers with a data set and runs the reference on it, unless they hold it already. */
static gputune_status trial_hold(gt_data_trial *trial, const gt_variation *variation)
{
    gt_measure *measure = &trial->measure;
    gt_workspace *workspace = &measure->workspaces[0];
    if (trial->made && variation_is(&trial->now, variation)) {
        return gt_contents_refresh(measure);
    }
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

/* Launches with shared buffers: inputs with the same contents are one buffer, unless the host sent
 * one of them. */
static gputune_status trial_launch(gt_data_trial *trial, gt_loaded *variant)
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
    return gt_measure_launch(trial->measure.parent, variant->launchers[trial->launcher], arguments);
}

/* Queues the reset of the buffers, a launch, and the comparison of its results. */
static gputune_status trial_queue(gt_data_trial *trial, gt_loaded *variant)
{
    gt_measure *own = &trial->measure;
    GT_TRY(gt_service_run(own, GT_SERVICE_RESET, &own->again, false));
    GT_TRY(gt_service_poison_shared(own, GT_POISON_MIXED + 2));
    GT_TRY(trial_launch(trial, variant));
    return gt_check_queue(own, &own->check, 0, 1, own->findings);
}

/* ---- Judging --------------------------------------------------------------------------------- */

static void trial_say_name(gt_text *text, const gt_scalar *scalar, const gt_number *number)
{
    bool is_part = strcmp(scalar->name, number->name) != 0;
    gt_text_printf(text, is_part ? "%s.%s" : "%s", scalar->name, number->name);
}

static void trial_say_value(gt_text *text, const gt_number *number)
{
    if (gt_type_is_float(number->type)) {
        gt_text_printf(text, "%.6g", number->low);
    } else {
        gt_text_printf(text, "%lld", (long long)number->integer);
    }
}

/* Appends the changed scalars, up to six of them by name. */
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
            trial_say_name(text, scalar, &now->numbers[index]);
            gt_text_append(text, " = ");
            trial_say_value(text, &now->numbers[index]);
        }
    }
    if (changed > NAMED) {
        gt_text_printf(text, " and %u more scalars have other values", changed - NAMED);
    }
}

/* Appends how a data set differs from the requested one. `now` is the workload with its values. */
static void trial_describe(gt_text *text, const gt_data_trial *trial, const gt_workload *now,
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
    const char *odd_tail = trial->measure.parent->setup.odd_tail;
    gt_text_printf(text, "%s%s%s", odd_tail[0] ? "at " : "", odd_tail, odd_tail[0] ? " " : "");
    size_t before = text->length;
    say_scalars(text, now, variation);
    gt_text_printf(text, "%swith %s", text->length > before ? ", " : "",
                   contents[variation->contents]);
}

static void describe_now(gt_text *text, const gt_data_trial *trial)
{
    trial_describe(text, trial, &trial->measure.workspaces[0].workload, &trial->now);
}

/* Judges the last launch, whose findings must have arrived. The message contains `words`. */
static gputune_status trial_judge_results(gt_verified *out, gt_data_trial *trial, const char *words)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    gt_text_append(&text, " ");
    describe_now(&text, trial);
    gt_text_append(&text, words);
    return gt_report_trial(out, &trial->measure, gt_text_string(&text));
}

static gputune_status trial_launch_checked(gt_data_trial *trial, gt_loaded *variant,
                                           const char *words)
{
    gt_verified ignored = {0};
    GT_TRY(trial_queue(trial, variant));
    GT_TRY(gt_measure_wait(&trial->measure));
    return trial_judge_results(&ignored, trial, words);
}

/* Prefixes a message with the trial's data, unless it is about results, which name them anyway. */
static gputune_status trial_say_where(gputune_status status, const gt_data_trial *trial)
{
    if (status < 0 && status != GPUTUNE_EWRONG) {
        GT_SCOPED(gt_text_free) gt_text text = {0};
        gt_text_append(&text, "launched ");
        describe_now(&text, trial);
        gt_message_prefix("%s", gt_text_string(&text));
    }
    return status;
}

/* ---- Experiments ----------------------------------------------------------------------------- */

static uint64_t trial_key(const gt_variation *variation)
{
    return gt_hash64(variation, sizeof *variation) | 1;
}

/* Returns the fate of an experiment that ended an earlier worker, or SURVIVED if it must be tried.
 * UNTRIED if too many experiments ended workers. */
static gt_fate trial_known_fate(gt_data_trial *trial, uint64_t key)
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

/* Reports to the host that an experiment begins; 0: that it has ended. */
static void trial_announce(const gt_data_trial *trial, uint64_t key)
{
    gt_current *current = trial->measure.parent->current;
    if (current) {
        current->hand.trying = key;
        gt_current_set(current, current->hand.variant);
    }
}

/* Counts the flags that a data set changes. */
static uint32_t count_flags(const gt_data_trial *trial, const gt_variation *variation)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < trial->base.number_count; i++) {
        count += variation->scalars[i] != GT_SCALARS_OWN && gt_number_is_flag(&trial->base, i);
    }
    return count;
}

/* Tries a data set on the reference, and on the default variant unless `standard` is NULL. Fails
 * only if the GPU is lost. */
static gputune_status experiment(gt_fate *out, gt_data_trial *trial, const gt_variation *variation,
                                 gt_loaded *standard)
{
    const uint64_t key = trial_key(variation);
    const bool has_flags = count_flags(trial, variation) > 0;
    *out = trial_known_fate(trial, key);
    if (*out != GT_FATE_SURVIVED) {
        return GPUTUNE_OK;
    }
    trial_announce(trial, key);
    const double begun_ns = trial_now_ns(trial);
    bool fits = trial_hold(trial, variation) == GPUTUNE_OK;
    /* if a flag is a count or a step, the reference may leave elements unwritten, and nothing would
     * compare them */
    const gt_workspace *workspace = &trial->measure.workspaces[0];
    for (const gt_buffer_slot *slot = workspace->slots; slot < workspace->slots_end; ++slot) {
        fits &= !has_flags || slot->gaps <= trial->gaps[slot->index];
    }
    if (fits) {
        trial->make_ns = fmax(trial->make_ns, trial_now_ns(trial) - begun_ns);
    }
    if (fits && standard) {
        fits = trial_launch_checked(trial, standard, "") == GPUTUNE_OK;
    }
    if (!fits && has_flags) { /* the launch may have written anywhere */
        trial->measure.parent->damage = GT_DAMAGE_EVERYTHING;
    }
    *out = fits ? GT_FATE_SURVIVED : GT_FATE_DIFFERS;
    GT_REFUSE(trial->measure.parent->lost, GPUTUNE_ECRASHED, "%s", gt_message());
    trial_announce(trial, 0);
    return GPUTUNE_OK;
}

/* ---- Data that survive ----------------------------------------------------------------------- */

/* Finds contents with which the reference and the default survive these scalars, if possible the
 * wanted contents. Stops at the first crash if the scalars may be its cause. */
static gputune_status settle_contents(gt_fate *out, gt_data_trial *trial, gt_variation *variation,
                                      gt_loaded *standard)
{
    const gt_variation own = {.contents = variation->contents, .turn = variation->turn};
    const bool is_own = variation_is(variation, &own);
    for (;;) {
        GT_TRY(experiment(out, trial, variation, standard));
        if (*out == GT_FATE_SURVIVED || (*out != GT_FATE_DIFFERS && !is_own) ||
            variation->contents == GT_CONTENTS_PLAIN) {
            return GPUTUNE_OK;
        }
        variation->contents =
            variation->contents == GT_CONTENTS_SPECIALS ? GT_CONTENTS_EXTREMES : GT_CONTENTS_PLAIN;
    }
}

/* Adds the wanted scalars one by one, and keeps each one that the reference and the default
 * survive. If they do not survive a float, tries a value near its own. Ends when the time is up. */
static gputune_status settle_scalars(gt_data_trial *trial, gt_variation *variation,
                                     const gt_variation *wanted, gt_loaded *standard)
{
    const double end_ns =
        trial_now_ns(trial) + ONE_BY_ONE_NS * gt_trial_slowness(trial) + 4 * trial->make_ns;
    for (uint32_t i = 0; i < trial->base.number_count; i++) {
        gt_fate its = GT_FATE_UNTRIED;
        if (wanted->scalars[i] == variation->scalars[i]) {
            continue;
        }
        if (trial_now_ns(trial) + trial->make_ns < end_ns) {
            variation->scalars[i] = wanted->scalars[i];
            GT_TRY(experiment(&its, trial, variation, standard));
        }
        if (its == GT_FATE_DIFFERS && wanted->scalars[i] == GT_SCALARS_FAR &&
            gt_type_is_float(trial->base.numbers[i].type)) {
            variation->scalars[i] = GT_SCALARS_NEAR;
            GT_TRY(experiment(&its, trial, variation, standard));
        }
        if (its != GT_FATE_SURVIVED) {
            variation->scalars[i] = GT_SCALARS_OWN;
            trial->fates[i] = (uint8_t)its;
        }
    }
    return GPUTUNE_OK;
}

/* Gives all flags their own values. */
static void trial_keep_flags(gt_variation *variation, const gt_data_trial *trial)
{
    for (uint32_t i = 0; i < trial->base.number_count; i++) {
        if (gt_number_is_flag(&trial->base, i)) {
            variation->scalars[i] = GT_SCALARS_OWN;
        }
    }
}

/* Removes from a data set what the reference or the default does not survive. A few flags are tried
 * one by one from the start, because each crash costs a worker. Fails only if the GPU is lost. */
static gputune_status trial_settle(gt_data_trial *trial, gt_data_set *set, gt_loaded *standard)
{
    enum { FEW = 8 };
    gt_fate its;
    gt_variation wanted = set->variation;
    for (uint32_t i = 0; i < trial->base.number_count; i++) {
        if (trial->fates[i] == GT_FATE_CRASHES || trial->fates[i] == GT_FATE_HANGS) {
            wanted.scalars[i] = GT_SCALARS_OWN;
        }
    }
    gt_variation found = wanted;
    if (count_flags(trial, &found) <= FEW) {
        trial_keep_flags(&found, trial);
    }
    GT_TRY(settle_contents(&its, trial, &found, standard));
    if (its != GT_FATE_SURVIVED) {
        found = (gt_variation){.contents = wanted.contents, .turn = wanted.turn};
        GT_TRY(settle_contents(&its, trial, &found, standard));
    }
    set->tried = true;
    set->survived = its == GT_FATE_SURVIVED;
    if (set->survived) {
        GT_TRY(settle_scalars(trial, &found, &wanted, standard));
    }
    set->variation = found;
    for (uint32_t i = 0; i < trial->base.number_count && set->survived && standard; i++) {
        trial->varied[i] |= found.scalars[i] != GT_SCALARS_OWN;
    }
    return GPUTUNE_OK;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* Makes the trial's buffers, with plain contents and the scalars' own values. */
static gputune_status build(gt_data_trial *trial, const gt_measure_setup *setup)
{
    const gt_measure *parent = trial->measure.parent;
    gt_measure *measure = &trial->measure;
    gt_measure_setup *own = &measure->setup;
    GT_FREED gt_live_input *inputs = calloc(setup->input_count + 1, sizeof *inputs);
    GT_TRY(gt_allocated(inputs));
    measure->driver = parent->driver;
    measure->device = parent->device;
    measure->context = parent->context;
    measure->stream = parent->stream;
    measure->start = measure->stop =
        parent->checked; /* not the parent's start and stop, which still hold the pilot's time */
    measure->checked = parent->checked;
    memcpy(measure->functions, parent->functions, sizeof measure->functions);
    *own = (gt_measure_setup){.objective = setup->objective,
                              .cache = GPUTUNE_CACHE_HOT,
                              .seed = setup->seed + 0x5bd1e995u,
                              .workload_count = 1,
                              .reference = setup->reference,
                              .inputs = inputs};
    for (uint32_t i = 0; i < setup->input_count; ++i) {
        if (setup->inputs[i].workload + 1 == setup->workload_count) {
            inputs[own->input_count] = setup->inputs[i];
            inputs[own->input_count++].workload = 0;
        }
    }
    own->workloads[0] = trial->base;
    gputune_status status = gt_measure_build(measure, own);
    own->inputs = NULL;
    own->input_count = 0;
    own->reference = (gt_image){0};
    return status;
}

/* Lists the data sets for a winner. */
static void want_rounds(gt_data_trial *trial)
{
    static const struct {
        gt_scalars scalars;
        gt_contents contents;
    } rounds[] = {{GT_SCALARS_OWN, GT_CONTENTS_SPECIALS},  {GT_SCALARS_ONE, GT_CONTENTS_TIES},
                  {GT_SCALARS_OWN, GT_CONTENTS_TIES},      {GT_SCALARS_OWN, GT_CONTENTS_ROWS},
                  {GT_SCALARS_OWN, GT_CONTENTS_TWINS},     {GT_SCALARS_OWN, GT_CONTENTS_ZERO},
                  {GT_SCALARS_ZERO, GT_CONTENTS_HIGH},     {GT_SCALARS_NEAR, GT_CONTENTS_LOW},
                  {GT_SCALARS_NAN, GT_CONTENTS_PLAIN},     {GT_SCALARS_HUGE, GT_CONTENTS_PLAIN},
                  {GT_SCALARS_INFINITE, GT_CONTENTS_PLAIN}};
    enum { ROUNDS = sizeof rounds / sizeof *rounds };
    const uint32_t lists = gt_workload_longest_list(&trial->base);
    const gt_variation own = gt_variation_make(&trial->base, GT_SCALARS_OWN, GT_CONTENTS_PLAIN, 0);
    for (uint32_t i = 0; i < ROUNDS + lists; i++) {
        uint32_t turn = i < ROUNDS ? 0 : i - ROUNDS;
        gt_contents contents = i < ROUNDS ? rounds[i].contents : trial->usual.variation.contents;
        gt_variation wanted = gt_variation_make(
            &trial->base, i < ROUNDS ? rounds[i].scalars : GT_SCALARS_FAR,
            gt_workload_has_contents(&trial->base, contents) ? contents : GT_CONTENTS_PLAIN, turn);
        trial_keep_flags(&wanted, trial);
        const gt_variation *last =
            &trial->rounds[trial->round_count ? trial->round_count - 1 : 0].variation;
        bool is_new = !variation_is(&wanted, &own) && !variation_is(&wanted, last) &&
                      !variation_is(&wanted, &trial->usual.variation);
        trial->rounds[trial->round_count].variation = wanted;
        trial->round_count += is_new;
    }
}

/* Makes the trial with the reference only, and with the flags' own values, because the default
 * variant has not been tried yet. */
static gputune_status begin(gt_data_trial *trial, const gt_measure_setup *setup)
{
    bool has_contents = gt_workload_has_contents(&trial->base, GT_CONTENTS_SPECIALS);
    gt_variation own = gt_variation_make(&trial->base, GT_SCALARS_OWN, GT_CONTENTS_PLAIN, 0);
    trial->usual.variation = gt_variation_make(
        &trial->base, GT_SCALARS_FAR, has_contents ? GT_CONTENTS_SPECIALS : GT_CONTENTS_PLAIN, 0);
    const uint64_t key = trial_key(&own);
    if (trial_known_fate(trial, key) != GT_FATE_SURVIVED) {
        return GPUTUNE_OK;
    }
    trial_announce(trial, key);
    GT_TRY(build(trial, setup));
    trial_announce(trial, 0);
    const gt_workspace *workspace = &trial->measure.workspaces[0];
    for (const gt_buffer_slot *slot = workspace->slots; slot < workspace->slots_end; ++slot) {
        trial->gaps[slot->index] = slot->gaps;
    }
    trial_keep_flags(&trial->usual.variation, trial);
    return trial_settle(trial, &trial->usual, NULL);
}

static const gt_workload *base_of(const gt_measure_setup *setup)
{
    return &setup->workloads[setup->workload_count - 1];
}

static bool is_worth(const gt_measure *measure, const gt_measure_setup *setup)
{
    enum { MOST_BYTES = 64 << 20 };
    const gt_workload *base = base_of(setup);
    const uint64_t live = 0;
    bool is_worth = !measure->lost_tries.plain && base->has_reference &&
                    gt_plan_device_bytes(NULL, base, 1, &live) <= MOST_BYTES;
    for (uint32_t i = 0; i < setup->input_count; ++i) {
        is_worth &= !setup->inputs[i].is_ipc;
    }
    return is_worth;
}

uint64_t gt_trial_bytes(const gt_measure *measure, const gt_measure_setup *setup)
{
    const gt_workload *base = base_of(setup);
    const uint64_t live = UINT64_MAX;
    if (!is_worth(measure, setup)) {
        return 0;
    }
    uint64_t bytes = gt_plan_device_bytes(measure->driver, base, 1, &live);
    for (uint32_t i = 0; i < base->buffer_count; ++i) {
        const gt_buffer *buffer = &base->buffers[i];
        bytes += buffer->direction == GT_IN
                     ? 0
                     : gt_budget_cost(measure->driver, buffer->elements * sizeof(float));
    }
    return bytes;
}

gputune_status gt_trial_make(gt_measure *measure, const gt_measure_setup *setup)
{
    const gt_workload *base = base_of(setup);
    if (!is_worth(measure, setup)) {
        return GPUTUNE_OK;
    }
    gt_data_trial *trial = measure->trial = calloc(1, sizeof *trial);
    GT_TRY(gt_allocated(trial));
    trial->measure.parent = measure;
    trial->base = *base;
    trial->launcher = setup->workload_count - 1;
    trial->standard = GT_NO_VARIANT;
    trial->lost = measure->lost_tries;
    gputune_status status = begin(trial, setup);
    if (measure->lost || status < 0 || !trial->usual.survived) {
        gt_trial_free(measure);
        return measure->lost ? status : GPUTUNE_OK;
    }
    want_rounds(trial);
    return GPUTUNE_OK;
}

void gt_trial_free(gt_measure *measure)
{
    gt_data_trial *trial = measure->trial;
    if (trial) {
        gt_measure_forget(&trial->measure);
        free(trial);
    }
    measure->trial = NULL;
}

/* ---- The default variant --------------------------------------------------------------------- */

/* Appends a line for each scalar that always had its own value: its name, the value, and the effect
 * of other values. */
static void list_single(gt_text *text, const gt_data_trial *trial)
{
    static const char *const words[] = {[GT_FATE_SURVIVED] = "",
                                        [GT_FATE_DIFFERS] = "differ",
                                        [GT_FATE_CRASHES] = "crash",
                                        [GT_FATE_HANGS] = "hang",
                                        [GT_FATE_UNTRIED] = "took too long"};
    const gt_workload *base = &trial->base;
    for (uint32_t i = 0; i < base->scalar_count; i++) {
        const gt_scalar *scalar = &base->scalars[i];
        for (uint32_t k = 0; k < scalar->number_count; k++) {
            const uint32_t index = scalar->first_number + k;
            if (!trial->varied[index] && gt_number_is_open(base, index)) {
                trial_say_name(text, scalar, &base->numbers[index]);
                gt_text_append(text, "\t");
                trial_say_value(text, &base->numbers[index]);
                gt_text_printf(text, "\t%s\n", words[trial->fates[index]]);
            }
        }
    }
}

static gputune_status tell(gt_verified *out, const gt_data_trial *trial)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    list_single(&text, trial);
    memcpy(out->trial, trial->words, sizeof out->trial);
    return gt_strdup(&out->single, gt_text_string(&text));
}

/* Finds out which data the default variant survives: of the data set for all variants, and with
 * `more` also of the data sets for a winner, as long as time is left. */
static gputune_status settle_all(gt_data_trial *trial, gt_loaded *standard, bool more)
{
    const gt_variation all =
        gt_variation_make(&trial->base, GT_SCALARS_FAR, trial->usual.variation.contents, 0);
    for (uint32_t i = 0; i < trial->base.number_count; i++) {
        if (gt_number_is_flag(&trial->base, i)) {
            trial->usual.variation.scalars[i] = all.scalars[i];
        }
    }
    GT_TRY(trial_settle(trial, &trial->usual, standard));
    const double end_ns = trial_now_ns(trial) + ROUNDS_NS * gt_trial_slowness(trial);
    for (uint32_t i = 0; i < trial->round_count && trial->usual.survived && more &&
                         trial_now_ns(trial) + trial->make_ns < end_ns;
         i++) {
        GT_TRY(trial_settle(trial, &trial->rounds[i], standard));
    }
    GT_SCOPED(gt_text_free) gt_text text = {0};
    GT_FREED gt_workload *varied = malloc(sizeof *varied);
    GT_TRY(gt_allocated(varied));
    gt_workload_vary(varied, &trial->base, &trial->usual.variation);
    trial_describe(&text, trial, varied, &trial->usual.variation);
    gt_snprintf(trial->words, sizeof trial->words, "%s", gt_text_string(&text));
    return GPUTUNE_OK;
}

/* Returns true if this variant is the default and its proof determines the data sets. */
static bool settles(const gt_data_trial *trial, const gt_verify_job *job)
{
    return job->standard && trial->standard == GT_NO_VARIANT;
}

gputune_status gt_trial_queue(gt_measure *measure, gt_loaded *variant, const gt_verify_job *job)
{
    gt_data_trial *trial = measure->trial;
    if (!trial || settles(trial, job)) {
        return GPUTUNE_OK;
    }
    GT_TRY(trial_hold(trial, &trial->usual.variation));
    return trial_queue(trial, variant);
}

gputune_status gt_trial_judge(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                              const gt_verify_job *job)
{
    gt_data_trial *trial = measure->trial;
    if (!trial || !settles(trial, job)) {
        return trial ? trial_judge_results(out, trial, "") : GPUTUNE_OK;
    }
    trial->standard = variant->id;
    GT_TRY(settle_all(trial, variant, !job->again));
    if (!trial->usual.survived) {
        gt_trial_free(measure);
        return GPUTUNE_OK;
    }
    return tell(out, trial);
}

gputune_status gt_trial_name(gputune_status status, const gt_measure *measure)
{
    return measure->trial ? trial_say_where(status, measure->trial) : status;
}

void gt_trial_doubt(gt_measure *measure)
{
    if (measure->trial) {
        measure->trial->measure.damage = GT_DAMAGE_EVERYTHING;
    }
}

/* ---- The winner ------------------------------------------------------------------------------ */

/* Returns the time at which a part of the trial that begins now must end. */
static double end_of(const gt_data_trial *trial, double nanoseconds)
{
    return trial_now_ns(trial) + nanoseconds * gt_trial_slowness(trial) * trial->share;
}

static double parts_ns(const gt_data_trial *trial)
{
    static const double overrun = 1.25; /* a launch or data set that has begun is finished */
    return overrun * gt_trial_slowness(trial) * (2 * OFTEN_NS + ROW_NS + ROUNDS_NS);
}

double gt_trial_winner_ns(double *further_ns, const gt_measure *measure)
{
    *further_ns = measure->trial ? measure->trial->make_ns : 0;
    return measure->trial ? parts_ns(measure->trial) + *further_ns : 0;
}

/* Launches the winner many times in a row, and compares the first and last results. */
static gputune_status launch_often(gt_data_trial *trial, gt_loaded *variant)
{
    enum { COMPARED = 10, LEAST = 2, MOST = 1024 };
    for (int part = 0; part < 2; ++part) {
        const double often_ns = end_of(trial, OFTEN_NS);
        for (int i = 0; i < COMPARED && (i < LEAST || trial_now_ns(trial) < often_ns); ++i) {
            GT_TRY(trial_launch_checked(trial, variant, ", after many launches"));
        }
        const double row_ns = end_of(trial, ROW_NS);
        for (int i = 0; part == 0 && i < MOST && trial_now_ns(trial) < row_ns; ++i) {
            GT_TRY(trial_launch(trial, variant));
            bool looks = (i & (i + 1)) ==
                         0; /* waits after 1, 2, 4, ... launches, so that the queue stays short */
            if (looks) {
                GT_TRY(gt_measure_wait(&trial->measure));
            }
        }
    }
    return GPUTUNE_OK;
}

/* Proves the variant on a further data set, after reducing the set to what the default survives. */
static gputune_status prove_on(gt_data_trial *trial, gt_loaded *variant, gt_data_set *set)
{
    gt_loaded *standard =
        trial->measure.parent->dropped; /* the farm may have dropped the default */
    while (standard && standard->id != trial->standard) {
        standard = standard->next;
    }
    standard = standard ? standard : gt_loaded_find(trial->measure.parent, trial->standard);
    if (!set->tried) {
        GT_TRY(trial_settle(trial, set, standard));
    }
    if (!set->survived || variant == standard ||
        variation_is(&set->variation, &trial->usual.variation)) {
        return GPUTUNE_OK;
    }
    gputune_status status = trial_hold(trial, &set->variation);
    if (status < 0) {
        return trial->measure.lost ? status : GPUTUNE_OK;
    }
    return trial_launch_checked(trial, variant, "");
}

/* Proves a winner. A further data set is made only if the time suffices, because a slow reference
 * takes long. */
static gputune_status prove_winner(gt_data_trial *trial, gt_loaded *variant)
{
    GT_TRY(trial_hold(trial, &trial->usual.variation));
    GT_TRY(trial_launch_checked(trial, variant, ", after the race"));
    GT_TRY(launch_often(trial, variant));
    const double some_ns = end_of(trial, ROUNDS_NS);
    const double all_ns = trial_now_ns(trial) + trial->spend_ns;
    for (uint32_t i = 0; i < trial->round_count && trial_now_ns(trial) < some_ns &&
                         trial_now_ns(trial) + trial->make_ns < all_ns;
         ++i) {
        GT_TRY(prove_on(trial, variant, &trial->rounds[i]));
    }
    return GPUTUNE_OK;
}

gputune_status gt_trial_winner(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                               double share)
{
    gt_data_trial *trial = measure->trial;
    if (!trial) {
        return GPUTUNE_OK;
    }
    trial->spend_ns = share * (parts_ns(trial) + trial->make_ns);
    trial->share = fmin(1, trial->spend_ns / parts_ns(trial));
    gputune_status status = prove_winner(trial, variant);
    measure->lost |= status == GPUTUNE_ECRASHED;
    return status < 0 ? trial_say_where(status, trial) : tell(out, trial);
}
