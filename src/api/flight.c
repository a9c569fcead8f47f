/* Joins calls that want the same plan, so that only one makes it. */
#include "api/flight.h"

#include "base/condition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gt_flight {
    gt_flight *next;
    gt_terms terms; /* asked for */
    uint32_t changes;
    unsigned inside; /* calls that lead it or wait for it */
    bool ended;
    gt_landing landing;
    uint64_t hash;
    size_t count;
    uint64_t key[];
};

/* How many flights this thread leads: above 0 in a callback of such a call. */
static _Thread_local unsigned leading;

void gt_flights_open(gt_flights *flights)
{
    *flights = (gt_flights){.first = NULL};
    pthread_mutex_init(&flights->mutex, NULL);
    gt_condition_open(&flights->landed);
}

void gt_flights_close(gt_flights *flights)
{
    pthread_cond_destroy(&flights->landed);
    pthread_mutex_destroy(&flights->mutex);
}

/* ---- joining --------------------------------------------------------------------------------- */

static bool same_terms(const gt_terms *a, const gt_terms *b)
{
    return a->effort == b->effort && a->limit == b->limit && a->isolation == b->isolation &&
           a->complete == b->complete;
}

static gt_flight *find(gt_flights *flights, const gt_plan_key *key, const gt_terms *terms,
                       uint32_t changes)
{
    gt_flight *at = flights->first;
    while (at && !(at->hash == key->hash && gt_plan_key_is(key, at->key, at->count) &&
                   at->changes == changes && same_terms(&at->terms, terms))) {
        at = at->next;
    }
    return at;
}

static gt_flight *begin(gt_flights *flights, const gt_plan_key *key, const gt_terms *terms,
                        uint32_t changes)
{
    gt_flight *flight = calloc(1, sizeof *flight + key->count * sizeof *key->words);
    if (flight) {
        flight->terms = *terms;
        flight->changes = changes;
        flight->hash = key->hash;
        flight->count = key->count;
        memcpy(flight->key, key->words, key->count * sizeof *key->words);
        flight->next = flights->first;
        flights->first = flight;
    }
    return flight;
}

gt_flight *gt_flight_join(gt_flights *flights, bool *leads, const gt_plan_key *key,
                          const gt_terms *terms, uint32_t changes)
{
    *leads = false;
    if (!key->count || leading) {
        return NULL;
    }
    pthread_mutex_lock(&flights->mutex);
    gt_flight *flight = find(flights, key, terms, changes);
    if (!flight) {
        flight = begin(flights, key, terms, changes);
        *leads = flight != NULL;
    }
    if (flight) {
        flight->inside++;
    }
    pthread_mutex_unlock(&flights->mutex);
    leading += *leads;
    return flight;
}

/* ---- landing --------------------------------------------------------------------------------- */

/* Leaves a flight, and unlocks the mutex. */
static void leave(gt_flights *flights, gt_flight *flight)
{
    bool last = --flight->inside == 0;
    pthread_mutex_unlock(&flights->mutex);
    if (last) {
        gputune_plan_release(flight->landing.plan);
        free(flight);
    }
}

void gt_flight_land(gt_flights *flights, gt_flight *flight, const gt_landing *landing)
{
    leading--;
    pthread_mutex_lock(&flights->mutex);
    gt_flight **at = &flights->first;
    while (*at != flight) {
        at = &(*at)->next;
    }
    *at = flight->next;
    flight->ended = true;
    flight->landing = *landing;
    flight->landing.plan = gputune_plan_retain(landing->plan);
    pthread_cond_broadcast(&flights->landed);
    leave(flights, flight);
}

bool gt_flight_await(gt_landing *out, gt_flights *flights, gt_flight *flight,
                     const gt_patience *patience)
{
    static const double slice_s = 0.02; /* a cancel is heard */
    double left_s;
    pthread_mutex_lock(&flights->mutex);
    while (!flight->ended && (left_s = gt_patience_left_s(patience)) > 0) {
        gt_condition_wait(&flights->landed, &flights->mutex, fmin(left_s, slice_s));
    }
    bool ended = flight->ended;
    if (ended) {
        *out = flight->landing;
        out->plan = gputune_plan_retain(flight->landing.plan);
    }
    leave(flights, flight);
    return ended;
}
