/* The farms of a tuner, lent to one session at a time, and the right to measure on its GPU.
 * Thread-safe. */
#pragma once

#include "base/array.h"
#include "farm/farm.h"

#include <pthread.h>

enum { GT_IDLE_FARMS = 2 };

typedef struct gt_lent_farm {
    gt_farm *farm;
    bool measures;
    gputune_isolation isolation;
} gt_lent_farm;

typedef struct gt_workers {
    pthread_mutex_t mutex;
    gt_lent_farm idle[GT_IDLE_FARMS]; /* farm NULL: free place */
    GT_ARRAY(gt_lent_farm) lent;
    bool gpu_is_taken, gpu_is_wanted;
    bool keep;               /* workers stay between sessions, and the code that they compiled */
    gt_farm_options options; /* of every farm; its strings are the tuner's */
} gt_workers;

/* Prepares for farms with these options, whose strings must outlive the workers. With `keep`,
 * workers stay after their session, and hold memory, of the device too; code stays as well
 * (tuner/code_memo.h). */
void gt_workers_open(gt_workers *workers, const gt_farm_options *options, bool keep);
/* Ends all workers. No farm may be lent. */
void gt_workers_close(gt_workers *workers);

/* Adds a farm that was opened elsewhere. */
void gt_workers_adopt(gt_workers *workers, gt_farm *farm);
/* Lends an idle farm that fits, or a new one. A session that only compiles can use any farm. */
gputune_status gt_workers_borrow(gt_workers *workers, gt_farm **out, bool measure,
                                 gputune_isolation isolation);
void gt_workers_return(gt_workers *workers, gt_farm *farm);

/* Takes the right to measure; false: another session has it, and a tuning in the background gives
 * it up soon. */
bool gt_workers_take_gpu(gt_workers *workers, bool is_in_background);
/* Whether a tuning that a caller waits for was refused it since. */
bool gt_workers_is_gpu_wanted(gt_workers *workers);
void gt_workers_leave_gpu(gt_workers *workers);
