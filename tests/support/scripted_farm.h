/* A farm without workers: answers every request at once, as a script says. */
#pragma once

#include "base/array.h"
#include "tuner/workers.h"

/* How one variant behaves, decided from its launch. */
typedef struct scripted_variant {
    gputune_status compile, verify, sample, recheck; /* OK, or the failure */
    double time_ns, energy_nj;
    double pilot_ns;              /* of the launch that verified it; 0: unknown */
    double host_ns;               /* samples by the host's clock; 0: time_ns */
    double hot_ns;                /* samples with a warm cache where a job asks; 0: time_ns */
    gputune_status sample_kernel; /* samples by the device's clock alone: OK, or the failure */
    gputune_status weigh;         /* samples of energy alone: OK, or the failure */
    double stumble;               /* the first sample takes so many times as long; 0: no longer */
    bool hangs_once;              /* the verification that has no ten times the deadline yet */
    bool never_answers;           /* a verification that runs on */
} scripted_variant;

typedef struct scripted_farm {
    gt_farm farm; /* first: what the tuner sees */
    scripted_variant (*behave)(void *user, const gt_launch *launch);
    gputune_status (*compile)(void *user, const char *text); /* NULL: all compile */
    bool (*compiles_for_ever)(void *user,
                              const char *text); /* others take 10 ms; NULL: none does */
    void *user;
    bool is_busy;     /* the machine: compiles for ever get no processor time */
    double compile_s; /* that a compile takes of one of the workers; 0: none */
    double slowness;  /* seconds on the GPU for a nanosecond of a launch; 0: it is done at once.
                         A first launch is one, a proof is four, a sample is two */
    bool recheck_never_answers;
    double noise;           /* relative, uniform */
    long round_ns;          /* that a round of samples takes */
    uint32_t spoiled;       /* so many rounds to come are spoiled */
    uint32_t late;          /* so many waits to come end without the answer that is due */
    uint32_t blameless;     /* so many rounds to come fail with no variant in hand */
    const char *other;      /* who else uses the GPU; NULL: nobody */
    const char *fault;      /* how the driver calls a crash; NULL: an illegal address */
    gputune_status prepare; /* OK, or how preparing fails */
    /* Whether the next call of the farm ("farm") or the next answer ("answer") fails, with
     * `failure`; NULL: none does. */
    bool (*fails)(const char *what, int unused);
    gputune_status failure;
    uint32_t compiles, verifies, samples, rounds, prepares, weighings, hot_samples;
    uint32_t patient_verifies, rechecks, unproved, interrupts;
    uint32_t given_up;       /* compiles */
    uint32_t quick_compiles; /* with less optimisation */
    uint64_t first_verified; /* id of the first variant that was to be verified */
    GT_ARRAY(gt_event) events;
    GT_ARRAY(int64_t) due; /* when each event comes, on the clock of gt_now_ns() */
    size_t next;
    int64_t worker_free[64], gpu_free; /* on that clock */
    GT_ARRAY(gt_compiling) compiling;  /* for ever; ten seconds longer after each wait */
    GT_ARRAY(gt_launch) launches;      /* by variant id */
    GT_ARRAY(bool) sampled;            /* likewise */
    uint64_t random;
} scripted_farm;

void scripted_farm_open(scripted_farm *farm);
void scripted_farm_close(scripted_farm *farm);

/* Workers that lend this farm to one session after another, and keep no code. */
void scripted_workers_open(gt_workers *workers, scripted_farm *farm);
void scripted_workers_close(gt_workers *workers);
