/* The race: which contestants are sampled in the next round, and what a round's samples change. */
#include "tuner/race_parts.h"

#include "base/hash.h"

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
    race->incumbent = race->winner = race->reserve = -1;
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
    for (size_t i = 0; i < race->runners.count; i++) {
        gt_array_free(&race->runners.items[i].samples);
    }
    gt_array_free(&race->runners);
    free(race->table);
    free(race->order);
    free(race->ids);
    free(race->scratch);
    free(race);
}

/* --- contestants ------------------------------------------------------------------------------ */

static uint32_t *slot_of(const gt_race *race, uint64_t id)
{
    uint32_t slot = (uint32_t)gt_hash64(&id, sizeof id) & (race->slots - 1);
    while (race->table[slot] && race->runners.items[race->table[slot] - 1].id != id) {
        slot = (slot + 1) & (race->slots - 1);
    }
    return &race->table[slot];
}

static gt_runner *find(const gt_race *race, uint64_t id)
{
    uint32_t index = race->slots ? *slot_of(race, id) : 0;
    return index ? &race->runners.items[index - 1] : NULL;
}

int64_t gt_race_index(const gt_race *race, uint64_t id)
{
    const gt_runner *runner = find(race, id);
    return runner ? runner - race->runners.items : -1;
}

static gputune_status grow_table(gt_race *race)
{
    uint32_t slots = race->slots ? 2 * race->slots : 64;
    uint32_t *table = calloc(slots, sizeof *table);
    GT_TRY(gt_allocated(table));
    free(race->table);
    race->table = table;
    race->slots = slots;
    for (uint32_t i = 0; race->runners.items && i < race->runners.count; i++) {
        *slot_of(race, race->runners.items[i].id) = i + 1;
    }
    return GPUTUNE_OK;
}

gputune_status gt_race_add(gt_race *race, uint64_t id, uint32_t rank, bool is_default)
{
    gt_runner runner = {
        .id = id, .rank = rank, .is_default = is_default, .first = NAN, .pending = NAN};
    if (find(race, id)) {
        return gt_fail(GPUTUNE_EINVAL, "contestant %llu is in the race already",
                       (unsigned long long)id);
    }
    if (2 * (race->runners.count + 1) > race->slots) {
        GT_TRY(grow_table(race));
    }
    GT_TRY(gt_array_push(&race->runners, runner));
    *slot_of(race, id) = (uint32_t)race->runners.count;
    return GPUTUNE_OK;
}

void gt_race_complete(gt_race *race)
{
    race->complete = true;
}

static gt_runner *default_of(const gt_race *race)
{
    for (size_t i = 0; i < race->runners.count; i++) {
        if (race->runners.items[i].is_default) {
            return &race->runners.items[i];
        }
    }
    return NULL;
}

/* --- rounds ----------------------------------------------------------------------------------- */

static gputune_status reserve_order(gt_race *race)
{
    uint32_t needed = (uint32_t)race->runners.count + 1;
    if (needed <= race->order_capacity) {
        return GPUTUNE_OK;
    }
    uint32_t *order = realloc(race->order, 2 * (size_t)needed * sizeof *order);
    if (order) {
        race->order = order;
    }
    uint64_t *ids = realloc(race->ids, 2 * (size_t)needed * sizeof *ids);
    if (ids) {
        race->ids = ids;
    }
    if (!order || !ids) {
        return gt_fail_memory();
    }
    race->order_capacity = 2 * needed;
    return GPUTUNE_OK;
}

/* Samples of a round that was not ended are dropped. */
static void abandon_round(gt_race *race)
{
    for (uint32_t i = 0; i < race->round.count; i++) {
        race->runners.items[race->order[i]].in_round = false;
        race->runners.items[race->order[i]].pending = NAN;
    }
    race->round.count = 0;
}

static void enter(gt_race *race, size_t index)
{
    race->runners.items[index].in_round = true;
    race->order[race->round.count++] = (uint32_t)index;
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
    for (size_t i = 0; i < race->runners.count; i++) {
        if (is_newcomer(&race->runners.items[i])) {
            enter(race, i);
        }
    }
}

static bool only_default_is_open(const gt_race *race, const gt_runner *standard)
{
    bool ignored;
    for (size_t i = 0; i < race->runners.count; i++) {
        const gt_runner *r = &race->runners.items[i];
        if (r != standard && gt_runner_is_in(r) &&
            !gt_race_is_done_with((gt_race *)race, r, &ignored)) {
            return false;
        }
    }
    return standard && gt_runner_is_in(standard);
}

/* Chooses the contestants that have fewer rounds than the others. If there are none, chooses all,
 * so that no result rests on one lucky moment; or the default alone, if only its result is open. */
static void enter_racing(gt_race *race)
{
    for (size_t i = 0; i < race->runners.count; i++) {
        if (gt_runner_is_in(&race->runners.items[i]) && (int64_t)i != race->incumbent &&
            !gt_runner_is_ready(race, &race->runners.items[i])) {
            enter(race, i);
        }
    }
    if (race->round.count) {
        return;
    }
    const gt_runner *standard = default_of(race);
    bool alone = race->incumbent >= 0 && only_default_is_open(race, standard);
    for (size_t i = 0; i < race->runners.count; i++) {
        const gt_runner *r = &race->runners.items[i];
        if (gt_runner_is_in(r) && (int64_t)i != race->incumbent && (!alone || r == standard)) {
            enter(race, i);
        }
    }
}

static void enter_final(gt_race *race)
{
    const gt_runner *standard = default_of(race);
    race->round.final = true;
    enter(race, (size_t)race->winner);
    enter(race, (size_t)(standard - race->runners.items));
}

static uint32_t count_newcomers(const gt_race *race)
{
    uint32_t count = 0;
    for (size_t i = 0; i < race->runners.count; i++) {
        count += is_newcomer(&race->runners.items[i]);
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

static void fill_round(gt_race *race)
{
    uint32_t newcomers = count_newcomers(race);
    gt_race_end ignored;
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
    if (race->incumbent >= 0 && gt_runner_is_in(&race->runners.items[race->incumbent])) {
        enter(race, (size_t)race->incumbent);
    }
}

gputune_status gt_race_next_round(gt_race *race, gt_race_round *out)
{
    GT_TRY(reserve_order(race));
    abandon_round(race);
    race->round = (gt_race_round){.number = race->rounds + 1, .ids = race->ids};
    if (race->end == GT_RACE_RUNNING) {
        fill_round(race);
    }
    gt_random_shuffle(&race->random, race->order, race->round.count);
    for (uint32_t i = 0; i < race->round.count; i++) {
        race->ids[i] = race->runners.items[race->order[i]].id;
    }
    *out = race->round;
    out->quick = race->round.quick || race->options.exact;
    return GPUTUNE_OK;
}

gputune_status gt_race_record(gt_race *race, uint64_t id, double value)
{
    gt_runner *runner = find(race, id);
    if (!runner || !runner->in_round) {
        return gt_fail(GPUTUNE_EINVAL, "contestant %llu is not in this round",
                       (unsigned long long)id);
    }
    if (isfinite(value) && value > 0) {
        runner->pending = value;
    }
    return GPUTUNE_OK;
}

/* --- after a round ---------------------------------------------------------------------------- */

static gputune_status keep_samples(gt_race *race)
{
    for (uint32_t i = 0; i < race->round.count; i++) {
        gt_runner *r = &race->runners.items[race->order[i]];
        if (isfinite(r->pending)) {
            const gt_race_sample sample = {.value = r->pending,
                                           .round = race->round.number,
                                           .quick = race->round.quick,
                                           .final = race->round.final};
            GT_TRY(gt_array_push(&r->samples, sample));
            race->samples++;
            r->missed = 0;
        } else if (gt_runner_is_in(r) && ++r->missed >= GT_RACE_MISSED_MAX) {
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
    const gt_runner *winner = &race->runners.items[race->winner];
    const gt_runner *standard = default_of(race);
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
    race->is_tied = race->options.tie_break && race->winner >= 0 && gt_race_find_tied(race);
    if (race->is_tied || (race->winner >= 0 && wants_finals(race))) {
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
    gt_race_contestant contestant;
    if (!race->is_tied || !gt_race_find(race, id, &contestant) || !contestant.tied) {
        return gt_fail(GPUTUNE_EINVAL, "contestant %llu is not in a tie", (unsigned long long)id);
    }
    race->winner = gt_race_index(race, id);
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
        race->rounds = race->round.number;
        GT_TRY(gt_race_reserve_scratch(race));
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

static bool is_final_pair(const gt_race *race, const gt_runner *runner)
{
    return race->decided != GT_RACE_RUNNING &&
           (runner == &race->runners.items[race->winner] || runner->is_default);
}

void gt_race_fail(gt_race *race, uint64_t id)
{
    gt_runner *runner = find(race, id);
    if (!runner || runner->left == GT_RACE_LEFT_FAILED) {
        return;
    }
    bool was_winner = race->winner >= 0 && runner == &race->runners.items[race->winner];
    bool reopen = was_winner || is_final_pair(race, runner);
    runner->left = GT_RACE_LEFT_FAILED;
    runner->left_round = race->round.number;
    runner->pending = NAN;
    if (reopen && race->end != GT_RACE_BUDGET && race->end != GT_RACE_CANCELED) {
        race->decided = race->end = GT_RACE_RUNNING;
        race->is_tied = false;
    }
    if (was_winner) {
        race->winner = -1;
    }
    gt_race_call_reserve(race);
    if (gt_race_reserve_scratch(race) == GPUTUNE_OK && race->rounds) {
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
        GT_TRY(gt_race_reserve_scratch(race));
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
