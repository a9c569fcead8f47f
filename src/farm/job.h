/* Requests to workers and their answers, as plain structs. Pointers in a struct belong to the side
 * that filled it, unless a comment says otherwise. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/nvrtc.h"
#include "kernel/bind/problem.h"

/* A request to compile a source, answered by a gt_compiled. */
typedef struct gt_compile_job {
    uint64_t id;
    gt_nvrtc_request source;
    /* The key is equal for jobs with the same source and options. If a job is cancelled, its code
     * is kept for a later job with the same key, or discarded if the key is 0. */
    uint64_t key;
} gt_compile_job;

/* The contents of a buffer that the worker cannot generate itself: data of the caller, a file, or
 * the values of an expression. If `expected` is set, they are the correct results of an output. */
typedef struct gt_live_input {
    uint32_t workload;  /* index into gt_measure_setup.workloads */
    uint32_t buffer;    /* index among the workload's inputs (gt_workload_input()) */
    bool expected;      /* true: results expected from an output; is_ipc must be false */
    bool is_ipc;        /* true if the contents are in device memory of the host process */
    uint8_t handle[64]; /* if is_ipc: CUDA IPC handle of the allocation */
    uint64_t offset;    /* if is_ipc: offset in the allocation in bytes */
    gt_image bytes;     /* without is_ipc */
} gt_live_input;

#define GT_NO_VARIANT UINT64_MAX /* an id that no variant has */

enum { GT_WORKLOAD_MAX = 2 }; /* [0]: the requested size, [1]: the odd-tail size */

/* Everything that the measure worker needs before it can verify the first variant. */
typedef struct gt_measure_setup {
    gputune_objective objective;
    gputune_cache cache;
    uint64_t seed;
    uint32_t workload_count;
    gt_workload workloads[GT_WORKLOAD_MAX]; /* [0] is timed */
    char odd_tail[128];                     /* sizes of workloads[1] as text for messages */
    gt_image reference; /* code of reference(), init() and check(); may be empty */
    gt_image service;
    gt_live_input *inputs;
    uint32_t input_count;
    uint64_t memory_limit_bytes; /* maximum amount of device memory; 0: no limit */
    uint64_t variant_bytes;      /* device memory of the default variant, except for its code */
    bool check; /* true: run variants under the emulator's sanitizer, without comparing results */
} gt_measure_setup;

typedef struct gt_prepared {
    double reference_ns;     /* launch time of the reference at workloads[0] */
    double copy_bytes_per_s; /* copy rate of device memory, reads and writes together */
    double prepare_ns;       /* preparation time, not counting the data proof */
    double try_ns;           /* time to prepare the data proof */
    double data_proof_ns;    /* time of a winner's data proof; 0: there is no data proof */
    double further_ns; /* time to make the first further data set; included in data_proof_ns */
    /* name of an output whose tolerance exceeds the median of its results; "" if there is none */
    char loose[GT_NAME_MAX];
    double loose_tolerance, loose_median;
} gt_prepared;

/* A request to load a variant and verify it on all workloads. A correct variant stays loaded. */
typedef struct gt_verify_job {
    uint64_t id;
    gt_image image;
    gt_launch launches[GT_WORKLOAD_MAX]; /* by workload */
    bool standard; /* true for the default variant, which determines the data for all others */
    bool again;    /* true if the variant was proved in an earlier worker that has been replaced */
    /* true: time limits are ten times as long, and a hang is reported as repeatable */
    bool patient;
    /* work of a launch divided by that of the default variant; more work extends the time limit */
    double work;
    double slower_ns; /* launch time above which the variant cannot win; 0: no limit */
    bool look_twice;  /* true: launch again if the time is only slightly above slower_ns */
} gt_verify_job;

/* The answer to a gt_verify_job or gt_recheck_job. */
typedef struct gt_verified {
    bool proved;      /* false if a launch took over slower_ns, so results were not checked */
    double max_error; /* largest |value - expected| / tolerance; wrong above 1 */
    double pilot_ns;  /* approximate time of one launch */
    double occupancy; /* resident warps divided by the maximum per multiprocessor */
    /* recheck only: a module variable that was changed by a launch; "" if none was */
    char writes[GT_NAME_MAX];
    /* default variant and recheck only: description of the data of the data proof */
    char data_proof[128];
    /* Default variant and recheck only: scalars that were verified only with the requested value.
     * Each has a line "NAME\tVALUE\tEFFECT". EFFECT is what happened with other values: "crash",
     * "hang", "differ", "took too long", "not in its fill", or "" if no other value was tried. May
     * be NULL. */
    char *single;
    /* if setup.check is set: for each size, a line "size\tINDEX" and the report of emuCheckEnd();
     * may be NULL */
    char *findings;
} gt_verified;

enum { GT_LOST_MAX = 6 };

/* Experiments (see measure_data_proof.c) that crashed or blocked a worker. */
typedef struct gt_lost {
    struct gt_lost_try {
        uint64_t key;
        bool hung; /* true if the experiment hung, false if it crashed */
    } items[GT_LOST_MAX];
    uint32_t item_count;
    bool plain; /* true: skip the whole data proof, because too many experiments failed */
} gt_lost;

/* The length of a sample. For some objectives, two or all of these lengths are equal. */
typedef enum gt_sample_length {
    GT_SAMPLE_FULL,  /* longest; to determine the stored time of a winner */
    GT_SAMPLE_BRIEF, /* to compare variants; shorter than FULL if the kernel takes long */
    GT_SAMPLE_QUICK  /* shortest; to eliminate slow variants early */
} gt_sample_length;

/* How the time of a launch depends on inout buffers that an earlier launch has changed. */
typedef enum gt_sharing {
    GT_SHARING_UNKNOWN,
    GT_SHARING_HARMLESS, /* the time is the same, so buffers need not be restored */
    GT_SHARING_FELT      /* the time differs, so buffers must be restored before each launch */
} gt_sharing;

/* A request for one round: one sample of each variant, in this order. */
typedef struct gt_sample_job {
    uint64_t id;
    const uint64_t *variants;
    uint32_t count;
    gputune_objective objective; /* objective of the samples; may differ from the setup's */
    gt_sample_length length;
    bool hot;           /* true: warm the cache, even if the setup demands a cold cache */
    gt_sharing sharing; /* if UNKNOWN, the worker determines it with the variant `judge` */
    uint64_t judge;
} gt_sample_job;

typedef struct gt_sampled {
    double *values; /* by variant: ns per launch (energy: nJ), NaN if it failed; owned */
    uint32_t count;
    bool spoiled;       /* true if the times of this round are invalid and must be measured again */
    bool noisy;         /* true if another process used the GPU during the round */
    char other[96];     /* description of the process that used the GPU, or "" */
    gt_sharing sharing; /* that of the job or, if the job has UNKNOWN, the measured sharing */
    /* time on changed buffers divided by the time on restored buffers; 1 if not measured */
    double used_ratio;
} gt_sampled;

/* A request to verify the winner again, after the race. */
typedef struct gt_recheck_job {
    uint64_t id;
    uint64_t seed; /* seed of the inputs; if it is not the setup's, the reference runs again */
    double share;  /* fraction of gt_prepared.data_proof_ns that may be spent */
} gt_recheck_job;
