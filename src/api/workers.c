/* Lends farms to sessions. */
#include "api/workers.h"

#include "api/tuner.h"
#include "base/condition.h"
#include "tuner/code_memo.h"

#include <stdio.h>
#include <string.h>

void gt_workers_open(gt_workers *workers, const gt_farm_options *options, bool keep)
{
    *workers = (gt_workers){.options = *options, .keep = keep};
    pthread_mutex_init(&workers->mutex, NULL);
    gt_condition_open(&workers->pace_news);
    if (keep) {
        gt_code_memo_hold();
    }
}

void gt_workers_close(gt_workers *workers)
{
    for (size_t i = 0; i < workers->farms.count; i++) {
        gt_farm *farm = workers->farms.items[i].farm;
        farm->ops->close(farm);
    }
    if (workers->keep) {
        gt_code_memo_let_go();
    }
    gt_array_free(&workers->farms);
    pthread_cond_destroy(&workers->pace_news);
    pthread_mutex_destroy(&workers->mutex);
}

/* Lends the idle farm that has the least of what is needed: a session that only compiles leaves
 * measure workers to others. NULL: none fits. */
static gt_farm *lend_idle(gt_workers *workers, bool measure, gputune_isolation isolation)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    gt_kept_farm *found = NULL;
    for (size_t i = 0; i < workers->farms.count; i++) {
        gt_kept_farm *farm = &workers->farms.items[i];
        bool fits = !farm->lent && (!measure || (farm->measures && farm->isolation == isolation));
        found = fits && (!found || !farm->measures) ? farm : found;
    }
    if (!found) {
        return NULL;
    }
    found->lent = true;
    return found->farm;
}

/* Takes the farm over. Without memory, it is closed. */
static gputune_status add_farm(gt_workers *workers, gt_kept_farm added)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    gputune_status status = gt_array_push(&workers->farms, added);
    if (status != GPUTUNE_OK) {
        added.farm->ops->close(added.farm);
    }
    return status;
}

gputune_status gt_workers_borrow(gt_workers *workers, gt_farm **out, bool measure,
                                 gputune_isolation isolation)
{
    gt_farm *farm = lend_idle(workers, measure, isolation);
    if (!farm) {
        gt_farm_options options = workers->options;
        options.driver = measure ? options.driver : NULL;
        options.isolation = isolation;
        GT_TRY(gt_farm_open(&farm, &options));
        GT_TRY(add_farm(workers, (gt_kept_farm){farm, isolation, measure, true}));
    }
    *out = farm;
    return GPUTUNE_OK;
}

void gt_workers_adopt(gt_workers *workers, gt_farm *farm)
{
    add_farm(workers, (gt_kept_farm){.farm = farm, .measures = true});
}

/* Keeps one idle farm that measures, and one that only compiles. Returns the farm to close, or
 * NULL. */
static gt_farm *take_back(gt_workers *workers, const gt_farm *farm)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    gt_kept_farm *farms = workers->farms.items, *end = farms + workers->farms.count, *returned;
    for (returned = farms; returned->farm != farm; returned++) {
    }
    gt_kept_farm *extra = workers->keep ? farms : returned;
    while (workers->keep && extra < end && (extra->lent || extra->measures != returned->measures)) {
        extra++;
    }
    returned->lent = false;
    if (extra == end) {
        return NULL;
    }
    gt_farm *closed = extra->farm;
    *extra = end[-1];
    workers->farms.count--;
    return closed;
}

void gt_workers_return(gt_workers *workers, gt_farm *farm)
{
    gt_farm *extra = take_back(workers, farm);
    if (extra) {
        extra->ops->close(extra);
    }
}

bool gt_workers_take_gpu(gt_workers *workers, gt_gpu_user user)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    bool taken = !workers->gpu_is_taken;
    workers->gpu_is_taken = true;
    workers->gpu_is_lent |= taken && user == GT_GPU_OTHER_TUNER;
    workers->gpu_is_wanted = !taken && (workers->gpu_is_wanted || user != GT_GPU_BACKGROUND);
    return taken;
}

bool gt_workers_is_gpu_wanted(gt_workers *workers)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    return workers->gpu_is_wanted;
}

void gt_workers_leave_gpu(void *tuner)
{
    gt_workers *workers = &((gputune *)tuner)->workers;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    workers->gpu_is_taken = workers->gpu_is_lent = false;
    workers->pace_is_wanted = workers->pace_is_asked_for = false; /* who waits wants it again */
    pthread_cond_broadcast(&workers->pace_news);
}

/* ---- how fast the GPU is --------------------------------------------------------------------- */

gt_paced gt_paced_of(const gt_event *sampled)
{
    gt_paced paced = {.status = sampled->status, .pace = GPUTUNE_PACE_INIT};
    if (sampled->status != GPUTUNE_OK) {
        snprintf(paced.message, sizeof paced.message, "%s", sampled->message);
        return paced;
    }
    const gt_sampled *values = &sampled->sampled;
    paced.pace.launch_ns = values->values[0];
    paced.pace.sm_clock_mhz = values->sm_clock_mhz;
    paced.pace.throttled = values->spoiled;
    paced.pace.shared = values->noisy;
    memcpy(paced.pace.other, values->other, sizeof paced.pace.other);
    return paced;
}

bool gt_workers_await_pace(gt_paced *out, gt_workers *workers, uint64_t *since)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    if (workers->gpu_is_lent) {
        *out = (gt_paced){.status = GPUTUNE_EBUSY, .message = "a search of another GPU uses it"};
        return true;
    }
    *since = *since == UINT64_MAX ? workers->pace_count : *since;
    if (workers->gpu_is_taken && workers->pace_count == *since) {
        workers->pace_is_wanted = !workers->pace_is_asked_for;
        gt_condition_wait(&workers->pace_news, &workers->mutex, 0.1);
    }
    *out = workers->paced;
    return workers->pace_count != *since;
}

bool gt_workers_is_pace_wanted(void *tuner)
{
    gt_workers *workers = &((gputune *)tuner)->workers;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    const bool ask = workers->pace_is_wanted; /* none is wanted while one is asked for */
    workers->pace_is_asked_for |= ask;
    workers->pace_is_wanted = false;
    return ask;
}

void gt_workers_tell_pace(void *tuner, const gt_event *sampled)
{
    gt_workers *workers = &((gputune *)tuner)->workers;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    workers->paced = gt_paced_of(sampled);
    workers->pace_is_asked_for = false;
    workers->pace_count++;
    pthread_cond_broadcast(&workers->pace_news);
}
