/* The farm: worker processes that compile and measure kernels, so a bad kernel cannot harm the host
 * process. Requests are asynchronous; wait() returns the answers as events. Only one thread at a
 * time may use a farm. Callers use only gt_farm_ops, because tests use a scripted farm. */
#pragma once

#include "base/device.h"
#include "base/status.h"
#include "farm/job.h"

typedef enum gt_event_kind {
    GT_EVENT_COMPILED, /* a compile job ended; the id of the event is that of the job */
    GT_EVENT_PREPARED,
    /* a variant was verified or rechecked; the id of the event is that of the variant */
    GT_EVENT_VERIFIED,
    GT_EVENT_SAMPLED, /* a sample job ended; the id of the event is that of the job */
    GT_EVENT_TIMEOUT  /* wait() received no event in its time */
} gt_event_kind;

/* The answer to one job. `status` is the result of this job only: ECOMPILE (the log is in
 * compiled.log), EWRONG, ECRASHED (the worker died and was replaced), ETIMEOUT (the worker hung and
 * was killed), ECUDA (CUDA refused to load or launch), EDEVMEM, ENOCOMPILER, EWORKER. If a sample
 * job failed, `culprit` is the variant that was being sampled, or GT_NO_VARIANT. */
typedef struct gt_event {
    gt_event_kind kind;
    uint64_t id;
    gputune_status status;
    char message[512];
    uint64_t culprit;
    /* true if the failure would happen again and is therefore worth storing: a compile error, a
     * crash, or a hang with ten times the usual deadline */
    bool repeatable;
    union {
        gt_compiled compiled;
        gt_prepared prepared;
        gt_verified verified;
        gt_sampled sampled;
    };
} gt_event;

/* Frees what the event owns. The struct itself remains and becomes a GT_EVENT_TIMEOUT. */
void gt_event_free(gt_event *event);

typedef struct gt_farm gt_farm;

typedef struct gt_compiling {
    uint64_t id;
    /* time of the compile so far, without the start of the worker: its processor time, or the
     * elapsed time if the worker sleeps */
    double seconds;
} gt_compiling;

/* The functions of a farm. They copy their arguments. If one fails, the farm as a whole cannot be
 * used; the failure of a single job is reported in its event. */
typedef struct gt_farm_ops {
    gputune_status (*compile)(gt_farm *farm, const gt_compile_job *job);
    /* Writes up to `count` of the jobs that workers are compiling now to `out`. Returns their
     * number. */
    uint32_t (*compiling)(gt_farm *farm, gt_compiling *out, uint32_t count);
    /* Gives up a job that `compiling` lists: kills and replaces its worker. Its event has the
     * status ETIMEOUT, not repeatable, and the time spent in compiled.compile_ns. */
    void (*give_up)(gt_farm *farm, uint64_t id);
    gputune_status (*prepare)(gt_farm *farm, const gt_measure_setup *setup);
    gputune_status (*verify)(gt_farm *farm, const gt_verify_job *job);
    gputune_status (*sample)(gt_farm *farm, const gt_sample_job *job);
    gputune_status (*recheck)(gt_farm *farm, const gt_recheck_job *job);
    /* Discards all requests to the measure worker, and replaces a busy one. The new worker loads
     * setup and variants on demand. */
    void (*interrupt)(gt_farm *farm);
    /* Frees the memory that the measure worker uses for a variant that left the race. */
    gputune_status (*drop)(gt_farm *farm, uint64_t variant);
    /* Gets the measure worker's device. Waits at most a minute for it, and starts at most
     * `compilers` compile workers in that time. Fails if the measure worker cannot start
     * (ENODRIVER, ...). */
    gputune_status (*device)(gt_farm *farm, gt_device *out, uint32_t compilers);
    /* Sets *out to the next event, or to GT_EVENT_TIMEOUT after `seconds`. The caller releases
     * it. */
    gputune_status (*wait)(gt_farm *farm, gt_event *out, double seconds);
    /* Discards all jobs, events and variants, and the setup. Compile workers finish their current
     * jobs, but no event follows. A measure worker that is processing a request is killed. */
    void (*cancel)(gt_farm *farm);
    /* Kills the workers without waiting for them, and frees the farm. */
    void (*close)(gt_farm *farm);
} gt_farm_ops;

struct gt_farm {
    const gt_farm_ops *ops;
    uint32_t compile_workers; /* number of workers that may compile at the same time */
    bool measures;            /* true if there is a measure worker */
};

typedef struct gt_farm_options {
    const char *worker; /* path of gputune-worker; NULL: search for it */
    /* as in gputune_open_options; NULL: the farm only compiles and has no measure worker */
    const char *driver;
    /* the only device that the measure worker sees; NULL: the device of device_ordinal */
    const char *device_uuid;
    int device_ordinal; /* index among the devices that this process sees */
    /* number of compile workers; 0: one per core, and farms share the cores */
    uint32_t compile_workers;
    bool low_priority;
    double deadline_s;  /* limit in seconds for verifying a variant, or one sample; 0: 10 */
    int driver_version; /* the newest version of NVRTC that may be used: 13000 for 13.0; 0: any */
    const char *arch;   /* the architecture for which compilers warm up in advance; NULL: sm_90 */
    gt_log log;
} gt_farm_options;

/* Opens a farm, which the caller ends with close(). The strings `driver` and `arch` must live as
 * long as the farm. Does not wait for workers to start: the measure worker starts now, compile
 * workers when jobs need them. EWORKER if the worker's executable is missing. If the worker has the
 * wrong version, wait() fails. */
gputune_status gt_farm_open(gt_farm **out, const gt_farm_options *options);

/* Returns the megabytes of GPUTUNE_COMPILE_MEMORY for each compile worker, or 0 if it is not set to
 * a whole number. */
uint64_t gt_compile_memory_asked(void);

/* Finds the path of gputune-worker: `given`, or the variable GPUTUNE_WORKER, or a file near the
 * library or program, or a file in the installation's folder. EWORKER lists the searched places.
 * The caller frees *out. */
gputune_status gt_worker_find(char **out, const char *given);

/* The source text of the service kernels (service_*.cu). The tuner compiles it like any other
 * source, and passes the image to prepare(). */
extern const char gt_service_source[];
/* The service kernels, compiled for one architecture. */
typedef struct gt_service_image {
    const char *arch; /* "sm_90a", for example; "ptx": for emulated devices */
    const unsigned char *data;
    size_t bytes;
} gt_service_image;
/* Images for all architectures that NVRTC knew when gputune was built. An image with a NULL `arch`
 * ends the table. */
extern const gt_service_image gt_service_images[];
