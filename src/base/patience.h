/* How long a call may wait, and what may end the wait sooner. Every wait of the library (database,
 * lease, worker, GPU) is given one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct gt_patience {
    int64_t until_ns;            /* on the clock of gt_now_ns() */
    const volatile int *cancel;  /* non-zero ends the wait at once; NULL: only the time does */
    const volatile int *closing; /* the same of the tuner, which is being closed; NULL: none */
} gt_patience;

/* A patience that ends in `seconds` seconds. `cancel` may be NULL; `closing` is NULL. */
gt_patience gt_patience_for(double seconds, const volatile int *cancel);
/* The shorter of this patience and `seconds` from now. */
gt_patience gt_patience_at_most(const gt_patience *patience, double seconds);
/* Whether the cancel flag is set; NULL: never. Any thread or signal handler may set it. */
bool gt_is_canceled(const volatile int *cancel);
/* Whether the flag `cancel` or `closing` is set. */
bool gt_patience_canceled(const gt_patience *patience);
/* The seconds that are left; 0 when the patience is over or canceled. */
double gt_patience_left_s(const gt_patience *patience);
