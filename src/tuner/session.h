/* A session: one run of the engine. It borrows a farm, takes variants from proposal to
 * verification, and returns the farm. A policy defines its purpose: tuning, running a list of
 * configurations, checking, ranking, or only compiling.
 *
 * One thread owns all of the state and never computes for long. Compile workers and a measure
 * worker do the work and answer with events. In each iteration of gt_session_run(), the thread
 * stops the session if its limit has passed or it was cancelled, lets the policy submit the measure
 * worker's next job, starts compiles if workers are idle, waits for one event, and passes it to the
 * field or the policy.
 *
 * Invariants. The measure worker has a few verifications and, in addition, at most one round of
 * samples (round_id) or one last proof (recheck_id). It does its jobs in order. Events of an
 * abandoned job have another id and are ignored. No wait is longer than 0.1 s, so a cancel is
 * noticed soon. Only one session of the process at a time measures times on a GPU (has_gpu).
 *
 * `stop` changes only once, from NONE to LIMIT or CANCELED. It becomes LIMIT before the limit, so
 * the policy has time for its end. After that, only the work of this end is started, and the
 * session ends when the policy is done. */
#pragma once

#include "tuner/field.h"

/* Reasons why a session ends before its policy is done. */
typedef enum gt_stop { GT_STOP_NONE, GT_STOP_LIMIT, GT_STOP_CANCELED } gt_stop;

typedef struct gt_session gt_session;

/* The purpose of a session. All functions except done() may be NULL. */
typedef struct gt_policy {
    bool measures;  /* true if the session needs a measure worker */
    bool exclusive; /* true if the session measures times, so no other session may measure */
    /* Submits the next job of the measure worker. Called whenever that worker may be idle. */
    gputune_status (*next)(gt_session *session);
    /* Handles the samples of a round. Not called if the round must be repeated. */
    gputune_status (*sampled)(gt_session *session, const gt_sampled *sampled);
    /* Handles the failure of a variant in a round. */
    void (*failed)(gt_session *session, uint64_t variant);
    /* Handles the result of gt_session_prove_again(). */
    gputune_status (*proved_again)(gt_session *session, const gt_event *event);
    /* Returns how many seconds before the limit the session must stop. */
    double (*sets_aside_s)(const gt_session *session);
    gputune_status (*stopped)(gt_session *session); /* called once, when session->stop is set */
    bool (*done)(const gt_session *session);
} gt_policy;

/* Times of a session in ns: when its parts ended (since the start; 0: not yet), and durations. */
typedef struct gt_timeline {
    int64_t compiled;  /* end of the last compile */
    int64_t reference; /* end of the reference's compile */
    int64_t prepared;
    int64_t verified_first; /* end of the first verification */
    int64_t verified;       /* end of the last verification */
    int64_t decided, proved_again, stored;
    int64_t busy_since;  /* start of the measure worker's current job; 0: none */
    double compiling_ns; /* total time of all compiles */
    double preparing_ns; /* preparation time, as reported by the measure worker */
    double trying_ns;    /* preparation time of the data proof, also reported by the worker */
    double verifying_ns; /* time of all verifications except last proofs */
    double proving_again_ns;
    double sampling_ns;
    double latest_s; /* seconds that the measure worker took for its last finished job */
    uint32_t sources, samples;
} gt_timeline;

/* How long a background session has measured, and how long it must pause. */
typedef struct gt_yielding {
    double seen_ns;   /* the part of the measuring time that `owed_ns` already includes */
    double owed_ns;   /* time for which the session must still pause */
    int64_t since_ns; /* end of the last pause; 0: none */
} gt_yielding;

/* Disturbances of the rounds: other users of the GPU, and throttled clocks. */
typedef struct gt_disturbance {
    bool noisy;
    bool named;       /* true if another user was logged */
    uint32_t spoiled; /* number of times that the round was repeated */
} gt_disturbance;

struct gt_session {
    const gt_policy *policy;
    void *state; /* owned by the policy */
    gt_request *request;
    gt_farm *farm;
    gt_field field;
    int64_t start_ns;
    gt_stop stop;
    bool has_gpu, gpu_is_taken; /* `gpu_is_taken`: the last attempt to get the GPU failed */
    uint64_t round_id;          /* id of the round being sampled; 0: none */
    uint32_t round_count;       /* number of variants in the round */
    double sample_s;            /* seconds per variant in the last round; 0: unknown */
    uint64_t rounds_sent;
    gt_sharing sharing;  /* whether launches may share inout buffers; set in the first round */
    uint64_t recheck_id; /* variant whose last proof is running, or GT_NO_VARIANT */
    int64_t last_renewal_ns;
    gt_yielding yielding;
    gt_timeline timeline;
    gt_disturbance disturbance;
};

/* Returns EBUSY in a session's callback, because a second session would wait for the first. */
gputune_status gt_session_may_measure(const gt_request *request);
/* Borrows a farm and opens the field. Ignores `request`, `farm` and `measure` of the options; the
 * other pointers must stay valid. Call gt_session_close() even after a failure. */
gputune_status gt_session_open(gt_session *out, const gt_policy *policy, void *state,
                               gt_request *request, const gt_field_options *options);
/* Runs until the policy is done. Fails if the reference, the farm or the compiler fails. */
gputune_status gt_session_run(gt_session *session);
void gt_session_close(gt_session *session);

/* Returns true if the measure worker should sample a round next instead of verifying variants
 * (search/schedule.h). `wanted`: true if there are contestants to sample. */
bool gt_session_wants_round(gt_session *session, bool wanted);
/* Returns true if the session was stopped or its field is done. */
bool gt_session_is_done(const gt_session *session);
/* Fails like gt_request_ended(), and gives advice if the limit was too short for the launches. */
gputune_status gt_session_ended(const gt_session *session, const char *before);
/* Submits a round and sets job->id. Stops the session if the round would outlast the limit. */
gputune_status gt_session_sample(gt_session *session, gt_sample_job *job);
/* Submits another proof of the variant job->id. */
gputune_status gt_session_prove_again(gt_session *session, const gt_recheck_job *job);
/* Once a second, renews the lease of the request. */
void gt_session_keep_lease(gt_session *session);
double gt_session_elapsed_s(const gt_session *session);
/* Returns how long storing may take: until the limit, but at least 0.15 s. */
gt_patience gt_session_storing(const gt_session *session);

/* Sets *part, a member of the timeline, to the current time. */
void gt_session_mark(const gt_session *session, int64_t *part);
/* Update the timeline. gt_session_mark_wait() is called before the wait for an event. */
void gt_session_mark_wait(gt_session *session);
void gt_session_mark_event(gt_session *session, const gt_event *event);
/* Returns for how many seconds the measure worker has done its current job; 0 if it is idle. */
double gt_session_busy_s(const gt_session *session);
/* Writes the timeline to the debug log. */
void gt_session_log_timeline(const gt_session *session);

/* While the application uses the GPU, pauses a background tuning, so it measures for at most the
 * fraction gt_background_use.share of the time. The time limit is extended by the pause. The pause
 * ends early on a cancel, or when the application stops using the GPU. */
void gt_session_yield(gt_session *session);
