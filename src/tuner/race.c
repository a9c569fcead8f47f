/* The race: which contestants are sampled in the next round, and what a round's samples change. */
#include "tuner/race_parts.h"

#include "base/number.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

/* --- making ----------------------------------------------------------------------------------- */

static gt_race_options with_defaults(const gt_race_options *given)
{
    gt_race_options o = given ? *given : (gt_race_options){0};
    o.epsilon = o.epsilon > 0 ? o.epsilon : 0.005;
    o.drop_ratio = o.drop_ratio > 0 ? o.drop_ratio : 2;
    o.drop_error = o.drop_error > 0 ? o.drop_error : 0.003;
    o.stop_error = o.stop_error > 0 ? o.stop_error : 0.012;
    o.level = o.level ? o.level : GT_RACE_LEVEL;
    o.max_rounds = o.max_rounds ? o.max_rounds : 60;
    o.final_rounds = o.final_rounds ? o.final_rounds : 8;
    o.quick_from = o.quick_from ? o.quick_from : 5;
    return o;
}

gputune_status gt_race_new(gt_race **out, const gt_race_options *options)
{
    gt_race *race = calloc(1, sizeof *race);
    GT_TRY(gt_allocated(race));
    race->options = with_defaults(options);
    race->random.state = race->options.seed;
    race->deviation = -1;
    race->drop.error = race->options.drop_error;
    race->stop.error = race->options.stop_error;
    *out = race;
    return GPUTUNE_OK;
}

void gt_race_free(gt_race *race)
{
    if (!race) {
        return;
    }
    for (gt_runner *r = race->first, *next; r; r = next) {
        next = r->next;
        gt_array_free(&r->samples);
        free(r);
    }
    gt_array_free(&race->by_id);
    free(race->ids);
    free(race->scratch);
    free(race);
}

/* --- contestants ------------------------------------------------------------------------------ */

static gt_runner *find(const gt_race *race, uint64_t id)
{
    return id < race->by_id.count ? race->by_id.items[id] : NULL;
}

/* Makes room for one more contestant, which has this id. */
static gputune_status make_room(gt_race *race, uint64_t id)
{
    while (race->by_id.count <= id) {
        GT_TRY(gt_array_push(&race->by_id, NULL));
    }
    return gt_array_grow((void **)&race->ids, &race->ids_capacity, race->count, sizeof *race->ids);
}

gputune_status gt_race_add(gt_race *race, uint64_t id, uint32_t rank, bool is_default)
{
    GT_REFUSE(find(race, id), GPUTUNE_EINVAL, "contestant %llu is in the race already",
              (unsigned long long)id);
    GT_TRY(make_room(race, id));
    gt_runner *runner = calloc(1, sizeof *runner);
    GT_TRY(gt_allocated(runner));
    *runner =
        (gt_runner){.id = id, .rank = rank, .is_default = is_default, .first = NAN, .pending = NAN};
    *(race->last ? &race->last->next : &race->first) = runner;
    race->last = race->by_id.items[id] = runner;
    race->standard = is_default ? runner : race->standard;
    race->count++;
    return GPUTUNE_OK;
}

void gt_race_complete(gt_race *race)
{
    race->complete = true;
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* Samples of a round that was not ended are dropped. */
static void abandon_round(gt_race *race)
{
    for (gt_runner *r = race->first; r; r = r->next) {
        r->in_round = false;
        r->pending = NAN;
    }
    race->round.count = 0;
}

static void enter(gt_race *race, gt_runner *runner)
{
    runner->in_round = true;
    race->ids[race->round.count++] = runner->id;
}

/* Many newcomers at once get two quick rounds: a second short sample shows most slow variants as
 * surely as a long one. */
static bool is_newcomer(const gt_runner *runner)
{
    enum { LOOKS = 2 };
    size_t count = runner->samples.count;
    return gt_runner_is_in(runner) &&
           (count == 0 || (count < LOOKS && runner->samples.items[count - 1].quick));
}

static void enter_newcomers(gt_race *race)
{
    for (gt_runner *r = race->first; r; r = r->next) {
        if (is_newcomer(r)) {
            enter(race, r);
        }
    }
}

static bool only_default_is_open(gt_race *race)
{
    bool ignored;
    for (const gt_runner *r = race->first; r; r = r->next) {
        if (!r->is_default && gt_runner_is_in(r) && !gt_race_is_done_with(race, r, &ignored)) {
            return false;
        }
    }
    return race->standard && gt_runner_is_in(race->standard);
}

/* Chooses the contestants that have fewer rounds than the others. If there are none, chooses all,
 * so that no result rests on one lucky moment; or the default alone, if only its result is open. */
static void enter_racing(gt_race *race)
{
    for (gt_runner *r = race->first; r; r = r->next) {
        if (gt_runner_is_in(r) && r != race->incumbent && !gt_runner_is_ready(race, r)) {
            enter(race, r);
        }
    }
    if (race->round.count) {
        return;
    }
    bool alone = race->incumbent && only_default_is_open(race);
    for (gt_runner *r = race->first; r; r = r->next) {
        if (gt_runner_is_in(r) && r != race->incumbent && (!alone || r->is_default)) {
            enter(race, r);
        }
    }
}

static void enter_final(gt_race *race)
{
    race->round.final = true;
    enter(race, race->winner);
    enter(race, race->standard);
}

static uint32_t count_newcomers(const gt_race *race)
{
    uint32_t count = 0;
    for (const gt_runner *r = race->first; r; r = r->next) {
        count += is_newcomer(r);
    }
    return count;
}

bool gt_race_wants_round(gt_race *race)
{
    gt_race_end ignored;
    if (race->end != GT_RACE_RUNNING || race->is_tied || !gt_race_active(race)) {
        return false;
    }
    return race->decided != GT_RACE_RUNNING || !race->rounds || count_newcomers(race) ||
           !gt_race_is_settled(race, &ignored);
}

static void enter_all(gt_race *race)
{
    for (gt_runner *r = race->first; r; r = r->next) {
        if (gt_runner_is_in(r)) {
            enter(race, r);
        }
    }
}

static void fill_round(gt_race *race)
{
    uint32_t newcomers = count_newcomers(race);
    gt_race_end ignored;
    if (race->options.fixed) {
        enter_all(race);
        return;
    }
    if (race->is_tied) {
        return;
    }
    if (race->decided != GT_RACE_RUNNING) {
        enter_final(race);
        return;
    }
    if (!newcomers && race->rounds && gt_race_is_settled(race, &ignored)) {
        return; /* to be decided by gt_race_end_round(), or waiting for contestants */
    }
    race->round.quick =
        newcomers >= race->options.quick_from && !race->options.exhaustive && !race->options.exact;
    if (race->round.quick) {
        enter_newcomers(race);
    } else {
        enter_racing(race);
    }
    if (race->incumbent && gt_runner_is_in(race->incumbent) && !race->incumbent->in_round) {
        enter(race, race->incumbent);
    }
}

gputune_status gt_race_next_round(gt_race *race, gt_race_round *out)
{
    abandon_round(race);
    race->round = (gt_race_round){.number = race->rounds + 1, .ids = race->ids};
    if (race->end == GT_RACE_RUNNING) {
        fill_round(race);
    }
    gt_random_shuffle(&race->random, race->ids, race->round.count);
    *out = race->round;
    out->quick = race->round.quick || race->options.exact;
    return GPUTUNE_OK;
}

gputune_status gt_race_record(gt_race *race, uint64_t id, double value)
{
    gt_runner *runner = find(race, id);
    GT_REFUSE(!runner || !runner->in_round, GPUTUNE_EINVAL, "contestant %llu is not in this round",
              (unsigned long long)id);
    if (isfinite(value) && value > 0) {
        runner->pending = value;
    }
    return GPUTUNE_OK;
}

/* --- after a round ---------------------------------------------------------------------------- */

static gputune_status keep_samples(gt_race *race)
{
    for (gt_runner *r = race->first; r; r = r->next) {
        if (isfinite(r->pending)) {
            const gt_race_sample sample = {.value = r->pending,
                                           .round = race->round.number,
                                           .quick = race->round.quick,
                                           .final = race->round.final};
            GT_TRY(gt_array_push(&r->samples, sample));
            race->samples++;
            r->missed = 0;
        } else if (r->in_round && gt_runner_is_in(r) && ++r->missed >= GT_RACE_MISSED_MAX) {
            gt_race_fail(race, r->id);
        }
    }
    return GPUTUNE_OK;
}

/* A winner other than the default is measured beside the default once more: its interval must
 * not come from the samples that it was chosen by. Where values are exact, one shared round is
 * enough. */
static bool wants_finals(const gt_race *race)
{
    const gt_runner *winner = race->winner, *standard = race->standard;
    bool met = race->options.exact && standard && gt_race_shared(standard, winner, GT_SHARED_ANY);
    return standard && standard != winner && gt_runner_is_in(standard) && !met;
}

static void decide(gt_race *race)
{
    gt_race_end reason;
    if (race->end != GT_RACE_RUNNING || race->decided != GT_RACE_RUNNING || !race->complete ||
        count_newcomers(race) || !gt_race_is_settled(race, &reason)) {
        return;
    }
    gt_race_choose(race);
    race->finals = 0;
    race->is_tied = race->options.tie_break && race->winner && gt_race_find_tied(race);
    if (race->is_tied || (race->winner && wants_finals(race))) {
        race->decided = reason;
    } else {
        race->end = reason;
    }
}

bool gt_race_is_tied(const gt_race *race)
{
    return race->is_tied;
}

gputune_status gt_race_break_tie(gt_race *race, uint64_t id, gt_race_end *end)
{
    gt_runner *runner = find(race, id);
    bool is_tied = race->is_tied && runner && runner->tied && gt_runner_is_in(runner);
    GT_REFUSE(!is_tied, GPUTUNE_EINVAL, "contestant %llu is not in a tie", (unsigned long long)id);
    race->winner = runner;
    race->tie = true;
    race->is_tied = false;
    if (!wants_finals(race)) {
        race->end = race->decided;
    }
    *end = race->end;
    return GPUTUNE_OK;
}

gputune_status gt_race_end_round(gt_race *race, gt_race_end *end)
{
    if (race->round.count) {
        GT_TRY(gt_array_grow((void **)&race->scratch, &race->scratch_capacity, race->round.number,
                             sizeof *race->scratch));
        race->rounds = race->round.number;
        GT_TRY(keep_samples(race));
        if (!race->round.final) {
            gt_race_judge(race);
        } else if (++race->finals >= (race->options.exact ? 1 : race->options.final_rounds)) {
            race->end = race->decided;
        }
        abandon_round(race);
    }
    decide(race);
    *end = race->end;
    return GPUTUNE_OK;
}

void gt_race_fail(gt_race *race, uint64_t id)
{
    gt_runner *runner = find(race, id);
    if (!runner || runner->left == GT_RACE_LEFT_FAILED) {
        return;
    }
    bool was_winner = runner == race->winner;
    bool reopen = was_winner || (runner->is_default && race->decided != GT_RACE_RUNNING);
    runner->left = GT_RACE_LEFT_FAILED;
    runner->left_round = race->round.number;
    runner->pending = NAN;
    if (reopen && race->end != GT_RACE_BUDGET && race->end != GT_RACE_CANCELED) {
        race->decided = race->end = GT_RACE_RUNNING;
        race->is_tied = false;
    }
    if (was_winner) {
        race->winner = NULL;
    }
    gt_race_call_reserve(race);
    if (race->rounds) {
        gt_race_round round = race->round;
        race->round.count = 0; /* no round is in progress */
        gt_race_judge(race);
        race->round = round;
    }
}

gputune_status gt_race_stop(gt_race *race, gt_race_end reason)
{
    abandon_round(race);
    if (race->end == GT_RACE_RUNNING) {
        race->end = reason;
        if (race->decided == GT_RACE_RUNNING) {
            if (race->rounds) {
                gt_race_judge(race); /* again, because no contestant can be sampled any more */
            }
            gt_race_choose(race);
        }
        race->is_tied = false;
    }
    return GPUTUNE_OK;
}

const char *gt_race_end_text(gt_race_end end)
{
    static const char *const texts[] = {
        [GT_RACE_RUNNING] = "",
        [GT_RACE_ONE_LEFT] = "every other variant is slower",
        [GT_RACE_NO_GAIN] = "no variant left can win by more than epsilon",
        [GT_RACE_ROUNDS] = "the most rounds were sampled",
        [GT_RACE_BUDGET] = "the time was up",
        [GT_RACE_CANCELED] = "stopped on request",
        [GT_RACE_NONE_LEFT] = "no variant is left",
    };
    return texts[end];
}

uint32_t gt_race_active(const gt_race *race)
{
    uint32_t count = 0;
    for (const gt_runner *r = race->first; r; r = r->next) {
        count += gt_runner_is_in(r);
    }
    return count;
}

uint32_t gt_race_count(const gt_race *race)
{
    return race->count;
}

const gt_runner *gt_race_incumbent(const gt_race *race)
{
    const gt_runner *best = race->winner ? race->winner : race->incumbent;
    return best && gt_runner_is_in(best) ? best : NULL;
}

const gt_runner *gt_race_first(const gt_race *race)
{
    return race->first;
}

const gt_runner *gt_race_find(const gt_race *race, uint64_t id)
{
    return find(race, id);
}

bool gt_race_has_lost(const gt_race *race, const gt_runner *runner)
{
    return !gt_runner_is_in(runner) && runner != race->reserve;
}

typedef enum sample_kind { FINAL, FULL, QUICK } sample_kind;

static size_t copy_samples(double *out, const gt_runner *runner, sample_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < runner->samples.count; i++) {
        const gt_race_sample *s = &runner->samples.items[i];
        if (kind == FINAL ? s->final : s->quick == (kind == QUICK)) {
            out[count++] = s->value;
        }
    }
    return count;
}

enum { ENOUGH_FINAL = 5 };

gputune_status gt_race_summary(const gt_race *race, uint64_t id, gt_summary *out)
{
    const gt_runner *runner = find(race, id);
    if (!runner || !runner->samples.count) {
        *out = (gt_summary){0};
        return GPUTUNE_OK;
    }
    GT_FREED double *values = malloc(runner->samples.count * sizeof *values);
    GT_TRY(gt_allocated(values));
    size_t count = copy_samples(values, runner, FINAL);
    if (count < ENOUGH_FINAL) {
        count = copy_samples(values, runner, FULL);
    }
    if (!count) {
        count = copy_samples(values, runner, QUICK);
    }
    return gt_summarise(out, values, count);
}

/* --- the outcome ------------------------------------------------------------------------------ */

/* Of contestants that never met in a round. */
static gputune_status compare_medians(gt_verdict *out, const gt_race *race, uint64_t id,
                                      uint64_t other)
{
    gt_summary fast, slow;
    GT_TRY(gt_race_summary(race, id, &fast));
    GT_TRY(gt_race_summary(race, other, &slow));
    out->speedup = fast.count && slow.count ? slow.median / fast.median : 0;
    return GPUTUNE_OK;
}

gputune_status gt_race_compare(gt_verdict *out, const gt_race *race, uint64_t id, uint64_t other)
{
    gt_race *scratch_of = (gt_race *)race; /* the scratch memory is no part of the race's state */
    const gt_runner *fast = find(race, id), *slow = find(race, other);
    size_t count = gt_race_ratios(scratch_of, slow, fast, GT_SHARED_FINAL);
    if (count < 3) {
        count = gt_race_ratios(scratch_of, slow, fast, GT_SHARED_FULL);
    }
    if (!count) {
        count = gt_race_ratios(scratch_of, slow, fast, GT_SHARED_ANY);
    }
    if (!count) {
        return compare_medians(out, race, id, other);
    }
    gt_paired paired;
    GT_TRY(gt_paired_interval(&paired, race->scratch, count, 0.95));
    double speedup = exp(paired.mean), alone = race->options.exact ? speedup : 0;
    out->speedup = speedup;
    out->speedup_low = count > 1 ? exp(paired.low) : alone;
    out->speedup_high = count > 1 ? exp(paired.high) : alone;
    return GPUTUNE_OK;
}

gputune_status gt_race_result_get(const gt_race *race, gt_race_result *out)
{
    const gt_runner *winner = gt_race_incumbent(race), *standard = race->standard;
    GT_REFUSE(!winner, GPUTUNE_ENOVARIANT, "no variant is left in the race");
    gt_race_result result = {.end = race->end,
                             .verdict.tie = race->tie,
                             .winner = winner->id,
                             .rounds = race->rounds,
                             .samples = race->samples};
    result.has_default = standard && standard->samples.count;
    if (standard == winner) {
        result.verdict.speedup = result.verdict.speedup_low = result.verdict.speedup_high = 1;
    } else if (result.has_default) {
        GT_TRY(gt_race_compare(&result.verdict, race, winner->id, standard->id));
    }
    *out = result;
    return GPUTUNE_OK;
}

const char *gt_race_leave_text(char *out, size_t bytes, const gt_runner *runner)
{
    uint32_t count = (uint32_t)runner->samples.count;
    if (runner->left == GT_RACE_LEFT_FIRST) {
        gt_snprintf(out, bytes, "%.2fx the best in its first round", runner->ratio);
    } else if (runner->left == GT_RACE_LEFT_EARLY || runner->left == GT_RACE_LEFT_SLOWER) {
        gt_snprintf(out, bytes, "%.1f%% slower after %u sample%s", 100 * (runner->ratio - 1), count,
                    gt_plural(count));
    } else {
        snprintf(out, bytes, "%s", runner->left == GT_RACE_LEFT_FAILED ? "failed" : "");
    }
    return out;
}
