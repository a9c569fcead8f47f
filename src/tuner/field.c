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

/* A variant whose compile was given up: it is not tried, and nor are its twins. ENOMEM. */
static gputune_status leave_out(gt_field *field, gt_variant *variant)
{
    gt_field_move(field, variant, GT_STAGE_GIVEN_UP);
    variant->failure = variant->unit->failure;
    for (gt_variant *twin = variant->next_twin; twin; twin = twin->next_twin) {
        gt_field_move(field, twin, GT_STAGE_GIVEN_UP);
    }
    gt_field_tell(field, variant, 0);
    return gt_strdup(&variant->message, variant->unit->message);
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

/* Small sizes leave some axes without a say (blocks a multiprocessor, where one block is all there
 * is): a variant that is launched exactly like an earlier one needs no trial of its own. */
static gputune_status find_twin(gt_field *field, gt_variant *variant, gt_hash source, bool *found)
{
    GT_FREED gt_launch *launches = calloc(GT_WORKLOAD_MAX, sizeof *launches);
    GT_TRY(gt_allocated(launches));
    gputune_status status = GPUTUNE_OK;
    uint32_t id = variant->id;
    if (gt_field_bind_launches(field, variant, launches) ==
        GPUTUNE_OK) { /* else verifying reports it */
        gt_hash hash = gt_hash_join(source, gt_launch_hash(&launches[0]));
        hash = gt_hash_join(hash, gt_launch_hash(&launches[1]));
        status = gt_hash_index_intern(&field->launches, hash, id, &id);
    }
    gt_variant *first = field->variants.items[id];
    *found = first != variant;
    if (*found) {
        bool given_up = first->stage == GT_STAGE_GIVEN_UP;
        gt_field_move(field, variant, given_up ? GT_STAGE_GIVEN_UP : GT_STAGE_TWIN);
        variant->twin = first;
        variant->next_twin = first->next_twin;
        first->next_twin = variant;
        variant->unit = first->unit;
    }
    return status;
}

/* --- compiled sources ------------------------------------------------------------------------- */

/* Advances a variant whose source is compiled: to verification, or, if the field does not measure,
 * to ready. */
static gputune_status advance(gt_field *field, gt_variant *variant)
{
    const gt_unit *unit = variant->unit;
    if (unit->given_up) {
        return leave_out(field, variant);
    }
    if (unit->put_off && variant->role != GT_ROLE_SKETCH) {
        field->awaits_default &= variant->role != GT_ROLE_DEFAULT;
        gt_field_put_off(field, variant);
        return GPUTUNE_OK;
    }
    if (unit->stage == GT_STAGE_FAILED) {
        field->awaits_default &= variant->role != GT_ROLE_DEFAULT;
        if (unit->failure == GPUTUNE_ETIMEOUT) {
            variant->cut_off_s = field->options.request->options.time_limit_s;
            variant->tried_late = true;
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

/* Whether earlier tunings make a trial of this variant needless, now or at all: a failure is not
 * tried again. All others race, whatever they lost to then, unless the proposer leaves them out. */
static bool is_known_already(gt_field *field, gt_variant *variant)
{
    const gt_request *request = field->options.request;
    const gt_trial *old = gt_history_find(field->options.history, variant->trial);
    if (!old || request->options.force || variant->tried_late) {
        return false;
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
        return true;
    }
    if (gt_trial_failure(old->status) != GPUTUNE_OK) { /* the old trial had less time */
        bool is_expected = /* its results are what others are compared with */
            variant->role == GT_ROLE_DEFAULT && !gt_workload_is_judged(&request->workload);
        variant->hangs = old->status == GT_TRIAL_HUNG;
        if (!is_expected) {
            gt_field_put_off(field, variant);
        }
        return !is_expected;
    }
    return false;
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
    bool again = unit->put_off && variant->tried_late;
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
    bool known = !is_sketch && is_known_already(field, variant);
    if (known && variant->role == GT_ROLE_DEFAULT) {
        field->awaits_default = false;
        GT_TRY(gt_field_verify_compiled(field));
    }
    if (!known && field->options.races && variant->role != GT_ROLE_FALLBACK && !is_sketch) {
        GT_TRY(find_twin(field, variant, source.hash, &known));
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

/* The compiler's message, and what it cannot know. */
static gputune_status keep_message(gt_unit *unit, const gt_template *template, const char *message)
{
    const char *name = gt_template_unknown_define(template, message);
    if (!name) {
        return gt_strdup(&unit->message, message);
    }
    gt_text text = {0};
    gt_text_printf(&text,
                   "%s: only expressions know the define() of '%s', since it uses a run-time size; "
                   "compute it in the code",
                   message, name);
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
    const gt_variant *tried = gt_variant_tried(variant);
    bool waits = tried->stage == GT_STAGE_WAITING || tried->stage == GT_STAGE_VERIFYING ||
                 tried->stage == GT_STAGE_LATE;
    return waits && !(tried->verified.pilot_ns > 0);
}

void gt_field_abandon(gt_field *field)
{
    field->options.proposer->exhausted = true;
    field->abandoned = true;
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        bool counts = variant->role == GT_ROLE_PROPOSED || variant->role == GT_ROLE_DEFAULT;
        field->cut_off += counts && is_cut_off(variant);
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
