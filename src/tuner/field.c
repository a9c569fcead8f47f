/* Takes proposals and compiles variants. Slow compiles are ended, and tried again last. */
#include "tuner/field.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/objective.h"
#include "base/text.h"
#include "farm/measure_plan.h"
#include "tuner/code_memo.h"
#include "tuner/outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* maximum number of variants to start per call, so a call takes only a few ms */
    STARTS_MAX = 256,
    /* a proposer that learns is asked for proposals when an eighth of the workers is idle */
    AT_A_TIME = 8,
    PROPOSALS = 16
};

static gputune_status add_variant(gt_field *field, const gt_config *config, gt_role role)
{
    uint32_t id = (uint32_t)field->variants.count;
    GT_TRY(gt_array_reserve(&field->variants));
    gt_variant *variant = calloc(1, sizeof *variant);
    GT_TRY(gt_allocated(variant));
    *variant = (gt_variant){.id = id, .config = *config, .role = role, .stage = GT_STAGE_WAITING};
    *(id ? &field->variants.items[id - 1]->next : &field->first) = variant;
    field->variants.items[field->variants.count++] = variant;
    field->in[GT_STAGE_WAITING]++;
    field->quick_compiles += role == GT_ROLE_QUICK;
    field->fallback = role == GT_ROLE_FALLBACK ? variant : field->fallback;
    if (role == GT_ROLE_DEFAULT) {
        field->standard = variant;
        field->waits_for_default |= field->options.measure;
    }
    return GPUTUNE_OK;
}

static gputune_status add_permitted(gt_field *field, const gt_config *config, gt_role role)
{
    return gt_request_permits(field->options.request, config) ? add_variant(field, config, role)
                                                              : GPUTUNE_OK;
}

gputune_status gt_field_add_default(gt_field *field)
{
    return add_permitted(field, &field->options.request->standard, GT_ROLE_DEFAULT);
}

static gputune_status field_add_given(gt_field *field)
{
    const gt_request *request = field->options.request;
    const gt_config scalar = gt_config_scalar(request->template, &request->standard);
    if (field->options.with_default) {
        GT_TRY(gt_field_add_default(field));
    }
    return (field->options.races || field->options.for_later) &&
                   !gt_config_is(&scalar, &request->standard)
               ? add_permitted(field, &scalar, GT_ROLE_FALLBACK)
               : GPUTUNE_OK;
}

static bool is_of(const gt_variant *variant, const gt_config *config)
{
    return variant && gt_config_is(&variant->config, config);
}

static bool is_given_default(const gt_field *field, const gt_config *config)
{
    return field->options.with_default && is_of(field->standard, config);
}

/* Adds a proposed configuration. If the fallback has it, lets the fallback join the race. */
static gputune_status take_proposal(gt_field *field, const gt_config *config)
{
    if (field->options.proposer->quick_compiles) {
        return add_variant(field, config, GT_ROLE_QUICK);
    }
    if (is_given_default(field, config)) {
        return GPUTUNE_OK;
    }
    if (!is_of(field->fallback, config)) {
        return add_variant(field, config,
                           gt_config_is(&field->options.request->standard, config)
                               ? GT_ROLE_DEFAULT
                               : GT_ROLE_PROPOSED);
    }
    gt_variant *variant = field->fallback;
    field->fallback = NULL;
    variant->role = GT_ROLE_PROPOSED;
    if (variant->stage == GT_STAGE_READY) {
        return gt_field_mark_ready(field, variant);
    }
    gt_field_report(field, variant, 0);
    return GPUTUNE_OK;
}

static uint32_t proposals_left(const gt_field *field)
{
    uint32_t limit = field->options.limit;
    uint32_t most = limit && limit < GT_FIELD_VARIANTS_MAX ? limit : GT_FIELD_VARIANTS_MAX;
    uint32_t taken = (uint32_t)field->variants.count + field->duplicates - field->quick_compiles -
                     (field->fallback != NULL);
    return taken < most ? most - taken : 0;
}

bool gt_field_never_compiles(const gt_field *field)
{
    enum { ENOUGH = 64 };
    return field->options.races && field->options.proposer->learns && !field->compiles &&
           field->alike >= ENOUGH;
}

static bool field_has_more_proposals(const gt_field *field)
{
    return !field->abandoned && !field->options.proposer->exhausted && !field->cut &&
           !gt_field_never_compiles(field);
}

static gputune_status propose_configs(uint32_t *count, const gt_field *field, gt_config *out,
                                      uint32_t most)
{
    gt_proposer *proposer = field->options.proposer;
    *count = proposer->propose(proposer, out, most);
    return proposer->out_of_memory ? gt_fail_memory() : GPUTUNE_OK;
}

static uint32_t count_free(const gt_field *field)
{
    /* number of variants that were started but whose results the proposer does not know yet */
    uint32_t on_their_way =
        field->compiling + (uint32_t)field->compiled.count + field->verifying + field->untimed;
    return gt_schedule_room(&field->schedule, field->options.farm->compile_workers,
                            field->options.proposer->learns, field->compiling, on_their_way);
}

static bool wants_more(const gt_field *field)
{
    bool has_more = field->started < field->variants.count || field_has_more_proposals(field);
    /* do not start a compile that cannot finish within the limit: it would delay the next call */
    bool is_too_late =
        gt_patience_left_s(&field->options.request->patience) < field->schedule.compile_s / 2;
    return has_more && count_free(field) > 0 && !is_too_late;
}

/* Returns true if it is time to ask the proposer for configurations. A proposer that learns is
 * asked as late as possible, when it knows more results. */
static bool may_propose(const gt_field *field)
{
    uint32_t workers = field->options.farm->compile_workers;
    return !field->options.proposer->learns ||
           count_free(field) >= (workers > AT_A_TIME ? workers / AT_A_TIME : 1);
}

static gputune_status take_proposals(gt_field *field)
{
    gt_config configs[PROPOSALS];
    uint32_t left = proposals_left(field), count;
    uint32_t most = field->options.proposer->learns ? count_free(field) : PROPOSALS;
    if (!left) {
        GT_TRY(propose_configs(&count, field, configs, 1));
        field->cut =
            count > 0 && !is_given_default(field, configs) && !is_of(field->fallback, configs);
        return GPUTUNE_OK;
    }
    most = left < most ? left : most;
    GT_TRY(propose_configs(&count, field, configs, most < PROPOSALS ? most : PROPOSALS));
    for (uint32_t i = 0; i < count; i++) {
        GT_TRY(take_proposal(field, &configs[i]));
    }
    return GPUTUNE_OK;
}

gputune_status gt_field_pump(gt_field *field)
{
    field->waits_for_results = false;
    for (int i = 0; i < STARTS_MAX && wants_more(field); i++) {
        if (field->started == field->variants.count && may_propose(field)) {
            GT_TRY(take_proposals(field));
        }
        if (field->started == field->variants.count) {
            field->waits_for_results = true;
            break;
        }
        GT_TRY(gt_field_start(field, field->variants.items[field->started++]));
    }
    return gt_field_verify_compiled(field);
}

double gt_field_patience(const gt_field *field)
{
    bool starts_more = wants_more(field) && !field->waits_for_results;
    return starts_more ? 0 : 0.1;
}

/* fraction of the limit after which slow compiles are put off and nothing waits for the default */
static const double SHARE = 0.2;
/* a variant is too slow if it has taken this fraction of the limit and has not finished */
static const double MOST = 0.5;
/* fraction of the limit that all attempts at one compile may take together */
static const double FAIR = 0.3;
/* a first attempt at a compile may always take this many seconds */
static const double LEAST_S = 3;
/* a compile is slow if it takes this many times as long as the longest successful compile */
static const double SLOW = 8;
/* compiles are given up only after this many seconds, because replacing a worker takes 0.5 s */
static const double GIVEN_UP_S = 1;
/* the proposer is asked again about a compile after its time has grown by this factor */
static const double AGAIN = 1.25;
enum { AT_ONCE = 256 }; /* maximum number of running compiles to check at once */

static double limit_s(const gt_field *field)
{
    return field->options.request->options.time_limit_s;
}

/* --- slow compiles ---------------------------------------------------------------------------- */

gputune_status gt_field_defer(gt_field *field, gt_variant *variant, gt_deferral why,
                              gputune_status failure, const char *message)
{
    gt_field_move(field, variant, GT_STAGE_DEFERRED);
    variant->deferral = why;
    variant->failure = failure;
    if (why == GT_DEFERRED_WORTHLESS) {
        field->worthless += 1 + (uint32_t)variant->duplicates.count;
    }
    gt_field_report(field, variant, 0);
    return message ? gt_field_explain(field, variant, message) : GPUTUNE_OK;
}

/* If there is a reference, ends the others' wait for the default after SHARE of the limit. */
static gputune_status stop_waiting_for_default(gt_field *field)
{
    const gt_workload *workload = &field->options.request->workload;
    if (!field->waits_for_default || !gt_workload_is_judged(workload) ||
        gt_seconds_since(field->start_ns) < SHARE * limit_s(field)) {
        return GPUTUNE_OK;
    }
    field->waits_for_default = false;
    return gt_field_verify_compiled(field);
}

/* Returns true if a compile may be put off. A variant's second attempt may not be put off and, if
 * there are several workers, neither may the default's compile. */
static bool may_be_put_off(const gt_field *field, const gt_unit *unit)
{
    bool only = field->options.farm->compile_workers == 1;
    for (const gt_variant *next = unit->waiting; next; next = next->next_waiting) {
        if (next->retried || (next->role == GT_ROLE_DEFAULT && !only)) {
            return false;
        }
    }
    return true;
}

/* Returns after how many seconds a compile is put off; INFINITY: not now. Until a compile has
 * succeeded, at most one is put off in a period of SHARE of the limit. */
static double compile_share_s(const gt_field *field)
{
    double share_s = SHARE * limit_s(field);
    if (field->longest_s > 0) {
        return fmax(share_s, SLOW * field->longest_s);
    }
    bool is_time = !field->last_put_off_ns || gt_seconds_since(field->last_put_off_ns) > share_s;
    return is_time ? share_s : INFINITY;
}

/* Returns true if the proposer gives up all variants that wait for a unit. The default and the
 * fallback are never given up. */
static bool is_given_up(const gt_field *field, gt_unit *unit, double seconds)
{
    gt_proposer *proposer = field->options.proposer;
    if (!proposer->gives_up || seconds < fmax(GIVEN_UP_S, unit->asked_s * AGAIN)) {
        return false;
    }
    unit->asked_s = seconds;
    for (const gt_variant *next = unit->waiting; next; next = next->next_waiting) {
        if (next->role != GT_ROLE_PROPOSED ||
            !proposer->gives_up(proposer, &next->config, seconds)) {
            return false;
        }
    }
    return true;
}

/* Ends a compile if the proposer gives it up. Puts it off if it is slow and others wait. */
static void end_if_slow(gt_field *field, const gt_compiling *job, uint32_t running)
{
    gt_unit *unit = field->units.items[job->id];
    if (job->id < GT_UNIT_FIRST || unit->given_up || unit->put_off) {
        return;
    }
    bool others_wait = field->compiling > running || field->started < field->variants.count ||
                       field_has_more_proposals(field);
    unit->given_up = is_given_up(field, unit, job->seconds);
    unit->put_off = !unit->given_up && field->options.races && others_wait &&
                    may_be_put_off(field, unit) && job->seconds > compile_share_s(field);
    if (unit->put_off) {
        field->last_put_off_ns = gt_now_ns();
        unit->spent_s += job->seconds;
    }
    if (unit->given_up || unit->put_off) {
        field->options.farm->ops->give_up(field->options.farm, job->id);
    }
}

gputune_status gt_field_end_slow_compiles(gt_field *field)
{
    gt_compiling jobs[AT_ONCE];
    gt_farm *farm = field->options.farm;
    if (!field->compiling) {
        return GPUTUNE_OK;
    }
    uint32_t count = farm->ops->compiling(farm, jobs, AT_ONCE);
    for (uint32_t i = 0; i < count; i++) {
        end_if_slow(field, &jobs[i], count);
    }
    return field->options.races ? stop_waiting_for_default(field) : GPUTUNE_OK;
}

/* Returns true if a compile has taken more than MOST of the limit, or if it was put off before and
 * all its attempts together have taken more than FAIR of the limit. */
static bool compiles_slowly(const gt_field *field, const gt_variant *variant,
                            const gt_compiling *jobs, uint32_t count)
{
    const gt_unit *unit = variant->unit;
    double now_s = 0;
    if (!unit || unit->stage == GT_STAGE_READY) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        now_s = jobs[i].id == unit->id ? jobs[i].seconds : now_s;
    }
    return now_s > fmax(MOST * limit_s(field), LEAST_S) ||
           ((unit->spent_s > 0 || variant->retried) &&
            unit->spent_s + now_s > FAIR * limit_s(field));
}

/* Returns the variant that the measure worker verifies now, or NULL. It is the submitted variant
 * with the smallest `turn`. */
static gt_variant *find_running(const gt_field *field)
{
    gt_variant *running = NULL;
    for (gt_variant *next = field->first; next && field->prepared; next = next->next) {
        if (next->stage == GT_STAGE_VERIFYING && (!running || next->turn < running->turn)) {
            running = next;
        }
    }
    return running;
}

static gputune_status fail_unfinished(gt_field *field, gt_variant *variant)
{
    bool compiled = variant->unit->stage == GT_STAGE_READY;
    char message[96];
    gt_snprintf(message, sizeof message, "%s within the %.3g s limit; raise the time limit",
                compiled ? "did not finish" : "was not compiled", limit_s(field));
    variant->limit_s = limit_s(field);
    return variant->stage == GT_STAGE_DEFERRED
               ? gt_field_defer(field, variant, variant->deferral, GPUTUNE_ETIMEOUT, message)
               : gt_field_fail(field, variant, GPUTUNE_ETIMEOUT, false, message);
}

/* Returns true if the running variant has taken half of the farm's time limit (farm_measure.c) and
 * may never end. Half is enough, because the call's limit may be shorter than the farm's. */
static bool may_never_end(const gt_field *field, double busy_s)
{
    static const double least_s = 0.5, least_emulated_s = 2, references = 500, preparations = 2.5;
    const gt_prepared *prepared = &field->preparation;
    double least = field->options.request->device->emulated ? least_emulated_s : least_s;
    least = fmax(least, references * prepared->reference_ns * 1e-9);
    return busy_s > fmax(least, preparations * prepared->prepare_ns * 1e-9);
}

static gputune_status fail_running(gt_field *field, gt_variant *standard, double busy_s)
{
    char message[128];
    gt_snprintf(
        message, sizeof message,
        "the kernel was still running after %.3g s; it may never end, or need a longer limit",
        busy_s);
    /* record less than this call's limit, so a call with the same limit tries the default again */
    standard->limit_s = MOST * limit_s(field);
    return gt_field_defer(field, standard, GT_DEFERRED_LATE, GPUTUNE_ETIMEOUT, message);
}

gputune_status gt_field_note_unfinished(gt_field *field, double busy_s)
{
    gt_compiling jobs[AT_ONCE];
    gt_farm *farm = field->options.farm;
    uint32_t count = farm->ops->compiling(farm, jobs, AT_ONCE);
    const gt_variant *running = find_running(field);
    double most_s = MOST * limit_s(field);
    for (uint32_t i = 0; i < field->started; i++) {
        gt_variant *variant = field->variants.items[i];
        bool deferred = gt_variant_may_be_retried(variant);
        if (variant->role == GT_ROLE_QUICK) {
            continue;
        }
        bool waits = variant->stage == GT_STAGE_WAITING || deferred;
        bool is_default = variant->role == GT_ROLE_DEFAULT;
        bool again = variant->deferral == GT_DEFERRED_HUNG;
        bool hangs = variant == running && busy_s > most_s && (again || !is_default);
        bool hung_once = again && variant->message && (deferred || variant == running);
        if (hung_once && !hangs) {
            /* record less than this call's limit, so a call with the same limit tries it again */
            variant->failure = GPUTUNE_ETIMEOUT;
            variant->limit_s = most_s;
        } else if ((waits && compiles_slowly(field, variant, jobs, count)) || hangs) {
            GT_TRY(fail_unfinished(field, variant));
        } else if (is_default && variant == running && may_never_end(field, busy_s)) {
            GT_TRY(fail_running(field, variant, busy_s));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_field_note_running(gt_field *field, double busy_s)
{
    gt_variant *running = find_running(field);
    return running && may_never_end(field, busy_s) ? fail_running(field, running, busy_s)
                                                   : GPUTUNE_OK;
}

void gt_field_move(gt_field *field, gt_variant *variant, gt_stage stage)
{
    field->in[variant->stage]--;
    field->in[stage]++;
    variant->stage = stage;
}

/* Returns how much device memory the default variant needs, for all sizes at which it will run. */
static uint64_t default_bytes(const gt_request *r)
{
    const gt_problem *const problems[] = {&r->problem, &r->odd_tail};
    GT_FREED gt_launch *launch = malloc(sizeof *launch);
    uint64_t bytes = 0;
    for (size_t i = 0; launch && i < (r->odd_tail_text[0] ? 2 : 1); i++) {
        if (gt_launch_bind(launch, r->template, problems[i], &r->standard, r->device) ==
            GPUTUNE_OK) {
            bytes += gt_plan_variant_bytes(launch);
        }
    }
    return bytes;
}

static gputune_status make_setup(gt_measure_setup *setup, const gt_request *r)
{
    *setup = (gt_measure_setup){.objective = gt_objective_facts(r->options.objective)->sampled,
                                .cache = r->options.cache,
                                .seed = r->options.seed,
                                .workload_count = r->odd_tail_text[0] ? 2 : 1,
                                .memory_limit_bytes = r->options.memory_limit_bytes,
                                .variant_bytes = default_bytes(r),
                                .check = r->check};
    setup->workloads[0] = r->workload;
    if (setup->workload_count == 1) {
        return GPUTUNE_OK;
    }
    (void)snprintf(setup->odd_tail, sizeof setup->odd_tail, "%s", r->odd_tail_text);
    GT_TRY(
        gt_workload_bind(&setup->workloads[1], r->template, &r->odd_tail, r->device, 1, NULL, 0));
    gt_request_judge(&setup->workloads[1], r);
    memcpy(setup->workloads[1].alignment, r->workload.alignment,
           sizeof setup->workloads[1].alignment);
    return GPUTUNE_OK;
}

/* Takes the code of a unit from the memo or the store. Returns false if it is in neither. */
static bool compiled_before(gt_field *field, gt_unit *unit)
{
    const gt_request *request = field->options.request;
    const gt_device *device = request->device;
    gt_code code;
    bool is_kept = gt_code_memo_find(&code, unit->hash, device);
    if (!is_kept && (unit->is_quick || request->options.force ||
                     gt_store_find_cubin(&code, request->services->store, unit->hash, device->arch,
                                         device->emulated, &request->patience) != GPUTUNE_OK)) {
        return false;
    }
    unit->compiled.image = code.image; /* the image now belongs to the unit */
    unit->compiled.resources = code.resources;
    unit->compiled.compile_ns = code.compile_ns;
    unit->compiled.nvrtc_version = code.nvrtc_version;
    unit->from_store = !is_kept;
    return true;
}

static gputune_status submit_source(gt_field *field, gt_unit *unit, const gt_source *source)
{
    unit->hash = source->hash;
    if (compiled_before(field, unit)) {
        unit->stage = GT_STAGE_READY;
        return GPUTUNE_OK;
    }
    const gt_device *device = field->options.request->device;
    gt_compile_job job = {.id = unit->id,
                          .key = gt_code_key(unit->hash, device->arch, device->emulated).low};
    GT_FREED const char **options = NULL;
    GT_TRY(gt_request_compiling(&job.source, &options, field->options.request, source,
                                unit->is_quick));
    field->compiling++;
    return field->options.farm->ops->compile(field->options.farm, &job);
}

/* When the service kernels and the reference are compiled, prepares the measure worker. */
static gputune_status try_prepare(gt_field *field)
{
    const gt_unit *service = field->units.items[GT_UNIT_SERVICE];
    const gt_unit *reference = field->units.items[GT_UNIT_REFERENCE];
    GT_REFUSE(service->stage == GT_STAGE_FAILED, service->failure,
              "the service kernels do not compile: %s", service->message);
    const bool has_error = reference->failure == GPUTUNE_ECOMPILE; /* if false, the worker failed */
    GT_REFUSE(reference->stage == GT_STAGE_FAILED,
              has_error ? GPUTUNE_ETEMPLATE : reference->failure, "%s: the reference %s: %s",
              field->options.request->template->path,
              has_error ? "does not compile" : "was not compiled", reference->message);
    bool both = service->stage == GT_STAGE_READY && reference->stage == GT_STAGE_READY;
    if (!both || !field->may_measure || field->preparing) {
        return GPUTUNE_OK;
    }
    field->setup->service = service->compiled.image;
    field->setup->reference = reference->compiled.image;
    GT_TRY(field->options.farm->ops->prepare(field->options.farm, field->setup));
    field->preparing = true;
    return gt_field_verify_compiled(field);
}

static const gt_service_image *built_in_service(const gt_device *device)
{
    const char *arch = device->emulated ? "ptx" : device->arch;
    for (const gt_service_image *image = gt_service_images; image->arch; image++) {
        if (strcmp(image->arch, arch) == 0) {
            return image;
        }
    }
    return NULL;
}

static gputune_status start_service(gt_field *field)
{
    /* all verification waits for this compile, so optimise less, except for the slow emulator */
    static const char quickly[] = "--Ofast-compile=mid";
    const bool emulated = field->options.request->device->emulated;
    gt_unit *unit = field->units.items[GT_UNIT_SERVICE];
    const gt_service_image *built_in = built_in_service(field->options.request->device);
    gt_source source = {.text = (char *)gt_service_source,
                        .hash = gt_hash_string(gt_service_source),
                        .options = {(char *)quickly},
                        .option_count = emulated ? 0 : 1};
    if (!built_in) {
        return submit_source(field, unit, &source);
    }
    GT_TRY(gt_image_copy(&unit->compiled.image, built_in->data, built_in->bytes));
    unit->hash = source.hash;
    unit->from_store = true;
    unit->stage = GT_STAGE_READY;
    return GPUTUNE_OK;
}

static gputune_status start_auxiliary(gt_field *field)
{
    const gt_request *request = field->options.request;
    gt_unit *unit = field->units.items[GT_UNIT_REFERENCE];
    GT_TRY(start_service(field));
    const gt_workload *workload = &request->workload;
    if (!workload->has_reference && !workload->has_check && !workload->has_init) {
        unit->stage = GT_STAGE_READY;
    } else {
        GT_SCOPED(gt_source_free) gt_source reference = {0};
        GT_TRY(gt_source_reference(&reference, request->template, &request->problem,
                                   request->device,
                                   gt_catalog_prelude(request->services->catalog)));
        GT_TRY(submit_source(field, unit, &reference));
    }
    return try_prepare(field);
}

gputune_status gt_field_allow_measuring(gt_field *field)
{
    field->may_measure = true;
    return try_prepare(field);
}

static gputune_status add_unit(gt_field *field, gt_hash hash)
{
    GT_TRY(gt_array_reserve(&field->units));
    gt_unit *unit = calloc(1, sizeof *unit);
    GT_TRY(gt_allocated(unit));
    unit->hash = hash;
    unit->id = (uint32_t)field->units.count;
    field->units.items[field->units.count++] = unit;
    return GPUTUNE_OK;
}

static void free_variant(gt_variant *variant)
{
    free(variant->message);
    free(variant->verified.findings);
    free(variant->verified.single);
    gt_array_free(&variant->duplicates);
    free(variant);
}

void gt_field_close(gt_field *field)
{
    for (size_t i = 0; i < field->variants.count; i++) {
        free_variant(field->variants.items[i]);
    }
    for (size_t i = 0; i < field->units.count; i++) {
        gt_unit *unit = field->units.items[i];
        free(unit->message);
        free(unit->compiled.image.data);
        free(unit->compiled.log);
        free(unit);
    }
    gt_array_free(&field->variants);
    gt_array_free(&field->units);
    gt_array_free(&field->compiled);
    gt_array_free(&field->newly_ready);
    gt_hash_index_free(&field->sources);
    gt_hash_index_free(&field->launches);
    free(field->setup);
    *field = (gt_field){0};
}

gputune_status gt_field_open(gt_field *out, const gt_field_options *options)
{
    GT_SCOPED(gt_field_close)
    gt_field field = {
        .options = *options, .setup = calloc(1, sizeof *field.setup), .start_ns = gt_now_ns()};
    GT_TRY(gt_allocated(field.setup));
    if (options->measure) {
        GT_TRY(make_setup(field.setup, options->request));
    }
    for (int i = 0; i < GT_UNIT_FIRST; i++) {
        GT_TRY(add_unit(&field, (gt_hash){0}));
    }
    GT_TRY(field_add_given(&field));
    if (options->measure || options->for_later) {
        GT_TRY(start_auxiliary(&field));
    }
    *out = gt_take(&field);
    return GPUTUNE_OK;
}

/* --- finding equal sources and launches ------------------------------------------------------- */

static gputune_status intern_unit(gt_unit **out, gt_field *field, gt_hash hash, bool *is_new)
{
    uint32_t next = (uint32_t)field->units.count, id;
    GT_TRY(gt_hash_index_intern(&field->sources, hash, next, &id));
    *is_new = id == next;
    if (*is_new) {
        GT_TRY(add_unit(field, hash));
    }
    *out = field->units.items[id];
    return GPUTUNE_OK;
}

static gputune_status find_first(gt_variant **out, gt_field *field, gt_variant *variant,
                                 gt_hash source)
{
    GT_FREED gt_launch *launches = calloc(GT_WORKLOAD_MAX, sizeof *launches);
    GT_TRY(gt_allocated(launches));
    uint32_t id = variant->id;
    /* if the launches cannot be bound, the verification will report it */
    if (gt_field_bind_launches(field, variant, launches) == GPUTUNE_OK) {
        gt_hash hash = gt_hash_join(source, gt_launch_hash(&launches[0]));
        hash = gt_hash_join(hash, gt_launch_hash(&launches[1]));
        GT_TRY(gt_hash_index_intern(&field->launches, hash, id, &id));
    }
    *out = field->variants.items[id];
    return GPUTUNE_OK;
}

static void drop_started(gt_field *field)
{
    gt_variant **at = &field->variants.items[--field->started], *dropped = *at;
    const size_t later = --field->variants.count - field->started;
    memmove(at, at + 1, later * sizeof *at);
    for (size_t i = 0; i < later; i++) {
        at[i]->id--;
    }
    *(field->started ? &at[-1]->next : &field->first) = dropped->next;
    field->in[dropped->stage]--;
    free_variant(dropped);
}

/* If an earlier variant has the same launch, makes `variant` a duplicate of it. For example, the
 * maximum number of blocks has no effect at a size for which one block is enough. */
static gputune_status join_first(gt_field *field, gt_variant *variant, gt_hash source, bool *joined)
{
    gt_variant *first;
    GT_TRY(find_first(&first, field, variant, source));
    *joined = first != variant;
    if (*joined) {
        const gt_duplicate duplicate = {variant->config, variant->trial};
        GT_TRY(gt_array_push(&first->duplicates, duplicate));
        field->duplicates++;
        field->worthless += first->deferral == GT_DEFERRED_WORTHLESS;
        gt_field_report_duplicate(field, first);
        drop_started(field);
    }
    return GPUTUNE_OK;
}

static gputune_status advance_variant(gt_field *field, gt_variant *variant)
{
    const gt_unit *unit = variant->unit;
    if (unit->given_up) {
        return gt_field_defer(field, variant, GT_DEFERRED_WORTHLESS, unit->failure, unit->message);
    }
    if (unit->put_off && variant->role != GT_ROLE_QUICK) {
        field->waits_for_default &= variant->role != GT_ROLE_DEFAULT;
        return gt_field_defer(field, variant, GT_DEFERRED_LATE, GPUTUNE_OK, NULL);
    }
    if (unit->stage == GT_STAGE_FAILED) {
        field->waits_for_default &= variant->role != GT_ROLE_DEFAULT;
        if (unit->failure == GPUTUNE_ETIMEOUT) {
            variant->limit_s = field->options.request->options.time_limit_s;
        }
        return gt_field_fail(field, variant, unit->failure, unit->repeatable, unit->message);
    }
    field->compiles = true;
    if (!field->options.measure) {
        return gt_field_mark_ready(field, variant);
    }
    return gt_array_push(&field->compiled, variant);
}

/* --- starting variants ------------------------------------------------------------------------ */

/* Looks for a stored result of the variant. Sets *known if the variant need not be started now: it
 * failed before, or it hung or was too slow before and is tried last. */
static gputune_status use_history(gt_field *field, gt_variant *variant, bool *known)
{
    const gt_request *request = field->options.request;
    const gt_trial *old = gt_history_find(field->options.history, variant->trial);
    if (!old || request->options.force || variant->retried) {
        return GPUTUNE_OK;
    }
    if (gt_history_failure(old, request) != GPUTUNE_OK) {
        variant->failure = gt_history_failure(old, request);
        variant->message = strdup(old->message ? old->message : "");
        variant->remembered = true;
        gt_field_move(field, variant, GT_STAGE_FAILED);
        gt_field_report(field, variant, 0);
        const gt_history *all = variant->role == GT_ROLE_DEFAULT ? field->options.history : NULL;
        for (size_t i = 0; all && i < all->count; i++) {
            const gputune_status failure = gt_trial_failure(all->items[i].status);
            field->compiles |= failure != GPUTUNE_ECOMPILE;
            gt_field_count_alike(field, failure, all->items[i].message);
        }
        *known = true;
        return GPUTUNE_OK;
    }
    if (gt_trial_failure(old->status) == GPUTUNE_OK) {
        return GPUTUNE_OK;
    }
    /* true if the other variants are compared with this variant's results */
    bool is_expected =
        variant->role == GT_ROLE_DEFAULT && !gt_workload_is_judged(&request->workload);
    bool hung = old->status == GT_TRIAL_HUNG;
    *known = !is_expected && field->options.races;
    if (*known) {
        return gt_field_defer(field, variant, hung ? GT_DEFERRED_HUNG : GT_DEFERRED_LATE,
                              GPUTUNE_OK, NULL);
    }
    variant->deferral = hung ? GT_DEFERRED_HUNG : GT_DEFERRED_NEVER;
    return GPUTUNE_OK;
}

/* If the unit's compile was put off, lets the second attempt of `variant` compile it again. */
static bool take_up_again(gt_unit *unit, const gt_variant *variant)
{
    bool again = unit->put_off && variant->retried;
    if (again) {
        unit->put_off = false;
        unit->stage = GT_STAGE_WAITING;
        unit->failure = GPUTUNE_OK;
        free(unit->message);
        unit->message = NULL;
    }
    return again;
}

gputune_status gt_field_start(gt_field *field, gt_variant *variant)
{
    const gt_request *request = field->options.request;
    GT_SCOPED(gt_source_free) gt_source source = {0};
    bool is_new = false, known = false, is_quick = variant->role == GT_ROLE_QUICK;
    GT_TRY(gt_request_source(&source, request, &variant->config));
    if (is_quick) { /* use another hash, so this code is never taken for optimised code */
        source.hash = gt_hash_join(source.hash, gt_hash_string("quick"));
    }
    variant->trial = gt_trial_hash(request->template, &variant->config, source.hash);
    /* a fallback must not become a duplicate; once it is proposed, it has another role */
    const bool may_join = field->options.races && variant->role != GT_ROLE_FALLBACK;
    if (may_join && !is_quick && !variant->retried) {
        bool joined;
        GT_TRY(join_first(field, variant, source.hash, &joined));
        if (joined) {
            return GPUTUNE_OK;
        }
    }
    if (!is_quick) {
        GT_TRY(use_history(field, variant, &known));
    }
    if (known) {
        field->waits_for_default &= variant->role != GT_ROLE_DEFAULT;
        return gt_field_verify_compiled(field);
    }
    GT_TRY(intern_unit(&variant->unit, field, source.hash, &is_new));
    gt_unit *unit = variant->unit;
    if (take_up_again(unit, variant) || is_new) {
        unit->is_quick = is_quick;
        GT_TRY(submit_source(field, unit, &source));
    }
    if (unit->stage != GT_STAGE_WAITING) {
        GT_TRY(advance_variant(field, variant));
        return gt_field_verify_compiled(field);
    }
    *(unit->waiting ? &unit->last_waiting->next_waiting : &unit->waiting) = variant;
    unit->last_waiting = variant;
    return GPUTUNE_OK;
}

/* --- events ----------------------------------------------------------------------------------- */

static gputune_status handle_compiled(gt_field *field, gt_event *event)
{
    gt_unit *unit = field->units.items[event->id];
    field->compiling--;
    unit->stage = event->status == GPUTUNE_OK ? GT_STAGE_READY : GT_STAGE_FAILED;
    unit->failure = event->status;
    unit->repeatable = event->repeatable;
    unit->compiled = event->compiled;
    event->compiled = (gt_compiled){0};
    if (event->status == GPUTUNE_OK) {
        const gt_code code = gt_unit_code(unit, field->options.request->device);
        gt_code_memo_put(&code);
    } else {
        gt_text text = {0}; /* message of the compiler, followed by the likely cause */
        gt_text_append(&text, event->message);
        gt_template_explain(&text, field->options.request->template, event->message);
        GT_TRY(gt_text_take(&unit->message, &text));
    }
    if (unit->id >= GT_UNIT_FIRST && unit->stage == GT_STAGE_READY) {
        double seconds = unit->compiled.compile_ns * 1e-9;
        field->longest_s = fmax(field->longest_s, seconds);
        gt_schedule_note_compile(&field->schedule, seconds);
    }
    GT_REFUSE(event->status == GPUTUNE_ENOCOMPILER, GPUTUNE_ENOCOMPILER, "%s", event->message);
    if (unit->id < GT_UNIT_FIRST) {
        return try_prepare(field);
    }
    gt_variant *next = unit->waiting;
    unit->waiting = unit->last_waiting = NULL;
    for (; next; next = next->next_waiting) {
        GT_TRY(advance_variant(field, next));
    }
    return gt_field_verify_compiled(field);
}

static void warn_of_loose_tolerance(const gt_request *request, const gt_prepared *prepared)
{
    if (prepared->loose[0]) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING,
                    "%s: the tolerance of %s, %.3g, exceeds the median of its results, %.3g, "
                    "so almost any result passes; give a smaller tolerance in reference()",
                    request->template->name, prepared->loose, prepared->loose_tolerance,
                    prepared->loose_median);
    }
}

gputune_status gt_field_handle(gt_field *field, gt_event *event)
{
    switch (event->kind) {
    case GT_EVENT_COMPILED:
        return handle_compiled(field, event);
    case GT_EVENT_PREPARED:
        GT_REFUSE(event->status != GPUTUNE_OK, event->status, "%s", event->message);
        field->prepared = true;
        field->preparation = event->prepared;
        warn_of_loose_tolerance(field->options.request, &event->prepared);
        return GPUTUNE_OK;
    case GT_EVENT_VERIFIED:
        return gt_field_handle_verified(field, event);
    default:
        return GPUTUNE_OK;
    }
}

gt_variant *gt_field_next_ready(gt_field *field)
{
    return field->newly_ready.count ? field->newly_ready.items[--field->newly_ready.count] : NULL;
}

void gt_field_abandon(gt_field *field)
{
    field->abandoned = true;
    for (gt_variant *variant = field->first; variant; variant = variant->next) {
        bool counts = variant->role == GT_ROLE_PROPOSED || variant->role == GT_ROLE_DEFAULT;
        bool waits = variant->stage == GT_STAGE_WAITING || variant->stage == GT_STAGE_VERIFYING ||
                     gt_variant_may_be_retried(variant);
        bool had_launch = variant->verified.pilot_ns > 0;
        if (waits && variant->dropped && variant->failure == GPUTUNE_OK) {
            gt_field_move(field, variant, GT_STAGE_READY); /* a verified variant that was dropped */
            continue;
        }
        if (counts && waits && !had_launch && variant->failure == GPUTUNE_OK) {
            field->cut_off += 1 + (uint32_t)variant->duplicates.count;
        }
    }
    field->started = (uint32_t)field->variants.count;
    field->compiling = field->verifying = 0;
    field->compiled.count = 0;
}

bool gt_field_is_done(const gt_field *field)
{
    return field->started == field->variants.count && !field_has_more_proposals(field) &&
           !field->compiling && !field->verifying && !field->compiled.count;
}
