/* A time limit for waits, and flags that end the waits sooner. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct gt_patience {
    int64_t until_ns;            /* deadline on the clock of gt_now_ns() */
    const volatile int *cancel;  /* a flag that ends the wait; may be NULL */
    const volatile int *closing; /* set when the tuner is being closed; may be NULL */
} gt_patience;

/* Makes a time limit that ends after `seconds`. `cancel` may be NULL; `closing` is set to NULL. */
gt_patience gt_patience_for(double seconds, const volatile int *cancel);
/* Returns a copy of a time limit, shortened to end in at most `seconds`. */
gt_patience gt_patience_at_most(const gt_patience *patience, double seconds);
/* Returns true if any thread or signal handler has set the flag. `cancel` may be NULL. */
bool gt_is_canceled(const volatile int *cancel);
bool gt_patience_canceled(const gt_patience *patience);
/* Returns the seconds left; 0 after the time limit or a cancel. */
double gt_patience_left_s(const gt_patience *patience);
