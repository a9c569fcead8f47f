/* A call resolved: template, problem, workload, options with their defaults, and the keys under
 * which its result is remembered. */
#pragma once

#include "base/status.h"
#include "farm/farm.h"
#include "kernel/source.h"
#include "store/store.h"
#include "tuner/catalog.h"
#include <stdbool.h>

/* What a tuner works with. Every call may come from any thread. */
typedef struct gt_services {
    gt_catalog *catalog;
    gt_store *store;
    const gt_device *device;
    gt_log log;
    uint32_t compile_workers; /* of a farm; 0: not known */
    /* Lends a farm to one session, opened if need be; `measure`: with a measure worker. */
    gputune_status (*borrow_farm)(void *user, gt_farm **out, bool measure,
                                  gputune_isolation isolation);
    void (*return_farm)(void *user, gt_farm *farm);
    /* Lends a farm of another tuner, and names its GPU, whose GPU nobody else measures on
     * meanwhile. EINVAL: its GPU is of another kind; EBUSY: it is at something else. */
    gputune_status (*borrow_helper)(void *user, gt_farm **out, char name[32], gputune *helper,
                                    gputune_isolation isolation);
    void (*return_helper)(gputune *helper, gt_farm *farm);
    /* The right to measure on the GPU, which one session at a time has. False: another one has it;
     * ask again later. */
    bool (*take_gpu)(void *user);
    void (*leave_gpu)(void *user);
    /* Whether the session that has the GPU is to ask its worker how fast it is, and what the worker
     * answered; NULL: it is not asked. */
    bool (*is_pace_wanted)(void *user);
    void (*tell_pace)(void *user, const gt_event *sampled);
    /* Makes one live input ready for the measure worker: an IPC handle, or staged bytes, which are
     * the caller's to free. */
    gputune_status (*input)(void *user, gt_live_input *out, const gputune_input *input);
    /* Waits until live inputs on the device are filled. */
    gputune_status (*await_inputs)(void *user, const gputune_options *options);
    void *user;
    const volatile int *closing; /* non-zero: the tuner is being closed, every call ends soon; or
                                    NULL */
} gt_services;

/* How a request is tuned that the application does not wait for. */
typedef struct gt_background_use {
    double share; /* of the time that measuring may take while the application uses the GPU */
    bool (*is_busy)(void *user); /* whether the application uses it now */
    /* Whether a tuning that a caller waits for wants the GPU; the request is then cancelled. */
    bool (*must_give_way)(void *user);
    void *user;
} gt_background_use;

typedef struct gt_request {
    const gt_template *template;
    const gt_device *device;
    const gt_services *services; /* `own`, whose log is the call's too */
    gt_services own;
    gt_log tuner_log;
    bool by_path; /* the call named the template by its path */
    gt_problem problem;
    gt_workload workload;
    gputune_options options; /* every 0 replaced by its default */
    gt_scenario scenario;
    gt_scenario here; /* the same for its sizes alone, where a bucket's share the other; keeps what
                         was proved at them */
    char environment[GT_ENVIRONMENT_MAX];
    gt_patience patience; /* until the time limit, from when the call began */
    gt_patience grace;    /* gt_request_grace(); until_ns 0: not begun */
    gt_code standby;      /* of the default, as soon as a session has compiled it; no image: none */
    gt_terms terms;       /* the terms that a result must have been made under at least */
    gt_lease *lease;      /* held while it is tuned, NULL before */
    bool check;           /* variants are checked by the emulator's sanitizer, and not proved */
    const gt_background_use *background; /* NULL: the caller waits for it */
    struct {
        gputune_status failure; /* of the default in this very call; OK: none */
        char message[512];
    } refuted;
    struct gt_data_file *files; /* with data of buffers (data.h) */
    uint32_t file_count;
    char *proved_at; /* what a proof of it is made at, as text: a trial that was proved, or refuted,
                        at something else may be wrong, or right, here */
    char *only_text; /* its restrictions, "UNROLL=1,2,4; VEC=1"; "": none */
    char *problem_text, *bucket_text, *fixed_text, *alignment_text, *inputs_text, *here_text;
    const char *host_text; /* the processor that results depend on, or NULL */
    int64_t sizes[GT_SCENARIO_SIZES];
} gt_request;

/* Resolves a call. EINVAL, ENOTFOUND, ETEMPLATE as the parts say. `device` may differ from the
 * services' (another architecture, to compile for). gt_request_free() releases. Large: on the heap.
 */
gputune_status gt_request_make(gt_request **out, const gt_services *services,
                               const gt_device *device, const char *kernel, gputune_sizes sizes,
                               const gputune_options *options);
void gt_request_free(gt_request *request);
/* Frees what the pointer leads to: for GT_SCOPED(). */
static inline void gt_request_end(gt_request **request)
{
    gt_request_free(*request);
}
static inline void gt_space_end(gt_space **space)
{
    gt_space_free(*space);
}

/* The little time that is left for an answer when the request's own is over, counted from the first
 * call of this function. */
gt_patience gt_request_grace(gt_request *request);

/* The caller's options as this library knows them: those that an older caller lacks have their
 * defaults. NULL: all have. EINVAL for a version that no header has. */
gputune_status gt_options_read(gputune_options *out, const gputune_options *given);
/* What can be said of a call without its template: EINVAL for NULL where there must be something,
 * and for numbers that are no values of their types. `options` are of this library's version. */
gputune_status gt_call_check(const char *kernel, gputune_sizes sizes,
                             const gputune_options *options);

/* Notes in a workload of the request's that the call brings a reference of its own. */
void gt_request_judge(gt_workload *workload, const gt_request *request);
/* The workload's buffer that the caller's data are for. EINVAL when there is none of that name, it
 * is no input, or its size is another. */
gputune_status gt_request_input(uint32_t *buffer, const gt_workload *workload,
                                const gputune_input *input);

/* The objective of a request that states none. */
gputune_objective gt_default_objective(const gt_template *template);
/* Logs a warning if the template has no reference, so that only its default says what is right. */
void gt_request_say_proof(const gt_request *request);

/* Logs a warning about an output whose tolerance lets almost anything pass. */
void gt_request_say_loose(const gt_request *request, const gt_prepared *prepared);
/* Logs what the last proof has shown of the winner: a warning if it writes a variable of its
 * module.
 */
void gt_request_say_winner(const gt_request *request, const gt_verified *verified);

/* A space over the request's problem with its restrictions; for gt_space_free(). */
gputune_status gt_request_space(gt_space **out, const gt_request *request);
/* gt_space_prepare() for a space of the request. ETIMEOUT names the limit that ended it, ECANCELED
 * says that the caller did. */
gputune_status gt_request_prepare_space(const gt_request *request, gt_space *space);
/* The same for a space whose variants are to be tried. Warns of requested values that are excluded.
 * ENOVARIANT, with the constraints that exclude, if no configuration is valid. */
gputune_status gt_request_space_to_try(gt_space **out, const gt_request *request);
/* Warns if the space leaves out the template's default, of what is then not known. */
void gt_request_warn_of_default(const gt_request *request, gt_space *space);
/* Whether constraints and the device allow a configuration, whatever the restrictions say. ENOMEM.
 */
gputune_status gt_request_permits(bool *out, const gt_request *request, const gt_config *config);
/* Whether the request's space has the configuration, with its restrictions. ENOMEM. */
gputune_status gt_request_covers(bool *out, const gt_request *request, const gt_config *config);
/* All options that a source of the request is compiled with beyond the standard ones: its own and
 * the folders of headers. `quickly`: with less optimisation, for a sketch. The caller free()s the
 * array, not what it points to. ENOMEM. */
gputune_status gt_request_compile_options(const char ***out, size_t *count,
                                          const gt_request *request, const gt_source *source,
                                          bool quickly);
/* The generated source of a configuration; for gt_source_free(). */
gputune_status gt_request_source(gt_source *out, const gt_request *request,
                                 const gt_config *config);

/* A call's kernel, sizes and options, with texts and lists of its own. Callbacks, `user` and
 * `cancel` stay the caller's. */
typedef struct gt_call_copy {
    char *kernel;
    gputune_sizes sizes;
    gputune_options options;      /* of the newest version */
    struct gt_call_block *blocks; /* what is copied */
    bool failed;                  /* memory was short */
} gt_call_copy;

/* Copies a call. EINVAL for options with inputs, files or a reference function, which belong to
 * the call. *out is for gt_call_copy_free(), whatever the status. */
gputune_status gt_call_copy_make(gt_call_copy *out, const char *kernel, gputune_sizes sizes,
                                 const gputune_options *options);
void gt_call_copy_free(gt_call_copy *copy);
