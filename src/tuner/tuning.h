/* A tuning: the race of a space's variants, from the first source to the stored winner. A policy of
 * the session; shared by tuning.c, tuning_*.c and conclude.c.
 *
 * Phases. PREPARE waits for the GPU, the inputs and the reference's results. In PROVE variants are
 * still compiled and verified; those that are right race already. In RACE all are verified.
 *
 *   PREPARE -prepared-> PROVE -all proved-> RACE -decided-> PROVE_AGAIN -confirmed-> RETRY -> DONE
 *                         ^            |   ^                     ^ |                   |
 *                         |  undecided v   | resumed             | | refuted           | revived
 *                         |          PLAYOFF ------decided-------+ |                   |
 *                         +----------------------------------------+-------------------+
 *
 * A PLAYOFF is a second race, among the finalists of the first. It breaks a tie: variants that the
 * host's clock cannot tell apart race by device time, and those that are equally fast with a cold
 * cache, by the time with a warm one. Or it weighs: the fastest race by energy, and that race
 * decides. It returns to RACE when the tie is broken, or if every finalist failed. PROVE_AGAIN
 * proves the winner once more after its last sample; if it is refuted, all right variants race
 * again. RETRY tries variants again that hung once, and those that take long; those that are right
 * race again. When the time is up, or the caller cancels, every phase leads to PROVE_AGAIN,
 * for which part of the limit was set aside (tuning_end.c). */
#pragma once

#include "tuner/race.h"
#include "tuner/session.h"
#include "tuner/strategy_proposer.h"
#include "tuner/tune.h"

typedef enum gt_phase {
    GT_PHASE_PREPARE,
    GT_PHASE_PROVE,
    GT_PHASE_RACE,
    GT_PHASE_PLAYOFF,
    GT_PHASE_PROVE_AGAIN,
    GT_PHASE_RETRY,
    GT_PHASE_DONE
} gt_phase;

/* An event that leads from one phase to another. */
typedef enum gt_step {
    GT_STEP_PREPARED,
    GT_STEP_ALL_PROVED,
    GT_STEP_UNDECIDED, /* the best are tied, or are to be weighed */
    GT_STEP_RESUMED,   /* the tie is broken, or failures have reopened the race */
    GT_STEP_DECIDED,   /* the race is over */
    GT_STEP_CONFIRMED, /* the winner was proved again, or there is none */
    GT_STEP_REFUTED,   /* the winner failed its last proof: the others race again */
    GT_STEP_REVIVED,   /* variants that hung once were right when they were tried again */
    GT_STEP_FINISHED,  /* nothing is left to try again */
    GT_STEP_STOPPED    /* the time is up, or the caller cancelled */
} gt_step;

typedef struct gt_playoff {
    gt_race *race; /* NULL before the first playoff, and when it has become gt_tuning.race */
    bool weighs;   /* by energy; else a tie is broken */
    bool hot;      /* by hot time */
} gt_playoff;

typedef struct gt_tuning {
    gt_session session;
    gt_phase phase;
    gt_race *race; /* the deciding race, by the objective; for energy, first by time */
    gt_playoff playoff;
    uint64_t hot_winner; /* the variant that won a tie by its hot time, or GT_NO_VARIANT */
    gt_race *by_time; /* objective energy: the race by time, once `race` is by energy, else NULL */
    uint64_t proved;  /* the variant that was proved again after its race, or GT_NO_VARIANT */
    struct {
        gt_race *race, *by_time;
        uint64_t proved;
    } earlier;               /* the last race that was decided, if everything races again */
    const gt_race *restored; /* equals `race` if that is the earlier race again, because there was
                                no time for a later one */
    gt_race_end end;         /* how `race` ended */
    gt_race_round round;     /* in progress; its ids belong to the race until the next round */
    gt_history history;
    gt_strategy_proposer strategy;
    gt_disturbance disturbance;
    int64_t last_progress_ns, last_kept_ns;
    int64_t give_up_ns; /* after a stop: when the winner's last proof must have ended */
    double kept_s;      /* seconds of the limit that were left for this end */
} gt_tuning;

/* The policy; its state is a gt_tuning. */
extern const gt_policy gt_tuning_policy;
/* Goes to the next phase. The present phase must have the step. */
void gt_tuning_advance(gt_tuning *tuning, gt_step step);

/* An empty race with the request's options. */
gputune_status gt_tuning_open_race(gt_tuning *tuning);
/* The race whose rounds are sampled now: `race`, or that of the playoff. */
gt_race *gt_tuning_current_race(const gt_tuning *tuning);
/* Returns true if variants that are equally fast with a cold cache race by the time with a warm
 * one, which may be far apart: not where the cache cannot hold the data. */
bool gt_tuning_breaks_by_hot_time(const gt_tuning *tuning);
gt_variant *gt_tuning_variant(const gt_tuning *tuning, uint64_t id);

/* --- tuning_rounds.c -------------------------------------------------------------------------- */

/* Adds the variants that became ready to the race. */
gputune_status gt_tuning_admit(gt_tuning *tuning);
/* The number of contestants whose time is not known yet. */
uint32_t gt_tuning_untimed(const gt_tuning *tuning);
/* Asks for the next round, or ends the race if none is needed. */
gputune_status gt_tuning_start_round(gt_tuning *tuning);
/* Gives the race the samples of a round. */
gputune_status gt_tuning_take_round(gt_tuning *tuning, const gt_event *event);
/* After a stop before the first round: the verifying launches' times become the samples. */
gputune_status gt_tuning_settle_for_pilots(gt_tuning *tuning);
/* Returns true if the objective is energy and `race` is still by time. */
bool gt_tuning_is_before_weighing(const gt_tuning *tuning);
/* Opens the playoff by energy among the fastest by time and the default. */
gputune_status gt_tuning_open_weighing(gt_tuning *tuning);
/* Makes the playoff by energy the race that counts. */
void gt_tuning_adopt_weighing(gt_tuning *tuning);

/* --- tuning_end.c ----------------------------------------------------------------------------- */

/* Seconds kept for the last proof after the jobs in hand, and for storing in a locked database. */
double gt_tuning_sets_aside_s(const gt_session *session);
/* Asks for the winner's last proof. */
gputune_status gt_tuning_prove_winner(gt_tuning *tuning, uint64_t winner);
/* Called when the session was stopped: verifies the best variant again if there is time. */
gputune_status gt_tuning_stopped(gt_session *session);
/* After a stop: ends the tuning without the last proof if no time is left; the result says so. */
void gt_tuning_hurry(gt_tuning *tuning);

/* Opens a new race of every right variant, including those that were eliminated. */
gputune_status gt_tuning_race_again(gt_tuning *tuning);
void gt_tuning_free_races(gt_tuning *tuning);

/* --- conclude.c ------------------------------------------------------------------------------ */

/* Counts variants that were tried, are on their way, or are known not to win. */
uint32_t gt_tuning_tried(const gt_tuning *tuning);
/* Calls the request's progress callback, at most 20 times a second unless `always`. */
void gt_tuning_progress(gt_tuning *tuning, const char *phase, bool always);
/* Appends the raw samples of all races to options.samples_path (samples.h). */
void gt_tuning_write_samples(const gt_tuning *tuning);

/* Stores code and final trials, at most once a second, in case the process is killed. */
gputune_status gt_tuning_keep(gt_tuning *tuning);

/* Stores the trials and the winner of a finished tuning, and makes the choice. */
gputune_status gt_tuning_conclude(gt_choice *out, gt_tuning *tuning);
/* After a failure: stores the trials and whether the default failed. The message is unchanged. */
void gt_tuning_keep_findings(gt_tuning *tuning);
