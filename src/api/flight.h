/* Calls that want the same plan at the same time: the first one makes it, the others wait for it
 * (single-flight, as golang.org/x/sync/singleflight calls it). */
#pragma once

#include "api/plan.h"
#include "base/patience.h"

#include <pthread.h>

/* A plan that is being made. */
typedef struct gt_flight gt_flight;

/* The flights of one tuner. */
typedef struct gt_flights {
    pthread_mutex_t mutex;
    pthread_cond_t landed;
    gt_flight *first;
} gt_flights;

void gt_flights_open(gt_flights *flights);
/* No flight may be left. */
void gt_flights_close(gt_flights *flights);

/* The result of a flight. */
typedef struct gt_landing {
    gputune_status status;
    gputune_plan *plan; /* of a success; retained for each caller that gets it */
    gt_terms terms;     /* the terms that the plan was made under */
    bool cut_short;     /* ended by the leading caller's own limit or cancel, so it is no answer for
                           others */
    char message[1024]; /* of a failure */
} gt_landing;

/* Joins the flight for this key under these terms, or begins one. *leads: the flight is new, and
 * the caller must make the plan and call gt_flight_land(). `changes` is the value of
 * gt_plan_table_changes(): a flight that began before a template was replaced is not joined. NULL:
 * the caller makes its plan alone, because the plan cannot be shared, memory is short, or the call
 * comes from a callback of a call that leads a flight, which others may wait for. */
gt_flight *gt_flight_join(gt_flights *flights, bool *leads, const gt_plan_key *key,
                          const gt_terms *terms, uint32_t changes);
/* Gives the result of a flight that the caller leads to all that wait for it, and leaves the
 * flight. The landing's plan stays the caller's. */
void gt_flight_land(gt_flights *flights, gt_flight *flight, const gt_landing *landing);
/* Waits for a flight that another call leads, and leaves it. False: the patience ended first, and
 * *out is not filled. */
bool gt_flight_await(gt_landing *out, gt_flights *flights, gt_flight *flight,
                     const gt_patience *patience);
