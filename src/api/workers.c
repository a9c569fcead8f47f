/* Lending farms to sessions. */
#include "api/workers.h"

#include "tuner/code_memo.h"

#include <stdlib.h>
#include <string.h>

void gt_workers_open(gt_workers *workers, const gt_farm_options *options, bool keep)
{
    *workers = (gt_workers){.options = *options, .keep = keep};
    pthread_mutex_init(&workers->mutex, NULL);
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
    free(workers->lent);
    pthread_mutex_destroy(&workers->mutex);
}

static bool serves(const gt_lent_farm *farm, bool measure, gputune_isolation isolation)
{
    return farm->farm && (!measure || (farm->measures && farm->isolation == isolation));
}

/* Takes the farm that has the least of what is needed: a session that only compiles leaves measure
 * workers to others. */
static gt_lent_farm take_idle(gt_workers *workers, bool measure, gputune_isolation isolation)
{
    gt_lent_farm *found = NULL;
    for (int i = 0; i < GT_IDLE_FARMS; i++) {
        gt_lent_farm *farm = &workers->idle[i];
        if (serves(farm, measure, isolation) && (!found || !farm->measures)) {
            found = farm;
        }
    }
    gt_lent_farm taken = found ? *found : (gt_lent_farm){0};
    if (found) {
        *found = (gt_lent_farm){0};
    }
    return taken;
}

static gputune_status note_lent(gt_workers *workers, const gt_lent_farm *farm)
{
    size_t place = 0;
    while (place < workers->lent_count && workers->lent[place].farm) {
        place++;
    }
    if (place == workers->lent_count) {
        gt_lent_farm *more = realloc(workers->lent, (place + 1) * sizeof *more);
        GT_TRY(gt_allocated(more));
        workers->lent = more;
        workers->lent_count++;
    }
    workers->lent[place] = *farm;
    return GPUTUNE_OK;
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
    gputune_status status = note_lent(workers, &farm);
    pthread_mutex_unlock(&workers->mutex);
    return GT_GIVE(status, out, farm.farm, close_farm(farm.farm));
}

static gt_lent_farm take_lent(gt_workers *workers, const gt_farm *farm)
{
    gt_lent_farm taken = {0};
    for (size_t i = 0; i < workers->lent_count; i++) {
        if (workers->lent[i].farm == farm) {
            taken = workers->lent[i];
            workers->lent[i] = (gt_lent_farm){0};
        }
    }
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
    pthread_mutex_lock(&workers->mutex);
    put_idle(workers, &adopted);
    pthread_mutex_unlock(&workers->mutex);
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

static bool take_gpu(gt_workers *workers, bool is_wanted_else)
{
    pthread_mutex_lock(&workers->mutex);
    bool taken = !workers->gpu_is_taken;
    workers->gpu_is_taken = true;
    workers->gpu_is_wanted = !taken && (workers->gpu_is_wanted || is_wanted_else);
    pthread_mutex_unlock(&workers->mutex);
    return taken;
}

bool gt_workers_take_gpu(gt_workers *workers)
{
    return take_gpu(workers, true);
}

bool gt_workers_take_gpu_quietly(gt_workers *workers)
{
    return take_gpu(workers, false);
}

bool gt_workers_is_gpu_wanted(gt_workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    bool wanted = workers->gpu_is_wanted;
    pthread_mutex_unlock(&workers->mutex);
    return wanted;
}

void gt_workers_leave_gpu(gt_workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    workers->gpu_is_taken = false;
    pthread_mutex_unlock(&workers->mutex);
}
