/* Breaks ties by the host's clock. If a launch takes the host longer than the kernel takes the
 * device, the kernel's time does not show: on an H200, kernels of 1.0 and 1.8 us are both launched
 * every 3.1 to 3.9 us, depending on the core. The difference matters on a faster core, in a graph,
 * and to other users of the device. So the tied contestants race by device time too, and the one
 * whose two times have the least sum wins: device time decides, unless it saves less than the host
 * seems to lose. */
#include "tuner/tuning.h"

#include <math.h>

static gputune_status add_tied(gt_tuning *tuning)
{
    for (uint32_t i = 0; i < gt_race_count(tuning->race); i++) {
        gt_race_contestant one;
        gt_race_contestant_at(tuning->race, i, &one);
        if (one.tied) {
            GT_TRY(gt_race_add(tuning->tie_break, one.id, one.rank, one.is_default));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_tuning_open_tie_break(gt_tuning *tuning)
{
    const gputune_options *o = &tuning->session.request->options;
    const gt_race_options options = {.seed = o->seed,
                                     .epsilon = o->epsilon,
                                     .final_rounds = 1, /* its results are not stored */
                                     .exact = tuning->session.request->device->emulated};
    gt_race_free(tuning->tie_break);
    tuning->tie_break = NULL;
    GT_TRY(gt_race_new(&tuning->tie_break, &options));
    GT_TRY(add_tied(tuning));
    gt_race_complete(tuning->tie_break);
    return GPUTUNE_OK;
}

/* The time in nanoseconds that a ratio of 1 means in a race, and the id of its best contestant;
 * infinite if no contestant could be sampled. */
static gputune_status unit_of(double *out, uint64_t *best, const gt_race *race)
{
    gt_race_contestant winner;
    gt_summary summary;
    *out = INFINITY;
    if (!gt_race_incumbent(race, best) || !gt_race_find(race, *best, &winner)) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_race_summary(race, *best, &summary));
    *out = summary.median / winner.ratio;
    return GPUTUNE_OK;
}

/* The contestant with the least sum; the default if no sum is less by more than epsilon of the
 * host's time; the race's own winner if there are no sums. */
static gputune_status choose(uint64_t *out, const gt_tuning *tuning)
{
    double host_ns, device_ns, least = INFINITY, standard = INFINITY;
    uint64_t default_id = 0, ignored;
    GT_TRY(unit_of(&host_ns, out, tuning->race));
    GT_TRY(unit_of(&device_ns, &ignored, tuning->tie_break));
    for (uint32_t i = 0; i < gt_race_count(tuning->tie_break); i++) {
        gt_race_contestant by_host, by_device;
        gt_race_contestant_at(tuning->tie_break, i, &by_device);
        bool in = by_device.left != GT_RACE_LEFT_FAILED && by_device.ratio > 0 &&
                  gt_race_find(tuning->race, by_device.id, &by_host);
        double both = in ? host_ns * by_host.ratio + device_ns * by_device.ratio : INFINITY;
        if (both < least) {
            least = both;
            *out = by_device.id;
        }
        if (by_device.is_default) {
            standard = both;
            default_id = by_device.id;
        }
    }
    if (isfinite(standard) &&
        standard <= least + tuning->session.request->options.epsilon * host_ns) {
        *out = default_id;
    }
    return GPUTUNE_OK;
}

gputune_status gt_tuning_end_tie_round(gt_tuning *tuning)
{
    uint64_t winner = 0;
    gt_race_end end;
    GT_TRY(gt_race_end_round(tuning->tie_break, &end));
    if (end == GT_RACE_RUNNING) {
        return GPUTUNE_OK;
    }
    GT_TRY(choose(&winner, tuning));
    GT_TRY(gt_race_break_tie(tuning->race, winner, &tuning->end));
    gt_tuning_advance(tuning, GT_STEP_UNTIED);
    return GPUTUNE_OK;
}

void gt_tuning_fail_contestant(gt_tuning *tuning, uint64_t id)
{
    gt_race_fail(tuning->race, id);
    if (tuning->phase == GT_PHASE_BREAK_TIE) {
        gt_race_fail(tuning->tie_break, id);
        if (!gt_race_is_tied(tuning->race)) {
            gt_tuning_advance(tuning, GT_STEP_UNTIED);
        }
    }
}
