/* What measure_trial.c and measure_experiment.c share: the state of a trial, and its experiments.
 */
#pragma once

#include "base/clock.h"
#include "base/text.h"
#include "farm/measure_parts.h"
#include "kernel/bind/vary.h"

#include <time.h>

/* What became of an experiment. */
typedef enum gt_fate {
    GT_FATE_SURVIVED,
    GT_FATE_DIFFERS, /* the reference gives no results to compare, or the default gives others */
    GT_FATE_CRASHES,
    GT_FATE_HANGS,
    GT_FATE_UNTRIED
} gt_fate;

/* A data set. */
typedef struct gt_data_set {
    gt_variation variation; /* what is wanted; once it is settled, what remains of that */
    bool tried, survived;   /* it is settled; something remains */
} gt_data_set;

enum { ROUNDS_MAX = 11 + GT_OTHER_MAX };

struct gt_trial {
    gt_measure *parent;
    gt_measure measure;
    gt_workload base;               /* the workload with the values that were requested */
    gt_data_set usual;              /* the data set on which every variant is proved */
    gt_data_set rounds[ROUNDS_MAX]; /* those on which a winner is proved as well */
    uint32_t round_count;
    gt_variation now;             /* the variation that the buffers hold, */
    bool made;                    /* with the reference's results, which can be compared */
    gt_lost lost;                 /* the experiments that have ended workers; */
    uint32_t met;                 /* how many of them were met in this worker */
    uint8_t fates[GT_NUMBER_MAX]; /* by number of the workload: what became of its other values */
    bool varied[GT_NUMBER_MAX];   /* the default has survived another value of the number */
    uint64_t gaps[GT_PARAMETER_MAX]; /* by buffer: what the reference leaves unwritten with the
                                        scalars' own values */
    char words[128];   /* how the usual data set differs from those that were requested */
    uint32_t launcher; /* index of the launcher for the trial's size, among those of a variant */
    double share;      /* part of the launches' time that may be spent, from 0 to 1 */
    double spend_ns;   /* what the whole of a winner's trial may take */
    double make_ns;    /* what it took to make the contents and the reference's results */
    uint64_t standard; /* the default variant; GT_NO_VARIANT: not verified yet */
};

/* A limit of time, by the clock, or by the processor's time on an emulated device. */
typedef struct gt_budget {
    bool emulated;
    int64_t start_ns, most_ns;
} gt_budget;

static inline int64_t gt_budget_clock(bool emulated)
{
    return emulated ? (int64_t)clock() * (1000000000 / CLOCKS_PER_SEC) : gt_now_ns();
}

/* Whether more than so many nanoseconds of the budget are left. */
static inline bool gt_budget_has(const gt_budget *budget, double nanoseconds)
{
    return (double)(gt_budget_clock(budget->emulated) - budget->start_ns) + nanoseconds <
           (double)budget->most_ns;
}

/* The time for each part of the trial, in nanoseconds, and how many times as much it is on an
 * emulated device. */
enum {
    OFTEN_NS = 3000000,
    ROW_NS = 6000000,
    ROUNDS_NS = 20000000,
    ONE_BY_ONE_NS = 100000000,
    EMULATED = 50
};

static inline double gt_trial_slowness(const gt_trial *trial)
{
    return trial->measure.device.emulated ? EMULATED : 1;
}

static inline gt_budget gt_budget_of(const gt_trial *trial, double nanoseconds)
{
    bool emulated = trial->measure.device.emulated;
    return (gt_budget){emulated, gt_budget_clock(emulated), (int64_t)nanoseconds};
}

/* ---- measure_experiment.c -------------------------------------------------------------------- */

bool gt_variation_is(const gt_variation *a, const gt_variation *b);
/* Fills the buffers by a variation, and runs the reference on it, unless they hold it. */
gputune_status gt_trial_hold(gt_trial *trial, const gt_variation *variation);
/* Queues a launch of the variant on the trial's data. */
gputune_status gt_trial_launch(gt_trial *trial, gt_loaded *variant);
/* The same, and the comparison of its results. */
gputune_status gt_trial_launch_checked(gt_trial *trial, gt_loaded *variant);
/* Judges the findings of the last launch, which must have reached the host. A message contains
 * `words`. */
gputune_status gt_trial_judge_results(gt_verified *out, gt_trial *trial, const char *words);
/* Waits for the last launch on the trial's data, and judges it. */
gputune_status gt_trial_wait(gt_trial *trial, const char *words);
/* Appends the name of a scalar's number: "a", or "s.dims" of a struct's member; and its value. */
void gt_trial_say_name(gt_text *text, const gt_scalar *scalar, const gt_number *number);
void gt_trial_say_value(gt_text *text, const gt_number *number);
/* Appends how the size, scalars and inputs of a variation differ from those that were requested;
 * `now` is the workload that the variation makes. */
void gt_trial_describe(gt_text *text, const gt_trial *trial, const gt_workload *now,
                       const gt_variation *variation);
/* Names the trial's data in the message of a failure that is not of the results. */
gputune_status gt_trial_say_where(gputune_status status, const gt_trial *trial);

/* The key of an experiment with the variation (gt_lost). */
uint64_t gt_trial_key(const gt_variation *variation);
/* What is known of an experiment before it runs: what has ended a worker is not tried again.
 * SURVIVED: nothing. */
gt_fate gt_trial_known_fate(gt_trial *trial, uint64_t key);
/* Tells the host that an experiment begins; 0: none runs any more. */
void gt_trial_announce(const gt_trial *trial, uint64_t key);
/* Leaves flags with their own values. */
void gt_trial_keep_flags(gt_variation *variation, const gt_trial *trial);
/* Drops from a data set, one by one, what the reference, or the default variant unless that is
 * NULL, does not survive. A few flags are tried one by one at once: each that crashes costs a
 * worker, and it costs one more to try them together first. Fails only if the GPU is lost. */
gputune_status gt_trial_settle(gt_trial *trial, gt_data_set *set, gt_loaded *standard);
