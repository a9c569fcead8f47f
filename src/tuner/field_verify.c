/* Verifies compiled variants, explains failures, makes trials, and reports to the proposer. */
#include "tuner/field.h"

#include "base/number.h"
#include "base/text.h"
#include "tuner/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gputune_status prove_slower(gt_field *field);

/* Ends a GT_ROLE_QUICK variant. If its launch is too short to be timed, it has no result. */
static void settle_quick(gt_field *field, gt_variant *variant)
{
    bool is_sample = gt_field_pilot_is_sample(field, variant);
    gt_field_move(field, variant, GT_STAGE_QUICK);
    gt_field_report(field, variant,
                    is_sample ? gt_variant_value(variant, variant->verified.pilot_ns) : 0);
}

static void append_grid(gt_text *out, const gt_field *field, const gt_variant *variant)
{
    const gt_request *r = field->options.request;
    GT_FREED gt_launch *launch = gt_request_launch(r, &variant->config);
    if (launch) {
        char blocks[GT_SHAPES_TEXT], grids[GT_SHAPES_TEXT];
        gt_launch_blocks(blocks, launch);
        gt_launch_grids(grids, launch);
        gt_text_printf(out, "; this happened in the launch with block %s and grid %s at %s", blocks,
                       grids, r->problem_text);
    }
}

static void append_options(gt_text *out, const char *option, const char *list)
{
    for (size_t length; *list; list += length + strspn(list + length, " ")) {
        length = gt_setting_length(list, false);
        const char *quote = memchr(list, ' ', length) ? "\"" : "";
        gt_text_printf(out, " %s %s%.*s%s", option, quote, (int)length, list, quote);
    }
}

/* Appends a `gputune check` command, which finds the faulty line by running on the emulator. */
static gputune_status append_check_command(gt_text *out, const gt_field *field,
                                           const gt_variant *variant)
{
    const gt_request *r = field->options.request;
    GT_FREED char *config = NULL;
    GT_TRY(gt_config_text(&config, r->template, &variant->config));
    gt_text_printf(out, "; 'gputune check %s:%s", r->template->path, r->template->name);
    append_options(out, "--size", r->odd_tail_text[0] ? r->odd_tail_text : r->problem_text);
    append_options(out, "--only", config);
    gt_text_append(out, "' names the line");
    return GPUTUNE_OK;
}

/* Returns true if the message of the driver indicates a bug in the kernel. */
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

/* Appends the other launches that may have caused the failure: the one at the odd-tail size and,
 * unless `message` is about the data proof already, the one of the data proof. */
static void append_other_launches(gt_text *out, const gt_field *field, const char *message)
{
    const char *odd_tail = field->options.request->odd_tail_text;
    const char *data = field->standard ? field->standard->verified.data_proof : "";
    gt_text_printf(out, "%s%s", odd_tail[0] ? ", or in the one at " : "", odd_tail);
    if (data[0] && strncmp(message, "launched ", strlen("launched ")) != 0) {
        gt_text_printf(out, ", or in the one %s", data);
    }
}

/* Returns true if a launch can see what an earlier launch wrote to an inout buffer. */
static bool has_used_buffers(const gt_template *template)
{
    bool has = false;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        has |= argument->direction == GT_INOUT && !argument->cleared;
    }
    return has;
}

gputune_status gt_field_explain(const gt_field *field, gt_variant *variant, const char *message)
{
    gt_text text = {0};
    gputune_status status = GPUTUNE_OK;
    const gt_request *r = field->options.request;
    const bool crashed = variant->failure == GPUTUNE_ECRASHED;
    const bool ran = variant->unit && variant->unit->stage == GT_STAGE_READY;
    gt_text_append(&text, message);
    if ((crashed && is_fault(message)) || (variant->failure == GPUTUNE_ETIMEOUT && ran)) {
        append_grid(&text, field, variant);
        append_other_launches(&text, field, message);
    }
    if (crashed && strstr(message, "ILLEGAL_ADDRESS")) {
        gt_text_printf(&text, "; is a length in args() too small, shared() %s%s?",
                       gt_template_lacks_shared(r->template)
                           ? "missing (an 'extern __shared__' array needs it)"
                           : "too small",
                       has_used_buffers(r->template)
                           ? ", a require() missing, or a clear() of a buffer that counts"
                           : ", or a require() missing");
    }
    if (crashed && is_fault(message) && !r->device->emulated) {
        status = append_check_command(&text, field, variant);
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
    if (variant->role == GT_ROLE_QUICK) {
        settle_quick(field, variant);
        return GPUTUNE_OK;
    }
    gt_field_move(field, variant, GT_STAGE_FAILED);
    variant->failure = failure;
    variant->repeatable = repeatable;
    field->doubtful = failure == GPUTUNE_ECRASHED ? variant : field->doubtful;
    gt_field_report(field, variant, 0);
    GT_TRY(gt_field_explain(field, variant, message ? message : ""));
    gt_field_count_alike(field, failure, variant->message);
    return was_right ? prove_slower(field) : GPUTUNE_OK;
}

gputune_status gt_field_fail_launched(gt_field *field, gt_variant *variant, const gt_event *event)
{
    const bool hung_once = event->status == GPUTUNE_ETIMEOUT && !event->repeatable &&
                           field->options.races && variant->role != GT_ROLE_QUICK &&
                           variant->deferral == GT_DEFERRED_NEVER;
    const bool was_right = variant->stage == GT_STAGE_READY;
    if (!hung_once) {
        return gt_field_fail(field, variant, event->status, event->repeatable, event->message);
    }
    GT_TRY(gt_field_defer(field, variant, GT_DEFERRED_HUNG, event->status, event->message));
    return was_right ? prove_slower(field) : GPUTUNE_OK;
}

gputune_status gt_field_blame(gt_field *field, uint64_t *culprit, const gt_event *event)
{
    enum { CHANCES = 3 };
    gt_variant *variant =
        event->culprit < field->variants.count ? field->variants.items[event->culprit] : NULL;
    *culprit = event->culprit;
    if (variant && variant->stage == GT_STAGE_READY &&
        gt_ending_of(event->status)->costs_one_variant) {
        return gt_field_fail_launched(field, variant, event);
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
        if (lacks && variant->role != GT_ROLE_FALLBACK && variant->role != GT_ROLE_QUICK) {
            return true;
        }
    }
    return false;
}

static gt_trial_status status_of(const gt_variant *variant)
{
    bool is_slow = variant->failure == GPUTUNE_ETIMEOUT && variant->unit &&
                   variant->unit->stage != GT_STAGE_READY;
    return is_slow ? GT_TRIAL_SLOW : gt_ending_of(variant->failure)->trial;
}

const char *gt_variant_status(const gt_variant *variant)
{
    return gt_trial_status_name(status_of(variant));
}

/* Returns the number of variants, not counting a default that the field itself added. */
static size_t asked_count(const gt_field *field)
{
    return field->variants.count - field->added_default;
}

/* Returns the first variant with the most frequent failure, and sets *count to the number of
 * variants with this failure. NULL if none failed. */
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

/* Returns true if all variants have the same wrong result, so the reference may be wrong. */
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
                    "; all variants agree: is the reference (block %s, grid %s) correct%s?", blocks,
                    grids,
                    request->odd_tail_text[0] ? ", or is a require() missing for such sizes" : "");
    }
    const bool is_old = first->remembered && first->failure != GPUTUNE_ETIMEOUT;
    return gt_fail(first->failure, "%s: no variant works; %u of %zu failed like this%s%s: %s%s",
                   request->template->name, count, asked_count(field),
                   is_old ? " in an earlier tuning ('force' tries again)" : "",
                   gt_field_never_compiles(field) ? ", and no other was tried" : "",
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

gputune_status gt_field_list_codes(gt_code_list *out, const gt_field *field, bool auxiliary)
{
    for (size_t i = 0; i < (auxiliary ? GT_UNIT_FIRST : field->units.count); i++) {
        const gt_unit *unit = field->units.items[i];
        if (unit->stage == GT_STAGE_READY && !unit->from_store && !unit->is_quick &&
            unit->compiled.image.bytes) {
            GT_TRY(gt_array_push(out, gt_unit_code(unit, field->options.request->device)));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_field_keep_code(const gt_field *field, const gt_patience *patience)
{
    GT_FREED gt_code_list codes = {0};
    GT_TRY(gt_field_list_codes(&codes, field, false));
    return gt_store_put_cubins(field->options.request->services->store, codes.items, codes.count,
                               patience);
}

/* Returns the size of dynamic shared memory per block. The static part is in unit->resources. */
static uint32_t shared_bytes_of(const gt_field *field, const gt_variant *variant)
{
    GT_FREED gt_launch *launch = gt_request_launch(field->options.request, &variant->config);
    return launch ? launch->steps[0].shared_bytes : 0;
}

gt_trial gt_field_trial(const gt_field *field, const gt_variant *variant,
                        const gt_duplicate *duplicate)
{
    static const gt_unit none = {.stage = GT_STAGE_WAITING};
    const gt_unit *unit = variant->unit ? variant->unit : &none;
    const gt_request *r = field->options.request;
    const gt_config *config = duplicate ? &duplicate->config : &variant->config;
    return (gt_trial){.hash = duplicate ? duplicate->trial : variant->trial,
                      .source = unit->hash,
                      .status = status_of(variant),
                      .limit_ns = variant->limit_s * 1e9,
                      .is_default = variant->role == GT_ROLE_DEFAULT && !duplicate,
                      .resources = unit->compiled.resources,
                      .shared_bytes = shared_bytes_of(field, variant),
                      .vector_bytes = gt_vector_bytes(r->template, &r->problem, config, r->device),
                      .occupancy = variant->verified.occupancy,
                      .max_error = variant->verified.max_error,
                      .compile_ns = unit->compiled.compile_ns,
                      .driver_version = r->device->driver_version,
                      .nvrtc_version = unit->compiled.nvrtc_version};
}

/* Appends a scalar's line of gt_verified.single. Returns true if only one value was proved. */
static bool append_single_values(gt_text *text, char *line, uint32_t index)
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
    char *rest = NULL, *untried = NULL, *no_time = NULL;
    uint32_t count = 0;
    *out = NULL;
    if (!lines || !lines[0]) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_strdup(&copy, lines));
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (!strchr(line, '\t')) {
            no_time = line;
            continue;
        }
        bool is_untried = count++ < NAMED && append_single_values(&text, line, count - 1);
        untried = is_untried && !untried ? line : untried;
    }
    if (count > NAMED) {
        gt_text_printf(&text, ", and %u other scalars likewise", count - NAMED);
    }
    if (untried) {
        gt_text_printf(&text, "; prove(%s = VALUE) tries another", untried);
    }
    if (no_time) {
        gt_text_printf(&text, "%snot tried: %s", count ? "; " : "", no_time);
    }
    return gt_text_take(out, &text);
}

const gt_variant *gt_field_find(const gt_field *field, const gt_config *config)
{
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        bool found = variant->role != GT_ROLE_QUICK && gt_config_is(&variant->config, config);
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
    const gt_variant *variant = gt_field_find(field, config);
    return variant && variant->stage == GT_STAGE_READY ? variant : NULL;
}

uint32_t gt_field_tried(const gt_field *field)
{
    uint32_t added = field->started + field->duplicates;
    uint32_t untried =
        (field->fallback != NULL) + field->worthless + field->quick_compiles + field->cut_off;
    return added - (untried < added ? untried : added);
}

uint32_t gt_field_total(const gt_field *field)
{
    uint64_t known = field->variants.count + field->duplicates - field->quick_compiles;
    uint64_t total = field->options.proposer->total;
    uint32_t limit = field->options.limit;
    total = limit && limit < total ? limit : total;
    total = total < known ? known : total;
    return (uint32_t)(total < GT_FIELD_VARIANTS_MAX ? total : GT_FIELD_VARIANTS_MAX);
}

/* Returns the outcome of a variant. Quick compiles whose launch is too short count as failed. */
static gt_tried_outcome outcome_of(const gt_variant *variant, double time_ns)
{
    bool given_up = variant->stage == GT_STAGE_DEFERRED &&
                    (variant->failure == GPUTUNE_OK || variant->deferral == GT_DEFERRED_WORTHLESS);
    bool in_vain = variant->stage == GT_STAGE_QUICK && !(time_ns > 0);
    return given_up                                    ? GT_TRIED_GIVEN_UP
           : variant->failure != GPUTUNE_OK || in_vain ? GT_TRIED_FAILED
                                                       : GT_TRIED_OK;
}

/* Reports the result of a variant (index 0) and its duplicates (from 1), from index `from` on. */
static void report_from(const gt_field *field, const gt_variant *variant, double time_ns,
                        size_t from)
{
    gt_proposer *proposer = field->options.proposer;
    const gt_unit *unit = variant->unit;
    /* Do not report a fallback that was not proposed: the strategy would then never propose it. */
    if (!proposer->on_result || variant->role == GT_ROLE_FALLBACK) {
        return;
    }
    gt_tried result = {.outcome = outcome_of(variant, time_ns),
                       .time_ns = time_ns,
                       .measure_s = gt_schedule_gpu_s(&field->schedule)};
    if (unit) {
        result.compile_s =
            result.outcome == GT_TRIED_GIVEN_UP ? unit->asked_s : unit->compiled.compile_ns * 1e-9;
    }
    for (size_t i = from; i <= variant->duplicates.count; i++) {
        const gt_config *config = i ? &variant->duplicates.items[i - 1].config : &variant->config;
        if (i) {
            result.compile_s = result.measure_s = 0; /* duplicates cost nothing */
        }
        proposer->on_result(proposer, config, &result, variant->role == GT_ROLE_QUICK);
    }
}

void gt_field_report(const gt_field *field, const gt_variant *variant, double time_ns)
{
    report_from(field, variant, time_ns, 0);
}

void gt_field_report_duplicate(const gt_field *field, const gt_variant *variant)
{
    if (variant->stage != GT_STAGE_WAITING && variant->stage != GT_STAGE_VERIFYING) {
        report_from(field, variant,
                    variant->median_ns > 0 ? variant->median_ns : gt_field_pilot(field, variant),
                    variant->duplicates.count);
    }
}

/* a variant cannot win if its first launch takes this many times as long as the best one */
#define SLOWER_OF_ALL 2.0
/* the host's overhead between events is negligible for launches of at least this time */
#define LONG_ENOUGH_NS 50e3
/* a first launch was fast by chance if the samples' median is this many times as long */
#define LUCK 1.05

gputune_status gt_field_bind_launches(const gt_field *field, const gt_variant *variant,
                                      gt_launch launches[GT_WORKLOAD_MAX])
{
    const gt_request *r = field->options.request;
    GT_TRY(gt_launch_bind(&launches[0], r->template, &r->problem, &variant->config, r->device));
    return r->odd_tail_text[0] ? gt_launch_bind(&launches[1], r->template, &r->odd_tail,
                                                &variant->config, r->device)
                               : GPUTUNE_OK;
}

/* ---- the first launch ------------------------------------------------------------------------ */

bool gt_field_pilot_is_sample(const gt_field *field, const gt_variant *variant)
{
    return field->setup->cache == GPUTUNE_CACHE_COLD &&
           variant->verified.pilot_ns >= LONG_ENOUGH_NS;
}

double gt_field_pilot(const gt_field *field, const gt_variant *variant)
{
    double pilot_ns = variant->verified.pilot_ns;
    bool modelled = field->options.request->device->emulated &&
                    field->setup->cache == GPUTUNE_CACHE_COLD && pilot_ns > 0;
    bool is_sample = field->setup->objective == GPUTUNE_OBJECTIVE_KERNEL &&
                     (modelled || gt_field_pilot_is_sample(field, variant));
    return is_sample ? gt_variant_value(variant, pilot_ns) : 0;
}

static double slower_ratio(const gt_field *field)
{
    return field->options.proposer->learns ? GT_CLEARLY_SLOWER : SLOWER_OF_ALL;
}

static double slower_of(const gt_field *field, const gt_variant *variant)
{
    static const double least_ns = 1e-3; /* below any launch time: quick compiles are not proved */
    if (variant->role == GT_ROLE_QUICK) {
        return least_ns;
    }
    bool may_drop = (field->options.races || field->options.skips_slow) &&
                    variant->role == GT_ROLE_PROPOSED && !variant->surely_proved &&
                    field->options.request->options.effort != GPUTUNE_EXHAUSTIVE;
    return may_drop ? slower_ratio(field) * field->best_ns * variant->work : 0;
}

/* Returns the time of a verified variant's first launch or, if this launch was fast by chance, the
 * median of the variant's samples; 0: unknown. First launches are a little slower than samples, so
 * they are compared only with each other. */
static double first_launch(const gt_field *field, const gt_variant *variant)
{
    double pilot = gt_field_pilot(field, variant);
    return pilot > 0 && variant->median_ns > LUCK * pilot ? variant->median_ns : pilot;
}

static void note_best(gt_field *field, const gt_variant *variant)
{
    double first = first_launch(field, variant);
    bool races = variant->role != GT_ROLE_FALLBACK;
    if (first > 0 && races && (first < field->best_ns || !(field->best_ns > 0))) {
        field->best_ns = first;
    }
}

/* Proves a variant that seemed too slow, unless it is still far slower than the best one. */
static gputune_status reconsider_variant(gt_field *field, gt_variant *variant)
{
    bool is_slower =
        field->best_ns > 0 && gt_field_pilot(field, variant) > slower_ratio(field) * field->best_ns;
    if (variant->stage != GT_STAGE_SLOWER || is_slower) {
        return GPUTUNE_OK;
    }
    variant->surely_proved = true; /* prove it even if its first launch is slow again */
    gt_field_move(field, variant, GT_STAGE_WAITING);
    return gt_array_push(&field->compiled, variant);
}

/* Called if the best first launch was fast by chance, or if its variant has failed. Finds the new
 * best first launch, and proves the variants that seemed too slow compared with the old one. */
static gputune_status prove_slower(gt_field *field)
{
    if (field->abandoned) {
        return GPUTUNE_OK;
    }
    field->best_ns = 0;
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        if (variant->stage == GT_STAGE_READY) {
            note_best(field, variant);
        }
    }
    for (gt_variant *variant = field->first; variant && field->in[GT_STAGE_SLOWER];
         variant = variant->next) {
        GT_TRY(reconsider_variant(field, variant));
    }
    return GPUTUNE_OK;
}

gputune_status gt_field_note_median(gt_field *field, gt_variant *variant, double median_ns)
{
    bool was_best = first_launch(field, variant) <= field->best_ns;
    variant->median_ns = median_ns;
    gt_field_report(field, variant, median_ns);
    bool was_luck = was_best && first_launch(field, variant) > field->best_ns;
    return was_luck ? prove_slower(field) : GPUTUNE_OK;
}

/* ---- verifying ------------------------------------------------------------------------------- */

static gputune_status submit_verify(gt_field *field, gt_variant *variant)
{
    gt_farm *farm = field->options.farm;
    GT_FREED gt_verify_job *job = calloc(1, sizeof *job);
    GT_TRY(gt_allocated(job));
    const gt_request *r = field->options.request;
    gputune_status status = gt_field_bind_launches(field, variant, job->launches);
    GT_THEN(status,
            gt_work_ratio(&variant->work, r->template, &r->problem, &variant->config, r->device));
    if (status != GPUTUNE_OK) {
        return gt_field_fail(field, variant, status, true, gt_message());
    }
    job->id = variant->id;
    job->work = variant->work;
    job->standard = variant->role == GT_ROLE_DEFAULT;
    job->patient = variant->deferral == GT_DEFERRED_HUNG || r->check;
    job->image = variant->unit->compiled.image;
    job->slower_ns = slower_of(field, variant);
    job->look_twice = field->options.proposer->learns && variant->role != GT_ROLE_QUICK;
    GT_TRY(farm->ops->verify(farm, job));
    gt_field_move(field, variant, GT_STAGE_VERIFYING);
    variant->turn = ++field->turns;
    field->verifying++;
    return GPUTUNE_OK;
}

gputune_status gt_field_mark_ready(gt_field *field, gt_variant *variant)
{
    gt_field_move(field, variant, GT_STAGE_READY);
    note_best(field, variant);
    gt_field_report(field, variant, gt_field_pilot(field, variant));
    return variant->role == GT_ROLE_FALLBACK ? GPUTUNE_OK
                                             : gt_array_push(&field->newly_ready, variant);
}

gputune_status gt_field_verify_compiled(gt_field *field)
{
    for (size_t i = 0; i < field->compiled.count && field->waits_for_default && field->preparing;
         i++) {
        gt_variant **all = field->compiled.items;
        if (all[i] == field->standard) {
            field->waits_for_default = false;
            memmove(all + 1, all, i * sizeof *all);
            all[0] = field->standard;
        }
    }
    while (field->preparing && !field->waits_for_default && field->compiled.count &&
           field->verifying < gt_schedule_in_hand(&field->schedule) &&
           !(field->rounds_wait && gt_schedule_wants_round(&field->schedule, 1))) {
        gt_variant **all = field->compiled.items, *next = all[0];
        memmove(all, all + 1, --field->compiled.count * sizeof *all);
        GT_TRY(submit_verify(field, next));
    }
    return GPUTUNE_OK;
}

/* Called if a variant seems wrong. The default must be verified first, because data with which it
 * is wrong, too, are not used to verify variants. If it is not verified yet, queues the variant
 * again after it and sets *waits. */
static gputune_status let_default_precede(bool *waits, gt_field *field, gt_variant *variant)
{
    if (!field->standard) {
        GT_TRY(gt_field_add_default(field));
        field->added_default = field->waits_for_default;
    }
    *waits = field->waits_for_default || (field->standard && field->standard->turn > variant->turn);
    if (!*waits) {
        return GPUTUNE_OK;
    }
    gt_field_move(field, variant, GT_STAGE_WAITING);
    return gt_array_push(&field->compiled, variant);
}

gputune_status gt_field_handle_verified(gt_field *field, gt_event *event)
{
    bool again = false;
    gt_variant *variant = field->variants.items[event->id];
    field->verifying--;
    GT_REFUSE(event->status != GPUTUNE_OK && !gt_ending_of(event->status)->costs_one_variant,
              event->status, "%s", event->message);
    if (event->status == GPUTUNE_EWRONG && variant->role != GT_ROLE_QUICK) {
        GT_TRY(let_default_precede(&again, field, variant));
    }
    if (again) {
        return GPUTUNE_OK;
    }
    if (event->status != GPUTUNE_OK) {
        return gt_field_fail_launched(field, variant, event);
    }
    free(variant->verified.findings);
    free(variant->verified.single);
    variant->verified = event->verified; /* the texts now belong to the variant */
    event->verified.findings = event->verified.single = NULL;
    if (variant->role == GT_ROLE_QUICK) {
        settle_quick(field, variant);
        return GPUTUNE_OK;
    }
    if (event->verified.proved) {
        return gt_field_mark_ready(field, variant);
    }
    gt_field_move(field, variant, GT_STAGE_SLOWER);
    gt_field_report(field, variant, gt_field_pilot(field, variant));
    /* the best variant may have failed since the job was sent; then prove this one */
    return reconsider_variant(field, variant);
}

gputune_status gt_field_reverify(gt_field *field)
{
    for (gt_variant *variant = field->first; variant; variant = variant->next) {
        if (variant->stage == GT_STAGE_READY && variant->dropped) {
            variant->surely_proved = true;
            gt_field_move(field, variant, GT_STAGE_WAITING);
            GT_TRY(gt_array_push(&field->compiled, variant));
        }
    }
    return gt_field_verify_compiled(field);
}

gputune_status gt_field_retry(gt_field *field, uint32_t *count)
{
    *count = 0;
    for (gt_variant *variant = field->first; variant; variant = variant->next) {
        if (gt_variant_may_be_retried(variant)) {
            bool compiled = variant->unit && variant->unit->stage == GT_STAGE_READY;
            ++*count;
            variant->retried = true;
            variant->failure = GPUTUNE_OK;
            gt_field_move(field, variant, GT_STAGE_WAITING);
            if (compiled) {
                GT_TRY(submit_verify(field, variant));
            } else {
                GT_TRY(gt_field_start(field, variant));
            }
        }
    }
    return GPUTUNE_OK;
}
