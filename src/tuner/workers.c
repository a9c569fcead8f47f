/* Lends farms and the GPU to sessions. */
#include "tuner/workers.h"

#include "base/condition.h"
#include "tuner/code_memo.h"

#include <stdio.h>
#include <string.h>

void gt_workers_open(gt_workers *workers, const gt_farm_options *options, bool keep)
{
    *workers = (gt_workers){.options = *options, .keep = keep};
    pthread_mutex_init(&workers->mutex, NULL);
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
        gt_code_memo_release();
    }
    gt_array_free(&workers->farms);
    pthread_mutex_destroy(&workers->mutex);
}

/* Lends an idle farm that fits, preferably without a measure worker; NULL if there is none. */
static gt_farm *lend_idle(gt_workers *workers, bool measure)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    gt_kept_farm *found = NULL;
    for (size_t i = 0; i < workers->farms.count; i++) {
        gt_kept_farm *farm = &workers->farms.items[i];
        bool fits = !farm->lent && (!measure || farm->measures);
        found = fits && (!found || !farm->measures) ? farm : found;
    }
    if (!found) {
        return NULL;
    }
    found->lent = true;
    return found->farm;
}

/* Takes a farm over, or closes it if memory is short. */
static gputune_status add_farm(gt_workers *workers, gt_kept_farm added)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    gputune_status status = gt_array_push(&workers->farms, added);
    if (status != GPUTUNE_OK) {
        added.farm->ops->close(added.farm);
    }
    return status;
}

gputune_status gt_workers_borrow(gt_workers *workers, gt_farm **out, bool measure)
{
    gt_farm *farm = lend_idle(workers, measure);
    if (!farm) {
        gt_farm_options options = workers->options;
        GT_REFUSE(measure && !options.arch, GPUTUNE_EUNSUPPORTED,
                  "cannot measure: this tuner was opened without a device; open one with a device");
        options.driver = measure ? options.driver : NULL;
        GT_TRY(gt_farm_open(&farm, &options));
        GT_TRY(add_farm(workers, (gt_kept_farm){farm, measure, true}));
    }
    *out = farm;
    return GPUTUNE_OK;
}

void gt_workers_adopt(gt_workers *workers, gt_farm *farm)
{
    add_farm(workers, (gt_kept_farm){.farm = farm, .measures = true});
}

/* Takes a farm back. Keeps one idle farm of each kind, with and without a measure worker; returns
 * the farm to close, or NULL. */
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

void gt_gpu_right_open(gt_gpu_right *right)
{
    *right = (gt_gpu_right){.is_taken = false};
    pthread_mutex_init(&right->mutex, NULL);
}

void gt_gpu_right_close(gt_gpu_right *right)
{
    pthread_mutex_destroy(&right->mutex);
}

bool gt_gpu_take(gt_gpu_right *right, gt_gpu_user user)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&right->mutex);
    bool taken = !right->is_taken;
    right->is_taken = true;
    right->is_wanted = !taken && (right->is_wanted || user != GT_GPU_BACKGROUND);
    return taken;
}

bool gt_gpu_is_wanted(gt_gpu_right *right)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&right->mutex);
    return right->is_wanted;
}

void gt_gpu_leave(gt_gpu_right *right)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&right->mutex);
    right->is_taken = false;
}
