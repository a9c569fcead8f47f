/* Simulates compile workers and a GPU with a virtual clock. */
#include "replay/replay.h"

#include "search/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORKERS = 1024, MOST_PENDING = 4 * MOST_WORKERS };
/* A variant takes the GPU for LAUNCHES launches: PROOF launches are its first launch and its
 * verification, the others its samples. A variant that is clearly slower than the best takes only
 * one launch. */
#define LAUNCHES 5
#define PROOF    2

typedef struct pending_variant {
    const gt_recorded_entry *entry;
    double compiled_s; /* time when compiling ends; infinite until a worker is free */
    double done_s;     /* time when the GPU finishes the variant; infinite until it starts */
    double measure_s;  /* GPU time until the strategy gets the result */
} pending_variant;

typedef struct clock_state {
    const gt_recorded *recorded;
    const gt_replay_settings *settings;
    gt_strategy *strategy;
    gt_replay_result *out;
    pending_variant *pending;
    gt_schedule schedule;
    uint32_t pending_count, reported;
    double now_s, gpu_free_s, best_ns;
    double owed_s;  /* GPU time of the samples that the race still needs */
    double round_s; /* GPU time of the next round of samples */
} clock_state;

static bool is_reached(const clock_state *at, int which)
{
    return at->best_ns <= at->recorded->best_ns * (1 + at->settings->reach[which]);
}

static gputune_status report_result(clock_state *at, const gt_recorded_entry *entry,
                                    double measure_s)
{
    gt_tried tried = entry->tried;
    tried.measure_s = measure_s;
    GT_TRY(gt_strategy_report(at->strategy, &tried));
    if (entry->tried.outcome == GT_TRIED_OK) {
        at->best_ns = fmin(at->best_ns, entry->tried.time_ns);
    }
    if (at->reported < at->settings->evaluations) {
        at->out->best_ns[at->reported] = at->best_ns;
        if (at->out->time_ns) {
            at->out->time_ns[at->reported] = entry->tried.time_ns;
        }
    }
    at->reported++;
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
    return at->reported < at->settings->evaluations || (!reached && at->reported < GT_REPLAY_MOST);
}

static bool is_compiling(const clock_state *at, const pending_variant *pending_variant)
{
    return isfinite(pending_variant->compiled_s) && pending_variant->compiled_s > at->now_s;
}

static bool waits_for_gpu(const clock_state *at, const pending_variant *pending_variant)
{
    return isinf(pending_variant->done_s) && pending_variant->compiled_s <= at->now_s;
}

static uint32_t count(const clock_state *at,
                      bool (*is)(const clock_state *, const pending_variant *))
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < at->pending_count; i++) {
        number += is(at, &at->pending[i]);
    }
    return number;
}

static bool is_with_compilers(const clock_state *at, const pending_variant *pending_variant)
{
    return pending_variant->compiled_s > at->now_s;
}

/* Gives the oldest proposals to workers that are free. */
static void feed_workers(clock_state *at)
{
    uint32_t busy = count(at, is_compiling);
    for (uint32_t i = 0; i < at->pending_count && busy < at->settings->workers; i++) {
        pending_variant *pending_variant = &at->pending[i];
        if (isinf(pending_variant->compiled_s)) {
            const gt_recorded_entry *entry = pending_variant->entry;
            pending_variant->compiled_s = at->now_s + entry->tried.compile_s + entry->worker_s;
            gt_schedule_note_compile(&at->schedule, entry->tried.compile_s + entry->worker_s);
            busy++;
        }
    }
}

/* Takes points from the strategy, as many as a tuning would start at this time. */
static gputune_status propose_variants(clock_state *at)
{
    gt_outlook outlook;
    gt_strategy_outlook(&outlook, at->strategy);
    at->schedule.round_share = outlook.learns ? GT_ROUND_SHARE : 0;
    uint32_t room = gt_schedule_room(&at->schedule, at->settings->workers, outlook.learns,
                                     count(at, is_with_compilers), at->pending_count);
    for (; room > 0 && at->pending_count < MOST_PENDING; room--) {
        gt_point point;
        size_t given;
        GT_TRY(gt_strategy_propose(at->strategy, &point, 1, &given));
        if (!given) {
            break;
        }
        at->pending[at->pending_count++] =
            (pending_variant){gt_recorded_at(at->recorded, &point), INFINITY, INFINITY, 0};
    }
    return GPUTUNE_OK;
}

/* Launches a variant once. If it may win, also verifies it and adds its samples to the race. */
static void launch_first(clock_state *at, pending_variant *pending_variant)
{
    const gt_recorded_entry *entry = pending_variant->entry;
    bool leads = entry->tried.time_ns <= GT_CLEARLY_SLOWER * at->best_ns;
    double most_s = fmin(entry->tried.measure_s, LAUNCHES * entry->launch_s);
    pending_variant->measure_s = leads ? fmin(PROOF * entry->launch_s, most_s) : entry->launch_s;
    pending_variant->done_s = at->now_s + pending_variant->measure_s;
    at->gpu_free_s = pending_variant->done_s;
    gt_schedule_note_new_variant(&at->schedule, pending_variant->measure_s, at->owed_s > 0);
    if (leads && entry->tried.outcome == GT_TRIED_OK) {
        at->owed_s += fmax(0, most_s - pending_variant->measure_s);
        at->round_s = 2 * entry->launch_s; /* one launch of each of two contestants */
    }
}

static void sample(clock_state *at)
{
    double seconds = fmin(at->round_s, at->owed_s);
    at->gpu_free_s = at->now_s + seconds;
    at->owed_s -= seconds;
    gt_schedule_note_round(&at->schedule, seconds);
}

/* If the GPU is free, runs either a round of samples or the variant whose compile ended first. */
static void feed_gpu(clock_state *at)
{
    pending_variant *first = NULL;
    for (uint32_t i = 0; i < at->pending_count; i++) {
        pending_variant *pending_variant = &at->pending[i];
        if (waits_for_gpu(at, pending_variant) &&
            (!first || pending_variant->compiled_s < first->compiled_s)) {
            first = pending_variant;
        }
    }
    if (at->gpu_free_s > at->now_s) {
        return;
    }
    if (at->owed_s > 0 && gt_schedule_wants_round(&at->schedule, count(at, waits_for_gpu))) {
        sample(at);
    } else if (first) {
        launch_first(at, first);
    }
}

static double next_event(const clock_state *at)
{
    double next = at->gpu_free_s > at->now_s ? at->gpu_free_s : INFINITY;
    for (uint32_t i = 0; i < at->pending_count; i++) {
        double compiled_s = at->pending[i].compiled_s;
        next = compiled_s > at->now_s ? fmin(next, compiled_s) : next;
    }
    return next;
}

static gputune_status end_variant(clock_state *at)
{
    for (uint32_t i = 0; i < at->pending_count; i++) {
        if (at->pending[i].done_s <= at->now_s) { /* the GPU has one variant at a time */
            const pending_variant ended = at->pending[i];
            at->pending_count--;
            memmove(&at->pending[i], &at->pending[i + 1], (at->pending_count - i) * sizeof ended);
            return report_result(at, ended.entry, ended.measure_s);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status run_clock(clock_state *at)
{
    while (wants_more(at)) {
        GT_TRY(propose_variants(at));
        feed_workers(at);
        feed_gpu(at);
        if (!at->pending_count) {
            return GPUTUNE_OK; /* the strategy has no more points */
        }
        at->now_s = next_event(at);
        GT_TRY(end_variant(at));
    }
    return GPUTUNE_OK;
}

static gputune_status run_counting(clock_state *at)
{
    while (wants_more(at)) {
        gt_point point;
        size_t given;
        GT_TRY(gt_strategy_propose(at->strategy, &point, 1, &given));
        if (!given) {
            return GPUTUNE_OK;
        }
        const gt_recorded_entry *entry = gt_recorded_at(at->recorded, &point);
        GT_TRY(report_result(at, entry, entry->tried.measure_s));
    }
    return GPUTUNE_OK;
}

gputune_status gt_replay(gt_replay_result *out, const gt_recorded *recorded,
                         const gt_replay_settings *settings)
{
    GT_REFUSE(settings->workers > MOST_WORKERS, GPUTUNE_EINVAL, "%u workers; expected at most %d",
              settings->workers, MOST_WORKERS);
    gt_domain domain = gt_recorded_domain(recorded);
    gt_search_settings search = {
        .seed = settings->seed, .workers = settings->workers, .by_seconds = settings->workers > 0};
    clock_state at = {
        .recorded = recorded, .settings = settings, .out = out, .best_ns = recorded->worst_ns};
    out->reached_s[0] = out->reached_s[1] = INFINITY;
    at.pending = calloc(MOST_PENDING, sizeof *at.pending);
    gputune_status status = gt_allocated(at.pending);
    GT_THEN(status, gt_strategy_open(&at.strategy, settings->kind, &domain, &search));
    if (status == GPUTUNE_OK) {
        status = settings->workers ? run_clock(&at) : run_counting(&at);
    }
    for (uint32_t i = at.reported; i < settings->evaluations && status == GPUTUNE_OK; i++) {
        out->best_ns[i] = at.best_ns;
    }
    out->results = at.reported;
    gt_strategy_free(at.strategy);
    free(at.pending);
    return status;
}
