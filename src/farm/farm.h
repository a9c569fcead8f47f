/* The farm: worker processes that compile and measure kernels, so a bad kernel cannot harm the
 * host process. Requests are asynchronous; wait() returns the answers as events. One thread at a
 * time may use a farm, only by gt_farm_ops, because tests use a scripted farm. */
#pragma once

#include "base/device.h"
#include "base/status.h"
#include "farm/job.h"

typedef enum gt_event_kind {
    GT_EVENT_COMPILED, /* a compile job ended; the event's id is the job's */
    GT_EVENT_PREPARED,
    GT_EVENT_VERIFIED, /* a variant was verified or rechecked; the event's id is the variant's */
    GT_EVENT_SAMPLED,  /* a sample job ended; the event's id is the job's */
    GT_EVENT_TIMEOUT   /* no event came while wait() waited */
} gt_event_kind;

/* The answer to one job. `status` is of this job only: ECOMPILE (the log is in compiled.log),
 * EWRONG, ECRASHED (the worker died and was replaced), ETIMEOUT (the worker hung and was killed),
 * ECUDA (CUDA refused to load or launch), EDEVMEM, ENOCOMPILER, EWORKER. If a sample job failed,
 * `culprit` is the variant that was being sampled, or GT_NO_VARIANT. */
typedef struct gt_event {
    gt_event_kind kind;
    uint64_t id;
    gputune_status status;
    char message[512];
    uint64_t culprit;
    /* true if the failure would happen again, so it is worth storing: a compile error, a crash,
     * or a hang with ten times the usual deadline */
    bool repeatable;
    union {
        gt_compiled compiled;
        gt_prepared prepared;
        gt_verified verified;
        gt_sampled sampled;
    };
} gt_event;

/* Frees what the event owns. The struct itself remains, as a GT_EVENT_TIMEOUT. */
void gt_event_free(gt_event *event);

typedef struct gt_farm gt_farm;

typedef struct gt_compiling {
    uint64_t id;
    double seconds; /* time of the compile so far, without the worker's start: processor time, or
                       the time that has passed if the worker sleeps */
} gt_compiling;

/* The functions of a farm. They copy their arguments. If one fails, the farm as a whole cannot be
 * used; the failure of a single job is reported in its event. */
typedef struct gt_farm_ops {
    gputune_status (*compile)(gt_farm *farm, const gt_compile_job *job);
    /* Writes up to `count` of the jobs that workers are compiling now, and returns how many it
     * wrote. */
    uint32_t (*compiling)(gt_farm *farm, gt_compiling *out, uint32_t count);
    /* Gives up a job that `compiling` lists: its worker is killed and replaced. The job's event has
     * the status ETIMEOUT, which is not repeatable, and the time spent in compiled.compile_ns. */
    void (*give_up)(gt_farm *farm, uint64_t id);
    gputune_status (*prepare)(gt_farm *farm, const gt_measure_setup *setup);
    gputune_status (*verify)(gt_farm *farm, const gt_verify_job *job);
    gputune_status (*sample)(gt_farm *farm, const gt_sample_job *job);
    gputune_status (*recheck)(gt_farm *farm, const gt_recheck_job *job);
    /* Drops all requests to the measure worker, and replaces a busy one. The new one loads setup
     * and variants when a request needs them. */
    void (*interrupt)(gt_farm *farm);
    /* Frees the measure worker's memory for a variant that left the race. */
    gputune_status (*drop)(gt_farm *farm, uint64_t variant);
    /* Gets the measure worker's device. Waits at most a minute for it, and starts at most
     * `compilers` compile workers during that time. Fails if the measure worker cannot start
     * (ENODRIVER, ...). */
    gputune_status (*device)(gt_farm *farm, gt_device *out, uint32_t compilers);
    /* Gets the next event, or GT_EVENT_TIMEOUT after `seconds`. The caller releases it. */
    gputune_status (*wait)(gt_farm *farm, gt_event *out, double seconds);
    /* Drops all jobs, events and variants, and the setup. Compile workers finish their current
     * jobs, but no event follows. A measure worker that is at a request is killed. */
    void (*cancel)(gt_farm *farm);
    /* Kills the workers without waiting for them, and frees the farm. */
    void (*close)(gt_farm *farm);
} gt_farm_ops;

struct gt_farm {
    const gt_farm_ops *ops;
    uint32_t compile_workers; /* workers that may compile at the same time */
    bool measures;            /* true if there is a measure worker */
};

typedef struct gt_farm_options {
    const char *worker; /* path of gputune-worker; NULL: search for it */
    const char
        *driver; /* as in gputune_open_options; NULL: only compile, without a measure worker */
    const char *device_uuid;  /* the only device that the measure worker sees; NULL: the one of
                                 device_ordinal */
    int device_ordinal;       /* number among the devices that this process sees */
    uint32_t compile_workers; /* 0: one per core; farms then share the cores */
    bool low_priority;
    double deadline_s;  /* limit in seconds for verifying a variant, or one sample; 0: 10 */
    int driver_version; /* the newest version of NVRTC that may be used: 13000 for 13.0; 0: any */
    const char *arch;   /* the architecture for which compilers warm up; NULL: sm_90 */
    gt_log log;
} gt_farm_options;

/* Opens a farm, which the caller ends with close(). The strings `driver` and `arch` must live as
 * long. Workers start without being waited for: the measure worker now, compile workers when jobs
 * need them. EWORKER if the worker's executable is missing; a wrong version fails wait(). */
gputune_status gt_farm_open(gt_farm **out, const gt_farm_options *options);

/* Returns the megabytes that GPUTUNE_COMPILE_MEMORY allows each compile worker, or 0 if the
 * variable is not set or not a whole number. */
uint64_t gt_compile_memory_asked(void);

/* Finds the path of gputune-worker: `given`, or the variable GPUTUNE_WORKER, or a file near the
 * library or program, or in the installation's folder. EWORKER lists the searched places. The
 * caller frees *out. */
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
