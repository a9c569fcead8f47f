/* A farm without workers that answers every request at once, following a script. */
#pragma once

#include "base/array.h"
#include "tuner/workers.h"

/* The behaviour of one variant, chosen from its launch. */
typedef struct scripted_variant {
    gputune_status compile, verify, sample, recheck; /* OK, or the failure */
    double time_ns, energy_nj;
    double pilot_ns;              /* time of its verifying launch; 0: unknown */
    double host_ns;               /* sample on the host's clock; 0: like time_ns */
    double hot_ns;                /* sample with a warm cache, if requested; 0: like time_ns */
    gputune_status sample_kernel; /* sampling only by the device's clock: OK, or the failure */
    gputune_status weigh;         /* sampling only of energy: OK, or the failure */
    double stumble;               /* factor of the first sample's time; 0: none */
    bool hangs_once;        /* true if verification hangs until it has ten times the deadline */
    bool sample_hangs_once; /* true if the first sample hangs */
    bool never_answers;     /* verification never ends */
} scripted_variant;

typedef struct scripted_farm {
    gt_farm farm; /* first: the tuner's view */
    scripted_variant (*behave)(void *user, const gt_launch *launch);
    gputune_status (*compile)(void *user, const char *text); /* NULL: all succeed */
    bool (*compiles_for_ever)(void *user, const char *text); /* 10 ms if false; may be NULL */
    void *user;
    bool is_busy;     /* true if endless compilations get no CPU time */
    double compile_s; /* time of a compilation on one worker; 0: none */
    double slowness;  /* GPU seconds per nanosecond of a launch; 0: no time. A first launch counts
                         once, a proof four times, a sample twice */
    bool prepare_never_answers, recheck_never_answers;
    double noise;           /* relative, uniformly distributed */
    long round_ns;          /* time of a round of samples */
    uint32_t spoiled;       /* number of the next rounds that are disturbed */
    uint32_t late;          /* number of the next waits that end before an answer */
    uint32_t blameless;     /* number of the next rounds that fail without a variant as the cause */
    const char *other;      /* another user of the GPU; NULL: nobody */
    const char *fault;      /* the driver's name for a crash; NULL: an illegal address */
    gputune_status prepare; /* OK, or the failure */
    /* Returns true if the farm's next call ("farm") or answer ("answer") fails with `failure`; may
     * be NULL. */
    bool (*fails)(const char *what, int unused);
    gputune_status failure;
    uint32_t compiles, verifies, samples, rounds, prepares, weighings, hot_samples;
    uint32_t patient_verifies, rechecks, unproved, interrupts;
    uint32_t given_up;       /* compilations */
    uint32_t quick_compiles; /* compilations with less optimisation */
    uint64_t first_verified; /* id of the first variant to be verified */
    GT_ARRAY(gt_event) events;
    GT_ARRAY(int64_t) due; /* time of each event, on the clock of gt_now_ns() */
    size_t next;
    int64_t worker_free[64], gpu_free; /* on the same clock */
    /* endless compiles; after each wait they have run ten seconds longer */
    GT_ARRAY(gt_compiling) compiling;
    GT_ARRAY(gt_launch) launches; /* by variant id */
    GT_ARRAY(bool) sampled;       /* by variant id */
    GT_ARRAY(bool) patient; /* for each variant id: its last verification had a longer deadline */
    uint64_t random;
} scripted_farm;

void scripted_farm_open(scripted_farm *farm);
void scripted_farm_close(scripted_farm *farm);

/* Workers that lend this farm to one session at a time, and cache no code. */
void scripted_workers_open(gt_workers *workers, scripted_farm *farm);
void scripted_workers_close(gt_workers *workers);
