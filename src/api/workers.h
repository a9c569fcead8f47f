/* The farms of a tuner, each lent to one session at a time, and the right to measure on the tuner's
 * GPU. Thread-safe. */
#pragma once

#include "base/array.h"
#include "farm/farm.h"

#include <pthread.h>

typedef struct gt_kept_farm {
    gt_farm *farm;
    gputune_isolation isolation;
    bool measures;
    bool lent; /* else idle */
} gt_kept_farm;

/* How fast the GPU was, or why the worker could not find that out. */
typedef struct gt_paced {
    gputune_status status;
    gputune_pace pace;
    char message[512];
} gt_paced;

typedef struct gt_workers {
    pthread_mutex_t mutex;
    GT_ARRAY(gt_kept_farm) farms; /* idle: at most one that measures, and one that does not */
    bool gpu_is_taken, gpu_is_wanted;
    bool gpu_is_lent; /* a session of another tuner has taken it */
    /* What gputune_measure_pace() asks of the session that has the GPU: */
    pthread_cond_t pace_news; /* signalled when an answer came, or the GPU became free */
    bool pace_is_wanted, pace_is_asked_for;
    uint64_t pace_count;     /* number of answers so far */
    gt_paced paced;          /* the latest answer */
    bool keep;               /* workers stay between sessions, and the code that they compiled */
    gt_farm_options options; /* options of every farm; the tuner owns the strings */
} gt_workers;

/* Prepares to open farms with these options, whose strings must outlive `workers`. With `keep`,
 * worker processes stay after their session, and hold memory, also of the device; compiled code
 * stays as well (tuner/code_memo.h). */
void gt_workers_open(gt_workers *workers, const gt_farm_options *options, bool keep);
/* Ends all workers. No farm may be lent. */
void gt_workers_close(gt_workers *workers);

/* Adds a farm that measures and was opened elsewhere, as an idle one. */
void gt_workers_adopt(gt_workers *workers, gt_farm *farm);
/* Lends an idle farm that fits, or a new one. A session that only compiles can use any farm. */
gputune_status gt_workers_borrow(gt_workers *workers, gt_farm **out, bool measure,
                                 gputune_isolation isolation);
void gt_workers_return(gt_workers *workers, gt_farm *farm);

/* Who measures on the GPU. A session of another tuner does not answer questions for the pace. */
typedef enum gt_gpu_user { GT_GPU_CALLER, GT_GPU_BACKGROUND, GT_GPU_OTHER_TUNER } gt_gpu_user;
/* Takes the right to measure on the GPU. False: another session has it; if that is a tuning in the
 * background and the caller is not, it gives the right up soon. */
bool gt_workers_take_gpu(gt_workers *workers, gt_gpu_user user);
/* Whether a tuning that a caller waits for was refused the right since it was last taken. */
bool gt_workers_is_gpu_wanted(gt_workers *workers);
/* Gives it back. This function and the last two take the `gputune *` whose workers are meant, as
 * gt_services has them. */
void gt_workers_leave_gpu(void *tuner);

/* ---- how fast the GPU is --------------------------------------------------------------------- */

gt_paced gt_paced_of(const gt_event *sampled);
/* Asks the session that has the GPU for the pace, and waits up to 0.1 s for the answer. False:
 * there is no answer yet, or the GPU is free; the caller calls again with the same *since, which is
 * UINT64_MAX in the first call. True: *out has the answer, or EBUSY if the GPU is lent. */
bool gt_workers_await_pace(gt_paced *out, gt_workers *workers, uint64_t *since);
/* Whether the session that has the GPU is to ask its worker for the pace. If true, the session must
 * do so. */
bool gt_workers_is_pace_wanted(void *tuner);
/* Takes the answer of the session's measure worker, and wakes the callers that wait for it. */
void gt_workers_tell_pace(void *tuner, const gt_event *sampled);
