/* How a request gets its answer, and what else a session is run for. Declares functions of tune.c,
 * rank.c, compile.c, tuning.c, conclude.c, prove.c, run.c and check.c. */
#pragma once

#include "tuner/history.h"
#include "tuner/request.h"

#include <gputune_tools.h>

struct gt_field;
struct gt_variant;

/* Each takes one result, as gt_record_fn does. */
typedef int (*gt_finding_fn)(void *user, const gputune_finding *finding);
typedef int (*gt_compiled_fn)(void *user, const gputune_compiled *compiled);

/* The configuration to launch, and why it was chosen. A choice owns its images and its text. */
typedef struct gt_choice {
    gputune_source source;
    gt_config config;
    gt_image image;
    gt_resources resources;
    bool needs_alignment; /* the plan needs buffers of more than the least alignment */
    bool has_fallback;    /* `fallback` is a variant that is right at any alignment */
    bool outside_only;    /* the request's restrictions leave the configuration out */
    gt_config fallback;
    gt_image fallback_image;
    double time_ns, default_ns;
    gt_verdict verdict;
    gt_terms terms; /* under which the choice was made: it answers requests that ask no more */
    uint32_t variants, failed;
    char *stop_reason;
} gt_choice;

void gt_choice_free(gt_choice *choice);
/* Chooses a variant that is ready, and its variant for any alignment, if that is another one and
 * ready too (prove.c). The choice gets copies of their code. */
gputune_status gt_choice_take(gt_choice *choice, const struct gt_field *field,
                              const struct gt_variant *variant);

/* Answers the request: from the store, as gt_answers() allows; else by measuring, as its effort
 * allows, under the scenario's lease; else with the nearest size's winner, or the template's
 * default. A configuration that was proved wrong, crashed or hung is no answer: where it is the
 * default and nothing else is right, the call fails with that status. A failure of the database
 * never fails the call. ENOCOMPILER only if there is neither a stored image nor a compiler. If the
 * time limit or a cancel ends the measuring, the call answers with the default, which is compiled
 * with the first variants, or while the call waits for another process's tuning. ETIMEOUT if the
 * limit was too short even for the default. The call ends within 0.2 s of its limit. A request in
 * the background is answered by a winner only, because no caller waits for it. */
gputune_status gt_tune(gt_choice *out, gt_request *request);

/* Chooses the default, whatever is stored; fails only if it does not compile. */
gputune_status gt_choose_default(gt_choice *out, gt_request *request);
/* Chooses the configuration that `text` names; axes that the text leaves out have the default's
 * values. The configuration is first proved in a worker, unless an earlier tuning of this scenario
 * found it right. EINVAL if the template has no such configuration, ENOVARIANT if constraints or
 * the device exclude it; else the status of its compile or proof. */
gputune_status gt_choose_forced(gt_choice *out, gt_request *request, const char *text);

/* Races the variants of the request's space, and stores every trial and the winner (tuning.c,
 * conclude.c). If time or the caller ends it, chooses the best so far. */
gputune_status gt_search(gt_choice *out, gt_request *request);

/* Chooses without measuring (rank.c): compiles the space, ranks it by the estimate, and takes the
 * best candidate that verifies in the worker. Stores nothing. */
gputune_status gt_rank(gt_choice *out, gt_request *request);

/* A guess at how variants rank, from what the compiler says and the launch alone. Pure. */

/* The number of blocks of this launch that one multiprocessor holds at a time. It is limited by
 * threads, registers (allocated by warp in units of 256, CUDA C++ Programming Guide,
 * "Multiprocessor Level"), shared memory and the block limit. 0: not even one block fits. */
int gt_resident_blocks(const gt_device *device, const gt_kernel_step *step,
                       const gt_resources *resources);

/* Estimates a variant's speed, to compare variants of one kernel and size: the product of how much
 * latency the bytes in flight hide (Little's law), how full the last wave of blocks is, and what
 * spilling leaves. `access_bytes`: what a thread loads in one access. */
double gt_estimate(const gt_device *device, const gt_kernel_step *step,
                   const gt_resources *resources, uint32_t access_bytes);

/* Compiles a configuration, or takes it from the store. The caller frees image->data, if wanted. */
gputune_status gt_compile_one(gt_image *image, gt_resources *resources, gt_request *request,
                              const gt_config *config);
/* Compiles the request's space, stores the code, and calls `each` for every variant once its
 * compile ends, in the order of the space. A value of `each` other than 0 ends the calls and is
 * returned. If the time limit or the caller ends the compiling, the code compiled so far is kept.
 * ECOMPILE if no variant compiled. */
int gt_compile_space(gt_request *request, gt_compiled_fn each, void *user);

/* Measures given configurations side by side, without a race (run.c). Verifies the configurations.
 * Samples the right ones in interleaved, shuffled rounds, until their intervals are narrow, the
 * time limit has passed or the caller cancels. Then calls `each` for every configuration in the
 * given order, with a comparison with the first one (speedup: time of the first over time of this).
 * Stores only measured properties of the GPU. Fails with the first failure if none is right. */
gputune_status gt_run(gt_request *request, const gt_config *configs, size_t count,
                      gt_record_fn each, void *user);

/* Launches the default and up to options.max_variants - 1 other configurations (0: all) under the
 * emulator's sanitizer (check.c), at the request's sizes and odd-tail ones, and calls `each` for
 * every finding, and once for a variant without any. Proves, measures and stores nothing.
 * EUNSUPPORTED where the device is not the emulator's. */
gputune_status gt_check(gt_request *request, gt_finding_fn each, void *user);

/* ---- proving without measuring (prove.c) ----------------------------------------------------- */

/* Compiles a configuration of the request's space, proves it in a worker, and fills `choice` with
 * it: its code, and the code of its variant for any alignment, if that variant is another one and
 * right too. The choice's reason is `reason` (NULL: none). Does not try what is known to fail.
 * Stores the code of what is right, the proof (for the data and sizes in gt_request.proved_at), and
 * failures that are final there. If the configuration is not right, fails as gt_field_verdict()
 * says, and fills nothing. A failure of the default is noted in the request. */
gputune_status gt_prove(gt_choice *choice, gt_request *request, const gt_config *config,
                        const char *reason);
