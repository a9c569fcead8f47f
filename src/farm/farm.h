/* The farm: worker processes that compile and measure, so that the host stays safe. Requests are
 * asynchronous; answers come as events from wait(). A farm is used by one thread at a time. The
 * tuner sees this table only, and is tested with a scripted one. */
#pragma once

#include "base/device.h"
#include "base/log.h"
#include "farm/job.h"

typedef enum gt_event_kind {
    GT_EVENT_COMPILED, /* id of the compile job */
    GT_EVENT_PREPARED,
    GT_EVENT_VERIFIED, /* id of the variant; also of a recheck */
    GT_EVENT_SAMPLED,  /* id of the sample job */
    GT_EVENT_TIMEOUT   /* wait()'s own time passed */
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
    uint32_t gpu; /* whose measure worker it is of: 0 the farm's, 1 its first helper's, ... */
    char message[512];
    uint64_t culprit;
    bool repeatable; /* a crash, or a hang in spite of a patient job's ten times the deadline:
                        worth remembering */
    union {
        gt_compiled compiled;
        gt_prepared prepared;
        gt_verified verified;
        gt_sampled sampled;
    };
} gt_event;

void gt_event_free(gt_event *event);

typedef struct gt_farm gt_farm;

/* A compile job that a worker has in hand. */
typedef struct gt_compiling {
    uint64_t id;
    double seconds; /* since then; without the start of a new worker */
} gt_compiling;

/* A request copies what it needs before it returns. Each fails only for the farm as a whole.
 * Helpers (gt_farm.helper) take compile jobs, too, and are listed, waited for and canceled with the
 * farm. To their measure workers the caller speaks itself. */
typedef struct gt_farm_ops {
    gputune_status (*compile)(gt_farm *farm, const gt_compile_job *job);
    /* The jobs that are being compiled, not those that wait: writes up to `count`, and returns how
     * many. */
    uint32_t (*compiling)(gt_farm *farm, gt_compiling *out, uint32_t count);
    /* Ends the worker that is compiling this job; another one takes its place. The job's event is
     * ETIMEOUT, not repeatable, with the time that was spent in compiled.compile_ns. Does nothing
     * where `compiling` does not list it. */
    void (*give_up)(gt_farm *farm, uint64_t id);
    gputune_status (*prepare)(gt_farm *farm, const gt_measure_setup *setup);
    gputune_status (*verify)(gt_farm *farm, const gt_verify_job *job);
    gputune_status (*sample)(gt_farm *farm, const gt_sample_job *job);
    gputune_status (*recheck)(gt_farm *farm, const gt_recheck_job *job);
    /* Forgets what the measure worker was asked for, and ends it if it is at something. What was
     * prepared, and variants that were verified, are there again for the next request. Does nothing
     * where the worker is a thread, which cannot be ended. */
    void (*interrupt)(gt_farm *farm);
    /* Asks how fast the GPU is now: the event is SAMPLED with one value, the time of a short launch
     * that is the same on every GPU of a kind, and with what NVML says; its id is GT_PACE_ID.
     * Nothing need be prepared. */
    gputune_status (*pace)(gt_farm *farm);
    /* Frees what the measure worker holds for a variant that left the race. */
    gputune_status (*drop)(gt_farm *farm, uint64_t variant);
    /* The measure worker's device. Waits until the worker reports it, which it does before it makes
     * its context, and which takes a minute at most. Fails with the reason why the worker cannot
     * start (ENODRIVER, EWORKER, ...). Events are not touched. */
    gputune_status (*device)(gt_farm *farm, gt_device *out);
    /* The next event, or GT_EVENT_TIMEOUT after `seconds` (0: only what is there already). */
    gputune_status (*wait)(gt_farm *farm, gt_event *out, double seconds);
    /* Forgets all outstanding jobs; workers busy with a compile finish it unseen, a measure worker
     * in the middle of a variant is ended. */
    void (*cancel)(gt_farm *farm);
    /* Ends the workers without waiting for them. */
    void (*close)(gt_farm *farm);
} gt_farm_ops;

struct gt_farm {
    const gt_farm_ops *ops;
    uint32_t compile_workers; /* how many compile side by side */
    uint32_t on_cores, cores; /* of them, those on the cores that farms share, and all of these */
    gt_farm
        *helper; /* another farm of the same kind that serves the same session, and so on; NULL */
};

/* How many sources a farm and its helpers compile side by side. */
static inline uint32_t gt_farm_compile_workers(const gt_farm *farm)
{
    uint32_t count = 0, on_cores = 0, cores = farm->cores;
    for (; farm; farm = farm->helper) {
        count += farm->compile_workers;
        on_cores += farm->on_cores;
    }
    return on_cores > cores ? count - (on_cores - cores) : count;
}

typedef struct gt_farm_options {
    const char *worker; /* path of gputune-worker; NULL: searched for */
    const char *driver; /* as in gputune_open_options; NULL: no measure worker (compile only) */
    const char *device_uuid;  /* which device the measure worker sees; NULL: device_ordinal's */
    int device_ordinal;       /* among those visible here */
    uint32_t compile_workers; /* 0: as many as cores */
    const char *const *compile_on; /* a command for each further one, as in gputune_open_options */
    size_t compile_on_count;
    const char *measure_on; /* a command that starts the measure worker elsewhere, where
                               device_ordinal counts; NULL: it is on this machine */
    bool low_priority;      /* compile workers leave the processor to others (nice) */
    gputune_isolation isolation;
    double deadline_s;  /* longest that a variant may take to verify, or to sample once; 0: 10 */
    int driver_version; /* NVRTC must not be newer; 13000 for 13.0, 0: any */
    const char *arch;   /* the likely architecture, with which compilers warm up; NULL: sm_90 */
    gt_log log;
} gt_farm_options;

/* Starts the measure worker without waiting for it: it warms up while the caller prepares. Compile
 * workers start with the jobs that need them. EWORKER says where it looked when the executable is
 * missing. A worker of another version is noticed at the first wait(), which then fails with
 * EWORKER naming both versions. */
gputune_status gt_farm_open(gt_farm **out, const gt_farm_options *options);

/* The path of gputune-worker: `given`, GPUTUNE_WORKER, beside this library or program, its
 * ../libexec/gputune/, the compiled-in prefix. EWORKER lists them. Caller frees. */
gputune_status gt_worker_find(char **out, const char *given);

/* The text of service_*.cu, compiled by the tuner like any source and handed to prepare(). */
extern const char gt_service_source[];
/* The same as cubins, for the architectures that NVRTC knew when this was built; a NULL arch ends
 * the table. */
typedef struct gt_service_image {
    const char *arch;
    const unsigned char *data;
    size_t bytes;
} gt_service_image;
extern const gt_service_image gt_service_images[];
