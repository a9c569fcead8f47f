/* A call resolved: template, problem, workload, options with their defaults, and the keys under
 * which its result is remembered. */
#ifndef GT_TUNER_REQUEST_H
#define GT_TUNER_REQUEST_H

#include "farm/farm.h"
#include "kernel/source.h"
#include "store/store.h"
#include "tuner/catalog.h"

/* What a tuner works with. The farm is opened on first use. */
typedef struct gt_services {
    gt_catalog *catalog;
    gt_store *store;
    const gt_device *device;
    gt_log log;
    /* The farm, opened if need be; `measure`: with a measure worker. It stays the opener's. Callers
     * hold the tuner's lock while they use it. */
    gputune_status (*farm)(void *user, gt_farm **out, bool measure, gputune_isolation isolation);
    /* Shares live inputs with the measure worker; fills setup->inputs, which it keeps owning until
     * `release` (may be NULL with no live inputs). */
    gputune_status (*inputs)(void *user, const gt_workload *workload,
                             const gputune_options *options, gt_measure_setup *setup);
    void (*release)(void *user, gt_measure_setup *setup);
    void *user;
} gt_services;

typedef struct gt_request {
    const gt_template *template;
    const gt_device *device;
    const gt_services *services;
    gt_problem problem;
    gt_workload workload;
    gputune_options options; /* every 0 replaced by its default */
    gt_scenario scenario;
    char environment[GT_ENVIRONMENT_MAX];
    gt_lease *lease; /* held while it is tuned, NULL before */
    gt_hash space;   /* of axes, values, constraints and restrictions: what a tuning covers */
    gt_hash cut;     /* the same for a tuning of no more than max_variants of them */
    char *problem_text, *bucket_text, *fixed_text, *alignment_text, *inputs_text, *host_text;
    int64_t sizes[GT_SCENARIO_SIZES];
} gt_request;

/* Resolves a call. EINVAL, ENOTFOUND, ETEMPLATE as the parts say. `device` may differ from the
 * services' (another architecture, to compile for). gt_request_free() releases. Large: on the heap.
 */
gputune_status gt_request_make(gt_request **out, const gt_services *services,
                               const gt_device *device, const char *kernel, gputune_sizes sizes,
                               const gputune_options *options);
void gt_request_free(gt_request *request);

/* The workload's buffer that the caller's data are for. EINVAL when there is none of that name, it
 * is no input, or its size is another. */
gputune_status gt_request_input(uint32_t *buffer, const gt_workload *workload,
                                const gputune_input *input);

/* What of the host the objectives `launch` and `latency` depend on: the CPU's model name. Caller
 * frees. */
gputune_status gt_host_text(char **out);

/* Logs a warning where nothing but the template's own default says what is right. */
void gt_request_say_proof(const gt_request *request);

/* A space over the request's problem with its restrictions; for gt_space_free(). */
gputune_status gt_request_space(gt_space **out, const gt_request *request);

#endif
