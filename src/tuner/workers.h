/* Resources shared by the sessions of a tuner: farms, each used by one session at a time, and the
 * right to measure on the GPU. Thread-safe. */
#pragma once

#include "farm/farm.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct gt_workers {
    pthread_mutex_t mutex;
    gt_farm *idle[2]; /* idle farms: [0] without a measure worker, [1] with it; may be NULL */
    bool keep;        /* true if workers and compiled code outlive a session */
    gt_farm_options options; /* options of new farms; the tuner owns their strings */
} gt_workers;

/* Prepares to open farms with these options, whose strings must outlive `workers`. With `keep`,
 * workers and compiled code outlive a session. */
void gt_workers_open(gt_workers *workers, const gt_farm_options *options, bool keep);
/* Ends all workers. All borrowed farms must have been returned. */
void gt_workers_close(gt_workers *workers);

/* Adds an open farm as the first idle one. Must be called before other threads use `workers`. */
void gt_workers_adopt(gt_workers *workers, gt_farm *farm);
/* Lends a farm, with a measure worker if `measure`. EUNSUPPORTED if there is no device. */
gputune_status gt_workers_borrow(gt_workers *workers, gt_farm **out, bool measure);
void gt_workers_return(gt_workers *workers, gt_farm *farm);

/* The right to measure on a GPU. One session has it at a time. Zeroed: nobody has it. */
typedef struct gt_gpu_right {
    atomic_bool is_taken, is_wanted;
} gt_gpu_right;

typedef enum gt_gpu_user { GT_GPU_CALLER, GT_GPU_BACKGROUND } gt_gpu_user;
/* Takes the right. Returns false if another session has it. If that is a background session and
 * `user` is a caller, it is asked to give the right up. */
bool gt_gpu_take(gt_gpu_right *right, gt_gpu_user user);
/* Returns true if a tuning with a waiting caller has wanted the GPU since the right was taken. */
bool gt_gpu_is_wanted(gt_gpu_right *right);
void gt_gpu_leave(gt_gpu_right *right);
