/* A request: template, problem, workload and options of a call, and the keys of its results. */
#pragma once

#include "base/array.h"
#include "base/status.h"
#include "farm/farm.h"
#include "kernel/bind/source.h"
#include "kernel/space/space.h"
#include "store/store.h"
#include "tuner/catalog.h"
#include "tuner/workers.h"

#include <stdbool.h>
#include <string.h>

/* The parts of a tuner that a request uses. Thread-safe. */
typedef struct gt_services gt_services;
struct gt_services {
    gt_catalog *catalog;
    gt_store *store;
    gt_log log;
    uint32_t compile_workers; /* number of compile workers per farm; 0 if unknown */
    gt_workers *workers;
    gt_gpu_right *gpu;
    const char *pinned;   /* file that provides all results, without tuning; NULL: none */
    gt_gpu_user gpu_user; /* kind of session that takes the right to use the GPU */
    /* Prepares a live input: sets *out to an IPC handle, or to bytes that the caller frees. */
    gputune_status (*input)(void *user, gt_live_input *out, const gputune_input *input);
    /* Waits until live inputs on the device are filled. */
    gputune_status (*wait_for_inputs)(void *user, const gputune_options *options);
    void *user;
    /* points to a value that is not 0 if the tuner is closing and calls must end; may be NULL */
    const volatile int *closing;
};

typedef struct gt_background_use {
    double share; /* maximum share of time for measuring while the application uses the GPU */
    bool (*is_busy)(void *user); /* returns true if the application uses the GPU now */
    /* returns true if a tuning with a waiting caller needs the GPU, so this tuning must end */
    bool (*must_give_way)(void *user);
    void *user;
} gt_background_use;

typedef struct gt_request {
    const gt_template *template;
    const gt_device *device;
    const gt_services *services;
    gt_log log;   /* logs to the tuner and to the call */
    bool by_path; /* true if the call named the template by path */
    gt_problem problem;
    gt_problem odd_tail; /* the odd-tail sizes, at which proofs launch variants too */
    gt_workload workload;
    gputune_options options; /* the call's options, with defaults filled in */
    gt_space *space;         /* space of the problem, restricted by the options; owned */
    /* configurations to try first: the template's start(), then the call's */
    GT_ARRAY(gt_config) starts;
    gt_scenario scenario;
    char environment[GT_ENVIRONMENT_MAX];
    gt_patience patience; /* time limit and cancel flag of the call */
    gt_patience grace;    /* result of gt_request_grace(); until_ns is 0 before its call */
    gt_code default_code; /* code of the default; no image until it is compiled */
    gt_terms terms;       /* terms that a stored result must fulfil to answer the request */
    gt_lease *lease;      /* lease that the tuning holds, or NULL */
    bool check;           /* true: the emulator's sanitizer checks variants; no proofs */
    const gt_background_use *background; /* set for a background tuning; NULL if a caller waits */
    struct {
        gputune_status failure; /* failure of the default in this call, or OK */
        char message[512];
    } refuted;
    GT_ARRAY(struct gt_data_file) files; /* files with contents of buffers (data.h) */
    char *proved_at; /* sizes and expected results for which a proof must be valid */
    char *only_text; /* the call's restrictions, such as "UNROLL=1,2,4 VEC=1"; "" if none */
    char *problem_text, *fixed_text, *alignment_text, *inputs_text;
    char *odd_tail_text;   /* "" if there are no odd-tail sizes */
    char *samples_path;    /* copy of options.samples_path, if the request outlives its call */
    const char *host_text; /* the host's processor, if results depend on it, or NULL */
} gt_request;

/* Makes a request from the arguments of a call. The caller frees it with gt_request_free(). To
 * compile for another GPU, `device` may differ from the services' device. EINVAL, ENOTFOUND,
 * ETEMPLATE. */
gputune_status gt_request_make(gt_request **out, const gt_services *services,
                               const gt_device *device, const char *kernel, gputune_sizes sizes,
                               const gputune_options *options);
/* A problem's values in the form in which callers pass them: NAME and a number, or "T=half". */
typedef struct gt_problem_items {
    gputune_size items[GT_PROBLEM_MAX];
    char words[GT_PROBLEM_MAX][2 * GT_NAME_MAX];
} gt_problem_items;
/* Writes the values of a problem to *items. Returns a list that refers to *items. */
gputune_sizes gt_problem_sizes(gt_problem_items *items, const gt_template *template,
                               const gt_problem *problem);
/* Like gt_request_make(), for a template and one of its problems. */
gputune_status gt_request_make_at(gt_request **out, const gt_services *services,
                                  const gt_device *device, const char *kernel,
                                  const gt_template *template, const gt_problem *problem,
                                  const gputune_options *options);
void gt_request_free(gt_request *request);
static inline void gt_request_end(gt_request **request)
{
    gt_request_free(*request);
}

/* Restarts the request's time limit. */
void gt_request_begin(gt_request *request);
/* Makes the request independent of the call's pointers, except callbacks, `user` and `cancel`.
 * EINVAL if it has inputs, files or a reference, because these belong to the call; ENOMEM. */
gputune_status gt_request_outlive_call(gt_request *request);

static inline bool gt_config_is(const gt_config *a, const gt_config *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}
bool gt_request_is_default(const gt_request *request, const gt_config *config);

/* Returns a short extra time for answering after the limit. The first call starts it. */
gt_patience gt_request_grace(gt_request *request);

/* Copies the caller's options. Sets defaults for options that an older caller does not know, or for
 * all options if `given` is NULL. EINVAL for an unknown struct size. */
gputune_status gt_options_read(gputune_options *out, const gputune_options *given);
/* Checks arguments of a call that need no template. EINVAL for NULL and numbers out of range. */
gputune_status gt_call_check(const char *kernel, gputune_sizes sizes,
                             const gputune_options *options);

/* If the call has its own reference, makes the workload use it. */
void gt_request_judge(gt_workload *workload, const gt_request *request);
/* Finds the buffer for a caller's input. EINVAL if the kernel has no such buffer, or if it is an
 * output or has a different size. */
gputune_status gt_request_input(uint32_t *buffer, const gt_workload *workload,
                                const gputune_input *input);

/* Returns the objective for requests that set none. */
gputune_objective gt_default_objective(const gt_template *template);
/* Fails with ECANCELED or ETIMEOUT. `before` is a step that was not reached, such as "it was
 * compiled"; `remedy` is advice if the limit was too short. */
gputune_status gt_request_ended(const gt_request *request, const char *before, const char *remedy);
/* Prepares the request's space. ETIMEOUT or ECANCELED if it did not finish. */
gputune_status gt_request_prepare_space(const gt_request *request);
/* Prepares and rewinds the space. Warns if it lacks requested values. ENOVARIANT if it is empty. */
gputune_status gt_request_space_to_try(const gt_request *request);
/* Warns if the space excludes the default, because speed-ups are then unknown. */
void gt_request_warn_of_default(const gt_request *request);
/* Returns true if constraints and device allow a configuration. Ignores options.only. */
bool gt_request_permits(const gt_request *request, const gt_config *config);
/* Sets *out to the request for compiling a source, with less optimisation if `quickly`. The caller
 * frees the array *options, but not its strings. ENOMEM. */
gputune_status gt_request_compiling(gt_nvrtc_request *out, const char ***options,
                                    const gt_request *request, const gt_source *source,
                                    bool quickly);
/* Generates the source of a configuration. The caller frees it with gt_source_free(). */
gputune_status gt_request_source(gt_source *out, const gt_request *request,
                                 const gt_config *config);
/* Parses a stored configuration. ENOTFOUND if the template no longer has it, or if its source or
 * launch has changed since the trial with hash `trial`. ENOMEM. */
gputune_status gt_request_stored(gt_config *out, const gt_request *request, const char *text,
                                 gt_hash trial);
/* Computes the hash of a configuration's trial. */
gputune_status gt_request_trial(gt_hash *out, const gt_request *request, const gt_config *config);
