/* Answers requests with a configuration. Also compiles, checks and measures configurations. */
#pragma once

#include "kernel/rule/rule.h"
#include "tuner/history.h"
#include "tuner/request.h"

#include <gputune_tools.h>

struct gt_field;
struct gt_variant;

/* Called for each result. If the function does not return 0, the call ends. */
typedef int (*gt_finding_fn)(void *user, const gputune_finding *finding);
typedef int (*gt_compiled_fn)(void *user, const gputune_compiled *compiled);

/* A configuration to launch, and why it was chosen. Owns its images and its text. */
typedef struct gt_choice {
    gputune_source source;
    gt_config config;
    gt_image image;
    gt_resources resources;
    bool needs_alignment; /* true if the code requires more than the minimum alignment */
    bool has_fallback;    /* true if `fallback` is set, which accepts any alignment */
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
/* Sets `choice` to a ready variant, and to its fallback if that is ready too. Copies the code. */
gputune_status gt_choice_take(gt_choice *choice, const struct gt_field *field,
                              const struct gt_variant *variant);

/* Answers a request by the first of the following that is possible: a stored result (gt_answers());
 * a rule, if options.unseen demands one; measuring under the lease of the scenario, if the effort
 * allows it; a rule; an estimate, if that is the effort; the winner of the nearest size; the
 * default.
 *
 * A configuration that is known to be wrong, to crash or to hang is never chosen; the call fails
 * instead. If the database fails, continues without it. A background request accepts only a winner.
 * Ends at most 0.2 s after the limit. ETIMEOUT if the limit was too short even for the default;
 * ENOCOMPILER if there is neither stored code nor a compiler. */
gputune_status gt_tune(gt_choice *out, gt_request *request);

/* Chooses the default, even if better results are stored. Fails only if it does not compile. */
gputune_status gt_choose_default(gt_choice *out, gt_request *request);
/* Chooses the configuration `text`. Axes that `text` omits have their default values. Proves the
 * configuration in a worker unless a tuning of the scenario has proved it. EINVAL if the template
 * has no such configuration; ENOVARIANT if constraints or the device exclude it; otherwise the
 * failure of its compile or proof. */
gputune_status gt_choose_forced(gt_choice *out, gt_request *request, const char *text);

/* ---- rules ----------------------------------------------------------------------------------- */

/* A stored rule, parsed for the template of a request. */
typedef struct gt_found_rule {
    gt_rule *rule;
    char *text;  /* text of the rule, as stored */
    bool proved; /* true if its variants were verified in its region on this GPU and driver */
} gt_found_rule;

/* Finds the rule for the kernel, template, options and GPU of a request, whatever its sizes are.
 * The caller frees *out with gt_found_rule_free(). ENOTFOUND with a message if there is no rule or
 * gt_rule_check_sources() fails; ERECORDED if its text has an error. */
gputune_status gt_find_rule(gt_found_rule *out, const gt_request *request);
void gt_found_rule_free(gt_found_rule *found);
/* Sets *out to two hashes of each variant, those of its source and of its source and launch
 * (gt_stored_rule.sources). Free *out. */
gputune_status gt_rule_sources(char **out, const gt_rule *rule, const gt_template *template,
                               const gt_device *device, const char *prelude);
/* Fails with ENOTFOUND if a variant's source or launch has another hash than in `sources`. */
gputune_status gt_rule_check_sources(const gt_rule *rule, const char *sources,
                                     const gt_template *template, const gt_device *device,
                                     const char *prelude);
/* Fails with ENOTFOUND if, at one of the rule's test sizes, the template allows some configurations
 * but not the variant that the rule chooses. */
gputune_status gt_rule_check_choices(const gt_rule *rule, const gt_template *template,
                                     const gt_device *device);
/* Returns the terms of an answer by a rule. */
gt_terms gt_terms_of_rule(const gt_request *request);
/* Chooses a variant of a rule. Takes its code from the store, or compiles it. If the rule is not
 * proved, first proves the variant. If it is proved and the code does not depend on sizes, the
 * variant need not be valid at the request's sizes. */
gputune_status gt_choose_variant(gt_choice *out, gt_request *request, const gt_found_rule *found,
                                 uint32_t variant);

/* Searches the request's space for the fastest variant. Stores all trials and the winner. If the
 * time limit or a cancel ends the search, chooses the best variant found so far. */
gputune_status gt_search(gt_choice *out, gt_request *request);

/* Compiles the space, and chooses the verified variant with the best estimate. Stores no result. */
gputune_status gt_rank(gt_choice *out, gt_request *request);

/* Returns how many blocks fit on a multiprocessor; may be 0. The limits are threads, blocks, shared
 * memory, and registers (allocated per warp in units of 256: CUDA C++ Programming Guide). */
int gt_resident_blocks(const gt_device *device, const gt_kernel_step *step,
                       const gt_resources *resources);

/* Estimates the speed of a variant relative to others of the same kernel and size. It depends on
 * how much latency the bytes in flight hide (Little's law), on how full the last wave of blocks is,
 * and on spills. `access_bytes` is the size of a load of one thread. */
double gt_estimate(const gt_device *device, const gt_kernel_step *step,
                   const gt_resources *resources, uint32_t access_bytes);

/* Compiles a configuration in a worker. Sets *image, whose data the caller frees, and *resources.
 * If `image` is NULL, sets only request->default_code. */
gputune_status gt_compile_one(gt_image *image, gt_resources *resources, gt_request *request,
                              const gt_config *config);
/* Like gt_compile_one(), but first looks for the code in *stored (may be NULL), in the request, and
 * in the store, even if the tuning is forced. Takes the image of *stored if it has this source. */
gputune_status gt_get_code(gt_image *image, gt_resources *resources, gt_request *request,
                           const gt_config *config, gt_code *stored);
/* Compiles the space of a request and stores the code. Calls `each` for every variant in the order
 * of the space. If `each` does not return 0, stops and returns its result. After the limit or a
 * cancel, keeps the code compiled so far. ECOMPILE if nothing compiles. */
int gt_compile_space(gt_request *request, gt_compiled_fn each, void *user);

typedef enum gt_run_way {
    GT_RUN_FULLY,   /* take samples until all intervals are narrow */
    GT_RUN_BRIEFLY, /* few samples, or one if launches are slow, or none if time is short */
    GT_RUN_TO_RANK  /* like BRIEFLY, but do not prove variants that are twice as slow as the best */
} gt_run_way;

/* Measures configurations side by side. Calls `each` for all of them in order. If `each` does not
 * return 0, stops and returns its result. */
gputune_status gt_run(gt_request *request, const gt_config *configs, size_t count, gt_run_way way,
                      gt_record_fn each, void *user);

/* Launches the default and other configurations, at most options.max_variants (0: 65536), under the
 * emulator's sanitizer, at the requested and the odd-tail size. Calls `each` for each finding, and
 * once more for each variant. Stores nothing. EUNSUPPORTED if the driver is not the emulator. */
gputune_status gt_check(gt_request *request, gt_finding_fn each, void *user);

/* ---- proving without measuring --------------------------------------------------------------- */

/* Compiles a configuration and proves it in a worker. Sets *choice, including code and fallback;
 * `reason` becomes its reason. Stores the code, the proof, and final failures. Does
 * not try configurations that are known to fail. Fails like gt_field_verdict(). If the default
 * fails, records this in the request. */
gputune_status gt_prove(gt_choice *choice, gt_request *request, const gt_config *config,
                        const char *reason);
