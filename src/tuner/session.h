/* The engine: a session borrows a farm, drives it, and returns it. It takes variants from a
 * proposer to verified ones, and asks a policy what else is to be done. Tuning, measuring given
 * configurations, ranking without a clock and compiling only are such policies. One thread.
 *
 * A turn of the loop: end early where the time limit or the caller says so; start what the compile
 * workers have room for; let the policy use the measure worker while it is free; wait for one
 * answer and pass it on. No wait is longer than 0.1 s, so that a cancel is heard. */
#pragma once

#include "tuner/disturbance.h"
#include "tuner/field.h"
#include "tuner/yielding.h"

/* Why a session ends before its policy is done. */
typedef enum gt_stop {
    GT_STOP_NONE,
    GT_STOP_LIMIT,   /* the request's time is up */
    GT_STOP_CANCELED /* the caller asked for it */
} gt_stop;

typedef struct gt_session gt_session;

enum { GT_HELPERS_MAX = 15, GT_HELPERS_ASKED_MAX = 64 };

/* What a session is for. Those that are NULL do nothing. */
typedef struct gt_policy {
    bool measures;  /* with a measure worker; else compile only */
    bool exclusive; /* takes times, so that no other session may measure meanwhile */
    /* The measure worker may be idle: submit what is to be done next. */
    gputune_status (*next)(gt_session *session);
    /* A round of samples that was asked for was taken, or failed. */
    gputune_status (*sampled)(gt_session *session, const gt_event *event);
    /* A variant was proved again, or failed that. */
    gputune_status (*proved_again)(gt_session *session, const gt_event *event);
    /* Seconds that it needs after a stop, within the request's limit: the limit stops the session
     * so much earlier. */
    double (*sets_aside_s)(const gt_session *session);
    /* session->stop was set; once. The session ends when done() says so: at once, as a rule. */
    gputune_status (*stopped)(gt_session *session);
    bool (*done)(const gt_session *session);
} gt_policy;

/* When the parts of a session were over, in nanoseconds since it began (0: never), and how long the
 * workers were at them. For the debug log. */
typedef struct gt_timeline {
    int64_t compiled;       /* the last source */
    int64_t prepared;       /* inputs and reference */
    int64_t verified_first; /* the first variant */
    int64_t verified;       /* the last one */
    int64_t decided, proved_again, stored;
    int64_t busy_since;  /* the measure worker is at its oldest request since then; 0: at none */
    double compiling_ns; /* summed over sources: the compile workers are side by side */
    double preparing_ns; /* of the measure worker; as it says itself */
    double verifying_ns; /* the same: first launches, and proofs of variants that may win */
    double slower_ns;    /* of that, variants that were not proved */
    double proving_again_ns;
    double sampling_ns; /* the same */
    double latest_s;    /* the measure worker was at its last answer */
    uint32_t sources, samples;
} gt_timeline;

struct gt_session {
    const gt_policy *policy;
    void *state; /* the policy's own */
    gt_request *request;
    gt_farm *farm;
    gt_helper helpers[GT_HELPERS_MAX];
    uint32_t helper_count;
    uint64_t helpers_asked; /* a bit for each of the options' */
    gt_field field;
    int64_t start_ns;
    gt_stop stop;
    bool has_gpu;
    uint64_t round_id;    /* of the sample job that is out; 0: none */
    uint32_t round_count; /* of its variants */
    double sample_s;      /* of one variant in the last round; 0: unknown */
    uint64_t rounds_sent;
    gt_sharing sharing;  /* found out by the first round */
    uint64_t recheck_id; /* the variant that is being proved again, or GT_NO_VARIANT */
    int64_t last_renewal_ns;
    gt_yielding yielding;
    gt_timeline timeline;
};

/* EBUSY in a callback of a session, which would wait for its own end. */
gputune_status gt_session_may_measure(const gt_request *request);
/* Whether this is such a callback. */
bool gt_session_runs_here(void);
/* Borrows a farm and opens the field, whose request, farm and `measure` are filled in. Pointers in
 * the options must outlive it. gt_session_close() is needed whatever the status. */
gputune_status gt_session_open(gt_session *out, const gt_policy *policy, void *state,
                               gt_request *request, const gt_field_options *options);
/* Drives the session until the policy is done. Fails if the reference, the farm or the compiler
 * fails. */
gputune_status gt_session_run(gt_session *session);
void gt_session_close(gt_session *session);

/* Whether nothing that was asked of the measure worker is outstanding, and it may be asked. */
bool gt_session_is_idle(const gt_session *session);
/* What the measure worker does next is decided here and in search/schedule.h: says whether it is to
 * be a round of samples; newcomers are handed over otherwise. `wanted`: there are contestants to
 * sample. */
bool gt_session_is_rounds_turn(gt_session *session, bool wanted);
/* Whether the session was stopped, or its field is done. */
bool gt_session_is_done(const gt_session *session);
/* Asks for a round; the job's id is filled in. Stops the session where a round would take longer
 * than what is left of the limit: its samples would come too late, and hold up the last proof. */
gputune_status gt_session_sample(gt_session *session, gt_sample_job *job);
/* Asks for another proof of a variant; the job's id is the variant's. */
gputune_status gt_session_prove_again(gt_session *session, const gt_recheck_job *job);
/* Seconds until the measure worker has done what was asked of it, as far as earlier answers tell.
 */
double gt_session_outstanding_s(const gt_session *session);
/* Forgets what the measure worker was asked for, and ends a worker that is at it. Another one gets
 * again what was prepared and proved. */
void gt_session_interrupt(gt_session *session);
/* Forgets all that was asked of the workers; their answers will not come. */
void gt_session_forget_jobs(gt_session *session);
/* Renews the request's lease once a second. */
void gt_session_keep_lease(gt_session *session);
/* Seconds since the session began. */
double gt_session_elapsed_s(const gt_session *session);

/* Notes that a part is over now (timeline.c). */
void gt_session_mark(const gt_session *session, int64_t *part);
/* The loop is about to wait; an answer came and is not dealt with yet. */
void gt_session_mark_wait(gt_session *session);
void gt_session_mark_event(gt_session *session, const gt_event *event);
/* Seconds for which the measure worker has been at its oldest request; 0: it is at none. */
double gt_session_busy_s(const gt_session *session);
/* The timeline as one line of the debug log. */
void gt_session_log_timeline(const gt_session *session);
