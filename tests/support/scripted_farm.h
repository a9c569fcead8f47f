/* A farm without workers that answers every request immediately, as its script says. */
#pragma once

#include "base/array.h"
#include "tuner/workers.h"

/* The behaviour of a variant. */
typedef struct scripted_variant {
    gputune_status compile, verify, sample, recheck; /* OK, or the failure */
    double time_ns, energy_nj;
    double pilot_ns;              /* time of the launch that verifies the variant; 0 if unknown */
    double host_ns;               /* time of a sample on the host's clock; 0: like time_ns */
    double hot_ns;                /* time of a sample with a warm cache; 0: like time_ns */
    gputune_status sample_kernel; /* status of a sample that is timed by the device's clock */
    gputune_status weigh;         /* status of a sample that measures the energy */
    double stumble;               /* factor of the first sample's time; 0 for no change */
    bool hangs_once;              /* true if verification needs ten times the deadline */
    bool sample_hangs_once;
    bool never_answers;
} scripted_variant;

typedef struct scripted_farm {
    gt_farm farm; /* first member: the tuner's gt_farm is cast to this struct */
    scripted_variant (*behave)(void *user, const gt_launch *launch);
    gputune_status (*compile)(void *user, const char *text); /* NULL if all compilations succeed */
    bool (*compiles_for_ever)(void *user, const char *text); /* may be NULL */
    void *user;
    bool is_busy;     /* true if endless compilations get no CPU time */
    double compile_s; /* time of a compilation on one worker */
    double slowness;  /* seconds of GPU time per nanosecond of a launch; 0: launches take no time */
    bool prepare_never_answers, recheck_never_answers;
    double noise;           /* noise as a fraction of each time, uniformly distributed */
    long round_ns;          /* time of a round of samples */
    uint32_t spoiled;       /* how many of the next rounds are disturbed */
    uint32_t late;          /* how many of the next waits end before an answer */
    uint32_t blameless;     /* how many of the next rounds fail although no variant fails */
    const char *other;      /* description of another user of the GPU, or NULL */
    const char *fault;      /* the driver's name for the fault of a crash; NULL: illegal address */
    gputune_status prepare; /* result of preparing */
    /* Called with "farm" before a call and "answer" before an answer. If it returns true, that one
     * fails with `failure`. May be NULL. */
    bool (*fails)(const char *what, int unused);
    gputune_status failure;
    uint32_t compiles, verifies, samples, rounds, prepares, weighings, hot_samples;
    uint32_t patient_verifies, rechecks, unproved, interrupts;
    uint32_t given_up;
    uint32_t quick_compiles;
    uint64_t first_verified; /* id of the first variant to be verified */
    GT_ARRAY(gt_event) events;
    GT_ARRAY(int64_t) due; /* time of each event, on the clock of gt_now_ns() */
    size_t next;
    int64_t worker_free[64], gpu_free;
    /* compilations that never end; each wait makes them ten seconds older */
    GT_ARRAY(gt_compiling) compiling;
    GT_ARRAY(gt_launch) launches;
    GT_ARRAY(bool) sampled; /* by variant id */
    GT_ARRAY(bool) patient; /* true if the last verification had a longer deadline */
    uint64_t random;
} scripted_farm;

void scripted_farm_open(scripted_farm *farm);
void scripted_farm_close(scripted_farm *farm);

/* Opens workers that lend this farm to one session at a time and do not cache code. */
void scripted_workers_open(gt_workers *workers, scripted_farm *farm);
void scripted_workers_close(gt_workers *workers);
