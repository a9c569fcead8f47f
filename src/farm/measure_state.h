/* The state of one GPU while variants are measured on it. Shared by measure.c, which defines the
 * functions below, and measure_*.c. Everything runs on one thread and one stream. Work is queued,
 * and the host waits as rarely as possible. */
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

/* The service kernels. measure_service.c lists their names, in this order. */
typedef enum gt_service {
    GT_SERVICE_FILL,
    GT_SERVICE_RESET,
    GT_SERVICE_CHECK,
    GT_SERVICE_CLEAR,
    GT_SERVICE_SWEEP,
    GT_SERVICE_DELAY,
    GT_SERVICE_POISON_SHARED,
    GT_SERVICE_COUNT
} gt_service;

/* The kernels of a template that determine inputs and correct results. */
typedef enum gt_judge_kind {
    /* computes the correct results; may consist of the template's own kernels */
    GT_JUDGE_REFERENCE,
    GT_JUDGE_CHECK, /* judges the results of a launch */
    GT_JUDGE_INIT,  /* fills the inputs */
    GT_JUDGE_COUNT
} gt_judge_kind;

/* The findings of one run of the check kernel. */
typedef struct gt_findings {
    uint64_t sequence; /* number of the run (gt_measure.sequence) */
    gt_finding items[];
} gt_findings;

/* A table of tasks for a service kernel. The tasks of the timed workload come first. */
typedef struct gt_tasks {
    GT_ARRAY(gt_service_task) tasks;
    GT_ARRAY(struct gt_buffer_slot *) slots; /* the buffer of each task */
    uint64_t tiles;
    uint32_t timed_count;
    uint64_t timed_tiles;
    uint64_t device; /* address of the uploaded tasks; 0: none */
    uint32_t device_capacity;
    uint64_t uploaded; /* hash of the uploaded tasks; 0: none */
} gt_tasks;

/* A buffer of a workload on the device. */
typedef struct gt_buffer_slot {
    struct gt_workspace *workspace;
    const gt_buffer *buffer;
    uint32_t index;
    CUdeviceptr base;     /* start of the allocation, and of the front guard zone */
    CUdeviceptr address;  /* start of the buffer */
    uint32_t guard_back;  /* bytes of the guard zone after the buffer */
    CUdeviceptr pristine; /* an unchanged copy of the contents; 0: not needed */
    /* a float per element: how far the element moves if the inputs move; 0: unknown */
    CUdeviceptr scale;
    CUdeviceptr expected; /* the correct results of an output; 0 for an input */
    bool live;            /* true if the host sent the contents, so the buffer is not filled */
    uint64_t hash;        /* hash of an input's contents */
    uint64_t gaps;        /* number of elements of this output that the reference does not write */
    bool moves;           /* true if the table `move` changes the buffer */
    gt_tolerance tolerance;
} gt_buffer_slot;

/* Read-only copies of a workspace's inputs, and the arguments of a launch on them. */
typedef struct gt_guarded {
    gt_view views[GT_PARAMETER_MAX];
    uint32_t view_count;
    CUdeviceptr addresses[GT_PARAMETER_MAX];
    const void *arguments[GT_BLOCK_MAX + GT_PARAMETER_MAX];
} gt_guarded;

/* One workload at one size: its buffers, expected results and the arguments of a launch.
 * gt_measure.workspaces[0] is timed; workspaces[1] has the odd-tail size, if there is one. */
typedef struct gt_workspace {
    gt_workload workload;
    gt_buffer_slot *slots, *slots_end; /* part of gt_measure.slots */
    CUdeviceptr scale;                 /* the reference's output `scale`; 0: none */
    gt_type scale_type;
    void *blocks[GT_BLOCK_MAX];      /* the blocks that a caller would pass, on the host; owned */
    uint32_t sent_blocks;            /* bit i: the host sent the contents of block i */
    gt_buffer_slot failures;         /* the counter of the template's check kernel */
    gt_tasks first;                  /* checks after the first launch of a proof */
    void *values;                    /* the values of all scalars; owned */
    void *scalars[GT_PARAMETER_MAX]; /* pointers into `values` */
    /* the workload's numbers on the device, for the service kernels */
    CUdeviceptr numbers;
    /* number of sets of buffers that cold samples use in turn; the slots are set 0 */
    uint32_t sets;
    CUdeviceptr *addresses; /* addresses [set][buffer]; owned */
    const void **arguments; /* argument arrays [set][caller argument]; owned */
    uint32_t argument_count;
} gt_workspace;

/* The graph of one sample. */
typedef struct gt_replay {
    CUgraphExec exec;
    uint32_t launches;
    uint32_t turn; /* gt_measure.turn when the graph was captured */
    bool hot;
} gt_replay;

/* The variables of a variant's module. */
typedef struct gt_variables gt_variables;

/* A verified variant. */
typedef struct gt_loaded {
    struct gt_loaded *next;
    uint64_t id;
    gt_launch launches[GT_WORKLOAD_MAX];
    gt_launcher *launchers[GT_WORKLOAD_MAX];
    double launch_ns; /* latest time of one launch by the device's clock */
    double call_ns;   /* time per launch in a long row, by the host's clock; 0: unknown */
    /* true if a `launch` or `latency` sample has launched the variant */
    bool warm;
    uint64_t owned_bytes; /* device memory of the variant, without its code */
    uint64_t kernels;     /* number of kernels in one launch */
    gt_replay full, brief, quick;
    gt_replay single;        /* the graph of one launch with many kernels */
    gt_variables *variables; /* owned; NULL if the module has no variables */
    /* samples on an emulated device; 0: there is none yet */
    double modelled[GPUTUNE_OBJECTIVE_COUNT];
} gt_loaded;

/* The buffers that must be filled again. */
typedef enum gt_damage {
    GT_DAMAGE_NONE,
    GT_DAMAGE_INPUTS, /* inputs and guard zones */
    GT_DAMAGE_EVERYTHING
} gt_damage;

/* Launches variants on further data sets (measure_data_proof.c). */
typedef struct gt_data_proof gt_data_proof;

enum { GT_TABLES = 16 };

struct gt_measure {
    const gt_driver *driver; /* &limited; for a data proof, the driver of the parent */
    gt_driver limited;       /* a copy of the opened driver, with the budget */
    gt_budget budget;        /* limits all device memory of the setup and its variants */
    uint64_t reserved_bytes; /* memory that a tuning needs after the buffers are allocated */
    gt_device device;
    CUcontext context;
    CUstream stream;
    CUevent start, stop, checked;
    gt_monitor *monitor;
    bool lost;  /* true after a fatal error, when this process cannot use the GPU */
    bool ready; /* true if gt_measure_prepare() succeeded */

    CUmodule service;
    uint64_t service_hash; /* hash of the loaded image; 0: none */
    /* by kind and size; NULL: the template has no kernel of this kind */
    gt_launcher *judges[GT_JUDGE_COUNT][GT_WORKLOAD_MAX];
    CUfunction functions[GT_SERVICE_COUNT];
    gt_measure_setup setup; /* a copy without images and inputs */
    gt_workspace workspaces[GT_WORKLOAD_MAX];
    /* slots of all workspaces, beginning with those of workspaces[0] */
    gt_buffer_slot slots[GT_WORKLOAD_MAX * GT_PARAMETER_MAX];
    GT_ARRAY(CUdeviceptr) allocations; /* freed by gt_memory_free() */
    union {
        gt_tasks tables[GT_TABLES];
        struct {
            gt_tasks fill;         /* fills inputs, pristine copies and guard zones */
            gt_tasks launch;       /* before a proof: restores inout buffers, poisons outputs */
            gt_tasks relaunch;     /* before a proof's second launch, on the last workspace */
            gt_tasks reset, again; /* before each of a winner's two launches, on each workspace */
            gt_tasks restore;      /* before a sample: restores the inout buffers of all sets */
            gt_tasks rotate;       /* copies the buffers of set 0 to all other sets */
            gt_tasks check;        /* after a proof: checks results, guard zones and inputs */
            gt_tasks edges;        /* checks only guard zones and the hashes of inputs */
            gt_tasks hash;         /* hashes the inputs */
            gt_tasks results;      /* hashes the expected results */
            gt_tasks convert;      /* converts inout buffers to double, for the reference */
            gt_tasks keep;         /* copies the reference's results to the slots */
            gt_tasks agree;        /* compares two runs of the reference */
            gt_tasks move;         /* moves the inputs by a small step */
            gt_tasks spread;       /* measures how far the results move with the inputs */
        };
    };
    const gt_tasks *ahead;   /* the table that is already queued for the next launch, or NULL */
    CUdeviceptr sums, found; /* accumulators and results of the check kernel */
    gt_findings *findings;   /* findings on the host, in pinned memory */
    gt_findings *first;      /* findings for the first launch of a proof, in pinned memory */
    uint64_t sequence;       /* number of the last run of the check kernel */
    /* zeros, twice as large as L2 (on an emulated device, as large as L2); 0: no sweep */
    CUdeviceptr sweep;
    uint64_t sweep_bytes;
    CUdeviceptr stray;     /* becomes nonzero if a sweep reads anything other than zeros */
    uint32_t *stray_seen;  /* copy of `stray` on the host; NULL: no sweep */
    uint64_t seed;         /* seed from which the buffers were filled */
    uint64_t results_hash; /* hash of the expected results with the setup's seed; 0: unknown */
    gt_damage damage;
    bool has_expected;
    bool has_tolerances;
    uint32_t turn; /* number of sample jobs; selects the set of buffers of hot samples */
    gt_guarded guard;
    bool guarded; /* true if launches on the timed workspace use the arguments of `guard` */
    bool hot;     /* true if samples have a warm cache, even if the setup's cache is cold */
    bool alone;   /* true if the samples are single launches on restored buffers */
    gputune_objective objective; /* objective and length of the current samples */
    gt_sample_length length;
    double reference_ns, copy_bytes_per_s;
    gt_data_proof *data_proof; /* the data proof; NULL: there is none */
    gt_lost lost_tries;  /* experiments that ended workers, which the next data proof leaves out */
    gt_current *current; /* reports to the host; NULL: there is no host */
    struct gt_measure *parent; /* for a data proof: the state of its setup; otherwise NULL */

    gt_loaded *variants; /* verified variants, beginning with the newest */
    gt_loaded *dropped;  /* dropped variants that are still loaded */
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
/* Loads the launches of one kernel, one launch per size. They share a module. */
gputune_status gt_measure_load(gt_launcher **out, gt_measure *measure, const gt_image *image,
                               const gt_launch *const *launches);
gputune_status gt_measure_launch(gt_measure *measure, gt_launcher *launcher,
                                 const void *const *arguments);
/* Fails if the GPU is lost or no setup was prepared. */
gputune_status gt_measure_usable(const gt_measure *measure);
/* Allocates and fills what a setup needs, and runs the reference. The service kernels must be
 * loaded. */
gputune_status gt_measure_build(gt_measure *measure, const gt_measure_setup *setup);
/* Frees everything that belongs to the setup. */
void gt_measure_forget(gt_measure *measure);
