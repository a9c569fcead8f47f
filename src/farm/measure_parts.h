/* The declarations that measure.c and measure_*.c share: the state of one GPU while variants are
 * measured on it. Everything runs on one thread and one stream. Work for the device is queued; the
 * host waits as rarely as possible. */
#ifndef GT_FARM_MEASURE_PARTS_H
#define GT_FARM_MEASURE_PARTS_H

#include "base/array.h"
#include "farm/measure.h"
#include "farm/measure_plan.h"
#include "farm/service.h"
#include "gpu/device.h"
#include "gpu/launcher.h"
#include "gpu/module.h"

#include <string.h>

/* ---- measure_monitor.c ----------------------------------------------------------------------- */

/* Watches the GPU's clocks, throttle reasons and other users through NVML, on a thread: its calls
 * can take longer than a sample. */
typedef struct gt_monitor gt_monitor;

/* Starts to watch the GPU of that UUID. Returns NULL without a thread or memory. The functions
 * below accept NULL, and then report nothing and leave *out as it is. */
gt_monitor *gt_monitor_start(const char *uuid);
void gt_monitor_stop(gt_monitor *monitor);
/* Begins a round: forgets what was seen before. */
void gt_monitor_begin(gt_monitor *monitor);
/* Ends a round. Writes to *out the latest clock and users, and `spoiled` since gt_monitor_begin().
 * The host application does not count as another user. */
void gt_monitor_end(gt_monitor *monitor, gt_sampled *out);
/* Reads the energy that the GPU has used so far, in millijoules, once NVML is open. Returns false
 * without NVML. */
bool gt_monitor_energy_mj(uint64_t *out, gt_monitor *monitor);

/* ---- the state of one GPU -------------------------------------------------------------------- */

/* The service kernels, in the order of their names in measure_service.c. */
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

/* The kernels by which a template says what its inputs and right results are. */
typedef enum gt_judge_kind {
    GT_JUDGE_REFERENCE, /* computes the right results; may be the template's own kernels */
    GT_JUDGE_CHECK,     /* checks the results of a launch */
    GT_JUDGE_INIT,      /* fills the inputs */
    GT_JUDGE_COUNT
} gt_judge_kind;

/* The findings of one run of the check kernel over a table of tasks. */
typedef struct gt_findings {
    uint64_t sequence;  /* number of the run (gt_measure.sequence) that wrote them */
    gt_finding items[]; /* one for each task */
} gt_findings;

/* A table of tasks for one kind of service kernel. The tasks of the timed workload come first. */
typedef struct gt_tasks {
    GT_ARRAY(gt_service_task) tasks;
    GT_ARRAY(struct gt_buffer_slot *) slots; /* the buffer of each task */
    uint64_t tiles;
    uint32_t timed_count; /* tasks of the timed workload */
    uint64_t timed_tiles; /* tiles of those */
    uint64_t device;      /* device address of the uploaded tasks; 0: none yet */
    uint32_t device_capacity;
    uint64_t uploaded; /* hash of the tasks at `device`; 0: none */
} gt_tasks;

/* One buffer of a workload on the device. */
typedef struct gt_buffer_slot {
    struct gt_workspace *workspace;
    const gt_buffer *buffer; /* the workload's, at `index` */
    uint32_t index;
    CUdeviceptr base;     /* address of the allocation */
    CUdeviceptr address;  /* address of the buffer; the guard zone before it begins at `base` */
    uint32_t guard_back;  /* bytes of the guard zone behind the buffer */
    CUdeviceptr pristine; /* an untouched copy of the contents; 0: none is needed */
    CUdeviceptr scale; /* a float for each element: how far it moved with the inputs; 0: unknown */
    CUdeviceptr expected; /* the right results of an output; 0 for an input */
    bool live;            /* the contents were sent by the host, and are never filled */
    uint64_t hash;        /* hash of an input's contents */
    uint64_t gaps;        /* elements of this output that the reference leaves unwritten */
    bool moves;           /* the table `move` moves its elements */
    gt_tolerance tolerance;
} gt_buffer_slot;

/* Copies of a workspace's inputs that no kernel can write, and the arguments of a launch on them.
 */
typedef struct gt_guarded {
    gt_view views[GT_PARAMETER_MAX];
    uint32_t view_count;
    CUdeviceptr addresses[GT_PARAMETER_MAX]; /* by buffer */
    const void *arguments[GT_BLOCK_MAX + GT_PARAMETER_MAX];
} gt_guarded;

/* One workload at one size: its buffers on the device, the reference's results, and the arguments
 * of a launch. gt_measure.workspaces[0] is timed; workspaces[1], if there is one, has the odd-tail
 * size. */
typedef struct gt_workspace {
    gt_workload workload;
    gt_buffer_slot *slots, *slots_end; /* of its buffers; parts of gt_measure.slots */
    CUdeviceptr scale;                 /* the reference's output `scale`; 0: there is none */
    gt_type scale_type;
    void *blocks[GT_BLOCK_MAX];      /* the caller's blocks on the host; owned */
    uint32_t sent_blocks;            /* bit i: the contents of block i were sent */
    gt_buffer_slot failures;         /* the counter of the template's check kernel */
    gt_tasks first;                  /* checks after the first launch of a proof */
    void *values;                    /* the values of all scalars; owned */
    void *scalars[GT_PARAMETER_MAX]; /* each scalar's value, in `values` */
    CUdeviceptr numbers;             /* the workload's numbers, as the service kernels read them */
    uint32_t sets;          /* sets of buffers over which samples rotate; the slots are set 0 */
    CUdeviceptr *addresses; /* [set][buffer]; owned */
    const void **arguments; /* [set][caller argument]; owned */
    uint32_t argument_count;
} gt_workspace;

/* The graph of one sample. */
typedef struct gt_replay {
    CUgraphExec exec; /* NULL: not captured yet */
    uint32_t launches;
    uint32_t turn; /* gt_measure.turn when it was captured */
    bool hot;
} gt_replay;

/* The variables of a variant's module. */
typedef struct gt_variables gt_variables;

/* One verified variant. */
typedef struct gt_loaded {
    struct gt_loaded *next; /* in its list */
    uint64_t id;
    gt_launch launches[GT_WORKLOAD_MAX]; /* at each size */
    gt_launcher *launchers[GT_WORKLOAD_MAX];
    double launch_ns;     /* latest time of one launch on the device */
    double call_ns;       /* time of one launch among many, by the host's clock; 0: unknown */
    bool warm;            /* was launched once as samples of `launch` and `latency` launch it */
    bool clears;          /* buffers are zeroed before each launch */
    uint64_t owned_bytes; /* device memory that the variant takes, without its code */
    uint64_t kernels;     /* kernels in one launch */
    gt_replay full, brief, quick;
    gt_replay single;                         /* the graph of one launch that has many kernels */
    gt_variables *variables;                  /* NULL: the module has none; owned */
    double modelled[GPUTUNE_OBJECTIVE_COUNT]; /* samples on an emulated device; 0: none yet */
} gt_loaded;

/* Which buffers have lost their contents, so that they must be filled again. */
typedef enum gt_damage {
    GT_DAMAGE_NONE,
    GT_DAMAGE_INPUTS, /* inputs and guard zones may have lost their contents */
    GT_DAMAGE_EVERYTHING
} gt_damage;

/* The trial: another data set, on which variants are proved too. */
typedef struct gt_data_trial gt_data_trial;

enum { GT_TABLES = 16 };

struct gt_measure {
    const gt_driver *driver;
    gt_device device;
    CUcontext context;
    CUstream stream;
    CUevent start, stop, checked;
    gt_monitor *monitor;
    bool lost;  /* a fatal error has made this process unable to use the GPU */
    bool ready; /* gt_measure_prepare() has succeeded */

    CUmodule service;      /* NULL: not loaded */
    uint64_t service_hash; /* of the image that is loaded as `service`; 0: none */
    gt_launcher *judges[GT_JUDGE_COUNT][GT_WORKLOAD_MAX]; /* at each size; NULL: there is none */
    CUfunction functions[GT_SERVICE_COUNT];
    gt_measure_setup setup; /* without images and inputs */
    gt_workspace workspaces[GT_WORKLOAD_MAX];
    gt_buffer_slot slots[GT_WORKLOAD_MAX * GT_PARAMETER_MAX]; /* the timed workspace's come first */
    GT_ARRAY(CUdeviceptr) allocations;                        /* what gt_memory_take() has given */
    union { /* tables of tasks for the service kernels */
        gt_tasks tables[GT_TABLES];
        struct {
            gt_tasks fill;   /* fills inputs, pristine copies and guard zones */
            gt_tasks launch; /* before a proof's first launches: restores inout, poisons outputs */
            gt_tasks relaunch;     /* the same before its second launch, on the last workspace */
            gt_tasks reset, again; /* the same before the first and the second launch of the
                                      winner's proof, on each workspace */
            gt_tasks restore;      /* before a sample: restores the inout buffers of every set */
            gt_tasks rotate;       /* copies the buffers of set 0 to all other sets */
            gt_tasks check;        /* after that: compares results, checks guards and hashes */
            gt_tasks edges;   /* after launches that are not compared: guards and hashes alone */
            gt_tasks hash;    /* hashes the inputs */
            gt_tasks results; /* hashes the expected results */
            gt_tasks convert; /* converts inout buffers to the reference's doubles */
            gt_tasks keep;    /* puts the reference's results into the slots, as a variant would */
            gt_tasks agree;   /* compares the reference's first results with its second ones */
            gt_tasks move;    /* moves the inputs by a small step */
            gt_tasks spread;  /* measures how much the results change with the inputs */
        };
    };
    const gt_tasks *ahead;   /* the table that is queued already for the next launch, or NULL */
    CUdeviceptr sums, found; /* accumulators and result of the check kernel */
    gt_findings *findings;   /* the result on the host, in pinned memory */
    gt_findings *first;      /* the result for the first launch of a proof, likewise */
    uint64_t sequence;       /* number of the check kernel's last run */
    CUdeviceptr sweep;       /* zeros, twice the size of L2 (emulated: once); 0: no sweep */
    uint64_t sweep_bytes;
    CUdeviceptr stray;     /* not zero once a sweep has met something other than zeros */
    uint32_t *stray_seen;  /* the host's copy of `stray`; NULL: no sweep */
    uint64_t seed;         /* of the buffers' present contents */
    uint64_t results_hash; /* of the expected results with the setup's seed; 0: unknown */
    gt_damage damage;      /* must be repaired before the buffers are used again */
    bool has_expected;     /* the expected results are known */
    bool has_tolerances;   /* the tolerances are known */
    uint32_t turn;         /* number of sample jobs; chooses the set of buffers of a hot sample */
    gt_guarded guard;
    bool guarded;                /* launches on the timed workspace get the arguments of `guard` */
    bool hot;                    /* samples are with a warm cache, whatever the setup says */
    bool alone;                  /* samples are single launches, each on restored buffers */
    gputune_objective objective; /* of the samples that are taken now, and their length */
    gt_sample_length length;
    double reference_ns, copy_bytes_per_s;
    gt_data_trial *trial; /* NULL: there is none */
    gt_lost lost_tries;   /* experiments of the next trial that have ended workers */
    gt_current *current;  /* where the host hears of experiments; NULL: there is no host */
    bool is_trial;        /* this state is that of a trial: nothing is timed */

    gt_loaded *variants; /* those that may be sampled, the newest first */
    gt_loaded *dropped;  /* not needed any more, but not unloaded yet */
    uint32_t dropped_count;
};

/* The end of the slots of the first `workspace_count` workspaces, which begin at measure->slots. */
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

/* As gt_cuda_check() and GT_CUDA(). A fatal failure sets measure->lost. */
gputune_status gt_measure_check(gt_measure *measure, CUresult result, const char *call);
#define GT_CALL(measure, function, ...)                                                            \
    GT_TRY(gt_measure_check((measure), (measure)->driver->function(__VA_ARGS__), "cu" #function))

/* ---- measure.c ------------------------------------------------------------------------------- */

/* Allocates and fills what the setup needs, and runs the reference. The service kernels must be
 * loaded. */
gputune_status gt_measure_build(gt_measure *measure, const gt_measure_setup *setup);
/* Frees all that belongs to the setup. */
void gt_measure_forget(gt_measure *measure);

/* ---- measure_service.c: tables of tasks, and kernels, all queued on the stream --------------- */

/* Appends a task on a buffer (NULL: on other memory), cut into tiles. Leaves out a task of no
 * elements. A `repeats` of 0 means 1. ENOMEM. */
gputune_status gt_tasks_add(gt_tasks *table, gt_buffer_slot *slot, const gt_service_task *task);
/* Returns the number of tasks, all or those of the timed workload. */
size_t gt_tasks_count(const gt_tasks *table, bool timed_only);
/* Notes that the present tasks belong to the timed workload. */
void gt_tasks_mark_timed(gt_tasks *table);
/* Empties the table, keeping its memory on host and device. */
void gt_tasks_reset(gt_tasks *table);
/* Frees the table's memory on the host. gt_memory_free() frees that on the device. */
void gt_tasks_free(gt_tasks *table);
gputune_status gt_service_load(gt_measure *measure, const gt_image *image);
void gt_service_free(gt_measure *measure);
/* Copies a table's tasks to the device. */
gputune_status gt_tasks_upload(gt_measure *measure, gt_tasks *table);
/* Runs a table's tasks, all or those of the timed workload. */
gputune_status gt_service_run(gt_measure *measure, gt_service service, const gt_tasks *table,
                              bool timed_only);
/* Queues a table that makes the buffers ready for a launch (`launch` or `restore`, for example),
 * unless it is queued already. A launch on the buffers must follow. */
gputune_status gt_service_reset(gt_measure *measure, const gt_tasks *table, bool timed_only);
/* Queues such a table for the next launch: the device works while the host reads the results of the
 * last one. Does nothing on an emulated device. */
gputune_status gt_service_reset_ahead(gt_measure *measure, const gt_tasks *table);
/* Queues the check kernel over a table, and the copy of its findings to measure->findings or
 * measure->first. They can be read after the next synchronisation. */
gputune_status gt_service_check(gt_measure *measure, const gt_tasks *table, bool timed_only,
                                gt_findings *into);
/* Fills the shared memory of every multiprocessor with a mixed poison, which a kernel finds that
 * reads it before it writes it. Does nothing on an emulated device, which does so itself. */
gputune_status gt_service_poison_shared(gt_measure *measure, uint32_t poison);
/* Evicts the buffers from L2 by reading the sweep buffer. Does nothing without a sweep buffer. */
gputune_status gt_service_sweep(gt_measure *measure);
/* Queues another sweep, and the copy of `stray` to measure->stray_seen: it shows if a launch has
 * written into the sweep buffer. Does nothing on an emulated device, which finds such writes. */
gputune_status gt_service_look_for_stray(gt_measure *measure);
/* EWRONG if something was written into the sweep buffer, which is then filled with zeros again. */
gputune_status gt_service_judge_stray(gt_measure *measure);
/* Queues a kernel that keeps the stream busy for that long. Does nothing on an emulated device. */
gputune_status gt_service_delay(gt_measure *measure, uint64_t nanoseconds);
/* Waits until the stream is idle. */
gputune_status gt_measure_wait(gt_measure *measure);
/* Gets the time between the events measure->start and measure->stop. Waits for `stop`. */
gputune_status gt_measure_elapsed(double *out_ns, gt_measure *measure);

/* ---- measure_memory.c ------------------------------------------------------------------------ */

/* Allocates device memory, which lives until gt_memory_free(). */
gputune_status gt_memory_take(CUdeviceptr *out, gt_measure *measure, uint64_t bytes);
/* Frees all device memory and the pinned memory. */
void gt_memory_free(gt_measure *measure);
/* Sets bit i of out[w] if the setup has the data of buffer i of workload w. */
void gt_live_buffers(uint64_t out[GT_WORKLOAD_MAX], const gt_measure_setup *setup);
/* EDEVMEM if the setup does not fit, before anything is allocated. */
gputune_status gt_memory_precheck(gt_measure *measure, const gt_measure_setup *setup);
/* Allocates slots, expected results, scale, blocks and scalars of a workspace. Bit i of `live` is
 * set if the data of buffer i were sent. */
gputune_status gt_workspace_allocate(gt_measure *measure, gt_workspace *workspace, uint64_t live);
/* Writes the values of a workspace's scalars and numbers again, to the same addresses. */
gputune_status gt_workspace_values(gt_measure *measure, gt_workspace *workspace);
/* Allocates a workspace's argument arrays and, for the timed one, rotated sets as memory permits.
 */
gputune_status gt_workspace_rotate(gt_measure *measure, gt_workspace *workspace);
/* Fills `arguments`, the caller's arguments of a launch, for buffers at these addresses. They point
 * into `addresses` and the workspace. */
void gt_workspace_bind(const void **arguments, const gt_workspace *workspace,
                       const CUdeviceptr *addresses);
void gt_workspace_free(gt_workspace *workspace);
/* Queues copying the inputs of the timed workspace to memory that is mapped for reading only
 * (measure->guard). Inputs for which there is no such memory stay where they are. */
gputune_status gt_guard_inputs(gt_measure *measure);
/* Frees that memory at once. No launch may be queued: unmapping does not wait for launches. */
void gt_guard_free(gt_measure *measure);
/* Allocates the sweep buffer, the findings and the accumulators of the check kernel. */
gputune_status gt_memory_service(gt_measure *measure);

/* Builds all tables again. Called after allocation and before gt_contents_make(). */
gputune_status gt_tables_plan(gt_measure *measure);
/* Puts the tolerances and gaps of the slots into the comparisons. */
gputune_status gt_tables_judge(gt_measure *measure);
/* Makes the `move` table move one in `sparse` elements, drawn from `seed`. */
gputune_status gt_tables_move(gt_measure *measure, uint64_t seed, uint32_t sparse);

/* Queues filling inputs, pristine copies, guard zones and blocks of the first `workspace_count`
 * workspaces from `seed`. */
gputune_status gt_contents_fill(gt_measure *measure, uint64_t seed, uint32_t workspace_count);
/* Fills every workspace, or only the timed one, from `seed`, and runs the reference on it.
 * ETEMPLATE if the reference fails, or differs from itself by more than the tolerance. */
gputune_status gt_contents_make(gt_measure *measure, uint64_t seed, bool timed_only);
/* Sets the spans of the `move` table for inputs whose values come from data or from the template's
 * own kernel, by a sample of their values. The inputs must be as they were filled. Waits. */
gputune_status gt_contents_span(gt_measure *measure);
/* Looks for an output of the timed workload whose tolerance exceeds the median of its results:
 * almost anything would pass. The slots must hold the reference's results. Waits. */
gputune_status gt_contents_loose(gt_prepared *out, gt_measure *measure);
/* Fills again, from the setup's seed, the buffers that measure->damage names. */
gputune_status gt_contents_refresh(gt_measure *measure);

/* Runs the reference twice on the first `workspace_count` workspaces. Its results become the
 * expected ones if both agree within the tolerance, which is measured first if the template states
 * none. */
gputune_status gt_expected_refer(gt_measure *measure, uint32_t workspace_count);
/* Takes the results that were sent as the expected ones. If the template states no tolerance, it
 * follows from types, lengths and magnitudes. */
gputune_status gt_expected_take(gt_measure *measure);
/* Takes the results of this variant as the expected ones, if there is no reference. One launch is
 * enough, because the variant is proved afterwards like any other. */
gputune_status gt_expected_adopt(gt_measure *measure, struct gt_loaded *variant);

/* Copies the caller's data into the pristine copies of the timed workspace, and closes IPC
 * mappings. EINVAL for data of another size than the buffer. */
gputune_status gt_inputs_copy(gt_measure *measure, const gt_measure_setup *setup);

/* ---- measure_reference.c --------------------------------------------------------------------- */

/* Loads from the image the judges (gt_judge_kind) that the workloads have. */
gputune_status gt_reference_load(gt_measure *measure, const gt_image *image);
void gt_reference_free(gt_measure *measure);
/* Queues the check of a table into *into, after the template's own check kernel, if there is one,
 * on the workspaces `from` to `to` - 1. One workspace: only the tasks of the timed workload. */
gputune_status gt_check_queue(gt_measure *measure, const gt_tasks *table, uint32_t from,
                              uint32_t to, gt_findings *into);
/* Queues one launch of the template's own kernel that fills the inputs, after their fills by the
 * service kernels. */
gputune_status gt_init_launch(gt_measure *measure, gt_workspace *workspace, uint64_t seed);

/* ---- measure_verify.c ------------------------------------------------------------------------ */

/* Returns the variant of that id, or NULL. */
gt_loaded *gt_loaded_find(gt_measure *measure, uint64_t id);
void gt_loaded_free_all(gt_measure *measure);
/* Queues a launch with these arguments. */
gputune_status gt_measure_launch(gt_measure *measure, gt_launcher *launcher,
                                 const void *const *arguments);
/* Fails if the GPU is lost, or nothing was prepared. */
gputune_status gt_measure_usable(const gt_measure *measure);
/* Returns true if the workload has pairs of buffers that may be one. */
bool gt_has_in_place(const gt_workload *workload);
/* Returns the place of a buffer among the caller's arguments. */
uint32_t gt_argument_place(const gt_workload *workload, uint32_t buffer);
/* Queues one launch of a variant on the workspace with this index. Restores no buffer. */
gputune_status gt_loaded_launch(gt_measure *measure, gt_loaded *variant, uint32_t workspace);

/* ---- measure_trial.c ------------------------------------------------------------------------- */

/* Makes the trial if there is a reference. Fails only if the GPU is lost. */
gputune_status gt_trial_make(gt_measure *measure, const gt_measure_setup *setup);
void gt_trial_free(gt_measure *measure);
/* Queues a variant's launch on the trial's data, and the comparison. Does nothing without a trial,
 * and for the default variant (job->standard) when it is proved first. */
gputune_status gt_trial_queue(gt_measure *measure, gt_loaded *variant, const gt_verify_job *job);
/* Judges the launch of gt_trial_queue(), after a synchronisation. When the default variant is
 * proved first, finds out by it what can be demanded of others, and describes that in out->trial
 * and out->single. */
gputune_status gt_trial_judge(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                              const gt_verify_job *job);
/* Puts the trial's data in front of a failure's message. Returns the status. */
gputune_status gt_trial_name(gputune_status status, const gt_measure *measure);
/* Notes that a variant has failed, and may have damaged the trial's buffers too. */
void gt_trial_doubt(gt_measure *measure);
/* Proves a winner by many launches in a row, and on further data sets at the same addresses. Sets
 * out->trial and out->single. `share` is the part of gt_trial_winner_ns() that may be spent. Does
 * nothing without a trial. Waits. */
gputune_status gt_trial_winner(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                               double share);
/* Returns how long gt_trial_winner() takes with a share of 1; 0 without a trial. *further_ns: the
 * part that the first further data set takes. */
double gt_trial_winner_ns(double *further_ns, const gt_measure *measure);

/* ---- measure_report.c ------------------------------------------------------------------------ */

/* Raises measure->damage to `damage` if the status is a failure. Returns the status. */
gputune_status gt_damaged(gt_measure *measure, gt_damage damage, gputune_status status);
/* Judges the findings of a proof, or of the winner's second proof (`after_race`). EWRONG: the
 * message has place, value, expected value, tolerance and the tolerance that would have accepted
 * the value; measure->damage says what must be filled again. */
gputune_status gt_report_findings(gt_verified *out, gt_measure *measure, bool after_race);
/* Judges a launch on the trial's data; `measure` is the trial's state. A message has `words`. */
gputune_status gt_report_trial(gt_verified *out, gt_measure *measure, const char *words);
/* Judges what a table has found of guard zones and inputs, and no results. */
gputune_status gt_report_edges(gt_measure *measure, const gt_tasks *table, bool timed_only);
/* Writes "rtol = 1e-05, atol = 0, stol = 0", with "by default" before it if the template states no
 * tolerance. */
const char *gt_tolerance_text(char out[128], const gt_measure *measure, const gt_buffer_slot *slot);

/* ---- measure_sample.c ------------------------------------------------------------------------ */

/* Takes one sample, in nanoseconds (energy: nanojoules) a launch, of measure->length. The buffers
 * must not be damaged. gt_sample_single() times one launch on restored buffers by events. */
typedef gputune_status gt_sampler(double *out, gt_measure *measure, gt_loaded *variant);
gt_sampler gt_sample_single, gt_sample_kernel;
/* EUNSUPPORTED if energy cannot be measured: on an emulated device, and without NVML. */
gputune_status gt_energy_check(gt_measure *measure);
/* Frees a graph, if there is one, and zeroes *replay. */
void gt_replay_free(gt_replay *replay, gt_measure *measure);

#endif
