/* The phases of a tuning (tuning.h). */
#include "tuner/tuning.h"

#include "base/objective.h"
#include "farm/measure_plan.h"
#include "tuner/outcome.h"
#include "tuner/precedence.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static void check_invariants(const gt_tuning *tuning)
{
    const gt_session *session = &tuning->session;
    assert(session->recheck_id == GT_NO_VARIANT || tuning->phase == GT_PHASE_PROVE_AGAIN);
    assert(!session->round_id || session->recheck_id == GT_NO_VARIANT);
    assert(tuning->phase != GT_PHASE_PLAYOFF || tuning->playoff.weighs ||
           gt_race_is_tied(tuning->race));
    assert(tuning->phase != GT_PHASE_PROVE || tuning->end == GT_RACE_RUNNING);
    (void)session;
}

/* Returns true if the rest of the space will be tried within a second. Rounds then wait for all
 * variants, because their first launches show which ones are too slow. */
static bool is_soon_tried(const gt_tuning *tuning, double left_s)
{
    static const double most_s = 1, most = 0.1;
    const gt_field *field = &tuning->session.field;
    double variant_count = fmax((double)(field->variants.count + field->duplicates), 1);
    double compile_s = field->schedule.compile_s * (double)field->units.count / variant_count /
                       tuning->session.farm->compile_workers;
    double new_variant_s = field->schedule.new_variant_s * (1 - field->duplicates / variant_count);
    double left = (double)gt_field_total(field) - gt_tuning_tried(tuning);
    return field->schedule.new_variant_s > 0 && !field->untimed &&
           left * fmax(new_variant_s, compile_s) < fmin(most_s, most * left_s);
}

/* Returns the fraction of its time that the measure worker spends on rounds while other variants
 * still have to be verified. The fraction is 0, so rounds wait, unless half of the limit has passed
 * or the search learns from samples. */
static double round_share(const gt_tuning *tuning)
{
    static const double closing = 0.9;
    const gt_session *session = &tuning->session;
    double limit_s = session->request->options.time_limit_s;
    double left_s = gt_patience_left_s(&session->request->patience);
    left_s -= gt_tuning_sets_aside_s(session);
    if (left_s < 0.04 * limit_s) {
        return closing;
    }
    bool learns = session->field.options.proposer->learns && !is_soon_tried(tuning, left_s);
    bool beside = learns || left_s < 0.5 * limit_s;
    return beside ? GT_ROUND_SHARE : 0;
}

/* Starts a round if it is time for one. Ends a race that has no contestants. */
static gputune_status start_due_round(gt_tuning *tuning)
{
    gt_session *session = &tuning->session;
    session->field.untimed = gt_tuning_untimed(tuning);
    session->field.schedule.round_share = round_share(tuning);
    bool wanted = gt_race_wants_round(gt_tuning_current_race(tuning));
    bool is_rounds_turn = gt_session_wants_round(session, wanted);
    return is_rounds_turn || !session->field.prepared ? gt_tuning_start_round(tuning) : GPUTUNE_OK;
}

/* Waits until the reference is ready, or no variant is left to be verified. Then starts rounds of
 * verified variants. Variants can join only between two rounds. */
static gputune_status prove_variants(gt_tuning *tuning)
{
    const gt_field *field = &tuning->session.field;
    const bool is_done = gt_field_is_done(field);
    if ((!field->prepared && !is_done) || tuning->session.round_id) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_tuning_admit(tuning));
    if (is_done) {
        gt_race_complete(tuning->race);
        tuning->phase = GT_PHASE_RACE;
        return GPUTUNE_OK;
    }
    return start_due_round(tuning);
}

static gputune_status run_race(gt_tuning *tuning)
{
    if (tuning->end == GT_RACE_RUNNING) {
        return start_due_round(tuning);
    }
    if (gt_tuning_is_before_weighing(tuning) && tuning->end != GT_RACE_NONE_LEFT) {
        return gt_tuning_open_playoff(tuning, true);
    }
    tuning->phase = GT_PHASE_PROVE_AGAIN;
    return GPUTUNE_OK;
}

static gputune_status prove_again(gt_tuning *tuning)
{
    gt_session *session = &tuning->session;
    gt_race_result result;
    if (session->recheck_id != GT_NO_VARIANT || session->round_id) {
        return GPUTUNE_OK;
    }
    bool has_winner = gt_race_result_get(tuning->race, &result) == GPUTUNE_OK;
    if (!has_winner || tuning->proved == result.winner) {
        tuning->phase = GT_PHASE_RETRY;
        return GPUTUNE_OK;
    }
    return gt_tuning_prove_winner(tuning, result.winner);
}

/* Tries deferred variants again, after all others. A variant that hangs again fails. */
static gputune_status retry_deferred(gt_tuning *tuning)
{
    gt_field *field = &tuning->session.field;
    uint32_t count = 0;
    if (tuning->session.stop == GT_STOP_NONE && gt_field_is_done(field) &&
        !field->newly_ready.count) {
        GT_TRY(gt_field_retry(field, &count));
    }
    if (count) {
        gt_log_line(&tuning->session.request->log, GPUTUNE_LOG_DEBUG,
                    "trying the last %u variants again, which hung or took long", count);
    }
    if (!gt_field_is_done(field)) {
        return GPUTUNE_OK;
    }
    if (!field->newly_ready.count || tuning->session.stop != GT_STOP_NONE) {
        tuning->phase = GT_PHASE_DONE;
        return GPUTUNE_OK;
    }
    gt_tuning_race_on(tuning);
    return GPUTUNE_OK;
}

/* --- the policy ------------------------------------------------------------------------------- */

static gputune_status next(gt_session *session)
{
    static gputune_status (*const work[])(gt_tuning *) = {
        [GT_PHASE_PROVE] = prove_variants,    [GT_PHASE_RACE] = run_race,
        [GT_PHASE_PLAYOFF] = start_due_round, [GT_PHASE_PROVE_AGAIN] = prove_again,
        [GT_PHASE_RETRY] = retry_deferred,
    };
    gt_tuning *tuning = session->state;
    gt_phase before = GT_PHASE_DONE;
    gt_tuning_hurry(tuning);
    while (tuning->phase != before && tuning->phase != GT_PHASE_DONE) {
        before = tuning->phase;
        check_invariants(tuning);
        GT_TRY(work[before](tuning));
    }
    gt_tuning_progress(tuning, NULL, false);
    return gt_tuning_keep(tuning);
}

/* Warns if the winner writes a module variable, or reads a constant that is never set. */
static void warn_of_winner(const gt_request *request, const gt_verified *verified)
{
    const gt_log *log = &request->log;
    char constant[GT_NAME_MAX];
    if (gt_template_leaves_constant(constant, request->template)) {
        gt_log_line(log, GPUTUNE_LOG_WARNING,
                    "%s reads the __constant__ %s, which nothing fills, so it contains zeros; "
                    "expected constant(%s : TYPE[COUNT]), or a value in the code",
                    request->template->name, constant, constant);
    }
    if (verified->writes[0]) {
        gt_log_line(log, GPUTUNE_LOG_WARNING,
                    "%s writes the __device__ variable %s: launches share it, also on several "
                    "streams, and each finds the values that the previous one left",
                    request->template->name, verified->writes);
    }
    if (verified->data_proof[0]) {
        gt_log_line(log, GPUTUNE_LOG_DEBUG, "%s: the winner is also correct %s",
                    request->template->name, verified->data_proof);
    }
}

/* Copies the list of scalars that the last proof has proved with one value only to the default. */
static gputune_status take_single(gt_field *field, const gt_verified *verified)
{
    char *single = NULL;
    if (!field->standard || !verified->single) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_strdup(&single, verified->single));
    free(field->standard->verified.single);
    field->standard->verified.single = single;
    return GPUTUNE_OK;
}

/* Lets all eliminated contestants race again, because the variant that won is wrong. Those that the
 * measure worker has dropped are verified first. */
static gputune_status recall_eliminated(gt_tuning *tuning, uint64_t wrong)
{
    gt_tuning_race_on(tuning);
    gt_race_fail(tuning->race, wrong);
    for (const gt_runner *r = gt_race_first(tuning->race); r; r = r->next) {
        const gt_variant *variant = gt_tuning_variant(tuning, r->id);
        if (r->left != GT_RACE_IN && variant->stage == GT_STAGE_READY && !variant->dropped) {
            GT_TRY(gt_race_add(tuning->race, r->id, r->is_default));
        }
    }
    return gt_field_reverify(&tuning->session.field);
}

static gputune_status proved_again(gt_session *session, const gt_event *event)
{
    gt_tuning *tuning = session->state;
    bool stopped = session->stop != GT_STOP_NONE;
    if (event->status == GPUTUNE_OK) {
        GT_TRY(take_single(&session->field, &event->verified));
        tuning->proved = event->id;
        gt_session_mark(session, &session->timeline.proved_again);
        warn_of_winner(session->request, &event->verified);
        return GPUTUNE_OK;
    }
    if (stopped && !gt_ending_of(event->status)->costs_one_variant) {
        tuning->give_up_ns = 0; /* the variant is not to blame: end without a last proof */
        return GPUTUNE_OK;
    }
    GT_REFUSE(!gt_ending_of(event->status)->costs_one_variant, event->status, "%s", event->message);
    GT_TRY(gt_field_fail_launched(&session->field, gt_tuning_variant(tuning, event->id), event));
    gt_race_fail(tuning->race, event->id);
    if (stopped) {
        gt_race_stop(tuning->race, tuning->end); /* the second best variant is re-verified next */
        return GPUTUNE_OK;
    }
    return recall_eliminated(tuning, event->id);
}

static bool done(const gt_session *session)
{
    return ((const gt_tuning *)session->state)->phase == GT_PHASE_DONE;
}

const gt_policy gt_tuning_policy = {.measures = true,
                                    .exclusive = true,
                                    .next = next,
                                    .sampled = gt_tuning_sampled,
                                    .failed = gt_tuning_failed,
                                    .proved_again = proved_again,
                                    .sets_aside_s = gt_tuning_sets_aside_s,
                                    .stopped = gt_tuning_stopped,
                                    .done = done};

bool gt_tuning_breaks_by_hot_time(const gt_tuning *tuning)
{
    const gt_request *request = tuning->session.request;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < request->workload.buffer_count; i++) {
        bytes += request->workload.buffers[i].bytes;
    }
    return gt_objective_facts(request->options.objective)->sampled == GPUTUNE_OBJECTIVE_KERNEL &&
           request->options.cache == GPUTUNE_CACHE_COLD && !request->device->emulated &&
           bytes <= (uint64_t)request->device->l2_bytes;
}

bool gt_tuning_precedes(const void *user, uint64_t a, uint64_t b)
{
    const gt_tuning *tuning = user;
    const gt_variant *one = gt_tuning_variant(tuning, a), *other = gt_tuning_variant(tuning, b);
    return gt_precedes(tuning->session.request, &one->config, &one->unit->compiled.resources,
                       &other->config, &other->unit->compiled.resources);
}

gputune_status gt_tuning_open_race(gt_tuning *tuning)
{
    const gt_request *request = tuning->session.request;
    const gputune_options *o = &request->options;
    gt_race_options options = {.seed = o->seed,
                               .epsilon = o->epsilon,
                               .exact = request->device->emulated,
                               .exhaustive = o->effort == GPUTUNE_EXHAUSTIVE,
                               .precedes = gt_tuning_precedes,
                               .user = tuning};
    if (gt_objective_facts(o->objective)->by_host) {
        /* The host's clock is several times noisier than the device's. On the host of an H200,
         * samples of 2.4 us per launch vary by 3%, so 150 rounds are needed to see a difference of
         * 0.5%. A process may lose its core for 1 ms, so one slow sample must not eliminate any. */
        options.max_rounds = 200;
        options.drop_ratio = 0.5;
        options.tie_break = GT_TIE_LIKELY;
    } else {
        options.quick_doubt = gt_plan_quick_doubt;
        options.tie_break = gt_tuning_breaks_by_hot_time(tuning) ? GT_TIE_WITHIN : GT_TIE_NONE;
    }
    return gt_race_new(&tuning->race, &options);
}

gt_race *gt_tuning_current_race(const gt_tuning *tuning)
{
    return tuning->phase == GT_PHASE_PLAYOFF ? tuning->playoff.race : tuning->race;
}

gt_variant *gt_tuning_variant(const gt_tuning *tuning, uint64_t id)
{
    return tuning->session.field.variants.items[id];
}

static gputune_status run_session(gt_choice *out, gt_tuning *tuning)
{
    gt_request *request = tuning->session.request;
    const gt_field_options options = {.proposer = &tuning->strategy.proposer,
                                      .with_default = true,
                                      .races = true,
                                      .limit = request->options.max_variants,
                                      .history = &tuning->history};
    GT_TRY(gt_session_open(&tuning->session, &gt_tuning_policy, tuning, request, &options));
    GT_TRY(gt_tuning_open_race(tuning));
    gputune_status status = gt_session_run(&tuning->session);
    if (status != GPUTUNE_OK) {
        gt_tuning_keep_findings(tuning);
        return status;
    }
    if (tuning->session.field.cut && !request->options.max_variants) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING,
                    "%s: %d variants were tried, the most that one tuning keeps in memory; "
                    "restrict the space",
                    request->template->name, GT_FIELD_VARIANTS_MAX);
    }
    gt_tuning_progress(tuning, "store", true);
    gt_tuning_write_samples(tuning);
    status = gt_tuning_conclude(out, tuning);
    gt_session_mark(&tuning->session, &tuning->session.timeline.stored);
    gt_session_log_timeline(&tuning->session);
    return status;
}

static void end_tuning(gt_tuning **at)
{
    gt_tuning *tuning = *at;
    if (tuning) {
        gt_session_close(&tuning->session);
        gt_tuning_free_races(tuning);
        gt_strategy_proposer_close(&tuning->strategy);
        gt_trial_list_free(&tuning->history);
        free(tuning);
    }
}

gputune_status gt_search(gt_choice *out, gt_request *request)
{
    GT_SCOPED(end_tuning) gt_tuning *tuning = calloc(1, sizeof *tuning);
    GT_TRY(gt_allocated(tuning));
    tuning->session.request = request;
    tuning->proved = tuning->hot_winner = GT_NO_VARIANT;
    GT_TRY(gt_request_space_to_try(request));
    gt_request_warn_of_default(request);
    GT_TRY(gt_history_load(&tuning->history, request));
    GT_TRY(gt_strategy_proposer_open(&tuning->strategy, request, request->options.strategy,
                                     &tuning->history));
    return run_session(out, tuning);
}
