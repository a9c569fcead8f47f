/* Resources that the sessions of a tuner share: farms, each used by one session at a time, and the
 * right to measure on the GPU. Thread-safe. */
#pragma once

#include "farm/farm.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct gt_workers {
    pthread_mutex_t mutex;
    gt_farm *idle[2]; /* idle farms: [0] without a measure worker, [1] with one; NULL: none */
    bool keep;        /* true if workers and compiled code are kept between sessions */
    gt_farm_options options; /* options for new farms; their strings belong to the tuner */
} gt_workers;

/* Prepares to open farms with these options, whose strings must stay valid. If `keep`, workers and
 * compiled code are kept between sessions. */
void gt_workers_open(gt_workers *workers, const gt_farm_options *options, bool keep);
/* Ends all workers. No farm may be borrowed. */
void gt_workers_close(gt_workers *workers);

/* Adds a farm that is open. Must be called before other threads use `workers`. */
void gt_workers_adopt(gt_workers *workers, gt_farm *farm);
/* Lends a farm, which has a measure worker if `measure` is true. EUNSUPPORTED if there is no
 * device. */
gputune_status gt_workers_borrow(gt_workers *workers, gt_farm **out, bool measure);
void gt_workers_return(gt_workers *workers, gt_farm *farm);

/* The right to measure on a GPU, which one session at a time has. If zeroed, nobody has it. */
typedef struct gt_gpu_right {
    atomic_bool is_taken, is_wanted;
} gt_gpu_right;

typedef enum gt_gpu_user { GT_GPU_CALLER, GT_GPU_BACKGROUND } gt_gpu_user;
/* Takes the right. Returns false if another session has it. If `user` is a caller and a background
 * session has the right, asks this session to end. */
bool gt_gpu_take(gt_gpu_right *right, gt_gpu_user user);
/* Returns true if a caller's session has waited for the GPU since the current one took the right.
 */
bool gt_gpu_is_wanted(gt_gpu_right *right);
void gt_gpu_leave(gt_gpu_right *right);
