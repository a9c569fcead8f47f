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

/* How fast the GPU was, and how the worker fared that found out. */
typedef struct gt_paced {
    gputune_status status;
    gputune_pace pace;
    char message[512];
} gt_paced;

typedef struct gt_workers {
    pthread_mutex_t mutex;
    gt_lent_farm idle[GT_IDLE_FARMS]; /* farm NULL: free place */
    GT_ARRAY(gt_lent_farm) lent;
    bool gpu_is_taken, gpu_is_wanted;
    bool gpu_is_lent; /* taken for another tuner's session */
    /* What gputune_measure_pace() wants of the session that has the GPU: */
    pthread_cond_t pace_news; /* it was answered, or the GPU is free */
    bool pace_is_wanted, pace_is_asked_for;
    uint64_t pace_count;     /* of answers */
    gt_paced paced;          /* the latest one */
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
/* Takes it for a session of another tuner, which finds out no pace. */
bool gt_workers_lend_gpu(gt_workers *workers);

/* ---- how fast the GPU is --------------------------------------------------------------------- */

gt_paced gt_paced_of(const gt_event *sampled);
/* Wants the pace of the session that has the GPU, and waits for it a little. False, with the count
 * of answers so far in *since: not yet, or the GPU is free. Begin with *since UINT64_MAX. EBUSY in
 * *out: the GPU is lent. */
bool gt_workers_await_pace(gt_paced *out, gt_workers *workers, uint64_t *since);
/* Whether the session that has the GPU is to ask its worker for the pace, which it then does. */
bool gt_workers_is_pace_wanted(gt_workers *workers);
/* What its worker answered. */
void gt_workers_tell_pace(gt_workers *workers, const gt_event *sampled);
