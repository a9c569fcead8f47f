/* Lets a tuning in the background yield the GPU to the application. */
#pragma once

#include <stdint.h>

struct gt_session;

/* How long a session has measured and rested. All zero when the session starts. */
typedef struct gt_yielding {
    double seen_ns;   /* the measure worker's time that rests were already computed for */
    double owed_ns;   /* rest that is still due */
    int64_t since_ns; /* the end of the last rest; 0: none yet */
} gt_yielding;

/* Called between two steps of a session. If its request is tuned in the background and the
 * application uses the GPU, sleeps until measuring has had no more than its share of the time, and
 * extends the request's time limit by the time slept. The sleep ends early when the application
 * pauses, or the request is cancelled. */
void gt_session_yield(struct gt_session *session);
