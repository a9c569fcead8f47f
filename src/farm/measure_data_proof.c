/* The data proof launches variants at the odd-tail size with further data sets, in which scalars
 * that are not sizes have other values and inputs contain rare values. It has a gt_measure of its
 * own with one workload. Its parent is the state of the setup, with which it shares the device.
 *
 * Not every template supports such data. Therefore a data set is an experiment until the default
 * variant passes it: neither the reference nor the default variant may fail, and their results must
 * agree. Values with which they do not agree are removed from the data set. The remaining values
 * are used for the other variants. An experiment may crash or hang. Therefore the worker reports
 * the key of each experiment to the host before running it. If the worker dies, the host passes the
 * key to the next worker (gt_lost), which skips this experiment. */
#include "farm/measure_data_proof.h"

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

typedef enum gt_data_effect {
    GT_EFFECT_NONE,
    GT_EFFECT_DIFFERS, /* the reference cannot use the data, or the default's results differ */
    GT_EFFECT_CRASHES,
    GT_EFFECT_HANGS,
    GT_EFFECT_UNTRIED
} gt_data_effect;

typedef struct gt_data_set {
    gt_variation variation; /* data to try; once `tried`, only those that the default passed */
    bool tried, survived;   /* `survived`: the default passed some of the data */
} gt_data_set;

enum { PARTS = 4, ROUNDS_MAX = 13 + 2 * PARTS + GT_OTHER_MAX };

struct gt_data_proof {
    gt_measure measure;             /* buffers for the proof; `parent` is the setup's gt_measure */
    gt_workload base;               /* the workload with the requested scalars */
    gt_data_set usual;              /* data set on which every variant is proved */
    gt_data_set rounds[ROUNDS_MAX]; /* further data sets, only for a winner */
    uint32_t round_count;
    uint32_t reached; /* number of rounds that the last winner had time for */
    gt_variation now; /* data set that is in the buffers */
    bool made;        /* true if the data set `now` and its expected results are complete */
    gt_lost lost;     /* experiments that crashed or blocked an earlier worker */
    uint32_t skipped; /* number of experiments that were skipped because `lost` lists them */
    uint8_t effects[GT_NUMBER_MAX]; /* by number: what its last failing value did */
    bool varied[GT_NUMBER_MAX];     /* by number: true if the default passed with another value */
    /* by buffer: number of elements that the reference with requested scalars does not write */
    uint64_t gaps[GT_PARAMETER_MAX];
    char words[128];   /* description of `usual` */
    uint32_t launcher; /* index of a variant's launcher for the size at which the data proof runs */
    double share;      /* data proofs may take this fraction of gt_data_proof_winner_ns() */
    double spend_ns;   /* time that the data proof of a winner may take */
    double make_ns;    /* longest time that making a data set with expected results has taken */
    uint64_t standard; /* id of the default variant; GT_NO_VARIANT until it is proved */
};

/* Returns the time. On an emulated device, this is processor time. */
static double proof_now_ns(const gt_data_proof *proof)
{
    return proof->measure.device.emulated ? (double)clock() * (1e9 / CLOCKS_PER_SEC)
                                          : (double)gt_now_ns();
}

/* Time limits in ns for parts of the data proof. On an emulated device, they are multiplied by
 * EMULATED. */
enum {
    OFTEN_NS = 3000000,
    ROW_NS = 6000000,
    ROUNDS_NS = 20000000,
    ONE_BY_ONE_NS = 100000000,
    EMULATED = 50
};

static double proof_slowness(const gt_data_proof *proof)
{
    return proof->measure.device.emulated ? EMULATED : 1;
}

static bool variation_is(const gt_variation *a, const gt_variation *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Fills the buffers with a data set and its expected results, unless they are there already. */
static gputune_status proof_hold(gt_data_proof *proof, const gt_variation *variation)
{
    gt_measure *measure = &proof->measure;
    gt_workspace *workspace = &measure->workspaces[0];
    if (proof->made && variation_is(&proof->now, variation)) {
        return gt_contents_refresh(measure);
    }
    gt_workload_vary(&workspace->workload, &proof->base, variation);
    proof->now = *variation;
    proof->made = false;
    measure->has_tolerances = measure->has_expected = false;
    measure->damaged = false;
    GT_TRY(gt_workspace_values(measure, workspace));
    GT_TRY(gt_tables_plan(measure));
    GT_TRY(gt_contents_make(measure, measure->setup.seed, false));
    proof->made = true;
    return GPUTUNE_OK;
}

/* Launches a variant. Inputs with the same contents share a buffer unless they are the host's
 * data. */
static gputune_status proof_launch(gt_data_proof *proof, gt_loaded *variant)
{
    const gt_workspace *on = &proof->measure.workspaces[0];
    const void *arguments[GT_BLOCK_MAX + GT_PARAMETER_MAX];
    memcpy(arguments, on->arguments, on->argument_count * sizeof *arguments);
    for (const gt_buffer_slot *slot = on->slots; slot < on->slots_end; ++slot) {
        const uint32_t copy_of = slot->buffer->copy_of;
        if (copy_of && !slot->live && !on->slots[copy_of - 1].live) {
            arguments[gt_argument_place(&on->workload, slot->index)] =
                arguments[gt_argument_place(&on->workload, copy_of - 1)];
        }
    }
    return gt_measure_launch(proof->measure.parent, variant->launchers[proof->launcher], arguments);
}

static gputune_status proof_queue(gt_data_proof *proof, gt_loaded *variant)
{
    gt_measure *own = &proof->measure;
    GT_TRY(gt_service_run(own, GT_SERVICE_RESET, &own->again, false));
    GT_TRY(gt_service_poison_shared(own, GT_POISON_MIXED + 2));
    GT_TRY(proof_launch(proof, variant));
    return gt_check_queue(own, &own->check, 0, 1, own->findings);
}

/* ---- Judging --------------------------------------------------------------------------------- */

static void proof_append_value(gt_text *text, const gt_number *number)
{
    if (gt_type_is_float(number->type)) {
        gt_text_printf(text, "%.6g", number->low);
    } else {
        gt_text_printf(text, "%lld", (long long)number->integer);
    }
}

static void append_scalars(gt_text *text, const gt_workload *now, const gt_variation *variation)
{
    enum { NAMED = 6 };
    uint32_t changed = 0;
    char name[GT_COMPONENT_TEXT];
    for (uint32_t i = 0; i < now->number_count; ++i) {
        if (variation->scalars[i] != GT_SCALARS_OWN && changed++ < NAMED) {
            gt_text_printf(text, "%s%s = ", changed > 1 ? ", " : "where ",
                           gt_number_title(name, now, i));
            proof_append_value(text, &now->numbers[i]);
        }
    }
    if (changed > NAMED) {
        gt_text_printf(text, " and %u more scalars have other values", changed - NAMED);
    }
}

/* Describes how the data of workload `now`, made with `variation`, differ from the setup's data. */
static void proof_describe(gt_text *text, const gt_data_proof *proof, const gt_workload *now,
                           const gt_variation *variation)
{
    static const char *const contents[] = {
        [GT_CONTENTS_PLAIN] = "other inputs",
        [GT_CONTENTS_EXTREMES] = "inputs with extremes and constants",
        [GT_CONTENTS_SPECIALS] = "inputs with NaN, infinities, extremes and constants",
        [GT_CONTENTS_ZERO] = "inputs that are all zero",
        [GT_CONTENTS_HIGH] = "constant inputs",
        [GT_CONTENTS_LOW] = "constant inputs",
        [GT_CONTENTS_TIES] = "inputs of few values, halfway between whole numbers",
        [GT_CONTENTS_ROWS] = "empty and long rows",
        [GT_CONTENTS_RISING] = "inputs that rise",
        [GT_CONTENTS_PAIRS] = "one buffer for inputs of one type and size"};
    const char *odd_tail = proof->measure.parent->setup.odd_tail;
    const bool is_finite = !gt_workload_has_specials(now);
    const gt_contents its = variation->contents == GT_CONTENTS_SPECIALS && is_finite
                                ? GT_CONTENTS_EXTREMES
                                : variation->contents;
    gt_text_printf(text, "%s%s%s", odd_tail[0] ? "at " : "", odd_tail, odd_tail[0] ? " " : "");
    size_t before = text->length;
    append_scalars(text, now, variation);
    gt_text_printf(text, "%swith %s", text->length > before ? ", " : "", contents[its]);
}

static void describe_now(gt_text *text, const gt_data_proof *proof)
{
    proof_describe(text, proof, &proof->measure.workspaces[0].workload, &proof->now);
}

/* Appends advice on excluding the first scalar in args() whose value was changed. */
static void append_remedy(gt_text *text, const gt_data_proof *proof)
{
    char name[GT_COMPONENT_TEXT];
    uint32_t i = 0;
    while (i < proof->base.number_count &&
           (proof->now.scalars[i] == GT_SCALARS_OWN || proof->base.numbers[i].is_filled ||
            proof->base.numbers[i].other_count)) {
        i++;
    }
    if (i < proof->base.number_count) {
        gt_text_printf(text, "; prove(%s) keeps its value", gt_number_title(name, &proof->base, i));
    }
}

/* Judges the results of a launch. Wrong results give a message that ends with `words`. */
static gputune_status proof_judge_results(gt_verified *out, gt_data_proof *proof, const char *words)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    gt_text_append(&text, " ");
    describe_now(&text, proof);
    gt_text_append(&text, words);
    append_remedy(&text, proof);
    return gt_report_data_proof(out, &proof->measure, gt_text_string(&text));
}

static gputune_status proof_launch_checked(gt_data_proof *proof, gt_loaded *variant,
                                           const char *words)
{
    gt_verified ignored = {0};
    GT_TRY(proof_queue(proof, variant));
    GT_TRY(gt_measure_wait(&proof->measure));
    return proof_judge_results(&ignored, proof, words);
}

/* Adds a description of the data to messages, except those about wrong results, which have one. */
static gputune_status proof_prefix_data(gputune_status status, const gt_data_proof *proof)
{
    if (status < 0 && status != GPUTUNE_EWRONG) {
        GT_SCOPED(gt_text_free) gt_text text = {0};
        gt_text_append(&text, "launched ");
        describe_now(&text, proof);
        gt_message_prefix("%s", gt_text_string(&text));
    }
    return status;
}

/* ---- Experiments ----------------------------------------------------------------------------- */

static uint64_t proof_key(const gt_variation *variation)
{
    return gt_hash64(variation, sizeof *variation) | 1;
}

/* Looks up the experiment with this key. Returns CRASHES or HANGS if it ended an earlier worker.
 * Otherwise returns NONE, or UNTRIED if too many experiments have ended workers. */
static gt_data_effect proof_known_effect(gt_data_proof *proof, uint64_t key)
{
    for (uint32_t i = 0; i < proof->lost.item_count; i++) {
        if (proof->lost.items[i].key == key) {
            proof->skipped++;
            return proof->lost.items[i].hung ? GT_EFFECT_HANGS : GT_EFFECT_CRASHES;
        }
    }
    bool is_enough = proof->lost.item_count == GT_LOST_MAX && proof->skipped >= GT_LOST_MAX;
    return is_enough ? GT_EFFECT_UNTRIED : GT_EFFECT_NONE;
}

/* Reports to the host which experiment runs next, by its key; 0: none. */
static void proof_announce(const gt_data_proof *proof, uint64_t key)
{
    gt_current *current = proof->measure.parent->current;
    if (current) {
        current->hand.trying = key;
        gt_current_set(current, current->hand.variant);
    }
}

static uint32_t count_flags(const gt_data_proof *proof, const gt_variation *variation)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < proof->base.number_count; i++) {
        count += variation->scalars[i] != GT_SCALARS_OWN && gt_number_is_flag(&proof->base, i);
    }
    return count;
}

/* Returns false if another value is tried for an integer in an inout buffer, and the reference does
 * not change it. It may then be a lock, or a counter that only variants use. */
static bool may_have_values(gt_data_proof *proof, const gt_buffer_slot *slot)
{
    const gt_buffer *buffer = slot->buffer;
    const uint32_t first = buffer->common ? buffer->common - 1 : buffer->first_number;
    const uint32_t count = buffer->common ? 1 : buffer->number_count;
    bool may = true;
    for (uint32_t i = first; i < first + count && may && buffer->direction == GT_INOUT; i++) {
        const gt_number *number = &slot->workspace->workload.numbers[i];
        if (proof->now.scalars[i] != GT_SCALARS_OWN && !gt_type_is_float(number->type)) {
            bool changed = false;
            may = gt_contents_changed(&changed, &proof->measure, slot, number) == GPUTUNE_OK &&
                  changed;
        }
    }
    return may;
}

/* Makes a data set. Then verifies the default variant with it, unless `standard` is NULL. Fails
 * only if the GPU is lost. */
static gputune_status try_variation(gt_data_effect *out, gt_data_proof *proof,
                                    const gt_variation *variation, gt_loaded *standard)
{
    const uint64_t key = proof_key(variation);
    const bool has_flags = count_flags(proof, variation) > 0;
    *out = proof_known_effect(proof, key);
    if (*out != GT_EFFECT_NONE) {
        return GPUTUNE_OK;
    }
    proof_announce(proof, key);
    const double start_ns = proof_now_ns(proof);
    bool fits = proof_hold(proof, variation) == GPUTUNE_OK;
    /* reject flags with which the reference writes fewer elements: fewer would be compared */
    const gt_workspace *workspace = &proof->measure.workspaces[0];
    for (const gt_buffer_slot *slot = workspace->slots;
         fits && has_flags && slot < workspace->slots_end; ++slot) {
        fits = slot->gaps <= proof->gaps[slot->index] && may_have_values(proof, slot);
    }
    if (fits) {
        proof->make_ns = fmax(proof->make_ns, proof_now_ns(proof) - start_ns);
    }
    if (fits && standard) {
        fits = proof_launch_checked(proof, standard, "") == GPUTUNE_OK;
    }
    if (!fits && has_flags) { /* the launch that failed may have written anywhere */
        gt_measure *parent = proof->measure.parent;
        parent->lost |= gt_contents_doubt(parent, GPUTUNE_OK) == GPUTUNE_ECRASHED;
    }
    *out = fits ? GT_EFFECT_NONE : GT_EFFECT_DIFFERS;
    GT_REFUSE(proof->measure.parent->lost, GPUTUNE_ECRASHED, "%s", gt_message());
    proof_announce(proof, 0);
    return GPUTUNE_OK;
}

/* ---- Data that survive ----------------------------------------------------------------------- */

/* Finds contents of the inputs with which the default variant passes, without changing the scalars.
 * Stops if the default variant crashes and a scalar may be the cause. */
static gputune_status settle_contents(gt_data_effect *out, gt_data_proof *proof,
                                      gt_variation *variation, gt_loaded *standard)
{
    const gt_variation own = {.contents = variation->contents, .turn = variation->turn};
    const bool is_own = variation_is(variation, &own);
    for (;;) {
        GT_TRY(try_variation(out, proof, variation, standard));
        if (*out == GT_EFFECT_NONE || (*out != GT_EFFECT_DIFFERS && !is_own) ||
            variation->contents == GT_CONTENTS_PLAIN) {
            return GPUTUNE_OK;
        }
        variation->contents =
            variation->contents == GT_CONTENTS_SPECIALS ? GT_CONTENTS_EXTREMES : GT_CONTENTS_PLAIN;
    }
}

/* Changes the scalars one at a time, and keeps a change if the default variant still passes. If a
 * change to a float makes the results differ, tries a value near the original one instead. */
static gputune_status settle_scalars(gt_data_proof *proof, gt_variation *variation,
                                     const gt_variation *wanted, gt_loaded *standard)
{
    const double end_ns =
        proof_now_ns(proof) + ONE_BY_ONE_NS * proof_slowness(proof) + 4 * proof->make_ns;
    for (uint32_t i = 0; i < proof->base.number_count; i++) {
        gt_data_effect its = GT_EFFECT_UNTRIED;
        if (wanted->scalars[i] == variation->scalars[i]) {
            continue;
        }
        if (proof_now_ns(proof) + proof->make_ns < end_ns) {
            variation->scalars[i] = wanted->scalars[i];
            GT_TRY(try_variation(&its, proof, variation, standard));
        }
        if (its == GT_EFFECT_DIFFERS && wanted->scalars[i] == GT_SCALARS_FAR &&
            gt_type_is_float(proof->base.numbers[i].type)) {
            variation->scalars[i] = GT_SCALARS_NEAR;
            GT_TRY(try_variation(&its, proof, variation, standard));
        }
        if (its != GT_EFFECT_NONE) {
            variation->scalars[i] = GT_SCALARS_OWN;
            proof->effects[i] = (uint8_t)its;
        }
    }
    return GPUTUNE_OK;
}

static void proof_keep_flags(gt_variation *variation, const gt_data_proof *proof)
{
    for (uint32_t i = 0; i < proof->base.number_count; i++) {
        if (gt_number_is_flag(&proof->base, i)) {
            variation->scalars[i] = GT_SCALARS_OWN;
        }
    }
}

/* Reduces a data set to data that the default variant passes. Flags cause many crashes, and each
 * crash costs a worker. If there are only a few flags, the data set is tried without them first,
 * and then they are added one by one. Fails only if the GPU is lost. */
static gputune_status proof_settle(gt_data_proof *proof, gt_data_set *set, gt_loaded *standard)
{
    enum { FEW = 8 };
    gt_data_effect its;
    gt_variation wanted = set->variation;
    for (uint32_t i = 0; i < proof->base.number_count; i++) {
        if (proof->effects[i] == GT_EFFECT_CRASHES || proof->effects[i] == GT_EFFECT_HANGS) {
            wanted.scalars[i] = GT_SCALARS_OWN;
        }
    }
    gt_variation found = wanted;
    if (count_flags(proof, &found) <= FEW) {
        proof_keep_flags(&found, proof);
    }
    GT_TRY(settle_contents(&its, proof, &found, standard));
    if (its != GT_EFFECT_NONE) {
        found = (gt_variation){.contents = wanted.contents, .turn = wanted.turn};
        GT_TRY(settle_contents(&its, proof, &found, standard));
    }
    set->tried = true;
    set->survived = its == GT_EFFECT_NONE;
    if (set->survived) {
        GT_TRY(settle_scalars(proof, &found, &wanted, standard));
    }
    set->variation = found;
    for (uint32_t i = 0; i < proof->base.number_count && set->survived && standard; i++) {
        proof->varied[i] |= found.scalars[i] != GT_SCALARS_OWN;
    }
    return GPUTUNE_OK;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static gputune_status build_proof(gt_data_proof *proof, const gt_measure_setup *setup)
{
    const gt_measure *parent = proof->measure.parent;
    gt_measure *measure = &proof->measure;
    gt_measure_setup *own = &measure->setup;
    GT_FREED gt_live_input *inputs = calloc(setup->input_count + 1, sizeof *inputs);
    GT_TRY(gt_allocated(inputs));
    measure->driver = parent->driver;
    measure->device = parent->device;
    measure->context = parent->context;
    measure->stream = parent->stream;
    /* use another event than `start` and `stop` of the parent, which still time the pilot launch */
    measure->start = measure->stop = parent->checked;
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
    own->workloads[0] = proof->base;
    gputune_status status = gt_measure_build(measure, own);
    own->inputs = NULL;
    own->input_count = 0;
    own->reference = (gt_image){0};
    return status;
}

static void want_round(gt_data_proof *proof, const gt_variation *wanted)
{
    const gt_variation own = gt_variation_make(&proof->base, GT_SCALARS_OWN, GT_CONTENTS_PLAIN, 0);
    const gt_variation *last =
        &proof->rounds[proof->round_count ? proof->round_count - 1 : 0].variation;
    bool is_new = !variation_is(wanted, &own) && !variation_is(wanted, last) &&
                  !variation_is(wanted, &proof->usual.variation);
    proof->rounds[proof->round_count].variation = *wanted;
    proof->round_count += is_new;
}

/* Restricts a variation: changes only every `parts`-th flag or, if `flags` is false, only every
 * `parts`-th number that is not a flag. */
static void vary_part(gt_variation *variation, const gt_data_proof *proof, bool flags,
                      uint32_t parts, uint32_t part)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < proof->base.number_count; i++) {
        bool is_one =
            variation->scalars[i] != GT_SCALARS_OWN && gt_number_is_flag(&proof->base, i) == flags;
        if (is_one && seen++ % parts != part) {
            variation->scalars[i] = GT_SCALARS_OWN;
        }
    }
}

/* Lists the further data sets for a winner. The first two each change half of the flags. A set has
 * only some scalars NaN or infinite, because more would hide each other's effects. */
static void want_rounds(gt_data_proof *proof)
{
    static const struct {
        gt_scalars scalars;
        gt_contents contents;
        uint32_t parts;
    } rounds[] = {
        {GT_SCALARS_OWN, GT_CONTENTS_SPECIALS, 1},      {GT_SCALARS_ONE, GT_CONTENTS_TIES, 1},
        {GT_SCALARS_OWN, GT_CONTENTS_TIES, 1},          {GT_SCALARS_OWN, GT_CONTENTS_ROWS, 1},
        {GT_SCALARS_OWN, GT_CONTENTS_PAIRS, 1},         {GT_SCALARS_OWN, GT_CONTENTS_RISING, 1},
        {GT_SCALARS_OWN, GT_CONTENTS_ZERO, 1},          {GT_SCALARS_ZERO, GT_CONTENTS_SPECIALS, 1},
        {GT_SCALARS_OWN, GT_CONTENTS_HIGH, 1},          {GT_SCALARS_NEAR, GT_CONTENTS_LOW, 1},
        {GT_SCALARS_NAN, GT_CONTENTS_PLAIN, PARTS},     {GT_SCALARS_HUGE, GT_CONTENTS_PLAIN, 1},
        {GT_SCALARS_INFINITE, GT_CONTENTS_PLAIN, PARTS}};
    const gt_contents usual = proof->usual.variation.contents;
    for (uint32_t half = 0; half < 2; half++) {
        gt_variation wanted = gt_variation_make(&proof->base, GT_SCALARS_FAR, usual, 0);
        vary_part(&wanted, proof, true, 2, 1 - half);
        want_round(proof, &wanted);
    }
    for (uint32_t i = 0; i < sizeof rounds / sizeof *rounds && proof->base.has_reference; i++) {
        bool has = gt_workload_has_contents(&proof->base, rounds[i].contents);
        const gt_variation all = gt_variation_make(&proof->base, rounds[i].scalars,
                                                   has ? rounds[i].contents : GT_CONTENTS_PLAIN, 0);
        for (uint32_t part = 0; part < rounds[i].parts; part++) {
            gt_variation wanted = all;
            proof_keep_flags(&wanted, proof);
            vary_part(&wanted, proof, false, rounds[i].parts, part);
            want_round(proof, &wanted);
        }
    }
    for (uint32_t turn = 0; turn < gt_workload_longest_list(&proof->base); turn++) {
        gt_variation wanted = gt_variation_make(&proof->base, GT_SCALARS_FAR, usual, turn);
        proof_keep_flags(&wanted, proof);
        want_round(proof, &wanted);
    }
}

/* Builds the data proof. Runs only the reference, with the requested flags, because no variant is
 * proved yet. */
static gputune_status begin_proof(gt_data_proof *proof, const gt_measure_setup *setup)
{
    bool has_contents =
        proof->base.has_reference && gt_workload_has_contents(&proof->base, GT_CONTENTS_SPECIALS);
    gt_variation own = gt_variation_make(&proof->base, GT_SCALARS_OWN, GT_CONTENTS_PLAIN, 0);
    proof->usual.variation = gt_variation_make(
        &proof->base, GT_SCALARS_FAR, has_contents ? GT_CONTENTS_SPECIALS : GT_CONTENTS_PLAIN, 0);
    const uint64_t key = proof_key(&own);
    if (proof_known_effect(proof, key) != GT_EFFECT_NONE) {
        return GPUTUNE_OK;
    }
    proof_announce(proof, key);
    GT_TRY(build_proof(proof, setup));
    proof_announce(proof, 0);
    const gt_workspace *workspace = &proof->measure.workspaces[0];
    for (const gt_buffer_slot *slot = workspace->slots; slot < workspace->slots_end; ++slot) {
        proof->gaps[slot->index] = slot->gaps;
    }
    proof_keep_flags(&proof->usual.variation, proof);
    return proof_settle(proof, &proof->usual, NULL);
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
    bool is_worth = !measure->lost_tries.plain && (base->has_reference || base->has_check) &&
                    gt_plan_device_bytes(NULL, base, 1, &live) <= MOST_BYTES;
    for (uint32_t i = 0; i < setup->input_count; ++i) {
        is_worth &= !setup->inputs[i].is_ipc;
    }
    return is_worth;
}

uint64_t gt_data_proof_bytes(const gt_measure *measure, const gt_measure_setup *setup)
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

gputune_status gt_data_proof_make(gt_measure *measure, const gt_measure_setup *setup)
{
    const gt_workload *base = base_of(setup);
    if (!is_worth(measure, setup)) {
        return GPUTUNE_OK;
    }
    gt_data_proof *proof = measure->data_proof = calloc(1, sizeof *proof);
    GT_TRY(gt_allocated(proof));
    proof->measure.parent = measure;
    proof->base = *base;
    proof->launcher = setup->workload_count - 1;
    proof->standard = GT_NO_VARIANT;
    proof->lost = measure->lost_tries;
    gputune_status status = begin_proof(proof, setup);
    if (measure->lost || status < 0 || !proof->usual.survived) {
        gt_data_proof_free(measure);
        return measure->lost ? status : GPUTUNE_OK;
    }
    want_rounds(proof);
    proof->reached = proof->round_count;
    return GPUTUNE_OK;
}

void gt_data_proof_free(gt_measure *measure)
{
    gt_data_proof *proof = measure->data_proof;
    if (proof) {
        gt_measure_forget(&proof->measure);
        free(proof);
    }
    measure->data_proof = NULL;
}

/* ---- The default variant --------------------------------------------------------------------- */

/* Appends a line "NAME\tVALUE\tEFFECT" for each scalar that had the same value in every proof. */
static void list_single(gt_text *text, const gt_data_proof *proof)
{
    static const char *const words[] = {[GT_EFFECT_NONE] = "",
                                        [GT_EFFECT_DIFFERS] = "differ",
                                        [GT_EFFECT_CRASHES] = "crash",
                                        [GT_EFFECT_HANGS] = "hang",
                                        [GT_EFFECT_UNTRIED] = "took too long"};
    char name[GT_COMPONENT_TEXT];
    for (uint32_t i = 0; i < proof->base.number_count; i++) {
        const gt_number *number = &proof->base.numbers[i];
        if (!proof->varied[i] && number->open && number->fill != GT_FILL_UNIFORM) {
            gt_text_printf(text, "%s\t", gt_number_title(name, &proof->base, i));
            proof_append_value(text, number);
            const bool is_untried = number->is_filled && proof->effects[i] == GT_EFFECT_NONE;
            gt_text_printf(text, "\t%s\n",
                           is_untried ? "not in its fill" : words[proof->effects[i]]);
        }
    }
}

/* Like proof_describe(), for a data set that is not in the buffers. */
static gputune_status describe_set(gt_text *text, const gt_data_proof *proof,
                                   const gt_variation *variation)
{
    GT_FREED gt_workload *varied = malloc(sizeof *varied);
    GT_TRY(gt_allocated(varied));
    gt_workload_vary(varied, &proof->base, variation);
    proof_describe(text, proof, varied, variation);
    return GPUTUNE_OK;
}

static gputune_status report_proof(gt_verified *out, const gt_data_proof *proof)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    list_single(&text, proof);
    if (proof->reached < proof->round_count) {
        gt_text_printf(&text, "%u of %u data sets, such as the one ",
                       proof->round_count - proof->reached, proof->round_count);
        GT_TRY(describe_set(&text, proof, &proof->rounds[proof->reached].variation));
    }
    memcpy(out->data_proof, proof->words, sizeof out->data_proof);
    return gt_strdup(&out->single, gt_text_string(&text));
}

/* Reduces data sets to those that the default passes: the set for every variant and, if `more` is
 * true, also those of the longer proof of winners. */
static gputune_status settle_all(gt_data_proof *proof, gt_loaded *standard, bool more)
{
    const gt_variation all =
        gt_variation_make(&proof->base, GT_SCALARS_FAR, proof->usual.variation.contents, 0);
    for (uint32_t i = 0; i < proof->base.number_count; i++) {
        if (gt_number_is_flag(&proof->base, i)) {
            proof->usual.variation.scalars[i] = all.scalars[i];
        }
    }
    GT_TRY(proof_settle(proof, &proof->usual, standard));
    const double end_ns = proof_now_ns(proof) + ROUNDS_NS * proof_slowness(proof);
    for (uint32_t i = 0; i < proof->round_count && proof->usual.survived && more &&
                         proof_now_ns(proof) + proof->make_ns < end_ns;
         i++) {
        GT_TRY(proof_settle(proof, &proof->rounds[i], standard));
    }
    GT_SCOPED(gt_text_free) gt_text text = {0};
    GT_TRY(describe_set(&text, proof, &proof->usual.variation));
    gt_snprintf(proof->words, sizeof proof->words, "%s", gt_text_string(&text));
    return GPUTUNE_OK;
}

/* Returns true for the default's first proof, which determines the data sets. */
static bool settles_proof(const gt_data_proof *proof, const gt_verify_job *job)
{
    return job->standard && proof->standard == GT_NO_VARIANT;
}

gputune_status gt_data_proof_queue(gt_measure *measure, gt_loaded *variant,
                                   const gt_verify_job *job)
{
    gt_data_proof *proof = measure->data_proof;
    if (!proof || settles_proof(proof, job)) {
        return GPUTUNE_OK;
    }
    GT_TRY(proof_hold(proof, &proof->usual.variation));
    return proof_queue(proof, variant);
}

gputune_status gt_data_proof_judge(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                                   const gt_verify_job *job)
{
    gt_data_proof *proof = measure->data_proof;
    if (!proof || !settles_proof(proof, job)) {
        return proof ? proof_judge_results(out, proof, "") : GPUTUNE_OK;
    }
    proof->standard = variant->id;
    GT_TRY(settle_all(proof, variant, !job->again));
    if (!proof->usual.survived) {
        gt_data_proof_free(measure);
        return GPUTUNE_OK;
    }
    return report_proof(out, proof);
}

gputune_status gt_data_proof_name(gputune_status status, const gt_measure *measure)
{
    return measure->data_proof ? proof_prefix_data(status, measure->data_proof) : status;
}

gputune_status gt_data_proof_doubt(gt_measure *measure, gputune_status status)
{
    gt_data_proof *proof = measure->data_proof;
    return proof ? gt_contents_doubt(&proof->measure, status) : status;
}

/* ---- The winner ------------------------------------------------------------------------------ */

static double end_of(const gt_data_proof *proof, double nanoseconds)
{
    return proof_now_ns(proof) + nanoseconds * proof_slowness(proof) * proof->share;
}

static double parts_ns(const gt_data_proof *proof)
{
    /* a part of the proof may exceed its time by this factor, with its last launch or data set */
    static const double overrun = 1.25;
    return overrun * proof_slowness(proof) * (2 * OFTEN_NS + ROW_NS + ROUNDS_NS);
}

double gt_data_proof_winner_ns(double *further_ns, const gt_measure *measure)
{
    *further_ns = measure->data_proof ? measure->data_proof->make_ns : 0;
    return measure->data_proof ? parts_ns(measure->data_proof) + *further_ns : 0;
}

static gputune_status launch_often(gt_data_proof *proof, gt_loaded *variant)
{
    enum { COMPARED = 10, LEAST = 2, MOST = 1024 };
    gt_measure *own = &proof->measure;
    for (int part = 0; part < 2; ++part) {
        const double often_ns = end_of(proof, OFTEN_NS);
        for (int i = 0; i < COMPARED && (i < LEAST || proof_now_ns(proof) < often_ns); ++i) {
            GT_TRY(proof_launch_checked(proof, variant, ", after many launches"));
        }
        const double row_ns = end_of(proof, ROW_NS);
        for (int i = 0; part == 0 && i < MOST && proof_now_ns(proof) < row_ns; ++i) {
            /* a launch that finds changed inout buffers might write out of bounds */
            GT_TRY(gt_service_run(own, GT_SERVICE_RESET, &own->restore, false));
            GT_TRY(proof_launch(proof, variant));
            bool looks = (i & (i + 1)) == 0; /* wait after 1, 2, 4, ... launches */
            if (looks) {
                GT_TRY(gt_measure_wait(&proof->measure));
            }
        }
    }
    return GPUTUNE_OK;
}

/* Verifies a variant with a data set. If the data set was not tried yet, reduces it first to data
 * that the default variant passes. */
static gputune_status prove_on(gt_data_proof *proof, gt_loaded *variant, gt_data_set *set)
{
    /* the default variant may have been dropped, but is then still loaded */
    gt_loaded *standard = proof->measure.parent->dropped;
    while (standard && standard->id != proof->standard) {
        standard = standard->next;
    }
    standard = standard ? standard : gt_loaded_find(proof->measure.parent, proof->standard);
    const bool is_unloaded = !standard && proof->standard != GT_NO_VARIANT;
    if (!set->tried && !is_unloaded) {
        GT_TRY(proof_settle(proof, set, standard));
    }
    if (!set->survived || variant == standard ||
        variation_is(&set->variation, &proof->usual.variation)) {
        return GPUTUNE_OK;
    }
    gputune_status status = proof_hold(proof, &set->variation);
    if (status < 0) {
        return proof->measure.lost ? status : GPUTUNE_OK;
    }
    return proof_launch_checked(proof, variant, "");
}

/* Verifies a winner with further data sets until the time is used up. */
static gputune_status prove_winner(gt_data_proof *proof, gt_loaded *variant)
{
    GT_TRY(proof_hold(proof, &proof->usual.variation));
    GT_TRY(proof_launch_checked(proof, variant, ", after the race"));
    GT_TRY(launch_often(proof, variant));
    const double some_ns = end_of(proof, ROUNDS_NS);
    const double all_ns = proof_now_ns(proof) + proof->spend_ns;
    for (proof->reached = 0; proof->reached < proof->round_count && proof_now_ns(proof) < some_ns &&
                             proof_now_ns(proof) + proof->make_ns < all_ns;
         ++proof->reached) {
        GT_TRY(prove_on(proof, variant, &proof->rounds[proof->reached]));
    }
    return GPUTUNE_OK;
}

gputune_status gt_data_proof_winner(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                                    double share)
{
    gt_data_proof *proof = measure->data_proof;
    if (!proof) {
        const gt_workload *base = base_of(&measure->setup);
        return base->has_reference || base->has_check
                   ? gt_strdup(&out->single, "any data set that the template does not declare")
                   : GPUTUNE_OK;
    }
    proof->spend_ns = share * (parts_ns(proof) + proof->make_ns);
    proof->share = fmin(1, proof->spend_ns / parts_ns(proof));
    gputune_status status = prove_winner(proof, variant);
    measure->lost |= status == GPUTUNE_ECRASHED;
    return status < 0 ? proof_prefix_data(status, proof) : report_proof(out, proof);
}
