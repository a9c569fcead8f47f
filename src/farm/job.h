/* Requests to workers and their answers. They are plain data, the same in the host, on the wire and
 * in the worker. A struct's pointers belong to the side that filled it, unless said otherwise. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/nvrtc.h"
#include "kernel/bind/problem.h"
#include "kernel/text/npy.h"

/* A request to compile one source to an image for one architecture. The answer is a gt_compiled. */
typedef struct gt_compile_job {
    uint64_t id;
    gt_nvrtc_request source;
} gt_compile_job;

/* The contents of one buffer that the worker cannot make itself: the caller's data, a file, or the
 * values of an expression. With `expected`, the right results of an output. */
typedef struct gt_live_input {
    uint32_t workload;  /* index into gt_measure_setup.workloads */
    uint32_t buffer;    /* place among the workload's inputs (gt_workload_input()) */
    bool expected;      /* `bytes` are the right results of an output; never with is_ipc */
    bool is_ipc;        /* the contents are in device memory of the host process */
    uint8_t handle[64]; /* with is_ipc: CUDA IPC handle of the allocation */
    uint64_t offset;    /* with is_ipc: of the contents in the allocation, in bytes */
    gt_image bytes;     /* without is_ipc: the contents */
} gt_live_input;

#define GT_NO_VARIANT UINT64_MAX /* no variant has this id */

enum { GT_WORKLOAD_MAX = 2 }; /* the requested size and an odd-tail one */

/* Everything the measure worker needs before the first variant. */
typedef struct gt_measure_setup {
    gputune_objective objective;
    gputune_cache cache;
    uint64_t seed;
    uint32_t workload_count;
    gt_workload workloads[GT_WORKLOAD_MAX]; /* [0] is the one that is timed */
    char odd_tail[128];                     /* the sizes of workloads[1], for messages */
    gt_image reference; /* of the reference and check kernels; empty: compare against the first
                           verified variant (the default) */
    gt_image service;   /* of service_*.cu: kernels that fill, poison, compare and sweep buffers */
    gt_live_input *inputs;
    uint32_t input_count;
    bool check; /* variants are launched under the emulator's sanitizer, and not compared */
} gt_measure_setup;

/* The answer to a gt_measure_setup. */
typedef struct gt_prepared {
    double reference_ns;     /* time of one launch of the reference at workloads[0] */
    double copy_bytes_per_s; /* rate of a device-to-device copy, bytes read plus written */
    double prepare_ns;       /* how long preparing took, without the trial */
    double try_ns;           /* how long making the trial took */
    double trial_ns;   /* how long the trial takes in the last proof of a winner, with many launches
                          and further data; 0: there is no trial */
    double further_ns; /* the part of trial_ns that making the first further data takes, with what
                          the reference gives for them */
    /* Name of an output whose tolerance exceeds the median of its results, or "". */
    char loose[GT_NAME_MAX];
    double loose_tolerance, loose_median;
} gt_prepared;

/* An output at the requested size that the worker writes to a file. */
typedef struct gt_saved_output {
    uint32_t buffer;           /* index into the buffers of the workload */
    char *path;                /* of the file */
    uint8_t head[GT_NPY_HEAD]; /* the file's first bytes, in front of the output */
} gt_saved_output;

/* A request to load a variant, verify it on every workload, and keep it ready for samples. A
 * variant that is not proved is unloaded. */
typedef struct gt_verify_job {
    uint64_t id; /* the variant's, chosen by the host */
    gt_image image;
    gt_launch launches[GT_WORKLOAD_MAX]; /* one launch of the variant at each workload */
    bool standard;    /* this is the default variant: what it fails at on trial is not demanded of
                         others */
    bool again;       /* an earlier worker has proved the variant */
    bool patient;     /* the deadline is ten times as long: a hang is then believed */
    double work;      /* work of a launch over that of the default: the deadline grows with it */
    double slower_ns; /* a variant whose launch at the requested size takes longer cannot win, and
                         is not proved; 0: the variant is proved, however long its launch takes */
    bool look_twice;  /* a launch a little above slower_ns is repeated: luck decides less */
    gt_saved_output *saves; /* outputs to write once the variant is proved */
    uint32_t save_count;
} gt_verify_job;

/* The answer to a gt_verify_job or gt_recheck_job. */
typedef struct gt_verified {
    bool proved;      /* false: the launch is slower than slower_ns; it was only checked that it
                         touches nothing that it must not touch */
    double max_error; /* largest |v - r| over what the tolerance allows; <= 1 is right */
    double pilot_ns;  /* rough time of one launch; of two launches the shorter time */
    double occupancy; /* resident warps over the SM's maximum */
    char writes[GT_NAME_MAX]; /* of a recheck: a module variable that launches write, or "" */
    char
        trial[128]; /* of the default and of a recheck: what else variants are proved with, or "" */
    char *single;   /* likewise: for each scalar that was proved with its own value alone a line of
                       its name, its value, and what others do ("crash", "hang", "differ", "took
                       too long"; "": none was tried), with tabs between; owned by the event. Else
                       NULL */
    char *findings; /* of a setup with `check`: for each size a line "size" with its index, and what
                       emuCheckEnd() said; owned by the event. Else NULL */
} gt_verified;

enum { GT_LOST_MAX = 6 };

/* Experiments (measure_trial.c) that have ended workers. If there are GT_LOST_MAX, no more are
 * tried. */
typedef struct gt_lost {
    struct gt_lost_try {
        uint64_t key; /* of the data set */
        bool hung;    /* else it has crashed */
    } items[GT_LOST_MAX];
    uint32_t item_count;
    bool plain; /* yet another one has ended a worker: no trial is made */
} gt_lost;

/* The length of a sample of the objective `kernel`. Other objectives have quick and full samples
 * only. */
typedef enum gt_sample_length {
    GT_SAMPLE_FULL,  /* for the time that is stored of a winner */
    GT_SAMPLE_BRIEF, /* to tell variants apart: fewer launches of a long kernel */
    GT_SAMPLE_QUICK  /* for the first elimination */
} gt_sample_length;

/* Says if the launches of a sample may share inout buffers. */
typedef enum gt_sharing {
    GT_SHARING_UNKNOWN,
    GT_SHARING_HARMLESS, /* a launch takes the same time on what the one before it left */
    GT_SHARING_FELT      /* such a launch takes another time: samples are single launches, each on
                            restored buffers */
} gt_sharing;

/* A request for one round: one sample of each variant, in this order. */
typedef struct gt_sample_job {
    uint64_t id;
    const uint64_t *variants;
    uint32_t count;
    gputune_objective objective; /* may differ from the setup's */
    gt_sample_length length;
    bool hot;           /* with a warm cache, whatever the setup says */
    gt_sharing sharing; /* UNKNOWN: the worker first finds it out */
    uint64_t judge;     /* the variant whose launches tell it */
} gt_sample_job;

/* The answer to a gt_sample_job. */
typedef struct gt_sampled {
    double *values; /* per variant in the job's order: nanoseconds a launch (energy: nanojoules);
                       NaN for a variant that could not be sampled; owned by the event */
    uint32_t count;
    uint32_t sm_clock_mhz; /* during the round; 0: unknown */
    bool spoiled;          /* the times of this round are not valid; sample it again */
    bool noisy;            /* another process used the GPU */
    char other[96];        /* that process, in words, or "" */
    gt_sharing sharing;    /* how these samples were taken */
    double used_ratio;     /* if this job has found sharing FELT: time on used buffers over time on
                              restored ones; else 1 */
} gt_sampled;

/* A request to prove a loaded variant again: the winner, after thousands of launches. */
typedef struct gt_recheck_job {
    uint64_t id;   /* the variant's */
    uint64_t seed; /* of the inputs; the setup's seed: the reference is not run again */
    double share;  /* part of gt_prepared.trial_ns that may be spent, from 0 to 1: less near a time
                      limit; further data are left out where it does not cover them */
} gt_recheck_job;
