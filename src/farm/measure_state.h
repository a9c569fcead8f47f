/* The state of measuring on one GPU, shared by measure*.c. It is used by one thread and one stream.
 * The host queues as much work as possible before it waits. */
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

/* The kernels of a template that determine inputs or correct results. */
typedef enum gt_judge_kind {
    /* computes the correct results: the reference, or the default configuration for
     * reference(self) */
    GT_JUDGE_REFERENCE,
    GT_JUDGE_CHECK, /* decides whether the results of a launch are correct */
    GT_JUDGE_INIT,  /* fills the inputs */
    GT_JUDGE_COUNT
} gt_judge_kind;

typedef struct gt_findings {
    uint64_t sequence; /* which run of the check kernel this was (gt_measure.sequence) */
    gt_finding items[];
} gt_findings;

/* A table of tasks for a service kernel. It begins with the tasks for the timed workload. */
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
    CUdeviceptr base;     /* start of the allocation, which begins with a guard zone */
    CUdeviceptr address;  /* start of the buffer */
    uint32_t guard_back;  /* bytes of the guard zone after the buffer */
    CUdeviceptr pristine; /* copy of the initial contents; 0: not needed */
    /* of floats: by how much each element changes if inputs change slightly; 0: not measured */
    CUdeviceptr scale;
    CUdeviceptr expected; /* correct results; 0 for an input */
    bool live;            /* true if the contents come from the host */
    uint64_t hash;        /* hash of an input's contents */
    uint64_t gaps;        /* number of elements that the reference leaves unwritten */
    bool moves;           /* true if `tables.move` changes the buffer */
    gt_tolerance tolerance;
} gt_buffer_slot;

/* Read-only copies of the inputs of a workspace, and the arguments for a launch that uses them. */
typedef struct gt_guarded {
    gt_view views[GT_PARAMETER_MAX];
    uint32_t view_count;
    CUdeviceptr addresses[GT_PARAMETER_MAX];
    const void *arguments[GT_BLOCK_MAX + GT_PARAMETER_MAX];
} gt_guarded;

/* Buffers, expected results and arguments of a workload at one size. gt_measure.workspaces[0] is
 * used for timing; workspaces[1], if there is one, has the odd-tail size. */
typedef struct gt_workspace {
    gt_workload workload;
    gt_buffer_slot *slots, *slots_end; /* the buffers, a part of gt_measure.slots */
    CUdeviceptr scale;                 /* the array `scale` that the reference writes; 0: none */
    gt_type scale_type;
    void *blocks[GT_BLOCK_MAX];      /* pass blocks in host memory; owned */
    uint32_t sent_blocks;            /* bit i: block i was sent by the host */
    gt_buffer_slot failures;         /* failure counter of the template's check kernel */
    gt_tasks first;                  /* checks after the first launch of a proof */
    void *values;                    /* memory for the values of all scalars; owned */
    void *scalars[GT_PARAMETER_MAX]; /* pointers into `values` */
    CUdeviceptr numbers;             /* one gt_service_number for each of the workload's numbers */
    /* number of buffer sets that samples use in turn; set 0 consists of the buffers of `slots` */
    uint32_t sets;
    CUdeviceptr *addresses; /* addresses, by buffer set and buffer; owned */
    const void **arguments; /* arguments of a launch, by buffer set; owned */
    uint32_t argument_count;
} gt_workspace;

typedef struct gt_replay {
    CUgraphExec exec;
    uint32_t launches;
    uint32_t turn; /* value of gt_measure.turn when the graph was captured */
    bool hot;
} gt_replay;

typedef struct gt_variables gt_variables;

/* A verified variant. */
typedef struct gt_loaded {
    struct gt_loaded *next;
    uint64_t id;
    gt_launch launches[GT_WORKLOAD_MAX];
    gt_launcher *launchers[GT_WORKLOAD_MAX];
    double launch_ns; /* latest time of a launch, measured with events */
    /* time per launch by the host's clock, if many launches follow each other; 0: not measured */
    double call_ns;
    bool warm; /* true after the first launch for a `launch` or `latency` sample */
    uint8_t poison[GT_WORKLOAD_MAX]; /* value of all bytes in the guard zones of scratch memory */
    uint64_t owned_bytes;            /* device memory that the variant uses, excluding its code */
    uint64_t kernels;                /* kernels per launch */
    gt_replay full, brief, quick;
    gt_replay single;                         /* graph of a single launch, if it has many kernels */
    gt_variables *variables;                  /* variables of the module; owned; NULL: none */
    double modelled[GPUTUNE_OBJECTIVE_COUNT]; /* modelled times; 0: not sampled yet */
} gt_loaded;

/* Proves variants with further data sets (measure_data_proof.c). */
typedef struct gt_data_proof gt_data_proof;

enum { GT_TABLES = 16 };

struct gt_measure {
    const gt_driver *driver; /* &limited or, in a data proof, the parent's driver */
    gt_driver limited;       /* copy of the opened driver, limited by `budget` */
    gt_budget budget;        /* limits the device memory of the setup and its variants */
    uint64_t reserved_bytes; /* device memory that is needed in addition to the buffers */
    gt_device device;
    CUcontext context;
    CUstream stream;
    CUevent start, stop, checked;
    gt_monitor *monitor;
    bool lost;  /* true if a fatal error has made the GPU unusable in this process */
    bool ready; /* true if the last gt_measure_prepare() has succeeded */

    CUmodule service;
    uint64_t service_hash; /* hash of the service image that is loaded, or 0 */
    /* launchers by kind and workspace; NULL: the template has no kernel of this kind */
    gt_launcher *judges[GT_JUDGE_COUNT][GT_WORKLOAD_MAX];
    CUfunction functions[GT_SERVICE_COUNT];
    gt_measure_setup setup; /* the setup without its images and inputs */
    gt_workspace workspaces[GT_WORKLOAD_MAX];
    /* buffers of all workspaces, those of workspaces[0] first */
    gt_buffer_slot slots[GT_WORKLOAD_MAX * GT_PARAMETER_MAX];
    GT_ARRAY(CUdeviceptr) allocations; /* device memory that is freed by gt_memory_free() */
    union {
        gt_tasks tables[GT_TABLES];
        struct {
            gt_tasks fill;     /* fills inputs or their pristine copies, and writes guard zones */
            gt_tasks launch;   /* before a proof: restores inout buffers, poisons outputs */
            gt_tasks relaunch; /* before the second launch of a proof: resets the last workspace */
            gt_tasks reset, again; /* before the launches of a second proof: reset buffers */
            gt_tasks restore;      /* before a sample: restores the inout buffers of all sets */
            gt_tasks rotate;       /* copies the inputs of set 0 to all other sets */
            gt_tasks check;        /* after a proof: checks results, guard zones and inputs */
            gt_tasks edges;        /* checks only guard zones and inputs */
            gt_tasks hash;         /* hashes the inputs */
            gt_tasks results;      /* hashes the expected results */
            gt_tasks convert;      /* converts inout buffers to double, for the reference */
            gt_tasks keep;         /* copies the results of the reference to `address` */
            gt_tasks agree;        /* compares two runs of the reference */
            gt_tasks move;         /* changes the inputs slightly */
            gt_tasks spread;       /* measures how much results have changed */
        };
    };
    const gt_tasks *ahead;   /* table that was queued by gt_service_reset_ahead(), or NULL */
    CUdeviceptr sums, found; /* accumulators and findings of the check kernel */
    gt_findings *findings;   /* copy of `found` in pinned host memory */
    gt_findings *first;      /* like `findings`, for the first launch of a proof */
    uint64_t sequence;       /* number of times that the check kernel has run */
    /* sweep buffer of zeros, twice as large as L2 (emulated: as large as L2); 0: no sweep */
    CUdeviceptr sweep;
    uint64_t sweep_bytes;
    CUdeviceptr stray;     /* set to nonzero by a sweep that has read anything but zeros */
    uint32_t *stray_seen;  /* copy of `stray` in host memory; NULL: no sweep */
    uint64_t seed;         /* seed from which the contents of the buffers were made */
    uint64_t results_hash; /* hash of the results for the setup's seed; 0: unknown */
    bool damaged;          /* true if a variant that failed may have changed any buffer */
    bool has_expected;
    bool has_tolerances;
    uint32_t turn; /* number of sample jobs so far; hot samples use it to choose a buffer set */
    gt_guarded guard;
    bool guarded; /* true while launches use the read-only inputs in `guard` */
    bool hot;     /* true while samples warm the cache although the setup demands a cold cache */
    bool alone;   /* true if each launch is timed separately, on restored buffers */
    gputune_objective objective; /* objective and length of the samples being taken */
    gt_sample_length length;
    double reference_ns, copy_bytes_per_s;
    gt_data_proof *data_proof; /* may be NULL */
    gt_lost lost_tries;        /* experiments that the next data proof must skip */
    gt_current *current;       /* object that reports the current work to the host; NULL: no host */
    struct gt_measure *parent; /* in a data proof: the setup's gt_measure; otherwise NULL */

    gt_loaded *variants; /* verified variants, newest first */
    gt_loaded *dropped;  /* variants that were dropped but are still loaded */
    uint32_t dropped_count;
};

/* Returns a pointer past the last buffer of the first `workspace_count` workspaces. */
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

/* Converts the result of a driver call to a status. A fatal error sets measure->lost. */
gputune_status gt_measure_check(gt_measure *measure, CUresult result, const char *call);
#define GT_CALL(measure, function, ...)                                                            \
    GT_TRY(gt_measure_check((measure), (measure)->driver->function(__VA_ARGS__), "cu" #function))
gputune_status gt_measure_wait(gt_measure *measure);
/* Waits for the event `stop`, and computes the time between the events `start` and `stop`. */
gputune_status gt_measure_elapsed(double *out_ns, gt_measure *measure);
/* Loads a kernel and makes a launcher for each size. The launchers share a module. */
gputune_status gt_measure_load(gt_launcher **out, gt_measure *measure, const gt_image *image,
                               const gt_launch *const *launches);
gputune_status gt_measure_launch(gt_measure *measure, gt_launcher *launcher,
                                 const void *const *arguments);
/* Fails if the GPU is lost, or if no setup is prepared. */
gputune_status gt_measure_usable(const gt_measure *measure);
/* Fills the buffers of a setup and runs the reference. The service kernels must be loaded. */
gputune_status gt_measure_build(gt_measure *measure, const gt_measure_setup *setup);
/* Frees everything that belongs to the setup. */
void gt_measure_forget(gt_measure *measure);
