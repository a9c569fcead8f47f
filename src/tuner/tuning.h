/* A tuning: a policy that races the variants of a space and stores the winner. Shared by tuning.c,
 * tuning_rounds.c, tuning_end.c and conclude.c.
 *
 * The idea. Variants join the race as soon as they are verified, while others are still being
 * compiled. After its last sample, the winner is verified once more, with other inputs.
 *
 * Phases. A stop leads from every phase to PROVE_AGAIN, for which part of the limit is reserved.
 *
 *   PROVE ------> RACE ------------> PROVE_AGAIN ----> RETRY ----> DONE
 *     ^           |  ^                 ^    |            |
 *     |           v  |                 |    |            |
 *     |         PLAYOFF ---------------+    |            |
 *     +-------------------------------------+------------+
 *
 * In PROVE, the inputs and the reference's results are prepared, variants are compiled and
 * verified, and verified ones race. In RACE, all are verified. PROVE_AGAIN verifies the winner; if
 * it is wrong after all, eliminated variants return to the race. RETRY tries deferred variants
 * again; if one is correct, it joins the race.
 *
 * A PLAYOFF is a second race among the finalists. It has one of two purposes. The first is to break
 * a tie: by device time if the host's clock cannot tell the variants apart, or by the time with a
 * warm cache if they are equally fast with a cold one. RACE then continues. The second is to
 * compare the fastest variants by energy; this playoff decides.
 *
 * Invariants. A last proof is in progress only in PROVE_AGAIN, and never together with a round. In
 * PROVE the race is not decided. */
#pragma once

#include "tuner/race.h"
#include "tuner/session.h"
#include "tuner/strategy_proposer.h"
#include "tuner/tune.h"

typedef enum gt_phase {
    GT_PHASE_PROVE,
    GT_PHASE_RACE,
    GT_PHASE_PLAYOFF,
    GT_PHASE_PROVE_AGAIN,
    GT_PHASE_RETRY,
    GT_PHASE_DONE
} gt_phase;

typedef struct gt_playoff {
    gt_race *race; /* the last playoff; NULL if there was none or it has become gt_tuning.race */
    bool weighs;   /* true: compares energies; false: breaks a tie */
    bool hot;      /* true: compares times with a warm cache */
} gt_playoff;

typedef struct gt_tuning {
    gt_session session;
    gt_phase phase;
    gt_race *race; /* race that decides */
    gt_playoff playoff;
    uint64_t hot_winner; /* winner of a tie by times with a warm cache, or GT_NO_VARIANT */
    gt_race *by_time;    /* if the objective is energy: the earlier race by time */
    uint64_t proved;     /* variant that has passed its last proof, or GT_NO_VARIANT */
    bool cut_short;      /* true if `race` is a playoff by energy that was stopped or is outdated */
    gt_race_end end;     /* how `race` ended */
    gt_race_round round; /* current round; `ids` is valid until the next one */
    gt_history history;
    gt_strategy_proposer strategy;
    int64_t last_progress_ns, last_kept_ns;
    int64_t give_up_ns; /* time until which a stopped tuning waits for the last proof */
    double kept_s;      /* seconds of the limit that were left at the stop */
} gt_tuning;

extern const gt_policy gt_tuning_policy;

/* Makes the tuning's race, which is empty. */
gputune_status gt_tuning_open_race(gt_tuning *tuning);
/* Returns the race that is sampled now: `race` or that of the playoff. */
gt_race *gt_tuning_current_race(const gt_tuning *tuning);
/* Returns true if times with a warm cache break ties, because the data fit into the cache. */
bool gt_tuning_breaks_by_hot_time(const gt_tuning *tuning);
/* Returns true if variant `a` wins a tie against `b`. `tuning` is a gt_tuning. */
bool gt_tuning_precedes(const void *tuning, uint64_t a, uint64_t b);
gt_variant *gt_tuning_variant(const gt_tuning *tuning, uint64_t id);

/* --- tuning_rounds.c -------------------------------------------------------------------------- */

/* Adds variants that have become ready to the race. */
gputune_status gt_tuning_admit(gt_tuning *tuning);
/* Counts the contestants that have no time yet. */
uint32_t gt_tuning_untimed(const gt_tuning *tuning);
/* Starts the next round, or ends the race if no round is needed. */
gputune_status gt_tuning_start_round(gt_tuning *tuning);
/* For gt_policy: handle the samples of a round, and the failure of a contestant. */
gputune_status gt_tuning_sampled(gt_session *session, const gt_sampled *sampled);
void gt_tuning_failed(gt_session *session, uint64_t id);
/* If there was no round, uses as samples the launches that verified the contestants. */
gputune_status gt_tuning_settle_for_pilots(gt_tuning *tuning);
/* Returns true if the objective is energy but `race` is still decided by time. */
bool gt_tuning_is_before_weighing(const gt_tuning *tuning);
/* Begins a playoff. If `weighs`, it compares the default and the fastest variants by energy;
 * otherwise it breaks a tie between the variants that are fastest. */
gputune_status gt_tuning_open_playoff(gt_tuning *tuning, bool weighs);
/* Lets the playoff by energy decide instead of the race by time. */
void gt_tuning_adopt_weighing(gt_tuning *tuning);

/* --- tuning_end.c ----------------------------------------------------------------------------- */

/* Returns how many seconds are reserved for the last proof and for storing. */
double gt_tuning_sets_aside_s(const gt_session *session);
/* Submits the last proof of the winner. */
gputune_status gt_tuning_prove_winner(gt_tuning *tuning, uint64_t winner);
/* Handles a stop: chooses the best variant so far, and proves it again if there is time. */
gputune_status gt_tuning_stopped(gt_session *session);
/* If the last proof of a stopped tuning takes too long, ends the tuning without it. */
void gt_tuning_hurry(gt_tuning *tuning);

/* Continues a decided race, because more variants will join it. */
void gt_tuning_race_on(gt_tuning *tuning);
void gt_tuning_free_races(gt_tuning *tuning);

/* --- conclude.c ------------------------------------------------------------------------------ */

/* Counts variants that were tried, are being tried, or are known from earlier tunings. */
uint32_t gt_tuning_tried(const gt_tuning *tuning);
/* Calls the request's progress callback, at most 20 times a second unless `always` is true. */
void gt_tuning_progress(gt_tuning *tuning, const char *phase, bool always);
/* Appends the samples of all races to options.samples_path. */
void gt_tuning_write_samples(const gt_tuning *tuning);

/* Once a second, stores trials that are final, because the process may be killed at any time. */
gputune_status gt_tuning_keep(gt_tuning *tuning);

/* Stores the trials and the winner, and sets *out to the choice. */
gputune_status gt_tuning_conclude(gt_choice *out, gt_tuning *tuning);
/* After a failure, stores the trials, and records if the default failed. Keeps the message. */
void gt_tuning_keep_findings(gt_tuning *tuning);
