/* Tables of tasks for the service kernels. */
#include "farm/measure_task.h"

gputune_status gt_tasks_add(gt_tasks *table, const gt_service_task *task, uint32_t tile, int *index)
{
    if (task->count == 0) {
        if (index) {
            *index = -1;
        }
        return GPUTUNE_OK;
    }
    gt_service_task added = *task;
    added.repeats = task->repeats ? task->repeats : 1;
    added.first_tile = table->tiles;
    added.tiles = (task->count - 1) / tile + 1;
    GT_TRY(gt_array_push(&table->tasks, added));
    table->tiles += added.tiles * added.repeats;
    if (index) {
        *index = (int)table->tasks.count - 1;
    }
    return GPUTUNE_OK;
}

void gt_tasks_mark_timed(gt_tasks *table)
{
    table->timed_count = (uint32_t)table->tasks.count;
    table->timed_tiles = table->tiles;
}

void gt_tasks_reset(gt_tasks *table)
{
    table->tasks.count = 0;
    table->tiles = table->timed_tiles = 0;
    table->timed_count = 0;
}

void gt_tasks_free(gt_tasks *table)
{
    gt_array_free(&table->tasks);
    *table = (gt_tasks){0};
}
