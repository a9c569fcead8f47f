/* Requests to workers and their answers: plain data, the same in the host, on the wire and in the
 * worker. A struct's pointers belong to the side that filled it, unless said otherwise. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "kernel/npy.h"
#include "kernel/problem.h"

/* Compile one source to an image for one architecture. */
typedef struct gt_compile_job {
    uint64_t id;
    const char *text;           /* CUDA C++ */
    const char *const *options; /* beyond the standard ones */
    size_t option_count;
    const char *arch;             /* "sm_90a" */
    bool ptx;                     /* the image is PTX (an emulated device), else a cubin */
    bool want_ptx;                /* PTX beside the image, for `emit` */
    const char *const *instances; /* C++ templates to instantiate: "scan<float, 128>" */
    size_t instance_count;
    uint64_t head_bytes; /* of the text that are the same in all variants: prelude and #includes */
} gt_compile_job;

typedef struct gt_compiled {
    gt_image image, ptx; /* owned by the event */
    char *log;           /* the compiler's whole log; owned */
    gt_resources resources;
    double compile_ns;
    int nvrtc_version; /* 13000 for 13.0 */
} gt_compiled;

/* What one buffer of a workload holds, where the worker cannot make it: the caller's own data, a
 * file's, or those of an expression; or what an output must hold after a launch. */
typedef struct gt_live_input {
    uint32_t workload; /* index into the setup's */
    uint32_t buffer;   /* place among the workload's inputs (gt_workload_input()) */
    bool expected;     /* of an output: the right results; always staged */
    bool is_ipc;
    uint8_t handle[64]; /* CUDA IPC handle of the allocation, with is_ipc */
    uint64_t offset;
    gt_image bytes; /* staged host bytes, otherwise */
} gt_live_input;

#define GT_NO_VARIANT UINT64_MAX /* no variant has this id */
#define GT_PACE_ID    UINT64_MAX /* a request for the pace; no round has this id */

enum { GT_WORKLOAD_MAX = 2 }; /* the requested size and an awkward one */

/* Everything the measure worker needs before the first variant. */
typedef struct gt_measure_setup {
    gputune_objective objective;
    gputune_cache cache;
    uint64_t seed;
    uint32_t workload_count;
    gt_workload workloads[GT_WORKLOAD_MAX]; /* [0] is the one that is timed */
    char awkward[128];                      /* the sizes of [1], for messages */
    gt_image reference; /* image of the reference and check kernels; empty: compare against the
                           first verified variant (the default) */
    gt_image service;   /* image of service_*.cu: fill, poison, compare, sweep */
    gt_live_input *inputs;
    uint32_t input_count;
    bool exhaustive;
    bool check; /* variants are launched under the emulator's sanitizer, and not compared */
} gt_measure_setup;

/* What variants are proved against. */
typedef enum gt_proof {
    GT_PROOF_REFERENCE,
    GT_PROOF_CHECK,  /* the template's own check kernel */
    GT_PROOF_DEFAULT /* neither is there: the default variant is taken as right */
} gt_proof;

typedef struct gt_prepared {
    double reference_ns;     /* one launch of the reference at workload 0 */
    double copy_bytes_per_s; /* device-to-device copy as a stream copy, bytes read plus written */
    double prepare_ns;
    double trial_ns; /* the most that a winner's further launches and data take in its last proof */
    gt_proof proof;
    char
        loose[GT_NAME_MAX]; /* an output whose tolerance exceeds the median of its results, or "" */
    double loose_tolerance, loose_median;
} gt_prepared;

/* An output at the requested size that the worker writes to a file. */
typedef struct gt_saved_output {
    uint32_t buffer; /* index into the workload's */
    char *path;
    uint8_t head[GT_NPY_HEAD];
} gt_saved_output;

/* Load a variant, verify it on every workload, and keep it ready for samples; one that is not
 * proved is unloaded. */
typedef struct gt_verify_job {
    uint64_t id; /* the variant's, chosen by the host */
    gt_image image;
    gt_launch launches[GT_WORKLOAD_MAX];
    bool standard;    /* the default, which decides what is demanded of others */
    bool patient;     /* ten times the deadline: a hang will then be believed */
    double work;      /* of a launch, over that of the default's: the deadline grows with it */
    double slower_ns; /* a variant whose launches at the requested size take longer cannot win, and
                         is not proved; 0: it is proved, however long they take */
    bool proved;      /* on an equal GPU: a launch that is not slower is compared with nothing */
    bool look_twice;  /* a launch that is not far above slower_ns is repeated: luck decides less */
    gt_saved_output *saves; /* once it is proved */
    uint32_t save_count;
} gt_verify_job;

typedef struct gt_verified {
    bool proved;      /* else slower than slower_ns: only what it must not touch was checked */
    double max_error; /* largest |v - r| over what the tolerance allows; <= 1 is right */
    gt_tolerance tolerance;   /* of the output where that is */
    double pilot_ns;          /* rough time of one launch; the shorter one of two */
    double occupancy;         /* resident warps over the SM's maximum */
    gt_resources resources;   /* as the driver sees them; spills unknown (0) */
    char writes[GT_NAME_MAX]; /* a winner's: a variable of its module that it writes, or "" */
    char trial[128];          /* a winner's: what else it was proved with, or "" */
    char *findings; /* of a setup with `check`: what emuCheckEnd() said at each size, behind a line
                       "size" and its index; owned by the event. Else NULL */
} gt_verified;

/* The length of a sample of the objective `kernel`. Other objectives have quick and full samples
 * only. */
typedef enum gt_sample_length {
    GT_SAMPLE_FULL,  /* what is stored of a winner */
    GT_SAMPLE_BRIEF, /* enough to tell variants apart: fewer launches of a long kernel */
    GT_SAMPLE_QUICK  /* for the first elimination */
} gt_sample_length;

/* Whether the launches of a sample may share inout buffers. */
typedef enum gt_sharing {
    GT_SHARING_UNKNOWN,
    GT_SHARING_HARMLESS, /* a launch takes the same time on what the one before it left */
    GT_SHARING_FELT /* a launch takes another time: samples are single launches, each on restored
                       buffers */
} gt_sharing;

/* One round: a sample of each variant in this order, interleaved. */
typedef struct gt_sample_job {
    uint64_t id;
    const uint64_t *variants;
    uint32_t count;
    gputune_objective objective; /* may differ from the setup's */
    gt_sample_length length;
    gt_sharing sharing; /* UNKNOWN: found out first, */
    uint64_t judge;     /* by this variant */
} gt_sample_job;

typedef struct gt_sampled {
    double *values; /* per variant in the job's order: nanoseconds a launch (energy: nanojoules);
                       NaN where that one could not be sampled; owned by the event */
    uint32_t count;
    uint32_t sm_clock_mhz, memory_clock_mhz; /* during the round; 0: unknown */
    uint64_t throttle;                       /* NVML throttle reasons seen */
    bool spoiled;       /* the times of this round are not valid; sample it again */
    bool noisy;         /* another process used the GPU */
    char other[96];     /* which, or "" */
    gt_sharing sharing; /* how these samples were taken */
    double used_ratio;  /* FELT, and found out for this job: time on used buffers over that on
                           restored ones; else 1 */
} gt_sampled;

/* Prove again, with inputs of this seed (the setup's: without running the reference again) and what
 * thousands of launches left behind (the winner, after its last sample). */
typedef struct gt_recheck_job {
    uint64_t id; /* the variant's */
    uint64_t seed;
    double share; /* of that time (gt_prepared.trial_ns), from 0 to 1: less near a limit */
} gt_recheck_job;
