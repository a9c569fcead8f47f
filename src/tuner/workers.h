/* Resources that a tuner's sessions share: the farms, each of which one session uses at a time, and
 * the right to measure on the GPU. Thread-safe. */
#pragma once

#include "farm/farm.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- farms ----------------------------------------------------------------------------------- */

typedef struct gt_workers {
    pthread_mutex_t mutex;
    /* an idle farm without a measure worker, and one with a measure worker; NULL: none */
    gt_farm *idle[2];
    bool keep;               /* true if workers and compiled code are kept between sessions */
    gt_farm_options options; /* options of new farms; the tuner owns the strings */
} gt_workers;

/* Prepares to open farms with these options, whose strings must outlive `workers`. With `keep`,
 * workers and compiled code outlive their session. */
void gt_workers_open(gt_workers *workers, const gt_farm_options *options, bool keep);
/* Ends all workers. All farms must have been returned. */
void gt_workers_close(gt_workers *workers);

/* Adds a farm that was opened elsewhere as the first idle one. Must be called before any other
 * thread uses `workers`. */
void gt_workers_adopt(gt_workers *workers, gt_farm *farm);
/* Lends a farm, with a measure worker if `measure` is true. Returns EUNSUPPORTED if there is no
 * device. */
gputune_status gt_workers_borrow(gt_workers *workers, gt_farm **out, bool measure);
void gt_workers_return(gt_workers *workers, gt_farm *farm);

/* ---- the GPU --------------------------------------------------------------------------------- */

/* The right to measure times on a GPU, held by one session at a time. All zero: free. */
typedef struct gt_gpu_right {
    atomic_bool is_taken, is_wanted;
} gt_gpu_right;

typedef enum gt_gpu_user { GT_GPU_CALLER, GT_GPU_BACKGROUND } gt_gpu_user;
/* Takes the right. Returns false if another session has it; a background session gives it up
 * soon. */
bool gt_gpu_take(gt_gpu_right *right, gt_gpu_user user);
/* Returns true if a tuning that a caller waits for wanted the GPU after it was taken. */
bool gt_gpu_is_wanted(gt_gpu_right *right);
void gt_gpu_leave(gt_gpu_right *right);
