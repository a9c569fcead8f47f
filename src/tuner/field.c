/* From proposals to compiled variants. */
#include "tuner/field_parts.h"

#include "base/clock.h"
#include "base/objective.h"
#include "base/text.h"
#include "tuner/code_memo.h"
#include "tuner/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gt_field_move(gt_field *field, gt_variant *variant, gt_stage stage)
{
    field->in[variant->stage]--;
    field->in[stage]++;
    variant->stage = stage;
}

static gputune_status make_setup(gt_measure_setup *setup, const gt_request *r)
{
    *setup = (gt_measure_setup){.objective = gt_objective_facts(r->options.objective)->sampled,
                                .cache = r->options.cache,
                                .seed = r->options.seed,
                                .workload_count = r->awkward_text[0] ? 2 : 1,
                                .check = r->check};
    setup->workloads[0] = r->workload;
    if (setup->workload_count == 1) {
        return GPUTUNE_OK;
    }
    (void)snprintf(setup->awkward, sizeof setup->awkward, "%s", r->awkward_text);
    GT_TRY(gt_workload_bind(&setup->workloads[1], r->template, &r->awkward, r->device, 1, NULL, 0));
    gt_request_judge(&setup->workloads[1], r);
    memcpy(setup->workloads[1].alignment, r->workload.alignment,
           sizeof setup->workloads[1].alignment);
    return GPUTUNE_OK;
}

static gputune_status submit_prepare(gt_field *field)
{
    gt_measure_setup *setup = field->setup;
    setup->service = field->units.items[GT_UNIT_SERVICE]->compiled.image;
    setup->reference = field->units.items[GT_UNIT_REFERENCE]->compiled.image;
    GT_TRY(field->options.farm->ops->prepare(field->options.farm, setup));
    field->preparing = true;
    return gt_field_verify_compiled(field);
}

static bool find_stored(gt_code *out, const gt_field *field, const gt_unit *unit)
{
    const gt_request *request = field->options.request;
    const gt_device *device = request->device;
    return !unit->is_sketch && !request->options.force &&
           gt_store_find_cubin(out, request->services->store, unit->hash, device->arch,
                               device->emulated, &request->patience) == GPUTUNE_OK;
}

static void take_code(gt_unit *unit, const gt_code *code)
{
    unit->compiled.image = code->image; /* taken over */
    unit->compiled.resources = code->resources;
    unit->compiled.compile_ns = code->compile_ns;
    unit->compiled.nvrtc_version = code->nvrtc_version;
}

/* Whether the unit's code is there already: from an earlier session of this process, or from the
 * store. */
static bool compiled_before(gt_field *field, gt_unit *unit)
{
    gt_code code;
    bool is_kept = gt_code_memo_find(&code, unit->hash, field->options.request->device);
    if (!is_kept && !find_stored(&code, field, unit)) {
        return false;
    }
    take_code(unit, &code);
    unit->from_store = !is_kept;
    return true;
}

static gputune_status compile_source(gt_field *field, const gt_unit *unit, const gt_source *source)
{
    gt_compile_job job = {.id = unit->id};
    GT_FREED const char **options = NULL;
    GT_TRY(gt_request_compiling(&job.source, &options, field->options.request, source,
                                unit->is_sketch));
    field->compiling++;
    return field->options.farm->ops->compile(field->options.farm, &job);
}

/* Gets the code of a unit from the store, or from an earlier session, or submits a job to the
 * compile workers. */
static gputune_status submit_source(gt_field *field, gt_unit *unit, const gt_source *source)
{
    unit->hash = source->hash;
    if (compiled_before(field, unit)) {
        unit->stage = GT_STAGE_READY;
        return GPUTUNE_OK;
    }
    return compile_source(field, unit, source);
}

/* Once both images are compiled, asks the measure worker to prepare. Does nothing before. If one of
 * them fails to compile, the field fails. */
static gputune_status try_prepare(gt_field *field)
{
    const gt_unit *service = field->units.items[GT_UNIT_SERVICE];
    const gt_unit *reference = field->units.items[GT_UNIT_REFERENCE];
    GT_REFUSE(service->stage == GT_STAGE_FAILED, service->failure,
              "the service kernels do not compile: %s", service->message);
    GT_REFUSE(reference->stage == GT_STAGE_FAILED,
              reference->failure == GPUTUNE_ECOMPILE ? GPUTUNE_ETEMPLATE : reference->failure,
              "%s: the reference does not compile: %s", field->options.request->template->path,
              reference->message);
    bool both = service->stage == GT_STAGE_READY && reference->stage == GT_STAGE_READY;
    return both && field->may_measure && !field->preparing ? submit_prepare(field) : GPUTUNE_OK;
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
    static const char quickly[] = "--Ofast-compile=mid"; /* all other work waits for it */
    const bool emulated = field->options.request->device->emulated; /* runs for longer than that */
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

/* Submits the service kernels and the reference, before any variant. */
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

static void free_unit(gt_unit *unit)
{
    free(unit->message);
    free(unit->compiled.image.data);
    free(unit->compiled.log);
    free(unit);
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
        free_unit(field->units.items[i]);
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
    gt_field field = {
        .options = *options, .setup = calloc(1, sizeof *field.setup), .start_ns = gt_now_ns()};
    GT_TRY(gt_allocated(field.setup));
    gputune_status status =
        options->measure ? make_setup(field.setup, options->request) : GPUTUNE_OK;
    for (int i = 0; i < GT_UNIT_FIRST && !status; i++) {
        status = add_unit(&field, (gt_hash){0});
    }
    GT_THEN(status, gt_field_add_given(&field));
    bool auxiliary = options->measure || options->for_later;
    GT_THEN(status, auxiliary ? start_auxiliary(&field) : GPUTUNE_OK);
    return GT_GIVE(status, out, field, gt_field_close(&field));
}

/* --- distinct sources and launches ------------------------------------------------------------ */

/* Finds or adds the unit of that hash; *is_new: it was added now. */
static gputune_status intern_unit(gt_unit **out, gt_field *field, gt_hash hash, bool *is_new)
{
    uint32_t next = (uint32_t)field->units.count, id;
    GT_TRY(gt_hash_index_intern(&field->sources, hash, next, &id));
    *is_new = id == next;
    GT_TRY(*is_new ? add_unit(field, hash) : GPUTUNE_OK);
    *out = field->units.items[id];
    return GPUTUNE_OK;
}

/* Finds the variant with the same source and launches; *out is `variant` itself if it is the
 * first. */
static gputune_status find_first(gt_variant **out, gt_field *field, gt_variant *variant,
                                 gt_hash source)
{
    GT_FREED gt_launch *launches = calloc(GT_WORKLOAD_MAX, sizeof *launches);
    GT_TRY(gt_allocated(launches));
    uint32_t id = variant->id;
    if (gt_field_bind_launches(field, variant, launches) ==
        GPUTUNE_OK) { /* else verifying reports it */
        gt_hash hash = gt_hash_join(source, gt_launch_hash(&launches[0]));
        hash = gt_hash_join(hash, gt_launch_hash(&launches[1]));
        GT_TRY(gt_hash_index_intern(&field->launches, hash, id, &id));
    }
    *out = field->variants.items[id];
    return GPUTUNE_OK;
}

/* Removes the variant that was started last. Later ones have not been started. */
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

/* Some axes do not matter at small sizes (blocks of a multiprocessor, where there is only one
 * block). A variant that is launched exactly as an earlier one becomes its duplicate: it is not
 * tried. */
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
        drop_started(field);
    }
    return GPUTUNE_OK;
}

/* --- compiled sources ------------------------------------------------------------------------- */

/* Advances a variant whose source is compiled: to verification, or, if the field does not measure,
 * to ready. */
static gputune_status advance(gt_field *field, gt_variant *variant)
{
    const gt_unit *unit = variant->unit;
    if (unit->given_up) {
        return gt_field_defer(field, variant, GT_DEFERRED_WORTHLESS, unit->failure, unit->message);
    }
    if (unit->put_off && variant->role != GT_ROLE_SKETCH) {
        field->awaits_default &= variant->role != GT_ROLE_DEFAULT;
        return gt_field_defer(field, variant, GT_DEFERRED_LATE, GPUTUNE_OK, NULL);
    }
    if (unit->stage == GT_STAGE_FAILED) {
        field->awaits_default &= variant->role != GT_ROLE_DEFAULT;
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

/* What earlier tunings know of compiling, once the default is known to have failed. */
static void count_earlier(gt_field *field)
{
    const gt_history *history = field->options.history;
    for (size_t i = 0; i < history->count; i++) {
        const gt_trial *trial = &history->items[i];
        field->compiles |= gt_trial_failure(trial->status) != GPUTUNE_ECOMPILE;
        gt_field_count_alike(field, gt_trial_failure(trial->status), trial->message);
    }
}

/* Handles a variant that earlier tunings tried. A failure is not tried again, one for which there
 * was too little time is deferred (*known). All others race, whatever they lost to then, unless the
 * proposer leaves them out. */
static gputune_status use_history(gt_field *field, gt_variant *variant, bool *known)
{
    const gt_request *request = field->options.request;
    const gt_trial *old = gt_history_find(field->options.history, variant->trial);
    *known = false;
    if (!old || request->options.force || variant->retried) {
        return GPUTUNE_OK;
    }
    if (gt_history_failure(old, request) != GPUTUNE_OK) {
        variant->failure = gt_history_failure(old, request);
        variant->message = strdup(old->message ? old->message : "");
        variant->remembered = true;
        gt_field_move(field, variant, GT_STAGE_FAILED);
        gt_field_tell(field, variant, 0);
        if (variant->role == GT_ROLE_DEFAULT) {
            count_earlier(field);
        }
        *known = true;
        return GPUTUNE_OK;
    }
    if (gt_trial_failure(old->status) != GPUTUNE_OK) { /* the old trial had less time */
        bool is_expected = /* its results are what others are compared with */
            variant->role == GT_ROLE_DEFAULT && !gt_workload_is_judged(&request->workload);
        bool hung = old->status == GT_TRIAL_HUNG;
        *known = !is_expected && field->options.races;
        variant->deferral = hung ? GT_DEFERRED_HUNG : GT_DEFERRED_NEVER;
        return *known ? gt_field_defer(field, variant, hung ? GT_DEFERRED_HUNG : GT_DEFERRED_LATE,
                                       GPUTUNE_OK, NULL)
                      : GPUTUNE_OK;
    }
    return GPUTUNE_OK;
}

/* The hash of a sketch's source, so that code that was compiled quickly is not taken for fully
 * optimised code. */
static gt_hash sketch_hash(gt_hash source)
{
    return gt_hash_join(source, gt_hash_string("sketch"));
}

/* A source that was put off is compiled again when one of its variants has its turn. */
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
    bool is_new = false, is_sketch = variant->role == GT_ROLE_SKETCH;
    GT_TRY(gt_request_source(&source, request, &variant->config));
    source.hash = is_sketch ? sketch_hash(source.hash) : source.hash;
    variant->trial = gt_trial_hash(request->template, &variant->config, source.hash);
    bool known = false;
    if (field->options.races && variant->role != GT_ROLE_FALLBACK && !is_sketch) {
        GT_TRY(join_first(field, variant, source.hash, &known));
    }
    if (known) {
        return GPUTUNE_OK;
    }
    GT_TRY(is_sketch ? GPUTUNE_OK : use_history(field, variant, &known));
    if (known && variant->role == GT_ROLE_DEFAULT) {
        field->awaits_default = false;
        GT_TRY(gt_field_verify_compiled(field));
    }
    if (known) {
        return GPUTUNE_OK;
    }
    GT_TRY(intern_unit(&variant->unit, field, source.hash, &is_new));
    gt_unit *unit = variant->unit;
    if (take_up_again(unit, variant) || is_new) {
        unit->is_sketch = is_sketch;
        GT_TRY(submit_source(field, unit, &source));
    }
    if (unit->stage != GT_STAGE_WAITING) {
        GT_TRY(advance(field, variant));
        return gt_field_verify_compiled(field);
    }
    *(unit->waiting ? &unit->last_waiting->sibling : &unit->waiting) = variant;
    unit->last_waiting = variant;
    return GPUTUNE_OK;
}

/* --- events ----------------------------------------------------------------------------------- */

static gputune_status advance_waiting(gt_field *field, gt_unit *unit)
{
    gt_variant *next = unit->waiting;
    unit->waiting = unit->last_waiting = NULL;
    for (; next; next = next->sibling) {
        GT_TRY(advance(field, next));
    }
    return gt_field_verify_compiled(field);
}

/* Keeps the compiler's message, with what the compiler cannot know. */
static gputune_status keep_message(gt_unit *unit, const gt_template *template, const char *message)
{
    gt_text text = {0};
    gt_text_append(&text, message);
    gt_template_explain(&text, template, message);
    return gt_text_take(&unit->message, &text);
}

static gputune_status handle_compiled(gt_field *field, gt_event *event)
{
    gt_unit *unit = field->units.items[event->id];
    field->compiling--;
    unit->stage = event->status == GPUTUNE_OK ? GT_STAGE_READY : GT_STAGE_FAILED;
    unit->failure = event->status;
    unit->repeatable = event->repeatable;
    unit->compiled = event->compiled; /* taken over from the event */
    event->compiled = (gt_compiled){0};
    if (event->status == GPUTUNE_OK) {
        const gt_code code = gt_unit_code(unit, field->options.request->device);
        gt_code_memo_put(&code);
    } else {
        GT_TRY(keep_message(unit, field->options.request->template, event->message));
    }
    gt_field_note_compiled(field, unit);
    GT_REFUSE(event->status == GPUTUNE_ENOCOMPILER, GPUTUNE_ENOCOMPILER, "%s", event->message);
    return unit->id < GT_UNIT_FIRST ? try_prepare(field) : advance_waiting(field, unit);
}

/* Warns of an output whose tolerance lets almost anything pass. */
static void say_loose(const gt_request *request, const gt_prepared *prepared)
{
    if (prepared->loose[0]) {
        gt_log_line(
            &request->log, GPUTUNE_LOG_WARNING,
            "%s: the tolerance of %s, %.3g, exceeds the median of its results, %.3g: almost "
            "anything passes; state another in reference()",
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
        say_loose(field->options.request, &event->prepared);
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

/* Whether a variant is left without a result. One that waits to be proved again had a launch. */
static bool is_cut_off(const gt_variant *variant)
{
    bool waits = variant->stage == GT_STAGE_WAITING || variant->stage == GT_STAGE_VERIFYING ||
                 gt_variant_may_be_retried(variant);
    return waits && variant->failure == GPUTUNE_OK && !(variant->verified.pilot_ns > 0);
}

void gt_field_abandon(gt_field *field)
{
    field->options.proposer->exhausted = true;
    field->abandoned = true;
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        bool counts = variant->role == GT_ROLE_PROPOSED || variant->role == GT_ROLE_DEFAULT;
        field->cut_off +=
            counts && is_cut_off(variant) ? 1 + (uint32_t)variant->duplicates.count : 0;
    }
    field->started = (uint32_t)field->variants.count;
    field->compiling = field->verifying = 0;
    field->compiled.count = 0;
}

bool gt_field_is_done(const gt_field *field)
{
    return field->started == field->variants.count && !gt_field_has_more_proposals(field) &&
           !field->compiling && !field->verifying && !field->compiled.count;
}
