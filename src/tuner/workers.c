/* Lends farms and the GPU to sessions. */
#include "tuner/workers.h"

#include "base/condition.h"
#include "tuner/code_memo.h"

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
    for (int i = 0; i < 2; i++) {
        gt_farm *farm = workers->idle[i];
        if (farm) {
            farm->ops->close(farm);
        }
    }
    if (workers->keep) {
        gt_code_memo_release();
    }
    pthread_mutex_destroy(&workers->mutex);
}

void gt_workers_adopt(gt_workers *workers, gt_farm *farm)
{
    workers->idle[farm->measures] = farm;
}

/* Takes an idle farm; NULL if there is none. If `measure`, the farm must have a measure worker;
 * otherwise, a farm without a measure worker is preferred. */
static gt_farm *take_idle(gt_workers *workers, bool measure)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    return gt_take(&workers->idle[measure || !workers->idle[false]]);
}

gputune_status gt_workers_borrow(gt_workers *workers, gt_farm **out, bool measure)
{
    gt_farm *farm = take_idle(workers, measure);
    if (!farm) {
        gt_farm_options options = workers->options;
        GT_REFUSE(measure && !options.arch, GPUTUNE_EUNSUPPORTED,
                  "cannot measure: this tuner was opened without a device; open one with a device");
        options.driver = measure ? options.driver : NULL;
        GT_TRY(gt_farm_open(&farm, &options));
    }
    *out = farm;
    return GPUTUNE_OK;
}

/* Keeps a farm for the next session. Returns false if farms are not kept, if it is broken, or if
 * there is already one of its kind. */
static bool keep_farm(gt_workers *workers, gt_farm *farm)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&workers->mutex);
    const bool keeps = workers->keep && !farm->broken && !workers->idle[farm->measures];
    if (keeps) {
        workers->idle[farm->measures] = farm;
    }
    return keeps;
}

void gt_workers_return(gt_workers *workers, gt_farm *farm)
{
    if (!keep_farm(workers, farm)) {
        farm->ops->close(farm);
    }
}

bool gt_gpu_take(gt_gpu_right *right, gt_gpu_user user)
{
    const bool taken = !atomic_exchange(&right->is_taken, true);
    if (taken || user != GT_GPU_BACKGROUND) {
        atomic_store(&right->is_wanted, !taken);
    }
    return taken;
}

bool gt_gpu_is_wanted(gt_gpu_right *right)
{
    return atomic_load(&right->is_wanted);
}

void gt_gpu_leave(gt_gpu_right *right)
{
    atomic_store(&right->is_taken, false);
}
