/* The end of a tuning: reserves time for the last proof and for storing, handles stops, and lets
 * the race continue if the winner turned out to be wrong or a deferred variant to be correct. */
#include "tuner/tuning.h"

#include "base/clock.h"

#include <math.h>

/* The last proof uses new inputs if making these and their expected results takes at most the
 * fraction FRESH_SHARE of the limit. The data proof may take this fraction, too. At most the
 * fraction MOST_SHARE is reserved for the end of a tuning. */
static const double FRESH_SHARE = 0.1, MOST_SHARE = 0.5;
/* Estimated times are multiplied by SPARE, plus SPARE_S, because the machine may be busy. */
static const double SPARE_S = 0.02, SPARE = 1.2;

static double limit_s(const gt_tuning *tuning)
{
    return tuning->session.request->options.time_limit_s;
}

/* Estimates how many seconds it takes to make new inputs and their expected results. */
static double fresh_s(const gt_tuning *tuning)
{
    return tuning->session.field.preparation.prepare_ns * 1e-9;
}

static bool is_fresh(const gt_tuning *tuning)
{
    return fresh_s(tuning) <= FRESH_SHARE * limit_s(tuning);
}

/* Estimates how many seconds the launches and comparisons of the last proof take. */
static double launches_s(const gt_tuning *tuning)
{
    double again_s = is_fresh(tuning) ? fresh_s(tuning) : 0;
    return SPARE_S + SPARE * (4 * tuning->session.field.schedule.new_variant_s + again_s);
}

/* Estimates how many seconds the last proof takes. Its data proof may take a tenth of the limit,
 * and leaves out the first further data set if this data set alone would take longer. */
static double proof_s(const gt_tuning *tuning)
{
    const gt_prepared *prepared = &tuning->session.field.preparation;
    const double most_s = FRESH_SHARE * limit_s(tuning), further_s = prepared->further_ns * 1e-9;
    double data_proof_s = prepared->data_proof_ns * 1e-9 - (further_s <= most_s ? 0 : further_s);
    return launches_s(tuning) + fmin(data_proof_s, most_s);
}

/* Estimates after how many seconds a new measure worker is ready. */
static double restart_s(const gt_tuning *tuning)
{
    return SPARE * (double)tuning->session.timeline.prepared * 1e-9;
}

/* Estimates how many seconds the measure worker needs for the jobs that it has. */
static double outstanding_s(const gt_session *session)
{
    double rounds_s = session->round_id ? session->sample_s * session->round_count : 0;
    return session->field.verifying * session->field.schedule.new_variant_s + rounds_s;
}

/* Returns true if the measure worker takes far longer than estimated. */
static bool is_stuck(const gt_session *session)
{
    static const double far_longer = 4, least_s = 0.1;
    double usual_s = outstanding_s(session);
    return session->field.prepared &&
           gt_session_busy_s(session) > fmax(least_s, far_longer * usual_s);
}

double gt_tuning_sets_aside_s(const gt_session *session)
{
    const gt_tuning *tuning = session->state;
    if (!session->field.in[GT_STAGE_READY]) {
        return 0;
    }
    /* one more variant may be verified before the stop, and may take longer than others */
    double needed = outstanding_s(session) + session->field.schedule.new_variant_s;
    needed += proof_s(tuning);
    needed += is_stuck(session) ? restart_s(tuning) : 0;
    if (gt_store_lags(session->request->services->store)) {
        /* the database may be locked when the result is stored */
        static const double share = 0.1, most_s = 5;
        needed += fmin(share * limit_s(tuning), most_s);
    }
    return fmin(needed, MOST_SHARE * limit_s(tuning));
}

gputune_status gt_tuning_prove_winner(gt_tuning *tuning, uint64_t winner)
{
    gt_session *session = &tuning->session;
    uint64_t seed = session->request->options.seed;
    double data_proof_s = session->field.preparation.data_proof_ns * 1e-9;
    double left_s = gt_patience_left_s(&session->request->patience) - launches_s(tuning);
    const gt_recheck_job job = {.id = winner,
                                .seed = is_fresh(tuning) ? seed + 1 : seed,
                                .share = fmin(1, fmax(0, left_s / fmax(2 * data_proof_s, 1e-9)))};
    gt_session_mark(session, &session->timeline.decided);
    return gt_session_prove_again(session, &job);
}

/* Returns how many seconds the last proof may take after a stop; 0 if the tuning was cancelled
 * during a verification. */
static double grace_s(const gt_session *session)
{
    static const double least_s = 0.15;
    bool busy = session->field.verifying || !session->field.prepared;
    bool canceled = session->stop == GT_STOP_CANCELED;
    double left_s = canceled ? 0 : gt_patience_left_s(&session->request->patience);
    return canceled && busy ? 0 : left_s + least_s;
}

/* Forgets the jobs of the measure worker, for which no events will come. */
static void forget_jobs(gt_session *session)
{
    session->round_id = 0;
    session->recheck_id = GT_NO_VARIANT;
}

/* After a stop, lets the last playoff by energy decide if it has samples. */
static void fall_back(gt_tuning *tuning)
{
    const gt_playoff *playoff = &tuning->playoff;
    const gt_runner *best =
        playoff->weighs && playoff->race ? gt_race_incumbent(playoff->race) : NULL;
    if (best && best->samples.count) {
        gt_tuning_adopt_weighing(tuning);
        tuning->cut_short = true;
    }
}

gputune_status gt_tuning_stopped(gt_session *session)
{
    gt_tuning *tuning = session->state;
    bool canceled = session->stop == GT_STOP_CANCELED;
    tuning->give_up_ns = gt_now_ns() + (int64_t)(grace_s(session) * 1e9);
    tuning->kept_s = gt_patience_left_s(&session->request->patience);
    if (!canceled) {
        GT_TRY(gt_field_note_unfinished(&session->field, gt_session_busy_s(session)));
        /* If the running job hangs, replaces the worker, because the job would use up the time for
         * the last proof. The new worker prepares again and loads the verified variants. */
        double left_s = gt_patience_left_s(&session->request->patience);
        if (is_stuck(session) && left_s > restart_s(tuning) + launches_s(tuning)) {
            forget_jobs(session);
            session->farm->ops->interrupt(session->farm);
        }
    }
    fall_back(tuning);
    if (!canceled && !tuning->cut_short) { /* if a playoff was cut short, it has samples */
        if (tuning->phase == GT_PHASE_PROVE) {
            GT_TRY(gt_tuning_admit(tuning));
        }
        GT_TRY(gt_tuning_settle_for_pilots(tuning));
    }
    tuning->end = canceled ? GT_RACE_CANCELED : GT_RACE_BUDGET;
    gt_field_abandon(&session->field);
    if (tuning->phase != GT_PHASE_DONE) {
        tuning->phase = GT_PHASE_PROVE_AGAIN;
    }
    gt_race_stop(tuning->race, tuning->end);
    return GPUTUNE_OK;
}

void gt_tuning_hurry(gt_tuning *tuning)
{
    gt_session *session = &tuning->session;
    bool stopped = session->stop != GT_STOP_NONE && tuning->phase != GT_PHASE_DONE;
    if (stopped && gt_now_ns() > tuning->give_up_ns) {
        forget_jobs(session);
        session->farm->ops->cancel(session->farm);
        tuning->phase = GT_PHASE_DONE;
    }
}

void gt_tuning_free_races(gt_tuning *tuning)
{
    gt_race_free(tuning->race);
    gt_race_free(tuning->playoff.race);
    gt_race_free(tuning->by_time);
    tuning->race = tuning->playoff.race = tuning->by_time = NULL;
}

void gt_tuning_race_on(gt_tuning *tuning)
{
    if (tuning->by_time) {
        tuning->playoff.race = tuning->race;
        tuning->race = tuning->by_time;
        tuning->by_time = NULL;
    }
    tuning->hot_winner = GT_NO_VARIANT;
    tuning->end = GT_RACE_RUNNING;
    tuning->phase = GT_PHASE_PROVE;
}
