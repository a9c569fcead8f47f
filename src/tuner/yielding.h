/* A tuning in the background yields the GPU to the application. */
#pragma once

#include <stdint.h>

struct gt_session;

/* What a session has measured and rested. All zero at its start. */
typedef struct gt_yielding {
    double seen_ns;   /* of the measure worker's work, what was dealt with */
    double owed_ns;   /* rest that is still due */
    int64_t since_ns; /* the end of the last rest; 0: none yet */
} gt_yielding;

/* Called between two steps of a session. If its request is tuned in the background and the
 * application uses the GPU, rests until the measuring had no more than its share of the time; the
 * request's time limit is put off by as much. A rest ends when the application pauses, or the
 * request is cancelled. */
void gt_session_yield(struct gt_session *session);
