/* The farm: worker processes that compile and measure kernels, so a bad kernel cannot harm the host
 * process. Requests are asynchronous; wait() returns their answers as events. Only one thread at a
 * time may use a farm. Callers use only gt_farm_ops, because tests use a scripted farm. */
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

/* The answer to a job. `status` concerns only this job: ECOMPILE (compiled.log has the log),
 * EWRONG, ECRASHED (the worker died and was replaced), ETIMEOUT (the worker hung and was killed),
 * ECUDA (CUDA refused to load or launch), EDEVMEM, ENOCOMPILER, EWORKER. For a failed sample job,
 * `culprit` is the variant that was being sampled, or GT_NO_VARIANT. */
typedef struct gt_event {
    gt_event_kind kind;
    uint64_t id;
    gputune_status status;
    char message[512];
    uint64_t culprit;
    /* true if a retry would fail too, as after a compile error, a crash or a second hang */
    bool repeatable;
    union {
        gt_compiled compiled;
        gt_prepared prepared;
        gt_verified verified;
        gt_sampled sampled;
    };
} gt_event;

/* Frees the event's contents, and sets its kind to GT_EVENT_TIMEOUT. */
void gt_event_free(gt_event *event);

typedef struct gt_farm gt_farm;

typedef struct gt_compiling {
    uint64_t id;
    double seconds; /* processor time so far */
} gt_compiling;

/* The functions of a farm. They copy their arguments. If a function fails, the farm is unusable.
 * The failure of a job is reported by its event instead. */
typedef struct gt_farm_ops {
    gputune_status (*compile)(gt_farm *farm, const gt_compile_job *job);
    /* Lists up to `count` jobs that are being compiled now. Returns their number. */
    uint32_t (*compiling)(gt_farm *farm, gt_compiling *out, uint32_t count);
    /* Stops a job that `compiling` has listed, by killing and replacing its worker. The job's event
     * has the status ETIMEOUT, is not repeatable, and has the time spent in compiled.compile_ns. */
    void (*give_up)(gt_farm *farm, uint64_t id);
    gputune_status (*prepare)(gt_farm *farm, const gt_measure_setup *setup);
    gputune_status (*verify)(gt_farm *farm, const gt_verify_job *job);
    gputune_status (*sample)(gt_farm *farm, const gt_sample_job *job);
    gputune_status (*recheck)(gt_farm *farm, const gt_recheck_job *job);
    /* Discards all requests to the measure worker, and replaces it if it is busy. The new worker
     * loads setup and variants on demand. */
    void (*interrupt)(gt_farm *farm);
    /* Frees the measure worker's memory for a variant that is not needed any more. */
    gputune_status (*drop)(gt_farm *farm, uint64_t variant);
    /* Gets the measure worker's device, after waiting at most a minute. Starts up to `compilers`
     * compile workers before it waits. Fails if the measure worker cannot start. */
    gputune_status (*device)(gt_farm *farm, gt_device *out, uint32_t compilers);
    /* Gets the next event, or GT_EVENT_TIMEOUT after `seconds`. gt_event_free() frees *out. */
    gputune_status (*wait)(gt_farm *farm, gt_event *out, double seconds);
    /* Discards all jobs, events and variants, and the setup. Compile workers finish their current
     * jobs without an event. A busy measure worker is killed. */
    void (*cancel)(gt_farm *farm);
    /* Kills the workers and frees the farm. */
    void (*close)(gt_farm *farm);
} gt_farm_ops;

struct gt_farm {
    const gt_farm_ops *ops;
    uint32_t compile_workers; /* number of workers that may compile at the same time */
    bool measures;            /* true if there is a measure worker */
    bool broken;              /* true if a function failed, so the farm is unusable */
};

typedef struct gt_farm_options {
    const char *worker; /* path of gputune-worker; NULL: search for it */
    /* as in gputune_open_options; NULL: no measure worker */
    const char *driver;
    /* UUID of the only visible device; NULL: use device_ordinal */
    const char *device_uuid;
    int device_ordinal; /* index among the devices that this process sees */
    /* number of compile workers; 0: one per core, shared with other farms */
    uint32_t compile_workers;
    double deadline_s;  /* time limit for a proof or a sample, in seconds; 0: 10 s */
    int driver_version; /* the driver's version (13000), which NVRTC may not exceed; 0: no limit */
    const char *arch;   /* architecture for which compilers are warmed up; NULL: sm_90 */
    gt_log log;
} gt_farm_options;

/* Opens a farm, which close() frees. The strings `driver` and `arch` must outlive the farm. Starts
 * the measure worker without waiting for it. Compile workers start when jobs need them. EWORKER if
 * the worker executable is missing. If its version differs from the library's, wait() fails. */
gputune_status gt_farm_open(gt_farm **out, const gt_farm_options *options);

/* Returns GPUTUNE_COMPILE_MEMORY (megabytes per worker); 0 if it is not a whole number. */
uint64_t gt_compile_memory_asked(void);

/* Finds gputune-worker: `given`, GPUTUNE_WORKER, a file near the library or program, or a file of
 * the installation. On EWORKER, the message lists the searched places. The caller frees *out. */
gputune_status gt_worker_find(char **out, const char *given);

/* Source of the service kernels (service_*.cu), which the tuner compiles for prepare(). */
extern const char gt_service_source[];
/* The service kernels, compiled for one architecture. */
typedef struct gt_service_image {
    const char *arch; /* architecture such as "sm_90a"; "ptx" for emulated devices */
    const unsigned char *data;
    size_t bytes;
} gt_service_image;
/* Images for all architectures that NVRTC supported at build time. Ends with a NULL `arch`. */
extern const gt_service_image gt_service_images[];
