/* The farm: worker processes that compile and measure kernels, so a kernel that crashes or
 * hangs does not harm the host process. Functions that submit a job do not wait for its result;
 * wait() returns the results as events. Only one thread at a time may use a farm. Callers use a
 * farm only through gt_farm_ops, because the tests replace it by a scripted farm. */
#pragma once

#include "base/device.h"
#include "base/status.h"
#include "farm/job.h"

typedef enum gt_event_kind {
    GT_EVENT_COMPILED, /* a compile job ended; gt_event.id is the job's id */
    GT_EVENT_PREPARED,
    GT_EVENT_VERIFIED,  /* a variant was verified; gt_event.id is the variant's id */
    GT_EVENT_RECHECKED, /* a variant was verified again; gt_event.id is the variant's id */
    GT_EVENT_SAMPLED,   /* a sample job ended; gt_event.id is the job's id */
    GT_EVENT_TIMEOUT    /* wait() timed out */
} gt_event_kind;

/* The result of a job. `status` is the status of this job only: ECOMPILE (the log is in
 * compiled.log), EWRONG, ECRASHED (the worker died and was replaced), ETIMEOUT (the worker hung and
 * was killed), ECUDA (CUDA refused to load or launch the variant), EDEVMEM, ENOCOMPILER, EWORKER.
 * If a sample job failed, `culprit` is the variant that was being sampled, or GT_NO_VARIANT. */
typedef struct gt_event {
    gt_event_kind kind;
    uint64_t id;
    gputune_status status;
    char message[512];
    uint64_t culprit;
    bool repeatable; /* true if a retry would fail too, as after a compile error or crash */
    union {
        gt_compiled compiled;
        gt_prepared prepared;
        gt_verified verified;
        gt_sampled sampled;
    };
} gt_event;

/* Frees the contents of an event, and sets its kind to GT_EVENT_TIMEOUT. */
void gt_event_free(gt_event *event);

typedef struct gt_farm gt_farm;

typedef struct gt_compiling {
    uint64_t id;
    double seconds; /* processor time that the compile has used */
} gt_compiling;

/* The functions of a farm. They copy their arguments. After a function has failed, the farm can no
 * longer be used. If only a job fails, its event reports that, and the farm stays usable. */
typedef struct gt_farm_ops {
    gputune_status (*compile)(gt_farm *farm, const gt_compile_job *job);
    /* Lists at most `count` of the jobs that are being compiled now. Returns their number. */
    uint32_t (*compiling)(gt_farm *farm, gt_compiling *out, uint32_t count);
    /* Stops a compile job that is listed by `compiling`. The worker of the job is killed and
     * replaced. The job ends with status ETIMEOUT, is not marked repeatable, and
     * compiled.compile_ns is the time spent on it. */
    void (*give_up)(gt_farm *farm, uint64_t id);
    gputune_status (*prepare)(gt_farm *farm, const gt_measure_setup *setup);
    gputune_status (*verify)(gt_farm *farm, const gt_verify_job *job);
    gputune_status (*sample)(gt_farm *farm, const gt_sample_job *job);
    gputune_status (*recheck)(gt_farm *farm, const gt_recheck_job *job);
    /* Discards all requests to the measure worker. If the worker is busy, it is replaced; the new
     * worker loads the setup and the variants when they are needed. */
    void (*interrupt)(gt_farm *farm);
    /* Frees a variant in the measure worker that is no longer needed. */
    gputune_status (*drop)(gt_farm *farm, uint64_t variant);
    /* Returns the device of the measure worker. Starts some compile workers, and then waits at most
     * a minute for the device. Fails if the measure worker cannot start. */
    gputune_status (*device)(gt_farm *farm, gt_device *out);
    /* Waits for the next event, at most `seconds`. After a timeout, the event is GT_EVENT_TIMEOUT.
     * The caller frees *out with gt_event_free(). */
    gputune_status (*wait)(gt_farm *farm, gt_event *out, double seconds);
    /* Discards all jobs, events and variants, and the setup. Compile workers finish their current
     * jobs, but these produce no events. The measure worker is killed if it is busy. */
    void (*cancel)(gt_farm *farm);
    /* Kills the workers and frees the farm. */
    void (*close)(gt_farm *farm);
} gt_farm_ops;

struct gt_farm {
    const gt_farm_ops *ops;
    uint32_t compile_workers; /* number of workers that may compile at the same time */
    bool measures;            /* true if the farm has a measure worker */
    bool broken;              /* true if a function has failed, so the farm can no longer be used */
};

typedef struct gt_farm_options {
    const char *worker;      /* path of gputune-worker; NULL: find it */
    const char *driver;      /* as for gputune_open(); NULL: start no measure worker */
    const char *device_uuid; /* UUID of the device; NULL: device_ordinal is used */
    int device_ordinal;      /* index of the device among those visible to this process */
    /* number of compile workers; 0: one per core, or fewer while other farms use the cores */
    uint32_t compile_workers;
    double deadline_s;  /* time limit of a proof or a sample in seconds; 0: 10 s */
    int driver_version; /* driver version (13000), which NVRTC must not exceed; 0: no limit */
    const char *arch;   /* architecture for a first small kernel; NULL: sm_90 */
    gt_log log;
} gt_farm_options;

/* Opens a farm. The caller closes it with close(). The strings `driver` and `arch` must stay valid
 * as long as it is open. The function starts the measure worker without waiting for it; compile
 * workers are started when there are jobs for them. Returns EWORKER if there is no worker
 * executable. If the executable belongs to another version of gputune, wait() will fail. */
gputune_status gt_farm_open(gt_farm **out, const gt_farm_options *options);

/* Returns the value of GPUTUNE_COMPILE_MEMORY, the memory limit of a compile worker in megabytes.
 * Returns 0 if the variable is not set, not a whole number or too large. */
uint64_t gt_compile_memory_asked(void);

/* Finds the executable gputune-worker. It is `given` if that is not NULL, otherwise the value of
 * GPUTUNE_WORKER. If neither is set, searches near the library, near the program and in the
 * installation. On EWORKER, the message lists where it searched. The caller frees *out. */
gputune_status gt_worker_find(char **out, const char *given);

/* Source of the service kernels (service_*.cu). The tuner compiles it for prepare(). */
extern const char gt_service_source[];
/* The service kernels compiled for one architecture. */
typedef struct gt_service_image {
    const char *arch; /* architecture such as "sm_90a"; "ptx" for emulated devices */
    const unsigned char *data;
    size_t bytes;
} gt_service_image;
/* The service kernels for each architecture that NVRTC supported when gputune was built. The last
 * element has a NULL `arch`. */
extern const gt_service_image gt_service_images[];
