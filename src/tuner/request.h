/* A call resolved: template, problem, workload, options with defaults, and keys of its result. */
#pragma once

#include "base/status.h"
#include "farm/farm.h"
#include "kernel/bind/source.h"
#include "kernel/space/space.h"
#include "store/store.h"
#include "tuner/catalog.h"
#include "tuner/workers.h"

#include <stdbool.h>
#include <string.h>

/* The parts of a tuner that its requests use. Any thread may call the functions. */
typedef struct gt_services gt_services;
struct gt_services {
    gt_catalog *catalog;
    gt_store *store;
    const gt_device *device;
    gt_log log;
    uint32_t compile_workers; /* number in each farm; 0: not known */
    gt_workers *workers;
    gt_gpu_right *gpu;
    bool records_only;    /* nothing is tuned, and no plan made: requests are EUNSUPPORTED */
    gt_gpu_user gpu_user; /* as whom the GPU is taken */
    /* Prepares one live input: *out has an IPC handle, or staged bytes, which the caller frees. */
    gputune_status (*input)(void *user, gt_live_input *out, const gputune_input *input);
    /* Waits until live inputs on the device are filled. */
    gputune_status (*await_inputs)(void *user, const gputune_options *options);
    void *user;
    const volatile int *closing; /* not 0: the tuner is being closed, so calls end soon; or NULL */
};

/* How a request is tuned in the background, where the application does not wait for it. */
typedef struct gt_background_use {
    double share; /* fraction of the time for measuring while the application uses the GPU */
    bool (*is_busy)(void *user); /* whether the application uses the GPU now */
    /* Returns true if a tuning that a caller waits for wants the GPU: this one is cancelled. */
    bool (*must_give_way)(void *user);
    void *user;
} gt_background_use;

typedef struct gt_request {
    const gt_template *template;
    const gt_device *device;
    const gt_services *services;
    gt_log log;   /* the tuner's, which also writes to the call's */
    bool by_path; /* the call named the template by its path */
    gt_problem problem;
    gt_problem odd_tail; /* other sizes, at which a proof launches, too */
    gt_workload workload;
    gputune_options options; /* every 0 replaced by its default */
    gt_space *space;         /* of the problem, with the restrictions of the options; owned */
    gt_scenario scenario;
    gt_scenario here; /* like `scenario`, but of these exact sizes, where a bucket of sizes shares
                         `scenario`; proofs at these sizes are kept under it */
    char environment[GT_ENVIRONMENT_MAX];
    gt_patience patience; /* lasts until the time limit, counted from the beginning of the call */
    gt_patience grace;    /* gt_request_grace(); until_ns 0: not begun */
    gt_code default_code; /* the default's code, once compiled; before that it has no image */
    gt_terms terms;       /* the terms that a result must have been made under at least */
    gt_lease *lease;      /* held while it is tuned, NULL before */
    bool check;           /* variants are checked by the emulator's sanitizer, and not proved */
    const gt_background_use *background; /* NULL: the caller waits for it */
    struct {
        gputune_status failure; /* of the default, in this call; OK: it did not fail */
        char message[512];
    } refuted;
    GT_ARRAY(struct gt_data_file) files; /* with data of buffers (data.h) */
    char *proved_at; /* the sizes and data that a proof of the request uses, as text: a trial that
                        was proved with others may be wrong here, and one that was refuted with
                        others may be right */
    char *only_text; /* the restrictions, such as "UNROLL=1,2,4 VEC=1"; "": none */
    char *problem_text, *bucket_text, *fixed_text, *alignment_text, *inputs_text, *here_text;
    char *odd_tail_text;   /* "": there are no odd-tail sizes */
    char *samples_path;    /* a copy of the option; NULL: it is the caller's */
    const char *host_text; /* the processor that results depend on, or NULL */
} gt_request;

/* Resolves a call to a request. `device` may differ from the services' device, to compile for
 * another architecture. EINVAL, ENOTFOUND, ETEMPLATE as the functions fail that resolve its parts.
 * *out is on the heap, because it is large; gt_request_free() releases it. */
gputune_status gt_request_make(gt_request **out, const gt_services *services,
                               const gt_device *device, const char *kernel, gputune_sizes sizes,
                               const gputune_options *options);
void gt_request_free(gt_request *request);
/* The same, for GT_SCOPED(). */
static inline void gt_request_end(gt_request **request)
{
    gt_request_free(*request);
}

/* Begins the request's time limit, as gt_request_make() has done, again. */
void gt_request_begin(gt_request *request);
/* Lets the request outlive the call: of the options' pointers it then needs the callbacks, `user`
 * and `cancel`. EINVAL for inputs, files or a reference, which belong to the call. ENOMEM. */
gputune_status gt_request_outlive_call(gt_request *request);

/* Returns true if two configurations are the same. */
static inline bool gt_config_is(const gt_config *a, const gt_config *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}
/* Returns true if a configuration is the default of the request's template. */
bool gt_request_is_default(const gt_request *request, const gt_config *config);

/* The short time for an answer after the limit, counted from the first call of this function. */
gt_patience gt_request_grace(gt_request *request);

/* Converts the caller's options to this library's version: options that an older version lacks get
 * their defaults, and `given` NULL means all defaults. EINVAL for a version that no header has. */
gputune_status gt_options_read(gputune_options *out, const gputune_options *given);
/* Checks what can be checked of a call without its template. EINVAL for NULL where a value is
 * needed, and for numbers outside their option's range. `options` are of this library's version. */
gputune_status gt_call_check(const char *kernel, gputune_sizes sizes,
                             const gputune_options *options);

/* Notes in a workload of the request that the call brings its own reference. */
void gt_request_judge(gt_workload *workload, const gt_request *request);
/* Finds the workload's buffer that a caller's input is for. EINVAL: none, no input, its size. */
gputune_status gt_request_input(uint32_t *buffer, const gt_workload *workload,
                                const gputune_input *input);

/* The objective of a request that names none. */
gputune_objective gt_default_objective(const gt_template *template);
/* Fails as a request that its caller or its limit ended before something: "it was compiled". */
gputune_status gt_request_ended(const gt_request *request, const char *before);
/* Prepares the request's space. ETIMEOUT names the limit that ended it. ECANCELED: the caller. */
gputune_status gt_request_prepare_space(const gt_request *request);
/* The same for a space whose variants will be tried, from the first one on. Warns of requested
 * values that are excluded. ENOVARIANT, naming constraints, if nothing is valid. */
gputune_status gt_request_space_to_try(const gt_request *request);
/* Warns if the space leaves out the template's default, and says what is then not known. */
void gt_request_warn_of_default(const gt_request *request);
/* Returns true if constraints and device allow a configuration, whatever the restrictions are. */
bool gt_request_permits(const gt_request *request, const gt_config *config);
/* Fills in how a source of the request is compiled. Its options beyond the standard ones are the
 * source's own, and the folders of headers; `quickly`: with less optimisation, for a quick compile.
 * The caller frees the array of *options, not the strings that it points to. ENOMEM. */
gputune_status gt_request_compiling(gt_nvrtc_request *out, const char ***options,
                                    const gt_request *request, const gt_source *source,
                                    bool quickly);
/* The generated source of a configuration; for gt_source_free(). */
gputune_status gt_request_source(gt_source *out, const gt_request *request,
                                 const gt_config *config);
/* Reads a stored configuration. ENOTFOUND if the template does not have it any more, or if the hash
 * of its trial is not `trial`: another source or launch was tried then. ENOMEM. */
gputune_status gt_request_stored(gt_config *out, const gt_request *request, const char *text,
                                 gt_hash trial);
/* The hash of a configuration's trial: gt_trial.hash. */
gputune_status gt_request_trial(gt_hash *out, const gt_request *request, const gt_config *config);
