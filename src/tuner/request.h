/* A request: template, problem, workload and options of a call, and the keys of its results. */
#pragma once

#include "base/array.h"
#include "base/status.h"
#include "kernel/bind/source.h"
#include "kernel/space/space.h"
#include "store/store.h"
#include "tuner/catalog.h"
#include "tuner/workers.h"

#include <stdbool.h>
#include <string.h>

/* The parts of a tuner that requests use. Thread-safe. */
typedef struct gt_services gt_services;
struct gt_services {
    gt_catalog *catalog;
    gt_store *store;
    gt_log log;
    uint32_t compile_workers; /* compile workers per farm; 0: unknown */
    gt_workers *workers;
    gt_gpu_right *gpu;
    const char *pinned;   /* file that provides all results, so nothing is tuned; NULL: none */
    gt_gpu_user gpu_user; /* kind of session that will use the GPU */
    /* Provides a caller's input: sets *out to an IPC handle, or to bytes that the caller frees. */
    gputune_status (*input)(void *user, gt_live_input *out, const gputune_input *input);
    /* Waits until inputs on the device have been written. */
    gputune_status (*wait_for_inputs)(void *user, const gputune_options *options);
    void *user;
    const volatile int *closing; /* not 0: the tuner is closing, so calls must end; may be NULL */
};

typedef struct gt_background_use {
    double share; /* fraction of the time in which to measure while the application uses the GPU */
    bool (*is_busy)(void *user); /* returns true if the application uses the GPU now */
    /* returns true if a caller's tuning needs the GPU, so the background tuning must end */
    bool (*must_give_way)(void *user);
    void *user;
} gt_background_use;

typedef struct gt_request {
    const gt_template *template;
    const gt_device *device;
    const gt_services *services;
    gt_log log;         /* writes to the logs of the tuner and of the call */
    bool by_path;       /* true if the call named the template by path */
    gt_config standard; /* the template's default */
    gt_problem problem;
    gt_problem odd_tail; /* odd-tail sizes, at which variants are proved too */
    gt_workload workload;
    gputune_options options; /* options of the call, with default values filled in */
    gt_space *space;         /* the problem's space, restricted by the options; owned */
    /* configurations to try first, from the template's start() and from the call */
    GT_ARRAY(gt_config) starts;
    gt_scenario scenario;
    char environment[GT_ENVIRONMENT_MAX];
    gt_patience patience; /* time limit and cancel flag of the call */
    gt_patience grace;    /* what gt_request_grace() returns; set at its first call */
    gt_code default_code; /* code of the default; without an image until it is compiled */
    gt_terms terms;       /* terms that a stored result must fulfil */
    gt_lease *lease;      /* lease that is held for the tuning, or NULL */
    bool check;           /* true: run variants under the emulator's sanitizer, without proofs */
    const gt_background_use *background; /* set for a background tuning; NULL if a caller waits */
    struct {
        gputune_status failure; /* status with which the default failed in this call, or OK */
        char message[512];
    } refuted;
    GT_ARRAY(struct gt_data_file) files; /* files with buffer contents (data.h) */
    char *proved_at;                     /* the sizes and expected results of a proof, as text */
    char *only_text; /* restriction of the call, such as "UNROLL=1,2,4 VEC=1"; "" if none */
    char *problem_text, *fixed_text, *alignment_text, *inputs_text;
    char *odd_tail_text;   /* odd-tail sizes as text; "" if there are none */
    char *samples_path;    /* copy of options.samples_path if the request outlives the call */
    const char *host_text; /* the host's processor if results depend on it, or NULL */
} gt_request;

/* Makes a request from the arguments of a call. The caller frees it with gt_request_free().
 * `device` may be another GPU than the tuner's if nothing is launched. ENOTFOUND if there is no
 * such kernel or file, ETEMPLATE if the template has an error, EINVAL if an argument does not fit
 * the template. */
gputune_status gt_request_make(gt_request **out, const gt_services *services,
                               const gt_device *device, const char *kernel, gputune_sizes sizes,
                               const gputune_options *options);
/* The values of a problem as callers pass them: a name and a number, or "T=half". */
typedef struct gt_problem_items {
    gputune_size items[GT_PROBLEM_MAX];
    char words[GT_PROBLEM_MAX][2 * GT_NAME_MAX];
} gt_problem_items;
/* Writes the values of a problem to *items. The list that is returned points into *items. */
gputune_sizes gt_problem_sizes(gt_problem_items *items, const gt_template *template,
                               const gt_problem *problem);
/* Like gt_request_make(), but for a template and one of its problems. */
gputune_status gt_request_make_at(gt_request **out, const gt_services *services,
                                  const gt_device *device, const char *kernel,
                                  const gt_template *template, const gt_problem *problem,
                                  const gputune_options *options);
void gt_request_free(gt_request *request);
static inline void gt_request_end(gt_request **request)
{
    gt_request_free(*request);
}

/* Restarts the time limit of the request. */
void gt_request_begin(gt_request *request);
/* Makes the request independent of the call, except for callbacks, `user` and `cancel`. Returns
 * EINVAL if the request has inputs, files or a reference, because the caller may change these, or
 * ENOMEM. */
gputune_status gt_request_outlive_call(gt_request *request);

static inline bool gt_config_is(const gt_config *a, const gt_config *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Returns a short extra patience, to answer after the time limit. It begins at the first call. */
gt_patience gt_request_grace(gt_request *request);

/* Copies the options of a caller. Options that an older caller does not know, or all of them if
 * `given` is NULL, get their default values. EINVAL if the size of the struct is unknown. */
gputune_status gt_options_read(gputune_options *out, const gputune_options *given);
/* Checks arguments as far as possible without the template. EINVAL for a NULL or a value out of
 * range. */
gputune_status gt_call_check(const char *kernel, gputune_sizes sizes,
                             const gputune_options *options);

/* Lets the call's own reference, if there is one, compute the workload's expected results. */
void gt_request_judge(gt_workload *workload, const gt_request *request);
/* Finds the buffer for an input of the caller. EINVAL if the kernel has no such buffer, if it is an
 * output, or if its size differs. */
gputune_status gt_request_input(uint32_t *buffer, const gt_workload *workload,
                                const gputune_input *input);

/* Returns the objective that is used if a request states none. */
gputune_objective gt_default_objective(const gt_template *template);
/* Returns ECANCELED or ETIMEOUT with a message. `before` is an event that the call did not reach,
 * such as "it was compiled"; `remedy` is advice for a limit that was too short. */
gputune_status gt_request_ended(const gt_request *request, const char *before, const char *remedy);
/* Prepares the space of the request. ETIMEOUT or ECANCELED if preparing did not finish. */
gputune_status gt_request_prepare_space(const gt_request *request);
/* Prepares and rewinds the space. Warns if it lacks requested values. ENOVARIANT if it is empty. */
gputune_status gt_request_space_to_try(const gt_request *request);
/* Warns if the default is not in the space, because speed-ups are unknown then. */
void gt_request_warn_of_default(const gt_request *request);
/* Returns true if constraints and device allow a configuration. Ignores options.only. */
bool gt_request_permits(const gt_request *request, const gt_config *config);
/* Makes the request to compile a source, with less optimisation if `quickly` is true. The caller
 * frees the array *options, but not its strings. May return ENOMEM. */
gputune_status gt_request_compiling(gt_nvrtc_request *out, const char ***options,
                                    const gt_request *request, const gt_source *source,
                                    bool quickly);
/* Binds the launch of a configuration at the requested sizes. The caller frees it. NULL if it
 * cannot be bound, or if memory runs out. */
gt_launch *gt_request_launch(const gt_request *request, const gt_config *config);
/* Generates the source of a configuration, which gt_source_free() frees. */
gputune_status gt_request_source(gt_source *out, const gt_request *request,
                                 const gt_config *config);
/* Parses a stored configuration. Returns ENOTFOUND if the template no longer has this
 * configuration, or if the hash of its source and launch is not `trial`; or ENOMEM. */
gputune_status gt_request_stored(gt_config *out, const gt_request *request, const char *text,
                                 gt_hash trial);
/* Computes the hash of a configuration's trial. */
gputune_status gt_request_trial(gt_hash *out, const gt_request *request, const gt_config *config);
