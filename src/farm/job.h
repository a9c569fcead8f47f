/* Requests to workers and their answers: plain data, equal in host, channel and worker. Pointers
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
 * an expression. With `expected`, they are the correct results of an output. */
typedef struct gt_live_input {
    uint32_t workload;  /* index into gt_measure_setup.workloads */
    uint32_t buffer;    /* index among the workload's inputs (gt_workload_input()) */
    bool expected;      /* never set together with is_ipc */
    bool is_ipc;        /* true if the contents are in the host process's device memory */
    uint8_t handle[64]; /* with is_ipc: CUDA IPC handle of the allocation */
    uint64_t offset;    /* with is_ipc: offset of the contents in the allocation */
    gt_image bytes;     /* without is_ipc: the contents */
} gt_live_input;

#define GT_NO_VARIANT UINT64_MAX /* an id that no variant has */

enum { GT_WORKLOAD_MAX = 2 }; /* workloads: the requested size and the odd-tail size */

/* The setup that the measure worker needs before the first variant. */
typedef struct gt_measure_setup {
    gputune_objective objective;
    gputune_cache cache;
    uint64_t seed;
    uint32_t workload_count;
    gt_workload workloads[GT_WORKLOAD_MAX]; /* [0] is timed */
    char odd_tail[128];                     /* the sizes of workloads[1] as text, for messages */
    /* kernels of reference, init() and check(); empty: the first verified variant provides the
     * expected results */
    gt_image reference;
    gt_image service; /* the compiled service kernels (service_*.cu) */
    gt_live_input *inputs;
    uint32_t input_count;
    uint64_t memory_limit_bytes; /* maximum device memory to allocate; 0: no limit */
    uint64_t variant_bytes;      /* device memory of the default variant, without its code */
    /* true: launch variants under the emulator's sanitizer, and do not compare results */
    bool check;
} gt_measure_setup;

typedef struct gt_prepared {
    double reference_ns; /* time of one launch of the reference at workloads[0] */
    /* rate of copying device memory; counts bytes read plus bytes written */
    double copy_bytes_per_s;
    double prepare_ns;    /* duration of preparing, without the data proof */
    double try_ns;        /* duration of preparing the data proof */
    double data_proof_ns; /* time of a winner's data proof; 0: there is none */
    double further_ns;    /* part of data_proof_ns for creating the first further data set */
    /* The name of an output whose tolerance exceeds the median of its results, or "". */
    char loose[GT_NAME_MAX];
    double loose_tolerance, loose_median;
} gt_prepared;

/* A request to load a variant, verify it on all workloads, and keep it for samples. A variant that
 * is not proved is unloaded. */
typedef struct gt_verify_job {
    uint64_t id; /* chosen by the host */
    gt_image image;
    gt_launch launches[GT_WORKLOAD_MAX]; /* one launch per workload */
    /* true for the default, which decides on which data other variants are proved */
    bool standard;
    bool again;   /* true if an earlier worker has proved the variant */
    bool patient; /* true if deadlines are ten times as long; a hang is then final */
    double work;  /* work of a launch relative to the default's; extends the deadline */
    /* a variant whose launch takes longer cannot win and is not proved; 0: no limit */
    double slower_ns;
    /* true: repeat a launch that is only slightly too slow, because that may be chance */
    bool look_twice;
} gt_verify_job;

/* The answer to a gt_verify_job or gt_recheck_job. */
typedef struct gt_verified {
    /* false: the launch was slower than slower_ns, so its results were not checked */
    bool proved;
    double max_error;         /* largest |v - r| / tolerance; a value of at most 1 is correct */
    double pilot_ns;          /* rough time of one launch; if it was repeated, the shorter time */
    double occupancy;         /* resident warps divided by the multiprocessor's maximum */
    char writes[GT_NAME_MAX]; /* for a recheck: a module variable that launches write, or "" */
    char data_proof[128];     /* for the default and a recheck: its data in words; otherwise "" */
    /* for the default and a recheck: a line for each scalar that was verified only with its own
     * value; may be NULL. Each line contains the scalar's name, its value, and the effect of
     * other values, separated by tabs: "crash", "hang", "differ", "took too long", or "" if no
     * other value was tried */
    char *single;
    /* for a setup with `check`: for each size, a line "size" with its index, and after it the
     * report of emuCheckEnd(); may be NULL */
    char *findings;
} gt_verified;

enum { GT_LOST_MAX = 6 };

/* Experiments (measure_data_proof.c) that ended workers. After GT_LOST_MAX of them, no more are
 * tried. */
typedef struct gt_lost {
    struct gt_lost_try {
        uint64_t key;
        bool hung; /* true: it hung; false: it crashed */
    } items[GT_LOST_MAX];
    uint32_t item_count;
    /* true: make no data proof, because the list is too short for all experiments that ended
     * workers */
    bool plain;
} gt_lost;

/* The length of a sample for the objective `kernel`. Other objectives distinguish only quick
 * samples from longer ones. */
typedef enum gt_sample_length {
    GT_SAMPLE_FULL,  /* used for the time of a winner, which is stored */
    GT_SAMPLE_BRIEF, /* used to compare variants; has fewer launches of a long kernel */
    GT_SAMPLE_QUICK  /* used for the first elimination */
} gt_sample_length;

/* How sharing inout buffers affects a sample's launches. */
typedef enum gt_sharing {
    GT_SHARING_UNKNOWN,
    GT_SHARING_HARMLESS, /* a launch takes as long on used buffers as on restored buffers */
    GT_SHARING_FELT      /* a launch is faster or slower on used buffers, so each one is timed on
                            restored buffers */
} gt_sharing;

/* A request for one round: one sample of each variant, in this order. */
typedef struct gt_sample_job {
    uint64_t id;
    const uint64_t *variants;
    uint32_t count;
    gputune_objective objective; /* objective, which may differ from the setup's */
    gt_sample_length length;
    bool hot;           /* true: sample with a warm cache, even if the setup's cache is cold */
    gt_sharing sharing; /* UNKNOWN: the worker determines it by launching the variant `judge` */
    uint64_t judge;
} gt_sample_job;

typedef struct gt_sampled {
    double *values; /* by variant: nanoseconds per launch (for energy, nanojoules), or NaN; owned by
                       the event */
    uint32_t count;
    uint32_t sm_clock_mhz; /* clock rate during the round; 0: unknown */
    bool spoiled;       /* true if the times of this round are not valid, so it must be repeated */
    bool noisy;         /* true if another process used the GPU */
    char other[96];     /* description of the other process, or "" */
    gt_sharing sharing; /* whether these launches shared inout buffers */
    /* time on used buffers divided by time on restored buffers; 1 unless this job found FELT */
    double used_ratio;
} gt_sampled;

/* A request to verify the winner again, after thousands of launches. */
typedef struct gt_recheck_job {
    uint64_t id;
    uint64_t seed; /* seed of the inputs; if it is the setup's, the reference does not run again */
    double share;  /* fraction of gt_prepared.data_proof_ns that may be spent, from 0 to 1 */
} gt_recheck_job;
