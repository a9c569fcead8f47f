/* Lends farms to sessions. */
#include "api/workers.h"

#include "api/tuner.h"
#include "base/condition.h"
#include "tuner/code_memo.h"

#include <stdio.h>
#include <stdlib.h>
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

static void close_farm(gt_farm *farm)
{
    if (farm) {
        farm->ops->close(farm);
    }
}

void gt_workers_close(gt_workers *workers)
{
    for (int i = 0; i < GT_IDLE_FARMS; i++) {
        close_farm(workers->idle[i].farm);
    }
    if (workers->keep) {
        gt_code_memo_let_go();
    }
    gt_array_free(&workers->lent);
    pthread_cond_destroy(&workers->pace_news);
    pthread_mutex_destroy(&workers->mutex);
}

/* Takes the farm that has the least of what is needed: a session that only compiles leaves measure
 * workers to others. */
static gt_lent_farm take_idle(gt_workers *workers, bool measure, gputune_isolation isolation)
{
    gt_lent_farm *found = NULL;
    for (int i = 0; i < GT_IDLE_FARMS; i++) {
        gt_lent_farm *farm = &workers->idle[i];
        bool serves = farm->farm && (!measure || (farm->measures && farm->isolation == isolation));
        if (serves && (!found || !farm->measures)) {
            found = farm;
        }
    }
    gt_lent_farm taken = found ? *found : (gt_lent_farm){0};
    if (found) {
        *found = (gt_lent_farm){0};
    }
    return taken;
}

static gputune_status open_farm(gt_lent_farm *out, const gt_workers *workers, bool measure,
                                gputune_isolation isolation)
{
    gt_farm_options options = workers->options;
    options.driver = measure ? options.driver : NULL;
    options.isolation = isolation;
    *out = (gt_lent_farm){.measures = measure, .isolation = isolation};
    return gt_farm_open(&out->farm, &options);
}

gputune_status gt_workers_borrow(gt_workers *workers, gt_farm **out, bool measure,
                                 gputune_isolation isolation)
{
    pthread_mutex_lock(&workers->mutex);
    gt_lent_farm farm = take_idle(workers, measure, isolation);
    pthread_mutex_unlock(&workers->mutex);
    if (!farm.farm) {
        GT_TRY(open_farm(&farm, workers, measure, isolation));
    }
    pthread_mutex_lock(&workers->mutex);
    gputune_status status = gt_array_push(&workers->lent, farm);
    pthread_mutex_unlock(&workers->mutex);
    return GT_GIVE(status, out, farm.farm, close_farm(farm.farm));
}

static gt_lent_farm take_lent(gt_workers *workers, const gt_farm *farm)
{
    size_t at = 0;
    while (workers->lent.items[at].farm != farm) {
        at++;
    }
    gt_lent_farm taken = workers->lent.items[at];
    workers->lent.items[at] = workers->lent.items[--workers->lent.count];
    return taken;
}

/* Keeps one idle farm that measures, and one that only compiles. *farm is the one to close. */
static void put_idle(gt_workers *workers, gt_lent_farm *farm)
{
    gt_lent_farm *place = &workers->idle[farm->measures];
    gt_lent_farm before = *place;
    *place = *farm;
    *farm = before;
}

void gt_workers_adopt(gt_workers *workers, gt_farm *farm)
{
    gt_lent_farm adopted = {.farm = farm, .measures = true};
    put_idle(workers, &adopted); /* no other thread knows the workers yet */
    close_farm(adopted.farm);
}

void gt_workers_return(gt_workers *workers, gt_farm *farm)
{
    pthread_mutex_lock(&workers->mutex);
    gt_lent_farm returned = take_lent(workers, farm);
    if (workers->keep) {
        put_idle(workers, &returned);
    }
    pthread_mutex_unlock(&workers->mutex);
    close_farm(returned.farm);
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
    bool ask = workers->pace_is_wanted && !workers->pace_is_asked_for;
    if (ask) {
        workers->pace_is_wanted = false;
        workers->pace_is_asked_for = true;
    }
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
