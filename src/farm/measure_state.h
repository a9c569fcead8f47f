/* The state of measuring on one GPU, shared by measure*.c. All work runs on one thread and one
 * stream. The host queues work and waits as rarely as possible. */
#pragma once

#include "base/array.h"
#include "farm/measure.h"
#include "farm/measure_monitor.h"
#include "farm/measure_plan.h"
#include "farm/service.h"
#include "gpu/budget.h"
#include "gpu/device.h"
#include "gpu/launcher.h"
#include "gpu/module.h"

#include <string.h>

/* The service kernels; measure_service.c has their names. */
typedef enum gt_service {
    GT_SERVICE_FILL,
    GT_SERVICE_RESET,
    GT_SERVICE_CHECK,
    GT_SERVICE_SWEEP,
    GT_SERVICE_DELAY,
    GT_SERVICE_POISON_SHARED,
    GT_SERVICE_COUNT
} gt_service;

/* Kernels of a template that determine inputs and correct results. */
typedef enum gt_judge_kind {
    /* computes the correct results; may be made of the template's own kernels */
    GT_JUDGE_REFERENCE,
    GT_JUDGE_CHECK, /* judges a launch's results */
    GT_JUDGE_INIT,  /* fills the inputs */
    GT_JUDGE_COUNT
} gt_judge_kind;

typedef struct gt_findings {
    uint64_t sequence; /* number of the run (gt_measure.sequence) */
    gt_finding items[];
} gt_findings;

/* A table of tasks for a service kernel. Tasks of the timed workload come first. */
typedef struct gt_tasks {
    GT_ARRAY(gt_service_task) tasks;
    GT_ARRAY(struct gt_buffer_slot *) slots; /* the buffer of each task */
    uint64_t tiles;
    uint32_t timed_count;
    uint64_t timed_tiles;
    uint64_t device; /* device address of the uploaded tasks, or 0 */
    uint32_t device_capacity;
    uint64_t uploaded; /* hash of the uploaded tasks, or 0 */
} gt_tasks;

/* A buffer on the device. */
typedef struct gt_buffer_slot {
    struct gt_workspace *workspace;
    const gt_buffer *buffer;
    uint32_t index;
    CUdeviceptr base;     /* start of the allocation and of the front guard zone */
    CUdeviceptr address;  /* start of the buffer */
    uint32_t guard_back;  /* bytes of the guard zone after the buffer */
    CUdeviceptr pristine; /* unchanged copy of the contents; 0 if not needed */
    /* how far each element moves when inputs move, as floats; 0: unknown */
    CUdeviceptr scale;
    CUdeviceptr expected; /* correct results of an output; 0 for an input */
    bool live;            /* true if the host sent the contents */
    uint64_t hash;        /* hash of an input's contents */
    uint64_t gaps;        /* number of elements that the reference leaves unwritten */
    bool moves;           /* true if the task list `move` changes the buffer */
    gt_tolerance tolerance;
} gt_buffer_slot;

/* Read-only copies of a workspace's inputs, and arguments for a launch on them. */
typedef struct gt_guarded {
    gt_view views[GT_PARAMETER_MAX];
    uint32_t view_count;
    CUdeviceptr addresses[GT_PARAMETER_MAX];
    const void *arguments[GT_BLOCK_MAX + GT_PARAMETER_MAX];
} gt_guarded;

/* A workload at one size: buffers, expected results and arguments. gt_measure.workspaces[0] is
 * timed; workspaces[1], if any, has the odd-tail size. */
typedef struct gt_workspace {
    gt_workload workload;
    gt_buffer_slot *slots, *slots_end; /* range in gt_measure.slots */
    CUdeviceptr scale;                 /* the reference's output `scale`; 0 if there is none */
    gt_type scale_type;
    void *blocks[GT_BLOCK_MAX];      /* the pass blocks, in host memory; owned */
    uint32_t sent_blocks;            /* bit i is set if the host sent block i */
    gt_buffer_slot failures;         /* the failure counter of the template's check kernel */
    gt_tasks first;                  /* checks after the first launch of a proof */
    void *values;                    /* values of all scalars; owned */
    void *scalars[GT_PARAMETER_MAX]; /* pointers into `values` */
    /* values of the workload's numbers, for the service kernels */
    CUdeviceptr numbers;
    /* number of buffer sets over which cold samples rotate; the slots' buffers are set 0 */
    uint32_t sets;
    CUdeviceptr *addresses; /* buffer addresses by set and buffer; owned */
    const void **arguments; /* launch arguments by set; owned */
    uint32_t argument_count;
} gt_workspace;

typedef struct gt_replay {
    CUgraphExec exec;
    uint32_t launches;
    uint32_t turn; /* value of gt_measure.turn at the capture */
    bool hot;
} gt_replay;

typedef struct gt_variables gt_variables;

/* A verified variant. */
typedef struct gt_loaded {
    struct gt_loaded *next;
    uint64_t id;
    gt_launch launches[GT_WORKLOAD_MAX];
    gt_launcher *launchers[GT_WORKLOAD_MAX];
    double launch_ns; /* latest time of one launch by the device's clock */
    /* time per launch of many consecutive launches by the host's clock; 0: unknown */
    double call_ns;
    /* true if a `launch` or `latency` sample has launched the variant */
    bool warm;
    uint8_t poison[GT_WORKLOAD_MAX]; /* byte in the guard zones of scratch memory */
    uint64_t owned_bytes;            /* device memory of the variant, without its code */
    uint64_t kernels;                /* kernels per launch */
    gt_replay full, brief, quick;
    gt_replay single;        /* graph of one launch that has many kernels */
    gt_variables *variables; /* owned; NULL without variables */
    /* samples on an emulated device; 0: no sample yet */
    double modelled[GPUTUNE_OBJECTIVE_COUNT];
} gt_loaded;

/* Buffers that must be filled again. */
typedef enum gt_damage {
    GT_DAMAGE_NONE,
    GT_DAMAGE_INPUTS, /* inputs and guard zones */
    GT_DAMAGE_EVERYTHING
} gt_damage;

/* Proves variants on further data sets (measure_data_proof.c). */
typedef struct gt_data_proof gt_data_proof;

enum { GT_TABLES = 16 };

struct gt_measure {
    const gt_driver *driver; /* points to `limited`; in a data proof, the parent's driver */
    gt_driver limited;       /* a copy of the opened driver, with a budget */
    gt_budget budget;        /* limit of device memory for the setup and its variants */
    uint64_t reserved_bytes; /* device memory that tuning needs besides the buffers */
    gt_device device;
    CUcontext context;
    CUstream stream;
    CUevent start, stop, checked;
    gt_monitor *monitor;
    bool lost;  /* true after a fatal error, because this process cannot use the GPU any more */
    bool ready; /* true if gt_measure_prepare() has succeeded */

    CUmodule service;
    uint64_t service_hash; /* hash of the loaded service image, or 0 */
    /* launchers by kind and size; NULL: the template has no such kernel */
    gt_launcher *judges[GT_JUDGE_COUNT][GT_WORKLOAD_MAX];
    CUfunction functions[GT_SERVICE_COUNT];
    gt_measure_setup setup; /* copy of the setup without images and inputs */
    gt_workspace workspaces[GT_WORKLOAD_MAX];
    /* slots of all workspaces, beginning with workspaces[0] */
    gt_buffer_slot slots[GT_WORKLOAD_MAX * GT_PARAMETER_MAX];
    GT_ARRAY(CUdeviceptr) allocations; /* device memory that gt_memory_free() frees */
    union {
        gt_tasks tables[GT_TABLES];
        struct {
            gt_tasks fill;         /* fills inputs, their pristine copies, and guard zones */
            gt_tasks launch;       /* before a proof: restores inout buffers, poisons outputs */
            gt_tasks relaunch;     /* before a proof's second launch, on the last workspace */
            gt_tasks reset, again; /* before the first and second launch of a winner's proof */
            gt_tasks restore;      /* before a sample: restores inout buffers of all sets */
            gt_tasks rotate;       /* copies set 0 to all other buffer sets */
            gt_tasks check;        /* after a proof: checks results, guard zones and inputs */
            gt_tasks edges;        /* checks only guard zones and inputs */
            gt_tasks hash;         /* hashes the inputs */
            gt_tasks results;      /* hashes the expected results */
            gt_tasks convert;      /* converts inout buffers to double for the reference */
            gt_tasks keep;         /* copies the reference's results to the slots */
            gt_tasks agree;        /* compares two runs of the reference */
            gt_tasks move;         /* moves inputs by a small step */
            gt_tasks spread;       /* measures how far results move with the inputs */
        };
    };
    const gt_tasks *ahead;   /* the table that is queued for the next launch, or NULL */
    CUdeviceptr sums, found; /* the check kernel's accumulators and results */
    gt_findings *findings;   /* findings in pinned host memory */
    gt_findings *first;      /* findings about a proof's first launch, in pinned host memory */
    uint64_t sequence;       /* number of the last run of the check kernel */
    /* the sweep buffer: zeros, twice L2's size (on an emulated device, L2's size); 0: no sweep */
    CUdeviceptr sweep;
    uint64_t sweep_bytes;
    CUdeviceptr stray;     /* becomes nonzero if a sweep reads anything but zeros */
    uint32_t *stray_seen;  /* copy of `stray` on the host; NULL: no sweep */
    uint64_t seed;         /* seed of the buffers' contents */
    uint64_t results_hash; /* hash of the expected results for the setup's seed; 0: unknown */
    gt_damage damage;
    bool has_expected;
    bool has_tolerances;
    uint32_t turn; /* number of sample jobs, which selects the buffer set of hot samples */
    gt_guarded guard;
    bool guarded; /* true if launches on the timed workspace use the arguments in `guard` */
    bool hot;     /* true if samples have a warm cache although the setup's cache is cold */
    bool alone;   /* true if each launch is timed alone, on restored buffers */
    gputune_objective objective; /* objective and length of the current samples */
    gt_sample_length length;
    double reference_ns, copy_bytes_per_s;
    gt_data_proof *data_proof; /* may be NULL */
    gt_lost lost_tries;        /* experiments that the next data proof skips */
    gt_current *current;       /* reports current work to the host; NULL: no host */
    struct gt_measure *parent; /* in a data proof, the state of its setup; otherwise NULL */

    gt_loaded *variants; /* verified variants, newest first */
    gt_loaded *dropped;  /* variants that are still loaded although they were dropped */
    uint32_t dropped_count;
};

/* Returns the end of the slots of the first `workspace_count` workspaces. */
static inline gt_buffer_slot *gt_slots_end(const gt_measure *measure, uint32_t workspace_count)
{
    return measure->workspaces[workspace_count - 1].slots_end;
}

static inline double gt_finding_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Converts the result of a driver call to a status. Sets measure->lost after a fatal error. */
gputune_status gt_measure_check(gt_measure *measure, CUresult result, const char *call);
#define GT_CALL(measure, function, ...)                                                            \
    GT_TRY(gt_measure_check((measure), (measure)->driver->function(__VA_ARGS__), "cu" #function))
gputune_status gt_measure_wait(gt_measure *measure);
/* Waits for the event `stop`. Sets *out_ns to the time since `start`. */
gputune_status gt_measure_elapsed(double *out_ns, gt_measure *measure);
/* Loads the launches of a kernel for all sizes. The launchers share a module. */
gputune_status gt_measure_load(gt_launcher **out, gt_measure *measure, const gt_image *image,
                               const gt_launch *const *launches);
gputune_status gt_measure_launch(gt_measure *measure, gt_launcher *launcher,
                                 const void *const *arguments);
/* Fails if the GPU is lost or nothing is prepared. */
gputune_status gt_measure_usable(const gt_measure *measure);
/* Fills the buffers of a setup and runs the reference. The service kernels must be loaded. */
gputune_status gt_measure_build(gt_measure *measure, const gt_measure_setup *setup);
/* Frees everything that belongs to the setup. */
void gt_measure_forget(gt_measure *measure);
