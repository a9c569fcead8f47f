#include "farm/measure_task.h"

gputune_status gt_table_add(gt_table *table, const gt_task *task, uint32_t tile, int *index)
{
    if (task->count == 0) {
        if (index) {
            *index = -1;
        }
        return GPUTUNE_OK;
    }
    gt_task added = *task;
    added.repeats = task->repeats ? task->repeats : 1;
    added.first_tile = table->tiles;
    added.tiles = (task->count - 1) / tile + 1;
    if (gt_array_push(&table->tasks, added) < 0) {
        return gt_fail_memory();
    }
    table->tiles += added.tiles * added.repeats;
    if (index) {
        *index = (int)table->tasks.count - 1;
    }
    return GPUTUNE_OK;
}

void gt_table_mark_timed(gt_table *table)
{
    table->timed_count = (uint32_t)table->tasks.count;
    table->timed_tiles = table->tiles;
}

void gt_table_reset(gt_table *table)
{
    table->tasks.count = 0;
    table->tiles = table->timed_tiles = 0;
    table->timed_count = 0;
}

void gt_table_free(gt_table *table)
{
    gt_array_free(&table->tasks);
    *table = (gt_table){0};
}
