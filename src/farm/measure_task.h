/* Work for the service kernels (service_*.cu): tasks in tables. */
#ifndef GT_FARM_MEASURE_TASK_H
#define GT_FARM_MEASURE_TASK_H

#include "base/array.h"
#include "farm/service.h"

typedef struct gt_findings {
    uint64_t sequence; /* of the check that wrote it */
    gt_finding items[];
} gt_findings;

/* Tasks of one kind of kernel, those of the timed workload first. */
typedef struct gt_tasks {
    GT_ARRAY(gt_service_task) tasks;
    uint64_t tiles;
    uint32_t timed_count; /* how many belong to the timed workload, and their tiles */
    uint64_t timed_tiles;
    uint64_t device; /* address of the uploaded tasks, 0: not yet */
    uint32_t device_capacity;
    uint64_t uploaded; /* hash of what lies there, 0: nothing */
} gt_tasks;

/* Appends a task cut into tiles of `tile` elements or bytes; one of no elements is left out. A
 * `repeats` of 0 means 1. *index (may be NULL) is its place, or -1 when left out. ENOMEM. */
gputune_status gt_tasks_add(gt_tasks *table, const gt_service_task *task, uint32_t tile,
                            int *index);
/* What was added so far belongs to the timed workload. */
void gt_tasks_mark_timed(gt_tasks *table);
/* Empties the table, keeping its memory on host and device. */
void gt_tasks_reset(gt_tasks *table);
/* Frees the host's part. */
void gt_tasks_free(gt_tasks *table);

#endif
