/* Answers a request with a configuration. Also compiles, checks and measures given configurations.
 */
#pragma once

#include "kernel/rule/rule.h"
#include "tuner/history.h"
#include "tuner/request.h"

#include <gputune_tools.h>

struct gt_field;
struct gt_variant;

/* Called for each result. If it returns a nonzero value, the call ends. */
typedef int (*gt_finding_fn)(void *user, const gputune_finding *finding);
typedef int (*gt_compiled_fn)(void *user, const gputune_compiled *compiled);

/* The configuration to launch, and why it was chosen. Owns its images and its text. */
typedef struct gt_choice {
    gputune_source source;
    gt_config config;
    gt_image image;
    gt_resources resources;
    bool needs_alignment; /* true if the code needs more than the minimum alignment */
    bool has_fallback;    /* true if `fallback` works at any alignment */
    bool outside_only;    /* true if the request's restrictions exclude the configuration */
    gt_config fallback;
    gt_image fallback_image;
    double time_ns, default_ns;
    gt_verdict verdict;
    gt_terms terms;
    uint32_t variants, failed;
    char *stop_reason;
} gt_choice;

void gt_choice_free(gt_choice *choice);
/* Sets `choice` to a ready variant, with the variant's fallback if that is ready. Copies code. */
gputune_status gt_choice_take(gt_choice *choice, const struct gt_field *field,
                              const struct gt_variant *variant);

/* Answers the request by the first of these that is possible: a stored result (gt_answers()); a
 * rule, if options.unseen asks for one; measuring under the scenario's lease, if the effort allows
 * it; a rule; for the effort `estimate`, an estimate; the nearest size's winner; the default.
 *
 * Fails rather than choose a configuration that is known to be wrong, to crash or to hang. If the
 * database fails, continues without it. A background request accepts only a winner. Ends within 0.2
 * s of the limit. Returns ETIMEOUT if the limit was too short even for the default, and ENOCOMPILER
 * if there is neither stored code nor a compiler. */
gputune_status gt_tune(gt_choice *out, gt_request *request);

/* Chooses the default, even if better results are stored. Fails only if it does not compile. */
gputune_status gt_choose_default(gt_choice *out, gt_request *request);
/* Chooses the configuration `text`; axes that it omits have their default values. Proves it in a
 * worker unless an earlier tuning of the scenario did. EINVAL if the template has no such
 * configuration; ENOVARIANT if constraints or the device exclude it; otherwise the failure of its
 * compile or proof. */
gputune_status gt_choose_forced(gt_choice *out, gt_request *request, const char *text);

/* ---- rules ----------------------------------------------------------------------------------- */

/* A stored rule, parsed for the template of a request. */
typedef struct gt_found_rule {
    gt_rule *rule;
    char *text; /* text of the rule, as stored */
    /* true if the rule's variants were verified in its region, on this kind of GPU and driver */
    bool proved;
} gt_found_rule;

/* Finds the rule for the request's kernel, template, options and GPU. The request's sizes do not
 * matter. The caller frees *out with gt_found_rule_free(). ENOTFOUND, with a message, if there is
 * no rule or if gt_rule_check_sources() fails; ERECORDED if the text has a mistake. */
gputune_status gt_find_rule(gt_found_rule *out, const gt_request *request);
void gt_found_rule_free(gt_found_rule *found);
/* Gets the hashes of a rule's sources and launches (gt_stored_rule.sources). The caller frees
 * *out. */
gputune_status gt_rule_sources(char **out, const gt_request *request, const gt_rule *rule);
/* Fails with ENOTFOUND if a variant's source or launch has other hashes than those in `sources`. */
gputune_status gt_rule_check_sources(const gt_rule *rule, const char *sources,
                                     const gt_template *template, const gt_device *device,
                                     const char *prelude);
/* Fails with ENOTFOUND if the template excludes the variant of the rule at some test size. */
gputune_status gt_rule_check_choices(const gt_rule *rule, const gt_template *template,
                                     const gt_device *device);
/* Returns the terms of a rule's answer. */
gt_terms gt_terms_of_rule(const gt_request *request);
/* Chooses a verified variant of a rule. Takes the code from the store, or compiles it. A variant
 * whose code does not depend on the sizes may be invalid at the request's sizes. */
gputune_status gt_choose_variant(gt_choice *out, gt_request *request, const gt_found_rule *found,
                                 uint32_t variant);
/* Chooses the stored rule's variant for the request's sizes. Proves it first if the rule is not
 * proved. ENOTFOUND, with a message, if no rule answers; otherwise the failure of the proof. */
gputune_status gt_choose_by_rule(gt_choice *out, gt_request *request);

/* Races the variants of the request's space, and stores every trial and the winner. If the limit or
 * a cancel ends the tuning, chooses the best variant so far. */
gputune_status gt_search(gt_choice *out, gt_request *request);

/* Compiles the space and chooses the best verified variant by an estimate. Stores no result. */
gputune_status gt_rank(gt_choice *out, gt_request *request);

/* Returns how many blocks fit on a multiprocessor, or 0. Considers threads, shared memory, blocks,
 * and registers (allocated per warp in units of 256, see the CUDA C++ Programming Guide). */
int gt_resident_blocks(const gt_device *device, const gt_kernel_step *step,
                       const gt_resources *resources);

/* Estimates a variant's speed relative to others of the same kernel and size. Considers how much
 * latency the bytes in flight hide (Little's law), how full the last wave of blocks is, and spills.
 * `access_bytes` is the width of one load of a thread. */
double gt_estimate(const gt_device *device, const gt_kernel_step *step,
                   const gt_resources *resources, uint32_t access_bytes);

/* Gets a configuration's code from the store, or compiles it in a worker. Sets *image, whose data
 * the caller frees, and *resources. If `image` is NULL, sets only request->default_code. */
gputune_status gt_compile_one(gt_image *image, gt_resources *resources, gt_request *request,
                              const gt_config *config);
/* Compiles the request's space, stores the code, and calls `each` for every variant, in the order
 * of the space. If `each` does not return 0, stops and returns its result. If the limit or a cancel
 * ends the work, keeps the code compiled by then. ECOMPILE if no variant compiled. */
int gt_compile_space(gt_request *request, gt_compiled_fn each, void *user);

typedef enum gt_run_way {
    GT_RUN_FULLY, /* take samples until all intervals are narrow */
    /* take few samples, and only one of a slow variant; if time is short, report first launches */
    GT_RUN_BRIEFLY,
    /* like GT_RUN_BRIEFLY, but do not prove a variant whose first launch takes twice the best */
    GT_RUN_TO_RANK
} gt_run_way;

/* Measures configurations side by side, and calls `each` for every one, in order. If `each` does
 * not return 0, stops and returns its result. */
gputune_status gt_run(gt_request *request, const gt_config *configs, size_t count, gt_run_way way,
                      gt_record_fn each, void *user);

/* Launches the default and other configurations, at most options.max_variants (0: 65536), with the
 * emulator's sanitizer, at the requested and the odd-tail sizes. Calls `each` for every finding,
 * and at the end of each variant. Stores nothing. EUNSUPPORTED without the emulator. */
gputune_status gt_check(gt_request *request, gt_finding_fn each, void *user);

/* ---- proving without measuring (prove.c) ----------------------------------------------------- */

/* Compiles a configuration, proves it in a worker, and sets *choice, with code and fallback.
 * `reason` (may be NULL) becomes the choice's reason. Stores the code, the proof, and failures that
 * are final. Does not try configurations that are known to fail. Fails like gt_field_verdict().
 * Records a failure of the default in the request. */
gputune_status gt_prove(gt_choice *choice, gt_request *request, const gt_config *config,
                        const char *reason);
