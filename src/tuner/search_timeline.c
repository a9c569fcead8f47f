#include "base/clock.h"
#include "tuner/search.h"

void gt_search_mark(const gt_search_state *state, int64_t *part)
{
    *part = gt_now_ns() - state->start_ns;
}

void gt_search_mark_wait(gt_search_state *state)
{
    const gt_field *field = &state->field;
    gt_timeline *t = &state->timeline;
    bool busy = (field->preparing && !field->prepared) || field->verifying || state->round_id ||
                state->rechecking;
    if (!busy) {
        t->busy_since = 0;
    } else if (!t->busy_since) {
        gt_search_mark(state, &t->busy_since);
    }
}

/* The measure worker answers in order: it was at this one since it answered the one before. */
static double take_busy(gt_search_state *state)
{
    int64_t since = state->timeline.busy_since;
    gt_search_mark(state, &state->timeline.busy_since);
    return since ? (double)(state->timeline.busy_since - since) : 0;
}

void gt_search_mark_event(gt_search_state *state, const gt_event *event)
{
    gt_timeline *t = &state->timeline;
    switch (event->kind) {
    case GT_EVENT_COMPILED:
        gt_search_mark(state, &t->compiled);
        t->compiling_ns += event->compiled.compile_ns;
        t->sources++;
        return;
    case GT_EVENT_PREPARED:
        gt_search_mark(state, &t->prepared);
        t->preparing_ns = event->prepared.prepare_ns; /* before that it waited for its context */
        take_busy(state);
        return;
    case GT_EVENT_VERIFIED:
        t->verifying_ns += take_busy(state);
        if (!state->rechecking && !state->retried) {
            gt_search_mark(state, t->verified_first ? &t->verified : &t->verified_first);
        }
        return;
    case GT_EVENT_SAMPLED:
        t->sampling_ns += take_busy(state);
        t->samples += event->sampled.count;
        return;
    case GT_EVENT_TIMEOUT:
        return;
    }
}

void gt_search_log_timeline(const gt_search_state *state)
{
    const gt_timeline *t = &state->timeline;
    const double ms = 1e-6;
    gt_log_line(&state->request->services->log, GPUTUNE_LOG_DEBUG,
                "timeline: compiled %.1f ms, prepared %.1f, verified first %.1f, last %.1f, "
                "decided %.1f, rechecked %.1f, stored %.1f; work: %u sources %.1f on %u workers, "
                "prepare %.1f, verify %.1f, sample %.1f; %u samples in %llu rounds",
                (double)t->compiled * ms, (double)t->prepared * ms, (double)t->verified_first * ms,
                (double)t->verified * ms, (double)t->decided * ms, (double)t->rechecked * ms,
                (double)t->stored * ms, t->sources, t->compiling_ns * ms,
                state->farm->compile_workers, t->preparing_ns * ms, t->verifying_ns * ms,
                t->sampling_ns * ms, t->samples, (unsigned long long)state->rounds_sent);
}
