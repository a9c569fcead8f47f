/* Answers a request, and runs sessions for other purposes. In tune.c, rank.c, compile.c, tuning.c,
 * conclude.c, prove.c, run.c and check.c. */
#pragma once

#include "kernel/rule/rule.h"
#include "tuner/history.h"
#include "tuner/request.h"

#include <gputune_tools.h>

struct gt_field;
struct gt_variant;

/* Callbacks for single results. A return value other than 0 ends the calls. */
typedef int (*gt_finding_fn)(void *user, const gputune_finding *finding);
typedef int (*gt_compiled_fn)(void *user, const gputune_compiled *compiled);

/* The configuration to launch and the reason for the choice. Owns its images and its text. */
typedef struct gt_choice {
    gputune_source source;
    gt_config config;
    gt_image image;
    gt_resources resources;
    bool needs_alignment; /* true if the code needs more than the least alignment of its buffers */
    bool has_fallback;    /* true if `fallback` works at any alignment */
    bool outside_only;    /* true if the request's restrictions exclude the configuration */
    gt_config fallback;
    gt_image fallback_image;
    double time_ns, default_ns;
    gt_verdict verdict;
    gt_terms terms; /* conditions that decide which requests the choice answers */
    uint32_t variants, failed;
    char *stop_reason;
} gt_choice;

void gt_choice_free(gt_choice *choice);
/* Fills in `choice` with a ready variant. If the fallback variant is another one and ready, it
 * becomes the fallback. Copies the code of both. */
gputune_status gt_choice_take(gt_choice *choice, const struct gt_field *field,
                              const struct gt_variant *variant);

/* Answers the request. Uses a stored result if one answers the request (gt_answers()). Otherwise
 * measures under the scenario's lease, if the request's effort allows that. Otherwise uses the
 * nearest size's winner or the default. Fails rather than choose a configuration that is known to
 * be wrong, to crash or to hang. A failing database does not fail the call. Ends within 0.2 s of
 * the limit. For a request in the background, only a winner is an answer. Returns ETIMEOUT if the
 * limit was too short even for the default, ENOCOMPILER if there is neither stored code nor a
 * compiler. */
gputune_status gt_tune(gt_choice *out, gt_request *request);

/* Chooses the default, even if better results are stored. Fails only if the default does not
 * compile. */
gputune_status gt_choose_default(gt_choice *out, gt_request *request);
/* Chooses the configuration `text`, completed with the default's values. Proves it in a worker
 * unless an earlier tuning of this scenario did. EINVAL if the template has no such configuration,
 * ENOVARIANT if constraints or the device exclude it; otherwise the failure of its compile or
 * proof. */
gputune_status gt_choose_forced(gt_choice *out, gt_request *request, const char *text);

/* ---- rules ----------------------------------------------------------------------------------- */

/* A stored rule, parsed for the template of a request. */
typedef struct gt_found_rule {
    gt_rule *rule;
    char *text; /* text of the rule, as stored */
    /* true if its variants were verified in its region, on this kind of GPU and this driver */
    bool proved;
} gt_found_rule;

/* Finds the rule for the request's kernel, template, options and GPU, at any run-time sizes.
 * gt_found_rule_free() releases *out. ENOTFOUND, with a message, if there is none, or if
 * gt_rule_check_sources() fails; ERECORDED if the text has a mistake. */
gputune_status gt_find_rule(gt_found_rule *out, const gt_request *request);
void gt_found_rule_free(gt_found_rule *found);
/* Sets *out to the hashes of the sources and launches of a rule's variants
 * (gt_stored_rule.sources). The caller frees *out. */
gputune_status gt_rule_sources(char **out, const gt_request *request, const gt_rule *rule);
/* Fails with ENOTFOUND if the source or launch of a variant is no longer the one in `sources`. */
gputune_status gt_rule_check_sources(const gt_rule *rule, const char *sources,
                                     const gt_template *template, const gt_device *device,
                                     const char *prelude);
/* Fails with ENOTFOUND if, at one of several test sizes, the template excludes the variant that the
 * rule chooses. */
gputune_status gt_rule_check_choices(const gt_rule *rule, const gt_template *template,
                                     const gt_device *device);
/* Returns the terms of a rule's answer. */
gt_terms gt_terms_of_rule(const gt_request *request);
/* Chooses a variant of a rule that is proved and current. Takes the variant's code from the store
 * or compiles it. The variant may be invalid at the request's sizes, unless its code depends on
 * them. */
gputune_status gt_choose_variant(gt_choice *out, gt_request *request, const gt_found_rule *found,
                                 uint32_t variant);
/* Chooses the stored rule's variant for the request's sizes. Proves the variant first if the rule
 * is not proved. ENOTFOUND, with a message, if no rule answers; otherwise the failure of the
 * proof. */
gputune_status gt_choose_by_rule(gt_choice *out, gt_request *request);

/* Races the variants of the request's space, and stores every trial and the winner. If time or the
 * caller ends the tuning, chooses the best variant so far. */
gputune_status gt_search(gt_choice *out, gt_request *request);

/* Compiles the space, ranks it by an estimate, and chooses the best variant that a worker verifies.
 * Stores no result. */
gputune_status gt_rank(gt_choice *out, gt_request *request);

/* Returns how many blocks fit on a multiprocessor at a time. The limits are threads, registers
 * (allocated per warp in units of 256, see the CUDA C++ Programming Guide), shared memory and
 * blocks. 0: not even one block fits. */
int gt_resident_blocks(const gt_device *device, const gt_kernel_step *step,
                       const gt_resources *resources);

/* Estimates a variant's speed relative to other variants of the same kernel and size. The estimate
 * depends on the latency that bytes in flight hide (Little's law), on how full the last wave of
 * blocks is, and on the cost of spills. `access_bytes` is the number of bytes that a thread loads
 * in one access. */
double gt_estimate(const gt_device *device, const gt_kernel_step *step,
                   const gt_resources *resources, uint32_t access_bytes);

/* Takes a configuration's code from the store, or compiles it in a worker. Sets *image, whose data
 * the caller frees, and *resources. If `image` is NULL, sets only request->default_code. */
gputune_status gt_compile_one(gt_image *image, gt_resources *resources, gt_request *request,
                              const gt_config *config);
/* Compiles the request's space, stores the code, and calls `each` for every variant, in the order
 * of the space. A result other than 0 ends the calls and is returned. If the limit or the caller
 * ends the work, the code so far is kept. ECOMPILE if no variant compiled. */
int gt_compile_space(gt_request *request, gt_compiled_fn each, void *user);

/* How gt_run() measures. */
typedef enum gt_run_way {
    GT_RUN_FULLY, /* samples until all intervals are narrow */
    /* takes few samples, and only one of clearly slower variants; reports what is known at the
     * limit, even times of first launches */
    GT_RUN_BRIEFLY,
    /* like GT_RUN_BRIEFLY, but leaves variants "unproved" if their first launch takes twice as long
     * as the best one's */
    GT_RUN_TO_RANK
} gt_run_way;

/* Verifies given configurations and samples them side by side, until their intervals are narrow,
 * the limit has expired or the caller cancels. Calls `each` for every configuration, in the given
 * order, with its speed-up relative to the first one. Stores no result. GT_RUN_FULLY fails with the
 * first failure if no configuration is correct. */
gputune_status gt_run(gt_request *request, const gt_config *configs, size_t count, gt_run_way way,
                      gt_record_fn each, void *user);

/* Launches the default and up to options.max_variants - 1 other configurations (0: all) with the
 * emulator's sanitizer, at the requested and the odd-tail sizes. Calls `each` for every finding,
 * and once for a variant without findings. Stores nothing. EUNSUPPORTED unless the device is the
 * emulator's. */
gputune_status gt_check(gt_request *request, gt_finding_fn each, void *user);

/* ---- proving without measuring (prove.c) ----------------------------------------------------- */

/* Compiles a configuration, proves it in a worker, and sets *choice, with its code and fallback.
 * `reason` becomes the choice's reason; NULL: none. Stores code, the proof and final failures, and
 * does not try configurations that are known to fail. Fails like gt_field_verdict(). A failure of
 * the default is recorded in the request. */
gputune_status gt_prove(gt_choice *choice, gt_request *request, const gt_config *config,
                        const char *reason);
