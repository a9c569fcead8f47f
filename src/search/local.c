/* The strategy `local`: descents from the best of a few random configurations to the first
 * neighbour that is faster. Neighbours differ in one axis, adjacent values in turn with the others;
 * at last a few differ in two. Where no neighbour is faster, a new descent begins; every second one
 * begins near the best found so far. */
#include "search/strategy_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS = 4, KICK = 3 /* axes */, JUMPS = 24 };

typedef struct local {
    gt_point_set queue;   /* neighbours of the centre, in the order in which to try them */
    uint32_t next;        /* of the queue */
    gt_point_set descent; /* what was proposed in this descent */
    uint32_t waiting;     /* how many of them have no result yet */
    uint32_t starting;    /* how many starts are still to be proposed */
    gt_point centre;
    double centre_time; /* its logarithm; infinite while there is no centre */
    uint32_t descents;
    bool is_open;
    gputune_status status; /* of the callback that fills the queue */
} local;

static void close_local(void *state)
{
    local *at = state;
    gt_point_set_free(&at->queue);
    gt_point_set_free(&at->descent);
}

typedef struct filling {
    const gt_evidence *evidence;
    local *at;
} filling;

static bool enqueue(void *user, const gt_point *point)
{
    filling *fill = user;
    uint32_t index;
    bool is_new;
    if (!gt_evidence_has(fill->evidence, point)) {
        fill->at->status = gt_point_set_add(&fill->at->queue, point, &index, &is_new);
    }
    return fill->at->status == GPUTUNE_OK;
}

/* Shuffles part of a full queue. gt_point_set_find() does not work on it afterwards, and is not
 * used. */
static void shuffle(local *at, gt_random *random, uint32_t from, uint32_t to)
{
    for (uint32_t i = to; i > from + 1; i--) {
        uint32_t j = from + (uint32_t)gt_random_below(random, i - from);
        gt_point swap = at->queue.points[i - 1];
        at->queue.points[i - 1] = at->queue.points[j];
        at->queue.points[j] = swap;
    }
}

/* Puts the points from `first` on in turn with those before. */
static void interleave(local *at, uint32_t first)
{
    for (uint32_t i = 1; i < first && first < at->queue.count; i += 2, first++) {
        gt_point swap = at->queue.points[i];
        at->queue.points[i] = at->queue.points[first];
        at->queue.points[first] = swap;
    }
}

static gputune_status surround(gt_strategy *strategy, local *at)
{
    filling fill = {&strategy->evidence, at};
    gt_point_set_clear(&at->queue);
    at->next = 0;
    at->status = GPUTUNE_OK;
    gt_domain_neighbours(strategy->domain, &at->centre, GT_ADJACENT, enqueue, &fill);
    uint32_t adjacent = at->queue.count;
    gt_domain_neighbours(strategy->domain, &at->centre, GT_HAMMING, enqueue, &fill);
    uint32_t near = at->queue.count;
    for (int i = 0; i < JUMPS; i++) {
        gt_point point = at->centre;
        if (gt_domain_jump(strategy->domain, &strategy->random, 2, &point)) {
            enqueue(&fill, &point);
        }
    }
    shuffle(at, &strategy->random, 0, adjacent);
    shuffle(at, &strategy->random, adjacent, near);
    interleave(at, adjacent);
    return at->status;
}

/* Begins a descent: at random points, or at a few steps from the best so far. */
static void restart(gt_strategy *strategy, local *at)
{
    gt_point_set_clear(&at->descent);
    gt_point_set_clear(&at->queue);
    at->next = 0;
    at->waiting = 0;
    at->centre_time = INFINITY;
    at->starting = STARTS;
    if (at->descents++ % 2 == 1 && strategy->evidence.ok) {
        gt_point point = strategy->evidence.points.points[strategy->evidence.best];
        gt_domain_jump(strategy->domain, &strategy->random, KICK, &point);
        at->centre = point;
        at->starting = gt_evidence_has(&strategy->evidence, &point) ? STARTS : 1;
    }
}

static gputune_status follow(local *at, const gt_point *point)
{
    uint32_t index;
    bool is_new;
    at->waiting++;
    return gt_point_set_add(&at->descent, point, &index, &is_new);
}

static gputune_status propose_start(gt_strategy *strategy, local *at, gt_point *out, bool *found)
{
    *found = true;
    if (at->starting == 1 && at->descents % 2 == 0 &&
        !gt_evidence_has(&strategy->evidence, &at->centre)) {
        *out = at->centre;
    } else {
        *found = gt_strategy_draw(strategy, out);
    }
    at->starting--;
    return *found ? follow(at, out) : GPUTUNE_OK;
}

static gputune_status propose_local(gt_strategy *strategy, void *state, gt_point *out, bool *found)
{
    local *at = state;
    if (!at->is_open) {
        at->is_open = true;
        restart(strategy, at);
        if (strategy->domain->fallback &&
            !gt_evidence_has(&strategy->evidence, strategy->domain->fallback)) {
            *out = *strategy->domain->fallback;
            *found = true;
            return follow(at, out);
        }
    }
    while (at->next < at->queue.count) {
        const gt_point *point = &at->queue.points[at->next++];
        if (!gt_evidence_has(&strategy->evidence, point)) {
            *out = *point;
            *found = true;
            return follow(at, out);
        }
    }
    if (!at->starting && !at->waiting) {
        restart(strategy, at);
    }
    if (at->starting) {
        return propose_start(strategy, at, out, found);
    }
    *found = gt_strategy_draw(strategy, out); /* while others are being tried */
    return GPUTUNE_OK;
}

static gputune_status told_local(gt_strategy *strategy, void *state, const gt_tried *result)
{
    local *at = state;
    if (gt_point_set_find(&at->descent, &result->point) < 0) {
        return GPUTUNE_OK;
    }
    at->waiting -= at->waiting > 0;
    if (result->outcome == GT_TRIED_OK && log(result->time_ns) < at->centre_time) {
        at->centre = result->point;
        at->centre_time = log(result->time_ns);
    }
    /* several starts are compared first */
    bool moved = gt_point_equal(&at->centre, &result->point);
    bool started = !at->starting && isfinite(at->centre_time);
    if (started && (moved || (!at->waiting && !at->queue.count))) {
        return surround(strategy, at);
    }
    return GPUTUNE_OK;
}

const gt_method gt_method_local = {
    .bytes = sizeof(local), .close = close_local, .propose = propose_local, .told = told_local};
