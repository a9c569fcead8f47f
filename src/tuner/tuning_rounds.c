/* The rounds of a tuning's races. */
#include "tuner/tuning.h"

#include "base/objective.h"

#include <math.h>

enum {
    HOT_MOST = 8, /* maximum number of contestants with a warm cache */
    HOT_ROUNDS = 2,
    FINALISTS = 4,  /* number of contestants in a playoff by energy */
    LEVEL = 3,      /* rounds that decide by energy; on an H200, samples vary by 0.1 to 1% */
    ROUNDS_MAX = 5, /* with the final rounds, a playoff by energy takes half a minute */
    FINAL_ROUNDS = 3
};

static bool is_before(const gt_race *race, const gt_runner *a, const gt_runner *b)
{
    return a->ratio < b->ratio || (a->ratio == b->ratio && gt_race_precedes(race, a->id, b->id));
}

/* Lists the default and the fastest contestants, or only the tied ones of these. */
static uint32_t find_finalists(const gt_race *race, const gt_runner **out, uint32_t most, bool tied)
{
    uint32_t count = 0;
    for (const gt_runner *next = gt_race_first(race); next; next = next->next) {
        uint32_t at = count < most ? count : most;
        if (next->left != GT_RACE_IN || (tied && !next->tied)) {
            continue;
        }
        for (; at > 0 && (next->is_default || is_before(race, next, out[at - 1])) &&
               !out[at - 1]->is_default;
             at--) {
            if (at < most) {
                out[at] = out[at - 1];
            }
        }
        if (at < most) {
            out[at] = next;
            count += count < most;
        }
    }
    return count;
}

/* Lists the tied contestants, including the one that would win without a playoff. */
static gputune_status find_tied(uint32_t *count, const gt_race *race, const gt_runner **out,
                                uint32_t most)
{
    gt_race_result result;
    bool is_in = false;
    *count = find_finalists(race, out, most, true);
    GT_TRY(gt_race_result_get(race, &result));
    for (uint32_t i = 0; i < *count; i++) {
        is_in |= out[i]->id == result.winner;
    }
    if (!is_in) {
        out[*count - 1] = gt_race_find(race, result.winner);
    }
    return GPUTUNE_OK;
}

static gt_race_options playoff_options(const gt_tuning *tuning)
{
    const gt_request *request = tuning->session.request;
    const gt_playoff *playoff = &tuning->playoff;
    return playoff->weighs ? (gt_race_options){.seed = request->options.seed,
                                               .epsilon = request->options.epsilon,
                                               .drop_ratio = 0.5,
                                               .level = LEVEL,
                                               .max_rounds = ROUNDS_MAX,
                                               .final_rounds = FINAL_ROUNDS,
                                               .quick_from = FINALISTS + 1,
                                               .precedes = gt_tuning_precedes,
                                               .user = tuning}
                           : (gt_race_options){.seed = request->options.seed,
                                               .epsilon = request->options.epsilon,
                                               .final_rounds = 1, /* playoff times are not stored */
                                               .quick_from = playoff->hot ? 1 : 0,
                                               .exact = request->device->emulated,
                                               .precedes = gt_tuning_precedes,
                                               .user = tuning};
}

gputune_status gt_tuning_open_playoff(gt_tuning *tuning, bool weighs)
{
    gt_playoff *playoff = &tuning->playoff;
    if (!weighs || !playoff->weighs || !playoff->race) { /* otherwise, weighing continues */
        gt_race_free(playoff->race);
        *playoff =
            (gt_playoff){.weighs = weighs, .hot = !weighs && gt_tuning_breaks_by_hot_time(tuning)};
        const gt_race_options options = playoff_options(tuning);
        GT_TRY(gt_race_new(&playoff->race, &options));
    }
    uint32_t count, most = weighs         ? FINALISTS
                           : playoff->hot ? HOT_MOST
                                          : gt_race_count(tuning->race);
    GT_FREED const gt_runner **found = calloc(most, sizeof *found);
    GT_TRY(gt_allocated(found));
    if (weighs) {
        count = find_finalists(tuning->race, found, most, false);
    } else {
        GT_TRY(find_tied(&count, tuning->race, found, most));
    }
    for (uint32_t i = 0; i < count; i++) {
        const gt_runner *known = gt_race_find(playoff->race, found[i]->id);
        if (!known || known->left != GT_RACE_IN) {
            GT_TRY(gt_race_add(playoff->race, found[i]->id, found[i]->is_default));
        }
    }
    gt_race_complete(playoff->race);
    tuning->end = GT_RACE_RUNNING;
    tuning->phase = GT_PHASE_PLAYOFF;
    return GPUTUNE_OK;
}

/* Sets *out to the time to which contestants' ratios are relative; INFINITY if none was sampled. */
static gputune_status unit_of(double *out, const gt_race *race)
{
    const gt_runner *best = gt_race_incumbent(race);
    gt_summary summary;
    *out = INFINITY;
    if (best) {
        GT_TRY(gt_race_summary(race, best->id, &summary));
        *out = summary.median / best->ratio;
    }
    return GPUTUNE_OK;
}

/* Chooses the contestant with the smallest sum of host time and device time. If the default's sum
 * is larger by at most epsilon times the host time, the default wins. */
static gputune_status choose_by_device_time(uint64_t *out, gt_tuning *tuning)
{
    double host_ns, device_ns, least = INFINITY, standard = INFINITY;
    uint64_t default_id = 0;
    GT_TRY(unit_of(&host_ns, tuning->race));
    GT_TRY(unit_of(&device_ns, tuning->playoff.race));
    const gt_runner *best = gt_race_incumbent(tuning->race);
    *out = best ? best->id : 0;
    for (const gt_runner *by_device = gt_race_first(tuning->playoff.race); by_device;
         by_device = by_device->next) {
        const gt_runner *by_host = gt_race_find(tuning->race, by_device->id);
        bool in = by_device->left != GT_RACE_LEFT_FAILED && by_device->ratio > 0 && by_host;
        double both = in ? host_ns * by_host->ratio + device_ns * by_device->ratio : INFINITY;
        if (both < least ||
            (both == least && gt_race_precedes(tuning->race, by_device->id, *out))) {
            least = both;
            *out = by_device->id;
        }
        if (by_device->is_default) {
            standard = both;
            default_id = by_device->id;
        }
    }
    if (isfinite(standard) &&
        standard <= least + tuning->session.request->options.epsilon * host_ns) {
        *out = default_id;
    }
    return GPUTUNE_OK;
}

/* Chooses the contestant that is fastest with a warm cache, if it clearly beats the winner. */
static gputune_status choose_by_hot_time(uint64_t *out, gt_tuning *tuning)
{
    static const double much = 1.05;
    double least = INFINITY, own = INFINITY;
    uint64_t fastest = GT_NO_VARIANT;
    gt_race_result result;
    GT_TRY(gt_race_result_get(tuning->race, &result));
    for (const gt_runner *runner = gt_race_first(tuning->playoff.race); runner;
         runner = runner->next) {
        gt_summary hot;
        GT_TRY(gt_race_summary(tuning->playoff.race, runner->id, &hot));
        double hot_ns = runner->left != GT_RACE_LEFT_FAILED && hot.count ? hot.median : INFINITY;
        fastest = hot_ns < least ? runner->id : fastest;
        least = fmin(least, hot_ns);
        own = runner->id == result.winner ? hot_ns : own;
    }
    bool clear = isfinite(own) && own > much * least;
    *out = clear ? fastest : result.winner;
    tuning->hot_winner = clear ? fastest : GT_NO_VARIANT;
    return GPUTUNE_OK;
}

static gputune_status end_playoff_round(gt_tuning *tuning)
{
    gt_race_end end;
    GT_TRY(gt_race_end_round(tuning->playoff.race, &end));
    if (end == GT_RACE_RUNNING && !(tuning->playoff.hot && tuning->round.number >= HOT_ROUNDS)) {
        return GPUTUNE_OK;
    }
    if (tuning->playoff.weighs && end != GT_RACE_NONE_LEFT) { /* the playoff now decides */
        gt_tuning_adopt_weighing(tuning);
        tuning->end = end;
        tuning->phase = GT_PHASE_PROVE_AGAIN;
        return GPUTUNE_OK;
    }
    if (tuning->playoff.weighs) {
        GT_TRY(gt_race_end_round(tuning->race, &tuning->end));
        tuning->phase = GT_PHASE_RACE;
        return GPUTUNE_OK;
    }
    uint64_t winner = 0;
    if (tuning->playoff.hot) {
        GT_TRY(choose_by_hot_time(&winner, tuning));
    } else {
        GT_TRY(choose_by_device_time(&winner, tuning));
    }
    GT_TRY(gt_race_break_tie(tuning->race, winner, &tuning->end));
    tuning->phase = GT_PHASE_RACE;
    return GPUTUNE_OK;
}

void gt_tuning_adopt_weighing(gt_tuning *tuning)
{
    tuning->by_time = tuning->race;
    tuning->race = tuning->playoff.race;
    tuning->playoff.race = NULL;
}

void gt_tuning_failed(gt_session *session, uint64_t id)
{
    gt_tuning *tuning = session->state;
    gt_race_fail(tuning->race, id);
    if (tuning->playoff.race) {
        gt_race_fail(tuning->playoff.race, id);
    }
    if (tuning->phase == GT_PHASE_PLAYOFF) {
        /* with too few finalists, the best eliminated contestant may return to the race */
        if (tuning->playoff.weighs ? gt_race_active(tuning->playoff.race) < 2
                                   : !gt_race_is_tied(tuning->race)) {
            tuning->phase = GT_PHASE_RACE;
        }
    }
}

bool gt_tuning_is_before_weighing(const gt_tuning *tuning)
{
    gputune_objective objective = tuning->session.request->options.objective;
    return gt_objective_facts(objective)->by_energy && !tuning->by_time;
}

/* --- contestants ------------------------------------------------------------------------------ */

gputune_status gt_tuning_admit(gt_tuning *tuning)
{
    gt_variant *variant;
    while ((variant = gt_field_next_ready(&tuning->session.field))) {
        variant->dropped = false;
        GT_TRY(gt_race_add(tuning->race, variant->id, variant->role == GT_ROLE_DEFAULT));
    }
    return GPUTUNE_OK;
}

uint32_t gt_tuning_untimed(const gt_tuning *tuning)
{
    const gt_field *field = &tuning->session.field;
    uint32_t count = 0;
    for (const gt_runner *runner = gt_race_first(tuning->race); runner; runner = runner->next) {
        count += !runner->samples.count && runner->left == GT_RACE_IN &&
                 !(gt_field_pilot(field, field->variants.items[runner->id]) > 0);
    }
    return count;
}

/* --- rounds ----------------------------------------------------------------------------------- */

static gputune_objective sampled_now(const gt_tuning *tuning)
{
    bool weighs = tuning->phase == GT_PHASE_PLAYOFF && tuning->playoff.weighs;
    bool by_time = gt_tuning_is_before_weighing(tuning) || tuning->phase == GT_PHASE_PLAYOFF;
    return by_time && !weighs ? GPUTUNE_OBJECTIVE_KERNEL : tuning->session.field.setup->objective;
}

/* Returns true if the launches that verified the contestants can replace a quick round: the cache
 * was cold, and they were long enough. Contestants other than the best must have no samples. */
static bool pilots_serve(const gt_tuning *tuning, const gt_race_round *round)
{
    const gt_race *race = gt_tuning_current_race(tuning);
    const gt_runner *best = gt_race_incumbent(race);
    bool serve = round->kind == GT_RACE_QUICK && sampled_now(tuning) == GPUTUNE_OBJECTIVE_KERNEL &&
                 tuning->phase != GT_PHASE_PLAYOFF;
    for (uint32_t i = 0; i < round->count && serve; i++) {
        const gt_runner *runner = gt_race_find(race, round->ids[i]);
        serve = (runner->samples.count == 0 || runner == best) &&
                gt_field_pilot_is_sample(&tuning->session.field,
                                         gt_tuning_variant(tuning, round->ids[i]));
    }
    return serve;
}

/* Reports a variant's median after its first and fourth sample. It hardly changes after that. */
static gputune_status report_times(gt_tuning *tuning, const gt_race_round *round)
{
    for (uint32_t i = 0; i < round->count; i++) {
        const gt_runner *runner = gt_race_find(tuning->race, round->ids[i]);
        gt_summary summary;
        if (runner->samples.count != 1 && runner->samples.count != 4) {
            continue;
        }
        GT_TRY(gt_race_summary(tuning->race, round->ids[i], &summary));
        if (summary.count) {
            GT_TRY(gt_field_note_median(&tuning->session.field,
                                        gt_tuning_variant(tuning, round->ids[i]), summary.median));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status end_round(gt_tuning *tuning, const gt_race_round *round)
{
    if (tuning->phase == GT_PHASE_PLAYOFF) {
        return end_playoff_round(tuning);
    }
    GT_TRY(gt_race_end_round(tuning->race, &tuning->end));
    GT_TRY(report_times(tuning, round)); /* includes contestants that this round has eliminated */
    if (gt_race_is_tied(tuning->race)) {
        GT_TRY(gt_tuning_open_playoff(tuning, false));
    }
    gt_farm *farm = tuning->session.farm;
    for (const gt_runner *runner = gt_race_first(tuning->race); runner; runner = runner->next) {
        gt_variant *variant = gt_tuning_variant(tuning, runner->id);
        if (gt_race_has_lost(tuning->race, runner) && !variant->dropped) {
            variant->dropped = true;
            GT_TRY(farm->ops->drop(farm, runner->id));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status record_sample(gt_tuning *tuning, uint64_t id, double sampled)
{
    return gt_race_record(gt_tuning_current_race(tuning), id,
                          gt_variant_value(gt_tuning_variant(tuning, id), sampled));
}

static gputune_status record_pilots(gt_tuning *tuning, const gt_race_round *round)
{
    for (uint32_t i = 0; i < round->count; i++) {
        double pilot_ns = gt_tuning_variant(tuning, round->ids[i])->verified.pilot_ns;
        GT_TRY(record_sample(tuning, round->ids[i], pilot_ns));
    }
    return end_round(tuning, round);
}

gputune_status gt_tuning_start_round(gt_tuning *tuning)
{
    static const gt_sample_length lengths[] = {[GT_RACE_QUICK] = GT_SAMPLE_QUICK,
                                               [GT_RACE_FULL] = GT_SAMPLE_BRIEF,
                                               [GT_RACE_FINAL] = GT_SAMPLE_FULL};
    gt_race_round round;
    do { /* skip rounds for which the launches that verified the contestants are enough */
        GT_TRY(gt_race_next_round(gt_tuning_current_race(tuning), &round));
        if (round.count ? !pilots_serve(tuning, &round) : tuning->phase == GT_PHASE_PROVE) {
            break;
        }
        GT_TRY(record_pilots(tuning, &round));
        round.count = 0;
    } while (tuning->end == GT_RACE_RUNNING);
    if (!round.count) {
        return GPUTUNE_OK;
    }
    gt_sample_job job = {.variants = round.ids,
                         .count = round.count,
                         .objective = sampled_now(tuning),
                         .hot = tuning->phase == GT_PHASE_PLAYOFF && tuning->playoff.hot,
                         .length = lengths[round.kind]};
    tuning->round = round;
    return gt_session_sample(&tuning->session, &job);
}

gputune_status gt_tuning_sampled(gt_session *session, const gt_sampled *sampled)
{
    gt_tuning *tuning = session->state;
    const gt_race_round *round = &tuning->round;
    for (uint32_t i = 0; i < sampled->count && i < round->count; i++) {
        GT_TRY(record_sample(tuning, round->ids[i], sampled->values[i]));
    }
    return end_round(tuning, round);
}

gputune_status gt_tuning_settle_for_pilots(gt_tuning *tuning)
{
    gt_race_result result;
    gt_race_round round;
    if (gt_race_result_get(tuning->race, &result) == GPUTUNE_OK && result.samples) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_race_next_round(tuning->race, &round));
    if (!round.count) {
        return GPUTUNE_OK;
    }
    tuning->session.disturbance.noisy = true; /* as first launches were made at different times */
    return record_pilots(tuning, &round);
}
