/* What the files of measure*.c share: one GPU's state while it measures. Everything runs on one
 * thread and one stream; device work is queued and waited for as rarely as possible. */
#ifndef GT_FARM_MEASURE_PARTS_H
#define GT_FARM_MEASURE_PARTS_H

#include "farm/measure.h"
#include "farm/measure_monitor.h"
#include "farm/measure_plan.h"
#include "farm/measure_task.h"
#include "gpu/device.h"
#include "gpu/launcher.h"
#include "gpu/module.h"

/* The service kernels, in the order of their names in measure_service.c. */
typedef enum gt_service {
    GT_SERVICE_FILL,
    GT_SERVICE_RESET,
    GT_SERVICE_CHECK,
    GT_SERVICE_CLEAR,
    GT_SERVICE_SWEEP,
    GT_SERVICE_DELAY,
    GT_SERVICE_LITTER,
    GT_SERVICE_COUNT
} gt_service;

/* One buffer of a workload on the device. */
typedef struct gt_slot {
    CUdeviceptr base;     /* of its allocation: the front guard begins here or a skew later */
    CUdeviceptr address;  /* what kernels get */
    CUdeviceptr pristine; /* an untouched copy, 0 where none is needed */
    CUdeviceptr expected; /* results of the reference, 0 for an input */
    bool live;            /* the caller's data: never filled */
    uint64_t hash;        /* of an input's contents */
    bool gaps;            /* an output of which the reference leaves elements alone */
    gt_tolerance tolerance;
    int compare_task, guard_task, hash_task; /* index into the check table, or -1 */
    int first_task, first_hash_task;         /* into the rig's first table, or -1 */
    int agree_task, spread_task, input_task; /* into those tables, or -1 */
} gt_slot;

/* One workload made real. rigs[0] is the one that is timed. */
typedef struct gt_rig {
    gt_workload workload;
    gt_slot slots[GT_PARAMETER_MAX];
    CUdeviceptr scale;
    gt_type scale_type;
    void *block;                              /* the pass block on the host; owned */
    CUdeviceptr device_block;                 /* and for the reference */
    CUdeviceptr scratch[2][GT_PARAMETER_MAX]; /* of the reference and the check, by parameter */
    CUfunction reference, check;              /* NULL without */
    CUdeviceptr failures;                     /* what the check kernel counts */
    gt_tasks first;                           /* comparisons after the first launch of a proof */
    int failures_task, first_failures_task;   /* index into the check and the first table, or -1 */
    uint64_t scalars[GT_PARAMETER_MAX];       /* raw bits */
    uint32_t sets;                            /* of buffers to rotate over, the slots included */
    CUdeviceptr *addresses;                   /* [set][buffer]; owned */
    const void **arguments;                   /* [set][caller argument]; owned */
    uint32_t argument_count;
} gt_rig;

/* A captured sample. */
typedef struct gt_replay {
    CUgraphExec exec; /* NULL: none yet */
    uint32_t launches;
    uint32_t turn; /* when it was captured */
} gt_replay;

/* One verified variant. */
typedef struct gt_loaded {
    uint64_t id;
    gt_launcher *launchers[GT_WORKLOAD_MAX];
    double launch_ns;     /* best knowledge of one launch on the device */
    double call_ns;       /* of one launch among many, as the host sees it; 0: unknown */
    bool warm;            /* launched once as the host-side objectives do */
    bool clears;          /* something is zeroed before each launch */
    uint64_t owned_bytes; /* device memory beside code */
    gt_replay full, brief, quick;
    double modelled[GPUTUNE_OBJECTIVE_COUNT]; /* emulated devices: the sample, 0: none yet */
} gt_loaded;

/* What the buffers lost. */
typedef enum gt_damage {
    GT_DAMAGE_NONE,
    GT_DAMAGE_INPUTS, /* inputs and guards, perhaps */
    GT_DAMAGE_EVERYTHING
} gt_damage;

struct gt_measure {
    const gt_driver *driver;
    gt_device device;
    CUcontext context;
    CUstream stream;
    CUevent start, stop, checked;
    gt_monitor *monitor;
    bool lost;  /* after a fatal error */
    bool ready; /* prepared */

    gt_module *service, *reference;
    CUfunction functions[GT_SERVICE_COUNT];
    gt_measure_setup setup; /* without images and inputs */
    gt_rig rigs[GT_WORKLOAD_MAX];
    GT_ARRAY(CUdeviceptr) allocations;
    gt_tasks fill;           /* inputs, pristine copies, guards */
    gt_tasks launch;         /* before a proof's first launches: inout restored, outputs poisoned */
    gt_tasks relaunch;       /* before its second one, on the last rig */
    gt_tasks reset, again;   /* the same for the winner's proof, on every rig */
    gt_tasks restore;        /* before a sample: inout of every set */
    gt_tasks rotate;         /* set 0 to all others */
    const gt_tasks *ahead;   /* reset or restore, queued since the last launch on the buffers */
    gt_tasks check;          /* after the second launch: comparisons, guards, hashes */
    gt_tasks hash;           /* inputs */
    gt_tasks convert;        /* inout to the reference's doubles */
    gt_tasks keep;           /* what the reference made, as a variant's outputs */
    gt_tasks agree;          /* that against what it made when it ran again */
    gt_tasks move;           /* inputs moved by a small step */
    gt_tasks spread;         /* how far results moved with them */
    CUdeviceptr sums, found; /* accumulators and result of the check kernel */
    gt_findings *findings;   /* the result here, in pinned memory */
    gt_findings *first;      /* that after the first launch of a proof */
    uint32_t finding_capacity;
    uint64_t sequence; /* of the last check */
    CUdeviceptr sweep; /* zeros, twice the L2 (emulated: once); 0: no sweep */
    uint64_t sweep_bytes;
    uint64_t seed;       /* of what the buffers hold now */
    gt_damage damage;    /* to be made good before the next use */
    bool has_expected;   /* expected results are there */
    bool has_tolerances; /* and how far from them is right */
    uint32_t turn;       /* counts sample jobs: which set a hot one takes */
    double reference_ns, copy_bytes_per_s;

    GT_ARRAY(gt_loaded) variants;
    GT_ARRAY(gt_loaded) dropped; /* out of the race, not yet unloaded */
};

/* Records the failure of a CUDA call; a fatal one marks the process lost. */
gputune_status gt_measure_check(gt_measure *measure, CUresult result, const char *call);
/* GT_CALL(measure, MemFree, address): as GT_CUDA, and marks a fatal failure. */
#define GT_CALL(measure, function, ...)                                                            \
    GT_TRY(gt_measure_check((measure), (measure)->driver->function(__VA_ARGS__), "cu" #function))

/* ---- measure_service.c: tables and kernels, all queued on the stream ------------------------- */

/* Loads the service image and looks its kernels up. */
gputune_status gt_service_load(gt_measure *measure, const gt_image *image);
/* Copies a table's tasks to the device. */
gputune_status gt_tasks_upload(gt_measure *measure, gt_tasks *table);
/* Runs a table's tasks, or only the timed workload's. Empty tables do nothing. */
gputune_status gt_service_run(gt_measure *measure, gt_service service, const gt_tasks *table,
                              bool timed_only);
/* Runs `reset` or `restore`, where that is not done yet. A launch on the buffers must follow. */
gputune_status gt_service_reset(gt_measure *measure, const gt_tasks *table, bool timed_only);
/* Does it for the next launch already, so that the device works while the host reads what the last
 * one gave. Nothing on an emulated device. */
gputune_status gt_service_reset_ahead(gt_measure *measure, const gt_tasks *table);
/* Queues the check kernel over a table and the copy of its findings; they are in *into (findings or
 * first) after the next synchronisation. */
gputune_status gt_service_check(gt_measure *measure, const gt_tasks *table, bool timed_only,
                                gt_findings *into);
/* Leaves a pattern of that byte in the shared memory of every multiprocessor, for kernels that read
 * it before they write it. Nothing on an emulated device, whose blocks all find a pattern. */
gputune_status gt_service_litter(gt_measure *measure, uint32_t poison);
/* Makes L2 hold nothing of the buffers. Nothing where there is no sweep. */
gputune_status gt_service_sweep(gt_measure *measure);
/* Keeps the stream busy for so long. Nothing on an emulated device. */
gputune_status gt_service_delay(gt_measure *measure, uint64_t nanoseconds);
/* Waits for the stream. */
gputune_status gt_measure_wait(gt_measure *measure);
/* Nanoseconds between start and stop; waits for stop. */
gputune_status gt_measure_elapsed(double *out_ns, gt_measure *measure);

/* ---- measure_memory.c ------------------------------------------------------------------------ */

/* Device memory that lives until gt_memory_free(). */
gputune_status gt_memory_take(CUdeviceptr *out, gt_measure *measure, uint64_t bytes);
void gt_memory_free(gt_measure *measure);
/* EDEVMEM naming need, free memory and remedy, before anything is allocated. */
gputune_status gt_memory_precheck(gt_measure *measure, const gt_measure_setup *setup);
/* Allocates slots, expected results, scales, blocks and scalars of a rig. `live`: bit per buffer.
 */
gputune_status gt_rig_allocate(gt_measure *measure, gt_rig *rig, uint64_t live);
/* Allocates the rotated sets of the timed rig where memory permits, and every rig's argument
 * arrays. */
gputune_status gt_rig_rotate(gt_measure *measure, gt_rig *rig);
void gt_rig_free(gt_rig *rig);
/* The sweep's buffer, findings and accumulators. */
gputune_status gt_memory_service(gt_measure *measure);

/* ---- measure_tables.c: what the service kernels do, as tables -------------------------------- */

/* Builds the tables that stay; after allocation, before gt_contents_make(). */
gputune_status gt_tables_plan(gt_measure *measure);
/* Puts the slots' tolerances and gaps into the comparisons. */
gputune_status gt_tables_judge(gt_measure *measure);
/* Has the move table move one in `sparse` elements, drawn from `seed`. */
gputune_status gt_tables_move(gt_measure *measure, uint64_t seed, uint32_t sparse);

/* ---- measure_contents.c: what the buffers hold ----------------------------------------------- */

/* Fills inputs, pristine copies, guards and blocks from `seed`, of the first `rigs` rigs. Queued.
 */
gputune_status gt_contents_fill(gt_measure *measure, uint64_t seed, uint32_t rigs);
/* Fills everything from `seed` and runs the reference on each rig (only the timed one where
 * `timed_only`, which leaves the other rig alone). ETEMPLATE for a reference that fails or that
 * differs from itself by more than the tolerance. */
gputune_status gt_contents_make(gt_measure *measure, uint64_t seed, bool timed_only);
/* Makes good what is damaged, from the setup's seed. */
gputune_status gt_contents_refresh(gt_measure *measure);

/* ---- measure_expected.c: right results, and how far from them is right ----------------------- */

/* Runs the reference twice on the first `rigs` rigs: its results are the expected ones if they
 * agree within the tolerance. Where that follows from measuring, measures it if it is not known. */
gputune_status gt_expected_refer(gt_measure *measure, uint32_t rigs);
/* The same with this variant in the reference's place; one launch, as it is proved like any other.
 */
gputune_status gt_expected_adopt(gt_measure *measure, struct gt_loaded *variant);

/* ---- measure_inputs.c ------------------------------------------------------------------------ */

/* Copies the caller's data into the timed rig's pristine copies and slots. IPC mappings are
 * closed before it returns. EINVAL for data of another size than the buffer. */
gputune_status gt_inputs_copy(gt_measure *measure, const gt_measure_setup *setup);

/* ---- measure_reference.c --------------------------------------------------------------------- */

/* Loads the image and looks up each rig's reference and check kernel; allocates their scratch. */
gputune_status gt_reference_load(gt_measure *measure, const gt_image *image);
/* Queues one launch of the reference, or of the check kernel, on a rig; clears first. */
gputune_status gt_reference_launch(gt_measure *measure, gt_rig *rig);
gputune_status gt_check_launch(gt_measure *measure, gt_rig *rig);

/* ---- measure_verify.c ------------------------------------------------------------------------ */

/* The variant of that id, or NULL. */
gt_loaded *gt_loaded_find(gt_measure *measure, uint64_t id);
/* Frees all variants. */
void gt_loaded_free_all(gt_measure *measure);
/* Queues one launch on a rig, as it comes: nothing is restored. */
gputune_status gt_loaded_launch(gt_measure *measure, gt_loaded *variant, uint32_t rig);

/* ---- measure_report.c ------------------------------------------------------------------------ */

/* Judges the findings of a proof, of a winner's with `after_race`: OK with the largest
 * error and the tolerance that it was held against in *out, or EWRONG with place, value, expected
 * value, tolerance and the one that would have done. *damage says what must be made anew. */
gputune_status gt_report_findings(gt_verified *out, gt_damage *damage, const gt_measure *measure,
                                  bool after_race);
/* "rtol = 1e-05, atol = 0, stol = 0" after "by default" if nobody stated them; into `out`. */
const char *gt_tolerance_text(char out[128], const gt_measure *measure, const gt_slot *slot);

/* ---- samples: measure_graph.c, measure_host.c, measure_energy.c --------------------------------
 */

/* What a sampler needs to know. */
typedef struct gt_sampling {
    gputune_objective objective;
    gt_sample_length length;
} gt_sampling;

/* Queues what comes before a sample, untimed: inout restored, hot: one launch, cold: the sweep. */
gputune_status gt_sample_ready(gt_measure *measure, gt_loaded *variant);
/* Takes one sample, in nanoseconds (energy: nanojoules) a launch. The buffers are ready. */
typedef gputune_status gt_sampler(double *out, gt_measure *measure, gt_loaded *variant,
                                  const gt_sampling *sampling);

/* Who samples by which objective. DEFAULT stands for what was prepared, if that states none. */
#define GT_SAMPLERS(X)                                                                             \
    X(DEFAULT, gt_sample_kernel)                                                                   \
    X(KERNEL, gt_sample_kernel)                                                                    \
    X(LAUNCH, gt_sample_launch)                                                                    \
    X(LATENCY, gt_sample_latency)                                                                  \
    X(ENERGY, gt_sample_energy)

#define GT_DECLARE_SAMPLER(objective, sampler) gt_sampler sampler;
GT_SAMPLERS(GT_DECLARE_SAMPLER)
#undef GT_DECLARE_SAMPLER
/* The sample of any objective on an emulated device, by its modelled clocks. */
gt_sampler gt_sample_modelled;
/* EUNSUPPORTED where no energy counter can be read: on an emulated device, without NVML. */
gputune_status gt_energy_check(gt_measure *measure);
/* The arguments of launch `index` of a sample: cold, each takes the next set of buffers; hot, all
 * of a round take the same. */
const void *const *gt_sample_arguments(const gt_measure *measure, uint32_t index);
/* Queues that launch. */
gputune_status gt_sample_issue(gt_measure *measure, gt_loaded *variant, uint32_t index);
/* The graph of so many launches on the buffers whose turn it is, captured, instantiated and
 * uploaded if it is not there yet. */
gputune_status gt_replay_make(gt_replay *replay, gt_measure *measure, gt_loaded *variant,
                              uint32_t launches);
void gt_replay_free(gt_replay *replay, gt_measure *measure);

#endif
