/* The trial: another data set at the awkward size, on which variants are proved as well. Scalars
 * that are no sizes have other values there, and inputs hold values that kernels are seldom tried
 * with. A trial has a gt_measure of its own, with one workload, which shares the device with the
 * gt_measure that the trial belongs to.
 *
 * The trial leaves out values on which no variant can be demanded to be right: values for which the
 * reference gives hardly a finite result, or two results that differ, and values for which the
 * default variant, which programs launch today, is wrong. */
#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"
#include "farm/measure_parts.h"
#include "kernel/vary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct gt_trial {
    gt_measure measure;
    gt_workload base;   /* the workload with the values that were requested */
    gt_variation usual; /* the variation on which every variant is proved */
    gt_variation now;   /* the variation that the buffers hold */
    uint32_t launcher;  /* index of the launcher for the trial's size, among those of a variant */
    double share;       /* part of the launches' time that may be spent, from 0 to 1 */
    double spend_ns;    /* what the whole of a winner's trial may take */
    double make_ns;     /* what it took to make the contents and the reference's results */
    uint64_t standard;  /* the default variant; GT_NO_VARIANT: not verified yet */
};

static const uint64_t seed_apart = 0x5bd1e995u;

/* A limit of time, by the clock, or by the processor's time on an emulated device. */
typedef struct budget {
    bool emulated;
    int64_t start_ns, most_ns;
} budget;

static int64_t clock_of(bool emulated)
{
    return emulated ? (int64_t)clock() * (1000000000 / CLOCKS_PER_SEC) : gt_now_ns();
}

/* Whether more than so many nanoseconds of the budget are left. */
static bool has_left(const budget *budget, double nanoseconds)
{
    return (double)(clock_of(budget->emulated) - budget->start_ns) + nanoseconds <
           (double)budget->most_ns;
}

/* ---- Contents -------------------------------------------------------------------------------- */

static bool is_same(const gt_variation *a, const gt_variation *b)
{
    return a->scalars == b->scalars && a->contents == b->contents && a->turn == b->turn;
}

static gputune_status make(gt_trial *trial, const gt_variation *variation)
{
    gt_measure *measure = &trial->measure;
    gt_workspace *workspace = &measure->workspaces[0];
    gt_workload_vary(&workspace->workload, &trial->base, variation);
    trial->now = *variation;
    measure->has_tolerances = measure->has_expected = false;
    measure->damage = GT_DAMAGE_NONE;
    GT_TRY(gt_workspace_values(measure, workspace));
    GT_TRY(gt_tables_plan(measure));
    return gt_contents_make(measure, measure->setup.seed, false);
}

/* Fills the buffers by a variation. *fits: the reference's results for it can be compared. Fails
 * only if the GPU is lost. */
static gputune_status try_variation(bool *fits, gt_trial *trial, const gt_variation *variation)
{
    gt_measure *measure = &trial->measure;
    gputune_status status = make(trial, variation);
    *fits = status == GPUTUNE_OK;
    return measure->lost ? status : GPUTUNE_OK;
}

/* ---- What can be demanded -------------------------------------------------------------------- */

/* Makes the variation ask for less: first its contents, then its scalars. False if it cannot. */
static bool narrow(gt_variation *variation)
{
    if (variation->contents > GT_CONTENTS_PLAIN) {
        --variation->contents;
        return true;
    }
    if (variation->scalars == GT_SCALARS_OWN) {
        return false;
    }
    --variation->scalars;
    return true;
}

/* Fills the buffers by the usual variation, which is narrowed until it fits. *found: one fits. */
static gputune_status choose(bool *found, gt_trial *trial)
{
    const bool emulated = trial->measure.device.emulated;
    *found = false;
    do {
        const int64_t begun_ns = clock_of(emulated);
        GT_TRY(try_variation(found, trial, &trial->usual));
        trial->make_ns = (double)(clock_of(emulated) - begun_ns);
    } while (!*found && narrow(&trial->usual));
    return GPUTUNE_OK;
}

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

static gputune_status build(gt_trial *trial, const gt_measure *parent,
                            const gt_measure_setup *setup)
{
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

gputune_status gt_trial_make(gt_measure *measure, const gt_measure_setup *setup)
{
    bool found = false;
    if (!is_worth(setup)) {
        return GPUTUNE_OK;
    }
    gt_trial *trial = measure->trial = calloc(1, sizeof *trial);
    GT_TRY(gt_allocated(trial));
    trial->base = setup->workloads[setup->workload_count - 1];
    trial->launcher = setup->workload_count - 1;
    trial->standard = GT_NO_VARIANT;
    trial->usual = (gt_variation){
        .scalars = gt_workload_has_scalars(&trial->base) ? GT_SCALARS_FAR : GT_SCALARS_OWN,
        .contents =
            gt_workload_has_contents(&trial->base) ? GT_CONTENTS_SPECIALS : GT_CONTENTS_PLAIN};
    gputune_status status = build(trial, measure, setup);
    GT_THEN(status, choose(&found, trial));
    measure->lost |= trial->measure.lost;
    if (!found) {
        gt_trial_free(measure);
    }
    return measure->lost ? status : GPUTUNE_OK;
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

/* ---- One launch ------------------------------------------------------------------------------ */

static gputune_status launch(gt_measure *measure, gt_loaded *variant)
{
    gt_trial *trial = measure->trial;
    return gt_measure_launch(measure, variant->launchers[trial->launcher],
                             trial->measure.workspaces[0].arguments);
}

/* Queues a launch of the variant on the trial's data, and the comparison of its results. */
static gputune_status launch_checked(gt_measure *measure, gt_loaded *variant)
{
    gt_measure *own = &measure->trial->measure;
    GT_TRY(gt_service_run(own, GT_SERVICE_RESET, &own->again, false));
    GT_TRY(gt_service_poison_shared(own, GT_POISON_MIXED + 2));
    GT_TRY(launch(measure, variant));
    if (own->workspaces[0].workload.has_check) {
        GT_TRY(gt_check_launch(own, &own->workspaces[0]));
    }
    return gt_service_check(own, &own->check, false, own->findings);
}

gputune_status gt_trial_queue(gt_measure *measure, gt_loaded *variant)
{
    gt_trial *trial = measure->trial;
    if (!trial) {
        return GPUTUNE_OK;
    }
    gputune_status status = is_same(&trial->now, &trial->usual)
                                ? gt_contents_refresh(&trial->measure)
                                : make(trial, &trial->usual);
    GT_THEN(status, launch_checked(measure, variant));
    measure->lost |= trial->measure.lost;
    return status;
}

/* ---- Judging --------------------------------------------------------------------------------- */

static void say_scalars(gt_text *text, const gt_workload *now, const gt_workload *base)
{
    for (uint32_t i = 0; i < now->scalar_count; ++i) {
        const gt_number *is = gt_scalar_number(now, &now->scalars[i]);
        const gt_number *was = gt_scalar_number(base, &base->scalars[i]);
        if (is && (is->low != was->low || is->integer != was->integer)) {
            gt_text_printf(text, "%s%s = %.6g", text->length ? ", " : " where ", is->name, is->low);
        }
    }
}

/* Appends how the trial's scalars and inputs differ from those of the other launches. */
static void describe(gt_text *text, const gt_trial *trial, const char *words)
{
    static const char *const contents[] = {
        [GT_CONTENTS_PLAIN] = "other inputs",
        [GT_CONTENTS_EXTREMES] = "inputs with extremes and constants",
        [GT_CONTENTS_SPECIALS] = "inputs with NaN, infinities, extremes and constants",
        [GT_CONTENTS_ZERO] = "inputs that are all zero",
        [GT_CONTENTS_HIGH] = "inputs that are all the same",
        [GT_CONTENTS_LOW] = "inputs that are all the same"};
    say_scalars(text, &trial->measure.workspaces[0].workload, &trial->base);
    gt_text_printf(text, "%s%s%s", text->length ? ", with " : " with ",
                   contents[trial->now.contents], words);
}

/* Judges the findings of the last launch, which must have reached the host. */
static gputune_status judge(gt_verified *out, gt_measure *measure, const char *words)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    describe(&text, measure->trial, words);
    return gt_report_trial(out, &measure->trial->measure, gt_text_string(&text));
}

/* Waits for the last launch on the trial's data, and judges it. */
static gputune_status wait_and_judge(gt_measure *measure, const char *words)
{
    gt_verified ignored = {0};
    gputune_status status = gt_measure_wait(&measure->trial->measure);
    measure->lost |= measure->trial->measure.lost;
    return status < 0 ? status : judge(&ignored, measure, words);
}

/* Narrows the usual variation until the default variant is right on it. Frees the trial if that
 * never happens. */
static gputune_status yield_to(gt_measure *measure, gt_loaded *variant)
{
    gt_trial *trial = measure->trial;
    while (narrow(&trial->usual)) {
        bool fits;
        gputune_status status = try_variation(&fits, trial, &trial->usual);
        measure->lost |= trial->measure.lost;
        GT_TRY(status);
        if (fits) {
            status = launch_checked(measure, variant);
            GT_THEN(status, wait_and_judge(measure, ""));
            if (status != GPUTUNE_EWRONG) {
                return status;
            }
        }
    }
    gt_trial_free(measure);
    return GPUTUNE_OK;
}

gputune_status gt_trial_judge(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                              bool standard)
{
    if (!measure->trial) {
        return GPUTUNE_OK;
    }
    gputune_status status = judge(out, measure, "");
    if (standard) {
        measure->trial->standard = variant->id;
        status = status == GPUTUNE_EWRONG ? yield_to(measure, variant) : status;
    }
    return status;
}

void gt_trial_doubt(gt_measure *measure)
{
    if (measure->trial) {
        measure->trial->measure.damage = GT_DAMAGE_EVERYTHING;
    }
}

/* ---- The winner ------------------------------------------------------------------------------ */

/* The time for each part of the winner's trial, in nanoseconds, and how many times as much it is on
 * an emulated device. */
enum { OFTEN_NS = 3000000, ROW_NS = 6000000, ROUNDS_NS = 20000000, EMULATED = 50 };

static double slowness(const gt_measure *measure)
{
    return measure->device.emulated ? EMULATED : 1;
}

static budget budget_of(const gt_measure *measure, double nanoseconds)
{
    bool emulated = measure->device.emulated;
    return (budget){emulated, clock_of(emulated), (int64_t)nanoseconds};
}

static budget part_of(const gt_measure *measure, double nanoseconds)
{
    return budget_of(measure, nanoseconds * slowness(measure) * measure->trial->share);
}

static double parts_ns(const gt_measure *measure)
{
    static const double overrun = 1.25; /* what was begun is finished */
    return overrun * slowness(measure) * (2 * OFTEN_NS + ROW_NS + ROUNDS_NS);
}

double gt_trial_winner_ns(double *further_ns, const gt_measure *measure)
{
    *further_ns = measure->trial ? measure->trial->make_ns : 0;
    return measure->trial ? parts_ns(measure) + *further_ns : 0;
}

/* Launches the winner many times in a row, and compares the results of the first and last launches.
 */
static gputune_status launch_often(gt_measure *measure, gt_loaded *variant)
{
    enum { COMPARED = 10, LEAST = 2, MOST = 1024 };
    for (int part = 0; part < 2; ++part) {
        const budget often = part_of(measure, OFTEN_NS);
        for (int i = 0; i < COMPARED && (i < LEAST || has_left(&often, 0)); ++i) {
            GT_TRY(launch_checked(measure, variant));
            GT_TRY(wait_and_judge(measure, ", after many launches"));
        }
        const budget row = part_of(measure, ROW_NS);
        for (int i = 0; part == 0 && i < MOST && has_left(&row, 0); ++i) {
            GT_TRY(launch(measure, variant));
            bool looks = (i & (i + 1)) == 0; /* behind twice as many, and so far beyond the time */
            GT_TRY(looks ? gt_measure_wait(&measure->trial->measure) : GPUTUNE_OK);
        }
    }
    return GPUTUNE_OK;
}

/* The default variant, even if it was dropped; NULL if it is not loaded any more. */
static gt_loaded *find_standard(gt_measure *measure)
{
    uint64_t id = measure->trial->standard;
    gt_loaded *one = measure->dropped;
    while (one && one->id != id) {
        one = one->next;
    }
    return one ? one : gt_loaded_find(measure, id);
}

/* Whether the default variant is wrong too, on the present contents. */
static gputune_status is_beyond_default(bool *out, gt_measure *measure, const gt_loaded *winner)
{
    gt_loaded *standard = find_standard(measure);
    *out = false;
    if (!standard || standard->id == winner->id) {
        *out = standard != NULL;
        return GPUTUNE_OK;
    }
    gputune_status status = gt_contents_refresh(&measure->trial->measure);
    GT_THEN(status, launch_checked(measure, standard));
    GT_THEN(status, wait_and_judge(measure, ""));
    *out = status == GPUTUNE_EWRONG;
    return *out ? GPUTUNE_OK : status;
}

/* Proves the variant on one more data set at the same addresses. */
static gputune_status prove_on(gt_measure *measure, gt_loaded *variant,
                               const gt_variation *variation)
{
    gt_trial *trial = measure->trial;
    bool fits, excused;
    GT_TRY(try_variation(&fits, trial, variation));
    if (!fits) {
        return GPUTUNE_OK;
    }
    GT_TRY(launch_checked(measure, variant));
    gputune_status status = wait_and_judge(measure, "");
    if (status != GPUTUNE_EWRONG) {
        return status;
    }
    GT_FREED char *message = strdup(gt_message());
    status = is_beyond_default(&excused, measure, variant);
    if (status == GPUTUNE_OK && !excused) {
        status = gt_fail(GPUTUNE_EWRONG, "%s", message ? message : "wrong");
    }
    return status;
}

/* Makes a further data set only in time that covers it: a slow reference makes that long. */
static gputune_status prove_more(gt_measure *measure, gt_loaded *variant)
{
    static const gt_variation rounds[] = {{GT_SCALARS_OWN, GT_CONTENTS_ZERO, 0},
                                          {GT_SCALARS_ZERO, GT_CONTENTS_HIGH, 0},
                                          {GT_SCALARS_NEAR, GT_CONTENTS_LOW, 0}};
    enum { ROUNDS = sizeof rounds / sizeof *rounds };
    const gt_trial *trial = measure->trial;
    const gt_variation usual = trial->usual;
    const budget some = part_of(measure, ROUNDS_NS), all = budget_of(measure, trial->spend_ns);
    uint32_t lists = gt_workload_longest_list(&trial->base);
    for (uint32_t i = 0; i < ROUNDS + lists && has_left(&some, 0) && has_left(&all, trial->make_ns);
         ++i) {
        gt_variation now = i < ROUNDS ? rounds[i] : usual;
        now.turn = i < ROUNDS ? 0 : i - ROUNDS;
        now.scalars = usual.scalars == GT_SCALARS_OWN ? GT_SCALARS_OWN : now.scalars;
        now.contents = usual.contents == GT_CONTENTS_PLAIN ? GT_CONTENTS_PLAIN : now.contents;
        if (!is_same(&now, &usual)) {
            GT_TRY(prove_on(measure, variant, &now));
        }
    }
    return GPUTUNE_OK;
}

static void say_usual(gt_verified *out, const gt_trial *trial)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    describe(&text, trial, "");
    gt_snprintf(out->trial, sizeof out->trial, "%s", gt_text_string(&text));
}

gputune_status gt_trial_winner(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                               double share)
{
    gt_trial *trial = measure->trial;
    if (!trial) {
        return GPUTUNE_OK;
    }
    trial->spend_ns = share * (parts_ns(measure) + trial->make_ns);
    trial->share = fmin(1, trial->spend_ns / parts_ns(measure));
    gputune_status status = gt_trial_queue(measure, variant);
    say_usual(out, trial);
    GT_THEN(status, wait_and_judge(measure, ", after the race"));
    GT_THEN(status, launch_often(measure, variant));
    GT_THEN(status, prove_more(measure, variant));
    measure->lost |= trial->measure.lost || status == GPUTUNE_ECRASHED;
    return status;
}
