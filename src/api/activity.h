/* Whether the application uses the GPU: launches of plans are seen, other work by what NVML says
 * while gputune itself rests. */
#pragma once

#include "gpu/nvml.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern atomic_bool gt_launch_seen;

/* A plan was launched. Costs a load where that is known already. */
static inline void gt_note_launch(void)
{
    if (!atomic_load_explicit(&gt_launch_seen, memory_order_relaxed)) {
        atomic_store_explicit(&gt_launch_seen, true, memory_order_relaxed);
    }
}

/* What one thread knows of it. */
typedef struct gt_activity {
    gt_nvml *nvml;
    int64_t launched_ns; /* when a launch was last seen */
    int64_t asked_ns;    /* when gt_activity_is_busy() was last called */
    int64_t resting_ns;  /* since when it is called again and again */
    int64_t read_ns;     /* when NVML was last read */
    bool others;         /* what it said */
} gt_activity;

/* `uuid` of the GPU, of which nothing has been launched by this library for a second. */
void gt_activity_open(gt_activity *out, const char *uuid);
void gt_activity_close(gt_activity *activity);
/* Whether the application used the GPU lately. Called all the while that a tuning rests. One
 * thread. */
bool gt_activity_is_busy(gt_activity *activity);
