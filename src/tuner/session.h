/* A session: one run of the engine. It borrows a farm, takes variants from proposal to
 * verification, and returns the farm. A policy defines the purpose: tuning, running given
 * configurations, checking, ranking or only compiling.
 *
 * The idea. One thread owns all state and never computes for long: compile workers and one measure
 * worker do the work and answer with events. Each iteration of the loop (gt_session_run) stops the
 * session at its limit or on a cancel, lets the policy submit the measure worker's next job, starts
 * compiles for idle workers, waits for one event, and passes it to the field or the policy.
 *
 * Invariants. The measure worker has at most one round of samples (round_id) or one last proof
 * (recheck_id), and in addition a few verifications. It answers in the order of its jobs. An event
 * of an abandoned job is recognised by its id and ignored. No wait is longer than 0.1 s, so cancels
 * are noticed. At most one session of the process measures times on a GPU (has_gpu).
 *
 * States. `stop` changes once, from NONE to LIMIT or CANCELED. LIMIT is set early, so the
 * policy has the time it reserves for its end. After a stop, only work that the policy needs for
 * its end starts, and the session ends when the policy is done. */
#pragma once

#include "tuner/field.h"

/* Why a session ends before its policy is done. */
typedef enum gt_stop { GT_STOP_NONE, GT_STOP_LIMIT, GT_STOP_CANCELED } gt_stop;

typedef struct gt_session gt_session;

/* The purpose of a session. All functions except done() may be NULL. */
typedef struct gt_policy {
    bool measures;  /* true if the session needs a measure worker */
    bool exclusive; /* true if it measures times, and others must not measure then */
    /* Submits the measure worker's next job. Called whenever the worker may be idle. */
    gputune_status (*next)(gt_session *session);
    /* Handles the samples of a round, unless the round must be repeated. */
    gputune_status (*sampled)(gt_session *session, const gt_sampled *sampled);
    /* Handles the failure of a variant during a round. */
    void (*failed)(gt_session *session, uint64_t variant);
    /* Handles the result of gt_session_prove_again(). */
    gputune_status (*proved_again)(gt_session *session, const gt_event *event);
    /* Returns how many seconds before the limit to stop, so the policy has time for its end. */
    double (*sets_aside_s)(const gt_session *session);
    gputune_status (*stopped)(gt_session *session); /* Called once, after session->stop is set. */
    bool (*done)(const gt_session *session);
} gt_policy;

/* When parts of a session ended, in ns since its start (0: not yet), and times of its workers. */
typedef struct gt_timeline {
    int64_t compiled;  /* end of the last compile */
    int64_t reference; /* end of the reference's compile */
    int64_t prepared;
    int64_t verified_first; /* end of the first verification */
    int64_t verified;       /* end of the last verification */
    int64_t decided, proved_again, stored;
    int64_t busy_since;  /* start of the measure worker's oldest job; 0: none */
    double compiling_ns; /* total time of all compiles */
    double preparing_ns; /* time for preparing, as reported by the measure worker */
    double trying_ns;    /* time for preparing the data proof, as reported by the measure worker */
    double verifying_ns; /* time of all verifications except last proofs */
    double proving_again_ns;
    double sampling_ns;
    double latest_s; /* seconds that the measure worker took for its latest answer */
    uint32_t sources, samples;
} gt_timeline;

/* How long a background session has measured and paused. */
typedef struct gt_yielding {
    double seen_ns;   /* measuring time that earlier pauses account for */
    double owed_ns;   /* time for which the session must still pause */
    int64_t since_ns; /* end of the last pause; 0: none */
} gt_yielding;

/* Disturbances of the rounds: other users of the GPU, and throttled clocks. */
typedef struct gt_disturbance {
    bool noisy;
    bool named;       /* true if another user of the GPU was logged */
    uint32_t spoiled; /* number of consecutive repetitions of a round */
} gt_disturbance;

struct gt_session {
    const gt_policy *policy;
    void *state; /* owned by the policy */
    gt_request *request;
    gt_farm *farm;
    gt_field field;
    int64_t start_ns;
    gt_stop stop;
    /* `gpu_is_taken`: when this session last asked for the GPU, another session had it */
    bool has_gpu, gpu_is_taken;
    uint64_t round_id;    /* round in progress; 0: none */
    uint32_t round_count; /* number of variants in the round */
    double sample_s;      /* seconds per variant in the last round; 0: unknown */
    uint64_t rounds_sent;
    gt_sharing sharing;  /* whether launches may share inout buffers; set by the first round */
    uint64_t recheck_id; /* variant whose last proof is in progress, or GT_NO_VARIANT */
    int64_t last_renewal_ns;
    gt_yielding yielding;
    gt_timeline timeline;
    gt_disturbance disturbance;
};

/* Returns EBUSY in a callback of a session: a second session would wait for the first one. */
gputune_status gt_session_may_measure(const gt_request *request);
/* Borrows a farm and creates the field. Sets `request`, `farm` and `measure` of the options, whose
 * other pointers must outlive the session. Call gt_session_close() even after a failure. */
gputune_status gt_session_open(gt_session *out, const gt_policy *policy, void *state,
                               gt_request *request, const gt_field_options *options);
/* Runs until the policy is done. Fails if the reference, the farm or the compiler fails. */
gputune_status gt_session_run(gt_session *session);
void gt_session_close(gt_session *session);

/* Returns true if the measure worker should next sample a round instead of verifying pending
 * variants (search/schedule.h). `wanted`: true if there are contestants to sample. */
bool gt_session_wants_round(gt_session *session, bool wanted);
/* Returns true if the session was stopped or its field is done. */
bool gt_session_is_done(const gt_session *session);
/* Fails like gt_request_ended(). If the limit was too short for launches, adds advice. */
gputune_status gt_session_ended(const gt_session *session, const char *before);
/* Requests a round and sets job->id. Stops the session if the round would outlast the limit. */
gputune_status gt_session_sample(gt_session *session, gt_sample_job *job);
/* Requests another proof of the variant job->id. */
gputune_status gt_session_prove_again(gt_session *session, const gt_recheck_job *job);
/* Renews the request's lease once a second. */
void gt_session_keep_lease(gt_session *session);
double gt_session_elapsed_s(const gt_session *session);
/* Returns the patience for storing: until the request's limit, but at least 0.15 s. */
gt_patience gt_session_storing(const gt_session *session);

/* Sets *part, a member of the timeline, to the current time. */
void gt_session_mark(const gt_session *session, int64_t *part);
/* Update the timeline before waiting for an event, and after an event came. */
void gt_session_mark_wait(gt_session *session);
void gt_session_mark_event(gt_session *session, const gt_event *event);
/* Returns how long the measure worker has been at its current job, in seconds; 0 if idle. */
double gt_session_busy_s(const gt_session *session);
/* Writes the timeline to the debug log. */
void gt_session_log_timeline(const gt_session *session);

/* Pauses a background tuning while the application uses the GPU, so that measuring takes at most
 * its share of the time. Extends the time limit by the pause. Ends the pause early when the
 * application stops using the GPU, or on a cancel. */
void gt_session_yield(gt_session *session);
