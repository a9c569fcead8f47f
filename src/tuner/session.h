/* The engine: a session borrows a farm, drives it, and returns it. It takes variants from proposal
 * to verification, and asks a policy what else is to be done. Tuning, measuring given
 * configurations, ranking without a clock and compiling only are such policies.
 *
 * The idea. One thread owns all state and never computes for long: compile workers and one measure
 * worker do the work, and answer by events. Each turn of the loop does four things:
 *   1. It ends early if the time limit or the caller says so (stop_if_over).
 *   2. The policy gives the measure worker its next job, if that worker is free.
 *   3. The field starts what the compile workers have room for.
 *   4. The session waits for one event and passes it to the field or the policy.
 *
 * Invariants.
 * - The measure worker has one round of samples or one last proof at most (round_id, recheck_id),
 *   and answers in the order of its jobs. Beside them it may have a few verifications.
 * - An event that belongs to a job that was given up is recognised by its id, and dropped.
 * - No wait is longer than 0.1 s, so that a cancel is noticed.
 * - A session that takes times has the GPU for itself within this process (has_gpu).
 *
 * States. `stop` is NONE, and changes once, to LIMIT or CANCELED. The limit comes earlier by what
 * the policy sets aside for its end. After a stop no new work is started, except what the policy
 * does to end well, and the session ends when the policy is done. */
#pragma once

#include "tuner/field.h"

/* Why a session ends before its policy is done. */
typedef enum gt_stop {
    GT_STOP_NONE,
    GT_STOP_LIMIT,   /* the request's time is up */
    GT_STOP_CANCELED /* the caller asked for it */
} gt_stop;

typedef struct gt_session gt_session;

/* A policy says what a session is for. Functions that are NULL do nothing. */
typedef struct gt_policy {
    bool measures;  /* the session has a measure worker; else it only compiles */
    bool exclusive; /* it takes times, so no other session may measure then */
    /* Called when the measure worker may be idle: submits its next job. */
    gputune_status (*next)(gt_session *session);
    /* Called when a requested round of samples was taken, or failed. */
    gputune_status (*sampled)(gt_session *session, const gt_event *event);
    /* Called when a variant was proved again, or failed its proof. */
    gputune_status (*proved_again)(gt_session *session, const gt_event *event);
    /* Seconds that the policy needs after a stop. The limit stops the session that much earlier. */
    double (*sets_aside_s)(const gt_session *session);
    /* Called once, when session->stop was set. The session then ends when done() returns true. */
    gputune_status (*stopped)(gt_session *session);
    bool (*done)(const gt_session *session);
} gt_policy;

/* When a session's parts ended, in ns since it began (0: never), and the workers' time.
 */
typedef struct gt_timeline {
    int64_t compiled;       /* the last source */
    int64_t reference;      /* the reference's source */
    int64_t prepared;       /* inputs, the reference's results and the trial */
    int64_t verified_first; /* the first variant */
    int64_t verified;       /* the last one */
    int64_t decided, proved_again, stored;
    int64_t busy_since; /* since when the measure worker is at its oldest request; 0: it has none */
    double compiling_ns; /* summed over sources, which are compiled in parallel */
    double preparing_ns; /* time of the measure worker, as the worker reports it */
    double trying_ns;    /* likewise, for making the trial */
    double verifying_ns; /* of first launches, and proofs of variants that may win */
    double slower_ns;    /* the part of verifying_ns for variants that were not proved */
    double proving_again_ns;
    double sampling_ns; /* time of the measure worker */
    double latest_s;    /* seconds that the measure worker took for its last answer */
    uint32_t sources, samples;
} gt_timeline;

/* How long a session has measured and rested. All zero when the session starts. */
typedef struct gt_yielding {
    double seen_ns;   /* the measure worker's time that rests were already computed for */
    double owed_ns;   /* rest that is still due */
    int64_t since_ns; /* the end of the last rest; 0: none yet */
} gt_yielding;

/* All zero: no disturbance was seen so far. */
typedef struct gt_disturbance {
    bool noisy;       /* the results must be marked as noisy */
    bool named;       /* a warning has named another user of the GPU */
    uint32_t spoiled; /* rounds repeated in a row */
} gt_disturbance;

struct gt_session {
    const gt_policy *policy;
    void *state; /* the policy's own */
    gt_request *request;
    gt_farm *farm;
    gt_field field;
    int64_t start_ns;
    gt_stop stop;
    bool has_gpu, gpu_is_taken; /* by another session, when this one last asked for it */
    uint64_t round_id;          /* id of the sample job in progress; 0: none */
    uint32_t round_count;       /* number of its variants */
    double sample_s;            /* seconds of one variant in the last round; 0: not known */
    uint64_t rounds_sent;
    gt_sharing sharing;  /* found out by the first round */
    uint64_t recheck_id; /* the variant that is being proved again, or GT_NO_VARIANT */
    int64_t last_renewal_ns;
    gt_yielding yielding;
    gt_timeline timeline;
};

/* EBUSY in a callback of a session: the new session would wait for the end of its caller. */
gputune_status gt_session_may_measure(const gt_request *request);
/* Borrows a farm and opens the field. Fills in the options' request, farm and `measure`; their
 * other pointers must outlive the session. gt_session_close() is needed in any case. */
gputune_status gt_session_open(gt_session *out, const gt_policy *policy, void *state,
                               gt_request *request, const gt_field_options *options);
/* Runs until the policy is done. Fails if the reference, the farm or the compiler fails. */
gputune_status gt_session_run(gt_session *session);
void gt_session_close(gt_session *session);

/* Decides, with search/schedule.h, what the measure worker does next. True: a round of samples.
 * False: new variants are handed over. `wanted`: there are contestants to sample. */
bool gt_session_is_rounds_turn(gt_session *session, bool wanted);
/* Returns true if the session was stopped, or its field is done. */
bool gt_session_is_done(const gt_session *session);
/* Asks for a round of samples, and sets the job's id. If the round would outlast the limit, stops
 * the session instead: late samples would only delay the last proof. */
gputune_status gt_session_sample(gt_session *session, gt_sample_job *job);
/* Asks for another proof of a variant; the job's id is the variant's. */
gputune_status gt_session_prove_again(gt_session *session, const gt_recheck_job *job);
/* Renews the request's lease once a second. */
void gt_session_keep_lease(gt_session *session);
/* Seconds since the session began. */
double gt_session_elapsed_s(const gt_session *session);
/* How long the session may wait to store what it has found out: to the end of its request's limit.
 * Little time is given even where that has passed, or the caller has cancelled. */
gt_patience gt_session_storing(const gt_session *session);

/* Notes in *part, a member of the timeline, that this part of the session ends now (timeline.c). */
void gt_session_mark(const gt_session *session, int64_t *part);
/* The loop calls these before it waits for an answer, and before it handles one. */
void gt_session_mark_wait(gt_session *session);
void gt_session_mark_event(gt_session *session, const gt_event *event);
/* Seconds for which the measure worker has been at its oldest request; 0: it has none. */
double gt_session_busy_s(const gt_session *session);
/* Writes the timeline to the debug log, as one line. */
void gt_session_log_timeline(const gt_session *session);

/* Notes what disturbed a round of samples. True: it is spoiled, and must be repeated; after three
 * times it counts as it is, as noisy. Warns of the first other user of the GPU. */
bool gt_disturbance_note(gt_disturbance *disturbance, const gt_sampled *sampled, const gt_log *log);
/* Called between two steps of a session. If its request is tuned in the background and the
 * application uses the GPU, sleeps until measuring has had no more than its share of the time, and
 * extends the request's time limit by the time slept. The sleep ends early when the application
 * pauses, or the request is cancelled. */
void gt_session_yield(gt_session *session);
