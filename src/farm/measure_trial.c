/* The trial: other data sets at the awkward size, on which variants are proved as well. Scalars
 * that are not sizes have other values there, and inputs hold values that kernels are seldom tried
 * with. A trial has a gt_measure of its own, with one workload, which shares the device with the
 * gt_measure that the trial belongs to.
 *
 * Each data set is an experiment until the reference and the default variant have survived it. A
 * value that makes one of them fail, or makes them disagree, is dropped alone; other variants are
 * tried with the values that remain. An experiment may end the worker, or hang: the host is told
 * its key before it runs, and hands the keys of those that ended a worker to the next worker
 * (gt_lost), which then takes them as failed. */
#include "base/number.h"
#include "farm/measure_trial_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t seed_apart = 0x5bd1e995u;

/* ---- Making ---------------------------------------------------------------------------------- */

/* Takes the inputs that were sent for the trial's size from a setup. Returns how many. */
static uint32_t take_inputs(gt_live_input *out, const gt_measure_setup *setup)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < setup->input_count; ++i) {
        if (setup->inputs[i].workload + 1 == setup->workload_count) {
            out[count] = setup->inputs[i];
            out[count++].workload = 0;
        }
    }
    return count;
}

/* Makes the trial's buffers, with the scalars' own values and plain contents. */
static gputune_status build(gt_trial *trial, const gt_measure_setup *setup)
{
    const gt_measure *parent = trial->parent;
    gt_measure *measure = &trial->measure;
    gt_measure_setup *own = &measure->setup;
    GT_FREED gt_live_input *inputs = calloc(setup->input_count + 1, sizeof *inputs);
    GT_TRY(gt_allocated(inputs));
    measure->driver = parent->driver;
    measure->device = parent->device;
    measure->context = parent->context;
    measure->stream = parent->stream;
    measure->start = measure->stop = parent->checked; /* start and stop hold the pilot's time */
    measure->checked = parent->checked;
    memcpy(measure->functions, parent->functions, sizeof measure->functions);
    measure->is_trial = true;
    *own = (gt_measure_setup){.objective = setup->objective,
                              .cache = GPUTUNE_CACHE_HOT,
                              .seed = setup->seed + seed_apart,
                              .workload_count = 1,
                              .reference = setup->reference,
                              .inputs = inputs,
                              .input_count = take_inputs(inputs, setup)};
    own->workloads[0] = trial->base;
    gputune_status status = gt_measure_build(measure, own);
    own->inputs = NULL;
    own->input_count = 0;
    own->reference = (gt_image){0};
    return status;
}

static bool is_worth(const gt_measure_setup *setup)
{
    enum { MOST_BYTES = 64 << 20 };
    const gt_workload *base = &setup->workloads[setup->workload_count - 1];
    const uint64_t live = 0;
    for (uint32_t i = 0; i < setup->input_count; ++i) {
        if (setup->inputs[i].is_ipc) {
            return false;
        }
    }
    return base->has_reference && gt_plan_device_bytes(base, 1, &live) <= MOST_BYTES;
}

/* Makes a list of the data sets on which a winner is proved, those that are wanted. */
static void want_rounds(gt_trial *trial)
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
        gt_trial_keep_flags(&wanted, trial);
        const gt_variation *last =
            &trial->rounds[trial->round_count ? trial->round_count - 1 : 0].variation;
        bool is_new = !gt_variation_is(&wanted, &own) && !gt_variation_is(&wanted, last) &&
                      !gt_variation_is(&wanted, &trial->usual.variation);
        trial->rounds[trial->round_count].variation = wanted;
        trial->round_count += is_new;
    }
}

/* Makes the trial on the reference alone, without other values of flags: no default variant has
 * survived those yet. */
static gputune_status begin(gt_trial *trial, const gt_measure_setup *setup)
{
    bool has_contents = gt_workload_has_contents(&trial->base, GT_CONTENTS_SPECIALS);
    gt_variation own = gt_variation_make(&trial->base, GT_SCALARS_OWN, GT_CONTENTS_PLAIN, 0);
    trial->usual.variation = gt_variation_make(
        &trial->base, GT_SCALARS_FAR, has_contents ? GT_CONTENTS_SPECIALS : GT_CONTENTS_PLAIN, 0);
    const uint64_t key = gt_trial_key(&own);
    if (gt_trial_known_fate(trial, key) != GT_FATE_SURVIVED) {
        return GPUTUNE_OK;
    }
    gt_trial_announce(trial, key);
    GT_TRY(build(trial, setup));
    gt_trial_announce(trial, 0);
    const gt_workspace *workspace = &trial->measure.workspaces[0];
    for (const gt_buffer_slot *slot = workspace->slots; slot < workspace->slots_end; ++slot) {
        trial->gaps[slot->index] = slot->gaps;
    }
    gt_trial_keep_flags(&trial->usual.variation, trial);
    return gt_trial_settle(trial, &trial->usual, NULL);
}

gputune_status gt_trial_make(gt_measure *measure, const gt_measure_setup *setup)
{
    if (!is_worth(setup)) {
        return GPUTUNE_OK;
    }
    gt_trial *trial = measure->trial = calloc(1, sizeof *trial);
    GT_TRY(gt_allocated(trial));
    trial->parent = measure;
    trial->base = setup->workloads[setup->workload_count - 1];
    trial->launcher = setup->workload_count - 1;
    trial->standard = GT_NO_VARIANT;
    trial->lost = measure->lost_tries;
    gputune_status status = begin(trial, setup);
    measure->lost |= trial->measure.lost;
    if (measure->lost || status < 0 || !trial->usual.survived) {
        gt_trial_free(measure);
        return measure->lost ? status : GPUTUNE_OK;
    }
    want_rounds(trial);
    return GPUTUNE_OK;
}

void gt_trial_free(gt_measure *measure)
{
    gt_trial *trial = measure->trial;
    if (trial) {
        gt_measure_forget(&trial->measure);
        free(trial);
    }
    measure->trial = NULL;
}

/* ---- The default variant --------------------------------------------------------------------- */

/* Whether a flag may be changed on trial: not where a crash would end the host. */
static bool may_be_lost(const gt_trial *trial)
{
    const gt_desk *desk = trial->parent->desk;
    return !desk || !desk->in_thread;
}

/* Appends a line for each scalar that has had its own value alone: its name, its value, and what
 * became of others, or nothing. */
static void list_single(gt_text *text, const gt_trial *trial)
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
                gt_trial_say_name(text, scalar, &base->numbers[index]);
                gt_text_append(text, "\t");
                gt_trial_say_value(text, &base->numbers[index]);
                gt_text_printf(text, "\t%s\n", words[trial->fates[index]]);
            }
        }
    }
}

/* Describes the data set on which variants are proved. */
static gputune_status say_usual(gt_trial *trial)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    GT_FREED gt_workload *varied = malloc(sizeof *varied);
    GT_TRY(gt_allocated(varied));
    gt_workload_vary(varied, &trial->base, &trial->usual.variation);
    gt_trial_describe(&text, trial, varied, &trial->usual.variation);
    gt_snprintf(trial->words, sizeof trial->words, "%s", gt_text_string(&text));
    return GPUTUNE_OK;
}

static gputune_status tell(gt_verified *out, const gt_trial *trial)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    list_single(&text, trial);
    memcpy(out->trial, trial->words, sizeof out->trial);
    return gt_strdup(&out->single, gt_text_string(&text));
}

/* Finds what the default variant survives of the data set for every variant, and, with `more`, of
 * those for a winner, in time that is left. */
static gputune_status settle_all(gt_trial *trial, gt_loaded *standard, bool more)
{
    const gt_variation all =
        gt_variation_make(&trial->base, GT_SCALARS_FAR, trial->usual.variation.contents, 0);
    for (uint32_t i = 0; i < trial->base.number_count && may_be_lost(trial); i++) {
        if (gt_number_is_flag(&trial->base, i)) {
            trial->usual.variation.scalars[i] = all.scalars[i];
        }
    }
    GT_TRY(gt_trial_settle(trial, &trial->usual, standard));
    const gt_budget some = gt_budget_of(trial, ROUNDS_NS * gt_trial_slowness(trial));
    for (uint32_t i = 0; i < trial->round_count && trial->usual.survived && more &&
                         gt_budget_has(&some, trial->make_ns);
         i++) {
        GT_TRY(gt_trial_settle(trial, &trial->rounds[i], standard));
    }
    return trial->usual.survived ? say_usual(trial) : GPUTUNE_OK;
}

/* Whether the variant is the default one, by which it is found out what can be demanded. */
static bool settles(const gt_trial *trial, const gt_verify_job *job)
{
    return job->standard && trial->standard == GT_NO_VARIANT;
}

gputune_status gt_trial_queue(gt_measure *measure, gt_loaded *variant, const gt_verify_job *job)
{
    gt_trial *trial = measure->trial;
    if (!trial || settles(trial, job)) {
        return GPUTUNE_OK;
    }
    gputune_status status = gt_trial_hold(trial, &trial->usual.variation);
    status = status < 0 ? status : gt_trial_launch_checked(trial, variant);
    measure->lost |= trial->measure.lost;
    return status;
}

gputune_status gt_trial_judge(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                              const gt_verify_job *job)
{
    gt_trial *trial = measure->trial;
    if (!trial || !settles(trial, job)) {
        return trial ? gt_trial_judge_results(out, trial, "") : GPUTUNE_OK;
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
    return measure->trial ? gt_trial_say_where(status, measure->trial) : status;
}

void gt_trial_doubt(gt_measure *measure)
{
    if (measure->trial) {
        measure->trial->measure.damage = GT_DAMAGE_EVERYTHING;
    }
}

/* ---- The winner ------------------------------------------------------------------------------ */

static gt_budget part_of(const gt_trial *trial, double nanoseconds)
{
    return gt_budget_of(trial, nanoseconds * gt_trial_slowness(trial) * trial->share);
}

static double parts_ns(const gt_trial *trial)
{
    static const double overrun = 1.25; /* what was begun is finished */
    return overrun * gt_trial_slowness(trial) * (2 * OFTEN_NS + ROW_NS + ROUNDS_NS);
}

double gt_trial_winner_ns(double *further_ns, const gt_measure *measure)
{
    *further_ns = measure->trial ? measure->trial->make_ns : 0;
    return measure->trial ? parts_ns(measure->trial) + *further_ns : 0;
}

/* Launches the winner many times in a row, and compares the results of the first and last launches.
 */
static gputune_status launch_often(gt_trial *trial, gt_loaded *variant)
{
    enum { COMPARED = 10, LEAST = 2, MOST = 1024 };
    for (int part = 0; part < 2; ++part) {
        const gt_budget often = part_of(trial, OFTEN_NS);
        for (int i = 0; i < COMPARED && (i < LEAST || gt_budget_has(&often, 0)); ++i) {
            GT_TRY(gt_trial_launch_checked(trial, variant));
            GT_TRY(gt_trial_wait(trial, ", after many launches"));
        }
        const gt_budget row = part_of(trial, ROW_NS);
        for (int i = 0; part == 0 && i < MOST && gt_budget_has(&row, 0); ++i) {
            GT_TRY(gt_trial_launch(trial, variant));
            bool looks = (i & (i + 1)) == 0; /* behind twice as many, and so far beyond the time */
            GT_TRY(looks ? gt_measure_wait(&trial->measure) : GPUTUNE_OK);
        }
    }
    return GPUTUNE_OK;
}

/* The default variant, even if it was dropped; NULL if it is not loaded any more. */
static gt_loaded *find_standard(const gt_trial *trial)
{
    gt_loaded *one = trial->parent->dropped;
    while (one && one->id != trial->standard) {
        one = one->next;
    }
    return one ? one : gt_loaded_find(trial->parent, trial->standard);
}

/* Proves the variant on one more data set at the same addresses, or on what the default survives of
 * it. */
static gputune_status prove_on(gt_trial *trial, gt_loaded *variant, gt_data_set *set)
{
    gt_loaded *standard = find_standard(trial);
    GT_TRY(set->tried ? GPUTUNE_OK : gt_trial_settle(trial, set, standard));
    if (!set->survived || variant == standard ||
        gt_variation_is(&set->variation, &trial->usual.variation)) {
        return GPUTUNE_OK;
    }
    gputune_status status = gt_trial_hold(trial, &set->variation);
    if (status < 0) {
        return trial->measure.lost ? status : GPUTUNE_OK;
    }
    GT_TRY(gt_trial_launch_checked(trial, variant));
    return gt_trial_wait(trial, "");
}

/* Makes a further data set only in time that covers it: a slow reference makes that long. */
static gputune_status prove_more(gt_trial *trial, gt_loaded *variant)
{
    const gt_budget some = part_of(trial, ROUNDS_NS), all = gt_budget_of(trial, trial->spend_ns);
    for (uint32_t i = 0;
         i < trial->round_count && gt_budget_has(&some, 0) && gt_budget_has(&all, trial->make_ns);
         ++i) {
        GT_TRY(prove_on(trial, variant, &trial->rounds[i]));
    }
    return GPUTUNE_OK;
}

static gputune_status prove_winner(gt_trial *trial, gt_loaded *variant)
{
    GT_TRY(gt_trial_hold(trial, &trial->usual.variation));
    GT_TRY(gt_trial_launch_checked(trial, variant));
    GT_TRY(gt_trial_wait(trial, ", after the race"));
    GT_TRY(launch_often(trial, variant));
    return prove_more(trial, variant);
}

gputune_status gt_trial_winner(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                               double share)
{
    gt_trial *trial = measure->trial;
    if (!trial) {
        return GPUTUNE_OK;
    }
    trial->spend_ns = share * (parts_ns(trial) + trial->make_ns);
    trial->share = fmin(1, trial->spend_ns / parts_ns(trial));
    gputune_status status = prove_winner(trial, variant);
    measure->lost |= trial->measure.lost || status == GPUTUNE_ECRASHED;
    return status < 0 ? gt_trial_say_where(status, trial) : tell(out, trial);
}
