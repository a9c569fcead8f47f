#include "tuner/field_parts.h"

#include "base/text.h"

#include <string.h>

enum {
    COMPILE_AHEAD = 3, /* sources submitted per compile worker, so that none waits */
    STARTS_MAX = 256   /* in one go: a few milliseconds */
};

static gputune_status add_unit(gt_field *field, gt_hash hash, uint32_t *index)
{
    gt_unit unit = {.hash = hash, .stage = GT_STAGE_WAITING};
    GT_TRY(gt_array_push(&field->units, unit));
    *index = (uint32_t)field->units.count - 1;
    return GPUTUNE_OK;
}

gputune_status gt_field_open(gt_field *out, const gt_field_options *options)
{
    gt_field field = {.options = *options};
    uint32_t index;
    bool changed = false;
    gputune_status status = gt_problem_awkward(&field.awkward, &changed, options->template,
                                               options->problem, options->device);
    field.workload_count = changed ? 2 : 1;
    for (int i = 0; i < GT_UNIT_FIRST && !status; i++) {
        status = add_unit(&field, (gt_hash){0}, &index);
    }
    if (status != GPUTUNE_OK) {
        gt_field_close(&field);
        return status;
    }
    *out = field;
    return GPUTUNE_OK;
}

static void free_unit(gt_unit *unit)
{
    free(unit->message);
    free(unit->compiled.image.data);
    free(unit->compiled.ptx.data);
    free(unit->compiled.log);
}

void gt_field_close(gt_field *field)
{
    for (size_t i = 0; i < field->variants.count; i++) {
        free(field->variants.items[i].message);
    }
    for (size_t i = 0; i < field->units.count; i++) {
        free_unit(&field->units.items[i]);
    }
    gt_array_free(&field->variants);
    gt_array_free(&field->units);
    gt_array_free(&field->order);
    gt_array_free(&field->held);
    gt_array_free(&field->fresh);
    gt_hash_index_free(&field->sources);
    gt_hash_index_free(&field->launches);
    *field = (gt_field){0};
}

gputune_status gt_field_add(gt_field *field, const gt_config *config, uint32_t *index)
{
    gt_config standard = gt_config_default(field->options.template);
    gt_variant variant = {.config = *config, .stage = GT_STAGE_WAITING};
    variant.is_default = memcmp(&standard, config, sizeof standard) == 0;
    field->awaits_default |= variant.is_default && field->options.measure;
    GT_TRY(gt_array_push(&field->variants, variant));
    uint32_t position = (uint32_t)field->variants.count - 1;
    GT_TRY(gt_array_push(&field->order, position));
    if (index) {
        *index = position;
    }
    return GPUTUNE_OK;
}

gputune_status gt_field_add_space(gt_field *field, gt_space *space, uint32_t limit)
{
    gt_config standard = gt_config_default(field->options.template), config;
    limit = limit && limit < GT_FIELD_VARIANTS_MAX ? limit : GT_FIELD_VARIANTS_MAX;
    GT_TRY(gt_space_require_any(space));
    if (!gt_space_excludes(space, &standard)) {
        GT_TRY(gt_field_add(field, &standard, NULL));
    }
    while (gt_space_next(space, &config)) {
        if (memcmp(&config, &standard, sizeof config) == 0) {
            continue;
        }
        if (field->variants.count >= limit) {
            field->cut = true;
            break;
        }
        GT_TRY(gt_field_add(field, &config, NULL));
    }
    return GPUTUNE_OK;
}

/* --- distinct sources and launches ------------------------------------------------------------ */

/* At the requested size and, where there is one, the awkward one. */
static gputune_status bind_launches(const gt_field *field, const gt_variant *variant,
                                    gt_launch launches[GT_WORKLOAD_MAX])
{
    const gt_field_options *o = &field->options;
    GT_TRY(gt_launch_bind(&launches[0], o->template, o->problem, &variant->config, o->device));
    if (field->workload_count == 1) {
        return GPUTUNE_OK;
    }
    return gt_launch_bind(&launches[1], o->template, &field->awkward, &variant->config, o->device);
}

/* The unit of that hash; *is_new when it was added just now. */
static gputune_status intern_unit(gt_field *field, gt_hash hash, uint32_t *index, bool *is_new)
{
    uint32_t fresh = (uint32_t)field->units.count;
    GT_TRY(gt_hash_index_intern(&field->sources, hash, fresh, index));
    *is_new = *index == fresh;
    return *is_new ? add_unit(field, hash, index) : GPUTUNE_OK;
}

/* Small sizes leave some axes without a say (blocks a multiprocessor, where one block is all there
 * is): what is launched exactly like an earlier variant needs no trial of its own. */
static gputune_status find_twin(gt_field *field, uint32_t index, gt_hash source, bool *found)
{
    gt_variant *variant = &field->variants.items[index];
    gt_launch *launches = calloc(GT_WORKLOAD_MAX, sizeof *launches);
    if (!launches) {
        return gt_fail_memory();
    }
    gputune_status status = GPUTUNE_OK;
    uint32_t first = index;
    if (bind_launches(field, variant, launches) == GPUTUNE_OK) { /* else verifying reports it */
        gt_hash hash = gt_hash_join(source, gt_launch_hash(&launches[0]));
        hash = gt_hash_join(hash, gt_launch_hash(&launches[1]));
        status = gt_hash_index_intern(&field->launches, hash, index, &first);
    }
    free(launches);
    *found = first != index;
    if (*found) {
        variant->stage = GT_STAGE_TWIN;
        variant->twin = first;
        variant->unit = field->variants.items[first].unit;
        field->twins++;
    }
    return status;
}

static bool compiled_before(gt_field *field, gt_unit *unit)
{
    const gt_device *device = field->options.device;
    gt_code code;
    if (!field->options.store || field->options.force ||
        gt_store_find_cubin(&code, field->options.store, unit->hash, device->arch, device->emulated,
                            0) != GPUTUNE_OK) {
        return false;
    }
    unit->compiled.image = code.image; /* taken over */
    unit->compiled.resources = code.resources;
    unit->compiled.compile_ns = code.compile_ns;
    unit->compiled.nvrtc_version = code.nvrtc_version;
    unit->from_store = true;
    return true;
}

gputune_status gt_field_submit_source(gt_field *field, uint32_t index, const gt_source *source)
{
    const gt_device *device = field->options.device;
    gt_compile_job job = {.id = index,
                          .text = source->text,
                          .options = (const char *const *)source->options,
                          .option_count = source->option_count,
                          .arch = device->arch,
                          .ptx = device->emulated};
    gt_unit *unit = &field->units.items[index];
    unit->hash = source->hash;
    if (compiled_before(field, unit)) {
        unit->stage = GT_STAGE_READY;
        return GPUTUNE_OK;
    }
    field->compiling++;
    return field->options.farm->ops->compile(field->options.farm, &job);
}

/* --- from compiled to verified ---------------------------------------------------------------- */

static gputune_status submit_verify(gt_field *field, uint32_t index)
{
    gt_variant *variant = &field->variants.items[index];
    gt_verify_job *job = calloc(1, sizeof *job);
    if (!job) {
        return gt_fail_memory();
    }
    job->id = index;
    job->patient = variant->doubtful;
    job->image = field->units.items[variant->unit].compiled.image;
    gputune_status status = bind_launches(field, variant, job->launches);
    if (status != GPUTUNE_OK) {
        status = gt_field_fail(field, index, status, true, gt_message());
    } else {
        variant->stage = GT_STAGE_VERIFYING;
        field->verifying++;
        status = field->options.farm->ops->verify(field->options.farm, job);
    }
    free(job);
    return status;
}

static gputune_status mark_ready(gt_field *field, uint32_t index)
{
    field->variants.items[index].stage = GT_STAGE_READY;
    field->ready++;
    return gt_array_push(&field->fresh, index);
}

/* A variant whose source is there: on to verification, or done where nothing is measured. */
static gputune_status advance(gt_field *field, uint32_t index)
{
    gt_variant *variant = &field->variants.items[index];
    const gt_unit *unit = &field->units.items[variant->unit];
    if (unit->stage == GT_STAGE_FAILED) {
        field->awaits_default &= !variant->is_default;
        return gt_field_fail(field, index, unit->failure, unit->failure == GPUTUNE_ECOMPILE,
                             unit->message);
    }
    if (!field->options.measure) {
        return mark_ready(field, index);
    }
    return gt_array_push(&field->held, index);
}

gputune_status gt_field_verify_held(gt_field *field)
{
    gputune_status status = GPUTUNE_OK;
    for (size_t i = 0; i < field->held.count && field->awaits_default && field->preparing; i++) {
        uint32_t index = field->held.items[i];
        if (field->variants.items[index].is_default) {
            field->awaits_default = false;
            memmove(&field->held.items[1], field->held.items, i * sizeof index);
            field->held.items[0] = index;
        }
    }
    if (!field->preparing || field->awaits_default) {
        return GPUTUNE_OK;
    }
    for (size_t i = 0; i < field->held.count && !status; i++) {
        status = submit_verify(field, field->held.items[i]);
    }
    field->held.count = 0;
    return status;
}

/* --- starting variants -------------------------------------------------------------------------
 */

/* What an earlier tuning found out about this trial: a lasting failure is not tried again, and what
 * lost is not raced again. */
static bool settled_before(gt_field *field, gt_variant *variant)
{
    const gt_trial *old = gt_history_find(field->options.history, variant->trial);
    bool needed = variant->is_default || variant->spectator ||
                  gt_hash_equal(variant->trial, field->options.champion);
    if (!old || needed || field->options.force || !gt_trial_settled(old)) {
        return false;
    }
    if (gt_trial_failure(old) != GPUTUNE_OK) {
        variant->failure = gt_trial_failure(old);
        variant->message = strdup(old->message ? old->message : "");
        variant->stage = GT_STAGE_FAILED;
        variant->remembered = true;
        field->failed++;
    } else {
        variant->stage = GT_STAGE_KNOWN;
    }
    return true;
}

static gputune_status start(gt_field *field, uint32_t index)
{
    const gt_field_options *o = &field->options;
    gt_variant *variant = &field->variants.items[index];
    gt_source source;
    bool is_new = false;
    GT_TRY(gt_source_generate(&source, o->template, o->problem, &variant->config, o->device,
                              o->prelude));
    variant->trial = gt_trial_hash(o->template, &variant->config, source.hash);
    bool settled = settled_before(field, variant);
    gputune_status status = GPUTUNE_OK;
    if (!settled && o->distinct && !variant->spectator) {
        status = find_twin(field, index, source.hash, &settled);
    }
    if (!settled && !status) {
        status = intern_unit(field, source.hash, &variant->unit, &is_new);
    }
    if (!status && is_new) {
        status = gt_field_submit_source(field, variant->unit, &source);
    }
    gt_source_free(&source);
    GT_TRY(status);
    if (settled) {
        return GPUTUNE_OK;
    }
    gt_unit *unit = &field->units.items[variant->unit];
    if (unit->stage != GT_STAGE_WAITING) {
        GT_TRY(advance(field, index));
        return gt_field_verify_held(field);
    }
    if (unit->waiting) {
        field->variants.items[unit->last_waiting - 1].sibling = index + 1;
    } else {
        unit->waiting = index + 1;
    }
    unit->last_waiting = index + 1;
    return GPUTUNE_OK;
}

static bool wants_more(const gt_field *field)
{
    return field->started < field->order.count &&
           field->compiling < field->options.farm->compile_workers * COMPILE_AHEAD;
}

gputune_status gt_field_pump(gt_field *field)
{
    if (field->started == 0 && field->options.measure) {
        GT_TRY(gt_field_start_auxiliary(field));
    }
    for (int i = 0; i < STARTS_MAX && wants_more(field); i++) {
        GT_TRY(start(field, field->order.items[field->started++]));
    }
    return GPUTUNE_OK;
}

double gt_field_patience(const gt_field *field)
{
    return wants_more(field) ? 0 : 0.1;
}

/* --- events ------------------------------------------------------------------------------------
 */

static gputune_status handle_compiled(gt_field *field, gt_event *event)
{
    gt_unit *unit = &field->units.items[event->id];
    field->compiling--;
    unit->stage = event->status == GPUTUNE_OK ? GT_STAGE_READY : GT_STAGE_FAILED;
    unit->failure = event->status;
    unit->compiled = event->compiled; /* taken over from the event */
    event->compiled = (gt_compiled){0};
    if (event->status != GPUTUNE_OK) {
        GT_TRY(gt_strdup(&unit->message, event->message));
    }
    if (event->status == GPUTUNE_ENOCOMPILER) {
        return gt_fail(GPUTUNE_ENOCOMPILER, "%s", event->message);
    }
    if (event->id < GT_UNIT_FIRST) {
        return gt_field_try_prepare(field);
    }
    uint32_t next = unit->waiting;
    unit->waiting = unit->last_waiting = 0;
    for (; next; next = field->variants.items[next - 1].sibling) {
        GT_TRY(advance(field, next - 1));
    }
    return gt_field_verify_held(field);
}

static gputune_status handle_verified(gt_field *field, const gt_event *event)
{
    gt_variant *variant = &field->variants.items[event->id];
    field->verifying--;
    if (event->status != GPUTUNE_OK) {
        variant->doubtful = event->status == GPUTUNE_ETIMEOUT && !event->repeatable;
        return gt_field_fail(field, (uint32_t)event->id, event->status, event->repeatable,
                             event->message);
    }
    variant->verified = event->verified;
    return mark_ready(field, (uint32_t)event->id);
}

gputune_status gt_field_handle(gt_field *field, gt_event *event)
{
    switch (event->kind) {
    case GT_EVENT_COMPILED:
        return handle_compiled(field, event);
    case GT_EVENT_PREPARED:
        if (event->status != GPUTUNE_OK) {
            return gt_fail(event->status, "%s", event->message);
        }
        field->prepared = true;
        field->preparation = event->prepared;
        return GPUTUNE_OK;
    case GT_EVENT_VERIFIED:
        return handle_verified(field, event);
    default:
        return GPUTUNE_OK;
    }
}

bool gt_field_next_ready(gt_field *field, uint32_t *variant)
{
    if (!field->fresh.count) {
        return false;
    }
    *variant = field->fresh.items[--field->fresh.count];
    return true;
}

gputune_status gt_field_reverify(gt_field *field)
{
    field->fresh.count = 0;
    for (uint32_t i = 0; i < field->variants.count; i++) {
        gt_variant *variant = &field->variants.items[i];
        if (variant->stage == GT_STAGE_READY) {
            variant->dropped = false;
            field->ready--;
            GT_TRY(submit_verify(field, i));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_field_retry_hung(gt_field *field, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < field->variants.count; i++) {
        gt_variant *variant = &field->variants.items[i];
        if (variant->stage == GT_STAGE_FAILED && variant->doubtful) {
            variant->failure = GPUTUNE_OK;
            field->failed--;
            (*count)++;
            GT_TRY(submit_verify(field, i));
        }
    }
    return GPUTUNE_OK;
}

void gt_field_abandon(gt_field *field)
{
    field->started = (uint32_t)field->order.count;
    field->compiling = field->verifying = 0;
    field->held.count = 0;
}

bool gt_field_settled(const gt_field *field)
{
    return field->started == field->order.count && !field->compiling && !field->verifying &&
           !field->held.count;
}
