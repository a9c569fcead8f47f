/* Requests to workers and their answers, as plain data. Pointers belong to the side that filled the
 * struct, unless a comment states otherwise. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/nvrtc.h"
#include "kernel/bind/problem.h"

/* A request to compile a source, answered by a gt_compiled. */
typedef struct gt_compile_job {
    uint64_t id;
    gt_nvrtc_request source;
    /* equal keys mean equal sources and options; 0: discard the code if the job is cancelled */
    uint64_t key;
} gt_compile_job;

/* Buffer contents that the worker cannot generate: the caller's data, a file, or the values of an
 * expression. If `expected` is set, they are the correct results of an output. */
typedef struct gt_live_input {
    uint32_t workload;  /* index into gt_measure_setup.workloads */
    uint32_t buffer;    /* index among the workload's inputs (gt_workload_input()) */
    bool expected;      /* must not be combined with is_ipc */
    bool is_ipc;        /* true if the contents are in the host's device memory */
    uint8_t handle[64]; /* with is_ipc: CUDA IPC handle of the allocation */
    uint64_t offset;    /* with is_ipc: offset in the allocation */
    gt_image bytes;     /* without is_ipc */
} gt_live_input;

#define GT_NO_VARIANT UINT64_MAX /* an id that no variant has */

enum { GT_WORKLOAD_MAX = 2 }; /* [0]: the requested size, [1]: the odd-tail size */

/* Everything the measure worker needs before the first variant. */
typedef struct gt_measure_setup {
    gputune_objective objective;
    gputune_cache cache;
    uint64_t seed;
    uint32_t workload_count;
    gt_workload workloads[GT_WORKLOAD_MAX]; /* [0] is timed */
    char odd_tail[128];                     /* the sizes of workloads[1], for messages */
    /* compiled kernels of reference, init() and check(); may be empty */
    gt_image reference;
    gt_image service;
    gt_live_input *inputs;
    uint32_t input_count;
    uint64_t memory_limit_bytes; /* limit of device memory; 0: no limit */
    uint64_t variant_bytes;      /* device memory of the default variant, without its code */
    /* true: run variants under the emulator's sanitizer instead of comparing results */
    bool check;
} gt_measure_setup;

typedef struct gt_prepared {
    double reference_ns; /* time of one launch of the reference at workloads[0] */
    /* copy rate of device memory, counting bytes read and bytes written */
    double copy_bytes_per_s;
    double prepare_ns;    /* time of the preparation, without the data proof */
    double try_ns;        /* time to prepare the data proof */
    double data_proof_ns; /* time of a winner's data proof; 0: no data proof */
    double further_ns;    /* part of data_proof_ns for the first further data set */
    /* An output whose tolerance exceeds the median of its results; "" if there is none. */
    char loose[GT_NAME_MAX];
    double loose_tolerance, loose_median;
} gt_prepared;

/* A request to load a variant and verify it on all workloads. Proved variants stay loaded. */
typedef struct gt_verify_job {
    uint64_t id;
    gt_image image;
    gt_launch launches[GT_WORKLOAD_MAX]; /* by workload */
    /* true for the default, which determines the data on which other variants are proved */
    bool standard;
    bool again;   /* true if an earlier worker has proved the variant */
    bool patient; /* true: deadlines are ten times as long, and a hang is not retried */
    double work;  /* work of a launch relative to the default's; more work extends the deadline */
    /* time of a launch above which a variant cannot win and is not proved; 0: no limit */
    double slower_ns;
    /* true: repeat a launch that is barely too slow, because its time may be noise */
    bool look_twice;
} gt_verify_job;

/* The answer to a gt_verify_job or gt_recheck_job. */
typedef struct gt_verified {
    /* false: the variant is slower than slower_ns, so its results were not checked */
    bool proved;
    double max_error;         /* largest |v - r| / tolerance; at most 1 is correct */
    double pilot_ns;          /* rough time of one launch */
    double occupancy;         /* resident warps divided by the multiprocessor's maximum */
    char writes[GT_NAME_MAX]; /* for a recheck: a module variable that launches write; "" if none */
    char data_proof[128];     /* for the default and a recheck: a description of the further data */
    /* For the default and a recheck: a line "NAME\tVALUE\tEFFECT" for each scalar that was verified
     * only with its own value. EFFECT is the effect of other values: "crash", "hang", "differ",
     * "took too long", "not in its fill", or "" if none was tried. May be NULL. */
    char *single;
    /* If setup.check is set: "size\tINDEX" and the report of emuCheckEnd() for each size. May be
     * NULL. */
    char *findings;
} gt_verified;

enum { GT_LOST_MAX = 6 };

/* Experiments (measure_data_proof.c) that ended workers. */
typedef struct gt_lost {
    struct gt_lost_try {
        uint64_t key;
        bool hung; /* true for a hang, false for a crash */
    } items[GT_LOST_MAX];
    uint32_t item_count;
    /* true: skip the data proof, because too many experiments ended workers */
    bool plain;
} gt_lost;

/* Length of a sample. Some objectives do not distinguish all of these. */
typedef enum gt_sample_length {
    GT_SAMPLE_FULL,  /* for the time of a winner, which is stored */
    GT_SAMPLE_BRIEF, /* for comparing variants; has fewer launches of a long kernel */
    GT_SAMPLE_QUICK  /* for eliminating variants early */
} gt_sample_length;

/* How changed inout buffers affect the time of the next launch. */
typedef enum gt_sharing {
    GT_SHARING_UNKNOWN,
    GT_SHARING_HARMLESS, /* launches on changed buffers take as long as on restored ones */
    GT_SHARING_FELT      /* changes affect the time, so each launch needs restored buffers */
} gt_sharing;

/* A request for one round: a sample of each variant, in the given order. */
typedef struct gt_sample_job {
    uint64_t id;
    const uint64_t *variants;
    uint32_t count;
    gputune_objective objective; /* objective of the samples; may differ from the setup's */
    gt_sample_length length;
    bool hot;           /* true: warm cache, even if the setup's cache is cold */
    gt_sharing sharing; /* if UNKNOWN, the worker measures it with the variant `judge` */
    uint64_t judge;
} gt_sample_job;

typedef struct gt_sampled {
    /* one per variant: nanoseconds per launch (for energy, nanojoules), or NaN; owned */
    double *values;
    uint32_t count;
    uint32_t sm_clock_mhz; /* clock rate during the round; 0: unknown */
    bool spoiled;          /* true if this round's times are invalid and must be measured again */
    bool noisy;            /* true if another process used the GPU */
    char other[96];        /* description of the other process, or "" */
    gt_sharing sharing;    /* the job's sharing or, if UNKNOWN, the measured one */
    /* launch time on changed buffers, divided by that on restored ones; 1 if not measured */
    double used_ratio;
} gt_sampled;

/* A request to verify the winner again, after the race. */
typedef struct gt_recheck_job {
    uint64_t id;
    uint64_t seed; /* seed of the inputs; with the setup's seed, the reference does not run again */
    double share;  /* fraction of gt_prepared.data_proof_ns that may be spent, from 0 to 1 */
} gt_recheck_job;
