/* The farm: worker processes that compile and measure kernels. A bad kernel does no harm to the
 * host process. Requests are asynchronous; answers come as events from wait(). One thread at a time
 * uses a farm, only through gt_farm_ops: tests have a scripted farm. */
#pragma once

#include "base/device.h"
#include "base/status.h"
#include "farm/job.h"

typedef enum gt_event_kind {
    GT_EVENT_COMPILED, /* has the id of the compile job */
    GT_EVENT_PREPARED,
    GT_EVENT_VERIFIED, /* has the id of the variant; also answers a recheck */
    GT_EVENT_SAMPLED,  /* has the id of the sample job */
    GT_EVENT_TIMEOUT   /* no event came in the time that wait() was given */
} gt_event_kind;

/* One answer. `status`: OK, or the failure of this job alone: ECOMPILE (log in message and
 * compiled.log), EWRONG, ECRASHED (the worker died; a new one is ready), ETIMEOUT (a hang, worker
 * killed), ECUDA (a refused launch or load), EDEVMEM, ENOCOMPILER, EWORKER. For a sample job that
 * failed, `culprit` is the variant that was being sampled, or GT_NO_VARIANT. Release with
 * gt_event_free(). */
typedef struct gt_event {
    gt_event_kind kind;
    uint64_t id;
    gputune_status status;
    char message[512];
    uint64_t culprit;
    bool repeatable; /* the failure would happen again and is worth remembering: a compile error, a
                        crash, or a hang of a patient job */
    union {
        gt_compiled compiled;
        gt_prepared prepared;
        gt_verified verified;
        gt_sampled sampled;
    };
} gt_event;

/* Frees what the event owns, but not the struct, which becomes a GT_EVENT_TIMEOUT. */
void gt_event_free(gt_event *event);

typedef struct gt_farm gt_farm;

/* A compile job that a worker is compiling now. */
typedef struct gt_compiling {
    uint64_t id;
    double seconds; /* that the compile has taken, without the start of a new worker; on this
                       machine seconds of processor time, unless the worker sleeps */
} gt_compiling;

/* The functions of a farm. A request copies its arguments. The status that it returns is of the
 * farm as a whole; the failure of one job comes with its event. */
typedef struct gt_farm_ops {
    gputune_status (*compile)(gt_farm *farm, const gt_compile_job *job);
    /* Writes up to `count` jobs that are being compiled, without those that wait, and returns how
     * many it wrote. */
    uint32_t (*compiling)(gt_farm *farm, gt_compiling *out, uint32_t count);
    /* Ends the worker that is compiling this job; another one takes its place. The job's event is
     * ETIMEOUT, not repeatable, with the time that was spent in compiled.compile_ns. Does nothing
     * if `compiling` does not list the job. */
    void (*give_up)(gt_farm *farm, uint64_t id);
    gputune_status (*prepare)(gt_farm *farm, const gt_measure_setup *setup);
    gputune_status (*verify)(gt_farm *farm, const gt_verify_job *job);
    gputune_status (*sample)(gt_farm *farm, const gt_sample_job *job);
    gputune_status (*recheck)(gt_farm *farm, const gt_recheck_job *job);
    /* Forgets all requests to the measure worker, and replaces the worker if it is at one. The new
     * worker loads again the setup and the verified variants that the next requests need. Does
     * nothing if the worker is a thread, which cannot be ended. */
    void (*interrupt)(gt_farm *farm);
    /* Frees what the measure worker holds for a variant that left the race. */
    gputune_status (*drop)(gt_farm *farm, uint64_t variant);
    /* Gets the measure worker's device. Waits, a minute at most, until the worker reports it,
     * before it makes its context. Starts at most `compilers` compile workers during that time.
     * Fails with the reason why the measure worker cannot start (ENODRIVER, EWORKER, ...). Takes no
     * event. */
    gputune_status (*device)(gt_farm *farm, gt_device *out, uint32_t compilers);
    /* Gets the next event, or GT_EVENT_TIMEOUT after `seconds`. The caller releases the event with
     * gt_event_free(). */
    gputune_status (*wait)(gt_farm *farm, gt_event *out, double seconds);
    /* Forgets all outstanding jobs, events, the setup and the variants. Compile workers finish
     * their jobs, without an event. A measure worker that has a request is ended. */
    void (*cancel)(gt_farm *farm);
    /* Ends the workers without waiting for them, and frees the farm. */
    void (*close)(gt_farm *farm);
} gt_farm_ops;

struct gt_farm {
    const gt_farm_ops *ops;
    uint32_t compile_workers; /* how many compile side by side */
};

typedef struct gt_farm_options {
    const char *worker; /* path of gputune-worker; NULL: searched for */
    const char *driver; /* as in gputune_open_options; NULL: no measure worker (compile only) */
    const char *device_uuid;  /* which device the measure worker sees; NULL: device_ordinal's */
    int device_ordinal;       /* among the devices that are visible to this process */
    uint32_t compile_workers; /* 0: as many as cores, which the process's farms share */
    bool low_priority;        /* compile workers run with a lower priority (nice) */
    gputune_isolation isolation;
    double deadline_s;  /* longest that a variant may take to verify, or to sample once; 0: 10 */
    int driver_version; /* NVRTC must not be newer than this: 13000 for 13.0; 0: any will do */
    const char *arch;   /* the likely architecture, for which compilers warm up; NULL: sm_90 */
    gt_log log;
} gt_farm_options;

/* Opens a farm, which the caller ends with close(). Driver and architecture of the options must
 * live as long. Starts the measure worker and does not wait for it. Compile workers start with the
 * jobs that need them. EWORKER if the worker's executable is missing. If the worker is of another
 * version, the first wait() fails with EWORKER. */
gputune_status gt_farm_open(gt_farm **out, const gt_farm_options *options);

/* Returns how many megabytes GPUTUNE_COMPILE_MEMORY allows each compile worker; 0: the variable is
 * not set, or not a whole number. */
uint64_t gt_compile_memory_asked(void);

/* Finds the path of gputune-worker: `given` if not NULL, else the variable GPUTUNE_WORKER, else a
 * file in the library's or the program's folder or in its gputune/ or ../libexec/gputune/, else in
 * the folder of the installation. EWORKER lists the searched places. The caller frees *out. */
gputune_status gt_worker_find(char **out, const char *given);

/* The source of the service kernels (service_*.cu). The tuner compiles it like any source and hands
 * the image to prepare(). */
extern const char gt_service_source[];
/* The service kernels as a cubin for one architecture, or as PTX. */
typedef struct gt_service_image {
    const char *arch; /* "sm_90a"; "ptx": for every emulated device */
    const unsigned char *data;
    size_t bytes;
} gt_service_image;
/* One cubin for each architecture that NVRTC knew when this was built, and one PTX; a NULL arch
 * ends the table. */
extern const gt_service_image gt_service_images[];
