/* Requests to workers and their answers: plain data, the same in host, channel and worker. Pointers
 * belong to the side that filled the struct, unless a comment says otherwise. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/nvrtc.h"
#include "kernel/bind/problem.h"

/* A request to compile a source. The answer is a gt_compiled. */
typedef struct gt_compile_job {
    uint64_t id;
    gt_nvrtc_request source;
} gt_compile_job;

/* Contents of a buffer that the worker cannot generate: the caller's data, a file, or the values of
 * an expression; with `expected`, the correct results of an output. */
typedef struct gt_live_input {
    uint32_t workload;  /* index into gt_measure_setup.workloads */
    uint32_t buffer;    /* number among the workload's inputs (gt_workload_input()) */
    bool expected;      /* never set together with is_ipc */
    bool is_ipc;        /* true if the contents are in the host process's device memory */
    uint8_t handle[64]; /* CUDA IPC handle of the allocation, with is_ipc */
    uint64_t offset;    /* place of the contents in the allocation, with is_ipc */
    gt_image bytes;     /* the contents, without is_ipc */
} gt_live_input;

#define GT_NO_VARIANT UINT64_MAX /* an id that no variant has */

enum { GT_WORKLOAD_MAX = 2 }; /* the requested size and the odd-tail size */

/* The setup that the measure worker needs before the first variant. */
typedef struct gt_measure_setup {
    gputune_objective objective;
    gputune_cache cache;
    uint64_t seed;
    uint32_t workload_count;
    gt_workload workloads[GT_WORKLOAD_MAX]; /* [0] is timed */
    char odd_tail[128];                     /* the sizes of workloads[1], for messages */
    gt_image reference; /* kernels of reference, init() and check(); empty: the first verified
                           variant is the reference */
    gt_image service;   /* the compiled service kernels (service_*.cu) */
    gt_live_input *inputs;
    uint32_t input_count;
    uint64_t memory_limit_bytes; /* the most device memory to allocate; 0: no limit */
    uint64_t variant_bytes;      /* device memory of the default variant, without its code */
    /* true: launch variants under the emulator's sanitizer instead of comparing results */
    bool check;
} gt_measure_setup;

typedef struct gt_prepared {
    double reference_ns;     /* time of one launch of the reference at workloads[0] */
    double copy_bytes_per_s; /* rate of copying device memory, bytes read plus written */
    double prepare_ns;       /* duration of preparing, without the data proof */
    double try_ns;           /* duration of preparing the data proof */
    double data_proof_ns;    /* how long a winner's data proof takes; 0: there is none */
    double further_ns;       /* the part of data_proof_ns for making the first further data set */
    /* The name of an output whose tolerance exceeds the median of its results, or "". */
    char loose[GT_NAME_MAX];
    double loose_tolerance, loose_median;
} gt_prepared;

/* A request to load a variant, verify it on all workloads, and keep it for samples. A variant that
 * is not proved is unloaded. */
typedef struct gt_verify_job {
    uint64_t id; /* chosen by the host */
    gt_image image;
    gt_launch launches[GT_WORKLOAD_MAX]; /* by workload */
    bool standard;    /* true for the default, which decides on which data others are proved */
    bool again;       /* true if an earlier worker has proved the variant */
    bool patient;     /* true if deadlines are ten times as long; a hang is then final */
    double work;      /* work of a launch relative to the default's; lengthens the deadline */
    double slower_ns; /* a variant whose launch takes longer is not proved, because it cannot win;
                         0: no limit */
    bool look_twice; /* true: repeat a launch that is slightly slower, because that may be chance */
} gt_verify_job;

/* The answer to a gt_verify_job or gt_recheck_job. */
typedef struct gt_verified {
    bool proved;      /* false: the launch was slower than slower_ns, so results were not checked */
    double max_error; /* largest |v - r| / tolerance; at most 1 is correct */
    double pilot_ns;  /* rough time of one launch; the shorter one of two */
    double occupancy; /* resident warps divided by the multiprocessor's maximum */
    char writes[GT_NAME_MAX]; /* for a recheck: a module variable that launches write, or "" */
    char data_proof[128];     /* its data in words, for the default and a recheck; otherwise "" */
    char *single;   /* for the default and a recheck: a line for each scalar that was verified only
                       with its own value; may be NULL. Tabs separate its name, its value, and the
                       effect of other values: "crash", "hang", "differ", "took too long", or "" if
                       none was tried */
    char *findings; /* for a setup with `check`: for each size, a line "size" with its index, then
                       the report of emuCheckEnd(); may be NULL */
} gt_verified;

enum { GT_LOST_MAX = 6 };

/* Experiments (measure_data_proof.c) that ended workers. After GT_LOST_MAX, no more are tried. */
typedef struct gt_lost {
    struct gt_lost_try {
        uint64_t key;
        bool hung; /* false: it crashed */
    } items[GT_LOST_MAX];
    uint32_t item_count;
    bool plain; /* true: make no data proof, because more experiments than fit have ended workers */
} gt_lost;

/* The length of a sample, for the objective `kernel`. Other objectives only distinguish quick
 * samples. */
typedef enum gt_sample_length {
    GT_SAMPLE_FULL,  /* used for the time of a winner, which is stored */
    GT_SAMPLE_BRIEF, /* used to compare variants; has fewer launches of a long kernel */
    GT_SAMPLE_QUICK  /* used for the first elimination */
} gt_sample_length;

/* How sharing inout buffers affects the launches of a sample. */
typedef enum gt_sharing {
    GT_SHARING_UNKNOWN,
    GT_SHARING_HARMLESS, /* a launch takes as long on used buffers as on restored ones */
    GT_SHARING_FELT      /* a launch is faster or slower on used buffers, so each one is timed on
                            restored buffers */
} gt_sharing;

/* A request for one round: one sample of each variant, in this order. */
typedef struct gt_sample_job {
    uint64_t id;
    const uint64_t *variants;
    uint32_t count;
    gputune_objective objective; /* an objective that may differ from the setup's */
    gt_sample_length length;
    bool hot;           /* true: sample with a warm cache, even if the setup's is cold */
    gt_sharing sharing; /* UNKNOWN: let the worker find out, by launching the variant `judge` */
    uint64_t judge;
} gt_sample_job;

typedef struct gt_sampled {
    double *values; /* by variant: nanoseconds per launch (for energy, nanojoules), or NaN; owned by
                       the event */
    uint32_t count;
    uint32_t sm_clock_mhz; /* clock during the round; 0: unknown */
    bool spoiled;       /* true if the times of this round are not valid, so it must be repeated */
    bool noisy;         /* true if another process used the GPU */
    char other[96];     /* description of that process, or "" */
    gt_sharing sharing; /* how these samples were taken */
    double used_ratio;  /* time on used buffers divided by time on restored ones; 1 unless this job
                           found FELT */
} gt_sampled;

/* A request to verify the winner again, after thousands of launches. */
typedef struct gt_recheck_job {
    uint64_t id;
    uint64_t seed; /* seed of the inputs; if it is the setup's, the reference does not run again */
    double share;  /* part of gt_prepared.data_proof_ns that may be spent, from 0 to 1 */
} gt_recheck_job;
