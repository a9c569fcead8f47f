/* Reports on a field: what is known of its variants, and why variants failed. */
#include "tuner/field_parts.h"

#include "base/number.h"
#include "base/text.h"
#include "tuner/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends how a variant is launched at the requested sizes. */
static void say_launch(gt_text *out, const gt_field *field, const gt_variant *variant)
{
    const gt_request *r = field->options.request;
    GT_FREED gt_launch *launch = calloc(1, sizeof *launch);
    if (launch && gt_launch_bind(launch, r->template, &r->problem, &variant->config, r->device) ==
                      GPUTUNE_OK) {
        char blocks[GT_SHAPES_TEXT], grids[GT_SHAPES_TEXT];
        gt_launch_blocks(blocks, launch);
        gt_launch_grids(grids, launch);
        gt_text_printf(out, ", with block %s and grid %s at %s", blocks, grids, r->problem_text);
    }
}

/* Appends ` OPTION WORD` for each word of a list with blanks. */
static void say_options(gt_text *out, const char *option, const char *list)
{
    for (size_t length; *list; list += length + strspn(list + length, " ")) {
        length = strcspn(list, " ");
        gt_text_printf(out, " %s %.*s", option, (int)length, list);
    }
}

/* Appends the command that finds the line of a fault: the emulator tells it, a GPU does not. A name
 * alone would not do where the program gave the template to its tuner. The size is the smaller one
 * of those that were launched, as the emulator is slow. */
static gputune_status say_check(gt_text *out, const gt_field *field, const gt_variant *variant)
{
    const gt_request *r = field->options.request;
    GT_FREED char *config = NULL;
    GT_TRY(gt_config_text(&config, r->template, &variant->config));
    gt_text_printf(out, "; 'gputune check %s:%s", r->template->path, r->template->name);
    say_options(out, "--size", r->awkward_text[0] ? r->awkward_text : r->problem_text);
    say_options(out, "--only", config);
    gt_text_append(out, "' names the line");
    return GPUTUNE_OK;
}

/* Whether the driver says that the kernel made a mistake: how such errors are called. */
static bool is_fault(const char *message)
{
    static const char *const faults[] = {
        "ILLEGAL_ADDRESS",   "LAUNCH_FAILED",         "MISALIGNED_ADDRESS", "ILLEGAL_INSTRUCTION",
        "CUDA_ERROR_ASSERT", "INVALID_ADDRESS_SPACE", "INVALID_PC",         "HARDWARE_STACK_ERROR"};
    bool is = false;
    for (size_t i = 0; i < sizeof faults / sizeof *faults && !is; i++) {
        is = strstr(message, faults[i]) != NULL;
    }
    return is;
}

/* Appends the launches of a proof that are not at the requested sizes, unless the worker has told
 * which one failed. */
static void say_other_launches(gt_text *out, const gt_field *field, const char *message)
{
    const char *awkward = field->options.request->awkward_text;
    const char *trial = field->standard ? field->standard->verified.trial : "";
    gt_text_printf(out, "%s%s", awkward[0] ? ", or at " : "", awkward);
    if (trial[0] && strncmp(message, "launched ", strlen("launched ")) != 0) {
        gt_text_printf(out, ", or %s", trial);
    }
}

/* What the driver says of a fault tells no line, and of an illegal address not whose mistake it may
 * be. */
gputune_status gt_field_explain(const gt_field *field, gt_variant *variant, const char *message)
{
    gt_text text = {0};
    gputune_status status = GPUTUNE_OK;
    const gt_request *r = field->options.request;
    const bool crashed = variant->failure == GPUTUNE_ECRASHED;
    const bool ran = variant->unit && variant->unit->stage == GT_STAGE_READY;
    gt_text_append(&text, message);
    if ((crashed && is_fault(message)) || (variant->failure == GPUTUNE_ETIMEOUT && ran)) {
        say_launch(&text, field, variant);
        say_other_launches(&text, field, message);
    }
    if (crashed && strstr(message, "ILLEGAL_ADDRESS")) {
        gt_text_printf(&text,
                       "; is a length in args() too small, shared() %s, or a require() missing?",
                       gt_template_lacks_shared(r->template)
                           ? "missing, which an array 'extern __shared__' needs"
                           : "too small");
    }
    if (crashed && is_fault(message) && !r->device->emulated) {
        status = say_check(&text, field, variant);
    }
    free(variant->message);
    variant->message = NULL;
    gputune_status taken = gt_text_take(&variant->message, &text);
    return status ? status : taken;
}

void gt_field_count_alike(gt_field *field, gputune_status failure, const char *message)
{
    const gt_variant *standard = field->standard;
    field->alike += failure == GPUTUNE_ECOMPILE && standard &&
                    standard->failure == GPUTUNE_ECOMPILE &&
                    strcmp(message, standard->message ? standard->message : "") == 0;
}

gputune_status gt_field_fail(gt_field *field, gt_variant *variant, gputune_status failure,
                             bool repeatable, const char *message)
{
    bool was_right = variant->stage == GT_STAGE_READY;
    if (variant->role == GT_ROLE_SKETCH) {
        gt_field_settle_sketch(field, variant);
        return GPUTUNE_OK;
    }
    gt_field_move(field, variant, GT_STAGE_FAILED);
    variant->failure = failure;
    variant->repeatable = repeatable;
    field->doubtful = failure == GPUTUNE_ECRASHED ? variant : field->doubtful;
    gt_field_tell(field, variant, 0);
    GT_TRY(gt_field_explain(field, variant, message ? message : ""));
    gt_field_count_alike(field, failure, variant->message);
    return was_right ? gt_field_prove_slower(field) : GPUTUNE_OK;
}

gputune_status gt_field_blame(gt_field *field, uint64_t *culprit, const gt_event *event)
{
    enum { CHANCES = 3 };
    gt_variant *variant =
        event->culprit < field->variants.count ? field->variants.items[event->culprit] : NULL;
    *culprit = event->culprit;
    if (variant && variant->stage == GT_STAGE_READY &&
        gt_ending_of(event->status)->costs_one_variant) {
        return gt_field_fail(field, variant, event->status, event->repeatable, event->message);
    }
    *culprit = GT_NO_VARIANT;
    return ++field->unexplained <= CHANCES ? GPUTUNE_OK
                                           : gt_fail(event->status, "%s", event->message);
}

void gt_field_note_bad_default(const gt_field *field, gt_request *request)
{
    const gt_variant *variant = field->standard;
    if (variant && gt_ending_of(variant->failure)->fault == GT_FAULT_VARIANT) {
        request->refuted.failure = variant->failure;
        snprintf(request->refuted.message, sizeof request->refuted.message, "%s",
                 variant->message ? variant->message : "");
    }
}

bool gt_field_lacks_one(const gt_field *field)
{
    if (field->newly_ready.count) {
        return true;
    }
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        bool under_way = variant->stage == GT_STAGE_WAITING || variant->stage == GT_STAGE_VERIFYING;
        bool lacks = under_way || gt_variant_may_be_retried(variant) ||
                     gt_ending_of(variant->failure)->fault == GT_FAULT_MACHINE;
        if (lacks && variant->role != GT_ROLE_FALLBACK && variant->role != GT_ROLE_SKETCH) {
            return true;
        }
    }
    return false;
}

const char *gt_variant_status(const gt_variant *variant)
{
    return gt_trial_status_name(gt_ending_of(variant->failure)->trial);
}

/* How many variants were asked for, without duplicates. */
static size_t asked_count(const gt_field *field)
{
    return field->variants.count - field->added_default;
}

/* The first variant with the most frequent failure, and how many of those that were asked for have
 * it; NULL if none failed. */
static const gt_variant *commonest_failure(const gt_field *field, uint32_t *count)
{
    const gt_variant *first = NULL;
    *count = 0;
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        uint32_t same = 0;
        const gt_variant *other = variant->failure != GPUTUNE_OK ? variant : NULL;
        for (; other; other = other->next) {
            same += other->failure == variant->failure &&
                    !(field->added_default && other == field->standard);
        }
        if (same > *count) {
            *count = same;
            first = variant;
        }
    }
    return first;
}

/* Whether all variants have the same wrong result, so that the reference may be what is wrong,
 * unless the message has another cause or a remedy. */
static bool all_agree(const gt_field *field, const gt_variant *first, uint32_t count)
{
    bool agree = first->failure == GPUTUNE_EWRONG && count > 1 && first->message &&
                 !strchr(first->message, '?') && !strstr(first->message, " would accept ") &&
                 count == asked_count(field);
    for (const gt_variant *variant = field->first; variant && agree; variant = variant->next) {
        agree = variant->message && strcmp(variant->message, first->message) == 0;
    }
    return agree;
}

gputune_status gt_field_verdict(const gt_field *field)
{
    uint32_t count;
    const gt_variant *first = commonest_failure(field, &count);
    GT_REFUSE(!first, GPUTUNE_ENOVARIANT, "%s: no configuration is possible here",
              field->options.request->template->name);
    char doubt[2 * GT_SHAPES_TEXT + 128] = "", blocks[GT_SHAPES_TEXT], grids[GT_SHAPES_TEXT];
    const gt_request *request = field->options.request;
    if (request->workload.has_reference && all_agree(field, first, count)) {
        gt_launch_blocks(blocks, &request->workload.reference);
        gt_launch_grids(grids, &request->workload.reference);
        gt_snprintf(doubt, sizeof doubt,
                    "; they agree with one another: is the reference right, which has block %s and "
                    "grid %s%s?",
                    blocks, grids,
                    request->awkward_text[0] ? ", or is a require() missing for such sizes" : "");
    }
    const bool is_old = first->remembered && first->failure != GPUTUNE_ETIMEOUT;
    return gt_fail(first->failure, "%s: no variant works; %u of %zu failed like this%s%s: %s%s",
                   request->template->name, count, asked_count(field),
                   is_old ? " in an earlier tuning ('force' tries again)" : "",
                   gt_field_is_hopeless(field) ? ", and no other was tried" : "",
                   first->message ? first->message : "", doubt);
}

gt_code gt_unit_code(const gt_unit *unit, const gt_device *device)
{
    gt_code code = {.source = unit->hash,
                    .ptx = device->emulated,
                    .nvrtc_version = unit->compiled.nvrtc_version,
                    .image = unit->compiled.image,
                    .resources = unit->compiled.resources,
                    .compile_ns = unit->compiled.compile_ns};
    memcpy(code.arch, device->arch, sizeof code.arch);
    return code;
}

static bool is_to_be_kept(const gt_unit *unit)
{
    return unit->stage == GT_STAGE_READY && !unit->from_store && unit->compiled.image.bytes;
}

gputune_status gt_field_keep_code(const gt_field *field, const gt_patience *patience)
{
    const gt_request *request = field->options.request;
    GT_FREED GT_ARRAY(gt_code) codes = {0};
    for (size_t i = 0; i < field->units.count; i++) {
        if (is_to_be_kept(field->units.items[i])) {
            GT_TRY(gt_array_push(&codes, gt_unit_code(field->units.items[i], request->device)));
        }
    }
    return gt_store_put_cubins(request->services->store, codes.items, codes.count, patience);
}

/* Dynamic shared memory of a block at the requested size; what is static is in the resources. */
static uint32_t shared_bytes_of(const gt_field *field, const gt_variant *variant)
{
    const gt_request *r = field->options.request;
    GT_FREED gt_launch *launch = calloc(1, sizeof *launch);
    if (launch) {
        (void)gt_launch_bind(launch, r->template, &r->problem, &variant->config, r->device);
    }
    return launch ? launch->steps[0].shared_bytes : 0;
}

static gt_trial_status trial_status(const gt_variant *variant)
{
    bool compiled = !variant->unit || variant->unit->stage == GT_STAGE_READY;
    return variant->failure == GPUTUNE_ETIMEOUT && !compiled
               ? GT_TRIAL_SLOW
               : gt_ending_of(variant->failure)->trial;
}

static uint32_t vector_bytes(const gt_field *field, const gt_config *config)
{
    const gt_request *r = field->options.request;
    return gt_vector_bytes(r->template, &r->problem, config, r->device);
}

gt_trial gt_field_trial(const gt_field *field, const gt_variant *variant,
                        const gt_duplicate *duplicate)
{
    static const gt_unit none = {.stage = GT_STAGE_WAITING};
    const gt_unit *unit = variant->unit ? variant->unit : &none;
    return (gt_trial){.hash = duplicate ? duplicate->trial : variant->trial,
                      .source = unit->hash,
                      .status = trial_status(variant),
                      .limit_ns = variant->limit_s * 1e9,
                      .is_default = variant->role == GT_ROLE_DEFAULT && !duplicate,
                      .resources = unit->compiled.resources,
                      .shared_bytes = shared_bytes_of(field, variant),
                      .vector_bytes =
                          vector_bytes(field, duplicate ? &duplicate->config : &variant->config),
                      .occupancy = variant->verified.occupancy,
                      .max_error = variant->verified.max_error,
                      .compile_ns = unit->compiled.compile_ns,
                      .proved_at = field->options.request->proved_at,
                      .driver_version = field->options.request->device->driver_version,
                      .nvrtc_version = unit->compiled.nvrtc_version};
}

/* Appends what a line of gt_verified.single says. Returns whether no other value was tried. */
static bool say_single(gt_text *text, char *line, uint32_t index)
{
    char *rest = NULL, *name = strtok_r(line, "\t", &rest), *value = strtok_r(NULL, "\t", &rest);
    const char *others = value ? strtok_r(NULL, "\t", &rest) : NULL;
    if (value) {
        gt_text_printf(text, "%s%s %swith %s only%s%s%s", index ? ", " : "", name,
                       index ? "" : "was proved ", value, others ? " (others " : "",
                       others ? others : "", others ? ")" : "");
    }
    return value && !others;
}

gputune_status gt_field_single(char **out, const gt_field *field)
{
    enum { NAMED = 6 };
    gt_text text = {0};
    const char *lines = field->standard ? field->standard->verified.single : NULL;
    GT_FREED char *copy = NULL;
    char *rest = NULL, *untried = NULL;
    uint32_t count = 0;
    *out = NULL;
    if (!lines || !lines[0]) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_strdup(&copy, lines));
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        bool is_untried = count++ < NAMED && say_single(&text, line, count - 1);
        untried = is_untried && !untried ? line : untried;
    }
    if (count > NAMED) {
        gt_text_printf(&text, ", and %u more likewise", count - NAMED);
    }
    if (untried) {
        gt_text_printf(&text, "; prove(%s = VALUE) tries another", untried);
    }
    return gt_text_take(out, &text);
}

const gt_variant *gt_field_find(const gt_field *field, const gt_config *config)
{
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        bool found = gt_config_is(&variant->config, config);
        for (size_t i = 0; i < variant->duplicates.count && !found; i++) {
            found = gt_config_is(&variant->duplicates.items[i].config, config);
        }
        if (found) {
            return variant;
        }
    }
    return NULL;
}

const gt_variant *gt_field_find_ready(const gt_field *field, const gt_config *config)
{
    const gt_variant *variant = field->first;
    while (variant &&
           (variant->stage != GT_STAGE_READY || !gt_config_is(&variant->config, config))) {
        variant = variant->next;
    }
    return variant;
}

uint32_t gt_field_tried(const gt_field *field)
{
    uint32_t begun = field->started + field->duplicates;
    uint32_t untried =
        (field->fallback != NULL) + field->worthless + field->sketches + field->cut_off;
    return begun - (untried < begun ? untried : begun);
}

uint32_t gt_field_total(const gt_field *field)
{
    uint64_t known = field->variants.count + field->duplicates - field->sketches;
    uint64_t total = field->options.proposer->total;
    uint32_t limit = field->options.limit;
    total = limit && limit < total ? limit : total;
    total = total < known ? known : total;
    return (uint32_t)(total < GT_FIELD_VARIANTS_MAX ? total : GT_FIELD_VARIANTS_MAX);
}

/* A sketch whose launch is too short to tell its time is of no use. */
static gt_tried_outcome outcome_of(const gt_variant *variant, double time_ns)
{
    bool given_up = variant->stage == GT_STAGE_DEFERRED &&
                    (variant->failure == GPUTUNE_OK || variant->deferral == GT_DEFERRED_WORTHLESS);
    bool in_vain = variant->stage == GT_STAGE_SKETCHED && !(time_ns > 0);
    return given_up                                    ? GT_TRIED_GIVEN_UP
           : variant->failure != GPUTUNE_OK || in_vain ? GT_TRIED_FAILED
                                                       : GT_TRIED_OK;
}

void gt_field_tell(const gt_field *field, const gt_variant *variant, double time_ns)
{
    gt_proposer *proposer = field->options.proposer;
    const gt_unit *unit = variant->unit;
    if (!proposer->hear) {
        return;
    }
    gt_tried result = {.outcome = outcome_of(variant, time_ns),
                       .time_ns = time_ns,
                       .measure_s = gt_schedule_gpu_s(&field->schedule)};
    if (unit) {
        result.compile_s =
            result.outcome == GT_TRIED_GIVEN_UP ? unit->asked_s : unit->compiled.compile_ns * 1e-9;
    }
    proposer->hear(proposer, &variant->config, &result, variant->role == GT_ROLE_SKETCH);
    result.compile_s = result.measure_s =
        0; /* of variants with the same launch, one has the cost */
    for (size_t i = 0; i < variant->duplicates.count; i++) {
        proposer->hear(proposer, &variant->duplicates.items[i].config, &result, false);
    }
}
