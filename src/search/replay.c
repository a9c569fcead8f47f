/* The virtual clock: compile workers beside each other, one GPU. */
#include "search/replay.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_WORKERS = 1024, READY = 2 /* compiled variants that may wait for the GPU */ };
/* A race: what is slower than LEADER times the best so far is out after one launch, the others are
 * decided by the fifth. */
#define LEADER   1.1
#define LAUNCHES 5

/* A configuration on its way. */
typedef struct flight {
    const gt_recorded_entry *entry;
    double compiled_s, done_s; /* done_s: infinite until the GPU takes it */
    double measure_s;          /* what the GPU needs for it */
} flight;

typedef struct clock_state {
    const gt_recorded *recorded;
    const gt_replay_settings *settings;
    gt_strategy *strategy;
    gt_replay_result *out;
    flight *flights;
    uint32_t flying, told;
    double now_s, gpu_free_s, best_ns;
} clock_state;

static bool is_reached(const clock_state *at, int which)
{
    return at->best_ns <= at->recorded->best_ns * (1 + at->settings->reach[which]);
}

static gputune_status tell(clock_state *at, const gt_recorded_entry *entry, double measure_s)
{
    gt_tried tried = entry->tried;
    tried.measure_s = measure_s;
    GT_TRY(gt_strategy_tell(at->strategy, &tried));
    if (entry->tried.outcome == GT_TRIED_OK) {
        at->best_ns = fmin(at->best_ns, entry->tried.time_ns);
    }
    if (at->told < at->settings->evaluations) {
        at->out->best_ns[at->told] = at->best_ns;
    }
    at->told++;
    for (int i = 0; i < 2; i++) {
        if (isinf(at->out->reached_s[i]) && is_reached(at, i)) {
            at->out->reached_s[i] = at->now_s;
        }
    }
    return GPUTUNE_OK;
}

static bool wants_more(const clock_state *at)
{
    bool reached = !at->settings->workers || is_reached(at, 1);
    return at->told < at->settings->evaluations || (!reached && at->told < GT_REPLAY_MOST);
}

/* How many are compiled by now and wait for the GPU. */
static uint32_t count_ready(const clock_state *at)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < at->flying; i++) {
        ready += isinf(at->flights[i].done_s) && at->flights[i].compiled_s <= at->now_s;
    }
    return ready;
}

/* Whoever may, starts: workers with new configurations, the GPU with what was compiled first. */
static gputune_status start(clock_state *at, uint32_t workers)
{
    uint32_t compiling = 0;
    for (uint32_t i = 0; i < at->flying; i++) {
        compiling += at->flights[i].compiled_s > at->now_s;
    }
    while (compiling < workers && at->flying < workers + READY && count_ready(at) < READY) {
        gt_point point;
        size_t given;
        GT_TRY(gt_strategy_ask(at->strategy, &point, 1, &given));
        if (!given) {
            break;
        }
        const gt_recorded_entry *entry = gt_recorded_at(at->recorded, &point);
        at->flights[at->flying++] = (flight){
            entry, at->now_s + entry->tried.compile_s + entry->worker_s, (double)INFINITY, 0};
        compiling++;
    }
    return GPUTUNE_OK;
}

/* Gives the GPU the one that was compiled first, if it is free by then. */
static void feed_gpu(clock_state *at)
{
    flight *first = NULL;
    for (uint32_t i = 0; i < at->flying; i++) {
        flight *flight = &at->flights[i];
        if (isinf(flight->done_s) && (!first || flight->compiled_s < first->compiled_s)) {
            first = flight;
        }
    }
    if (first && first->compiled_s <= at->now_s && at->gpu_free_s <= at->now_s) {
        const gt_recorded_entry *entry = first->entry;
        bool leads = entry->tried.time_ns <= LEADER * at->best_ns;
        first->measure_s =
            leads ? fmin(entry->tried.measure_s, LAUNCHES * entry->launch_s) : entry->launch_s;
        first->done_s = at->now_s + first->measure_s;
        at->gpu_free_s = first->done_s;
    }
}

/* The next moment at which something ends. */
static double next_event(const clock_state *at)
{
    double next = INFINITY;
    for (uint32_t i = 0; i < at->flying; i++) {
        const flight *flight = &at->flights[i];
        double end =
            isinf(flight->done_s) ? fmax(flight->compiled_s, at->gpu_free_s) : flight->done_s;
        next = fmin(next, end);
        if (flight->compiled_s > at->now_s) {
            next = fmin(next, flight->compiled_s);
        }
    }
    return next;
}

static gputune_status land(clock_state *at)
{
    for (uint32_t i = 0; i < at->flying;) {
        if (at->flights[i].done_s > at->now_s) {
            i++;
            continue;
        }
        const flight landed = at->flights[i];
        at->flights[i] = at->flights[--at->flying];
        GT_TRY(tell(at, landed.entry, landed.measure_s));
    }
    return GPUTUNE_OK;
}

static gputune_status run_clock(clock_state *at)
{
    while (wants_more(at)) {
        feed_gpu(at);
        GT_TRY(start(at, at->settings->workers));
        feed_gpu(at);
        if (!at->flying) {
            return GPUTUNE_OK; /* exhausted */
        }
        at->now_s = next_event(at);
        GT_TRY(land(at));
    }
    return GPUTUNE_OK;
}

static gputune_status run_counting(clock_state *at)
{
    while (wants_more(at)) {
        gt_point point;
        size_t given;
        GT_TRY(gt_strategy_ask(at->strategy, &point, 1, &given));
        if (!given) {
            return GPUTUNE_OK;
        }
        const gt_recorded_entry *entry = gt_recorded_at(at->recorded, &point);
        GT_TRY(tell(at, entry, entry->tried.measure_s));
    }
    return GPUTUNE_OK;
}

gputune_status gt_replay(gt_replay_result *out, const gt_recorded *recorded,
                         const gt_replay_settings *settings)
{
    if (settings->workers > MOST_WORKERS) {
        return gt_fail(GPUTUNE_EINVAL, "%u workers; expected at most %d", settings->workers,
                       MOST_WORKERS);
    }
    gt_domain domain = gt_recorded_domain(recorded);
    gt_search_settings search = {
        .seed = settings->seed, .workers = settings->workers, .by_seconds = settings->workers > 0};
    clock_state at = {
        .recorded = recorded, .settings = settings, .out = out, .best_ns = recorded->worst_ns};
    out->reached_s[0] = out->reached_s[1] = INFINITY;
    at.flights = calloc(settings->workers + READY, sizeof *at.flights);
    gputune_status status = at.flights ? GPUTUNE_OK : gt_fail_memory();
    if (status == GPUTUNE_OK) {
        status = gt_strategy_open(&at.strategy, settings->kind, &domain, &search);
    }
    if (status == GPUTUNE_OK) {
        status = settings->workers ? run_clock(&at) : run_counting(&at);
    }
    for (uint32_t i = at.told; i < settings->evaluations && status == GPUTUNE_OK; i++) {
        out->best_ns[i] = at.best_ns;
    }
    out->results = at.told;
    gt_strategy_free(at.strategy);
    free(at.flights);
    return status;
}
