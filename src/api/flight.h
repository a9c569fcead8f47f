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

/* What came of a flight. */
typedef struct gt_landing {
    gputune_status status;
    gputune_plan *plan; /* of a success; retained for whom it is given to */
    gt_terms terms;     /* what the plan was made under */
    bool cut_short;     /* by the caller's own limit or cancel: no answer for others */
    char message[1024]; /* of a failure */
} gt_landing;

/* Joins the flight for this key under these terms; *leads: there was none, and the caller is to
 * make the plan, and to land. `changes` is what gt_plan_table_changes() says: a flight that began
 * before a template was replaced is not joined. NULL: the caller makes its plan alone, as the key
 * is of nothing that can be shared, memory is short, or the call comes from a callback of a call
 * that leads, which others may wait for. */
gt_flight *gt_flight_join(gt_flights *flights, bool *leads, const gt_plan_key *key,
                          const gt_terms *terms, uint32_t changes);
/* Ends a flight that the caller leads, and leaves it. The landing's plan stays the caller's. */
void gt_flight_land(gt_flights *flights, gt_flight *flight, const gt_landing *landing);
/* Waits for another call's flight, and leaves it. False: the patience ended first. */
bool gt_flight_await(gt_landing *out, gt_flights *flights, gt_flight *flight,
                     const gt_patience *patience);
