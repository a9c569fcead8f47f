/* Resources shared by the sessions of a tuner: farms, each used by one session at a time, and the
 * right to measure on the GPU. Thread-safe. */
#pragma once

#include "farm/farm.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct gt_workers {
    pthread_mutex_t mutex;
    gt_farm *idle[2]; /* an idle farm without a measure worker, and one with it; may be NULL */
    bool keep;        /* true if workers and compiled code outlive a session */
    gt_farm_options options; /* for new farms; the tuner owns the strings */
} gt_workers;

/* Prepares to open farms with these options, whose strings must outlive `workers`. With `keep`,
 * workers and compiled code outlive a session. */
void gt_workers_open(gt_workers *workers, const gt_farm_options *options, bool keep);
/* Ends all workers. All farms must have been returned. */
void gt_workers_close(gt_workers *workers);

/* Makes an open farm the first idle one. Must be called before other threads use `workers`. */
void gt_workers_adopt(gt_workers *workers, gt_farm *farm);
/* Lends a farm, with a measure worker if `measure`. EUNSUPPORTED if there is no device. */
gputune_status gt_workers_borrow(gt_workers *workers, gt_farm **out, bool measure);
void gt_workers_return(gt_workers *workers, gt_farm *farm);

/* The right to measure on a GPU, which one session has at a time. All zero means free. */
typedef struct gt_gpu_right {
    atomic_bool is_taken, is_wanted;
} gt_gpu_right;

typedef enum gt_gpu_user { GT_GPU_CALLER, GT_GPU_BACKGROUND } gt_gpu_user;
/* Takes the right. Returns false if another session has it; a background session gives it up. */
bool gt_gpu_take(gt_gpu_right *right, gt_gpu_user user);
/* Returns true if a tuning with a waiting caller has asked for the GPU since it was taken. */
bool gt_gpu_is_wanted(gt_gpu_right *right);
void gt_gpu_leave(gt_gpu_right *right);
