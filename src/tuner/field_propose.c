/* Adds variants to a field: those that it begins with, and those that are proposed, no further
 * ahead of the results than serves. */
#include "tuner/field_parts.h"

#include <stdlib.h>

enum {
    STARTS_MAX = 256, /* in one go: a few milliseconds */
    AT_A_TIME = 8,    /* a share of the proposals on their way that a proposer is asked for */
    PROPOSALS = 16    /* the most that it is asked for at once */
};

static gputune_status add(gt_field *field, const gt_config *config, gt_role role)
{
    uint32_t id = (uint32_t)field->variants.count;
    GT_TRY(gt_array_reserve(&field->variants));
    gt_variant *variant = calloc(1, sizeof *variant);
    GT_TRY(gt_allocated(variant));
    *variant = (gt_variant){.id = id, .config = *config, .role = role, .stage = GT_STAGE_WAITING};
    *(id ? &field->variants.items[id - 1]->next : &field->first) = variant;
    field->variants.items[field->variants.count++] = variant;
    field->in[GT_STAGE_WAITING]++;
    field->sketches += role == GT_ROLE_SKETCH;
    field->fallback = role == GT_ROLE_FALLBACK ? variant : field->fallback;
    if (role == GT_ROLE_DEFAULT) {
        field->standard = variant;
        field->awaits_default |= field->options.measure;
    }
    return GPUTUNE_OK;
}

static gputune_status add_permitted(gt_field *field, const gt_config *config, gt_role role)
{
    return gt_request_permits(field->options.request, config) ? add(field, config, role)
                                                              : GPUTUNE_OK;
}

gputune_status gt_field_add_default(gt_field *field)
{
    const gt_config standard = gt_config_default(field->options.request->template);
    return add_permitted(field, &standard, GT_ROLE_DEFAULT);
}

/* The default, and the variant that is right at any alignment, unless it is the default. */
gputune_status gt_field_add_given(gt_field *field)
{
    const gt_request *request = field->options.request;
    const gt_config standard = gt_config_default(request->template);
    const gt_config scalar = gt_config_scalar(request->template, &standard);
    if (field->options.with_default) {
        GT_TRY(gt_field_add_default(field));
    }
    return (field->options.races || field->options.for_later) && !gt_config_is(&scalar, &standard)
               ? add_permitted(field, &scalar, GT_ROLE_FALLBACK)
               : GPUTUNE_OK;
}

static bool is_of(const gt_variant *variant, const gt_config *config)
{
    return variant && gt_config_is(&variant->config, config);
}

/* Whether the field began with that configuration as its default. */
static bool is_given_default(const gt_field *field, const gt_config *config)
{
    return field->options.with_default && is_of(field->standard, config);
}

/* A variant that the field began with may be proposed too. A fallback then races. */
static gputune_status take_proposal(gt_field *field, const gt_config *config)
{
    if (field->options.proposer->sketches) {
        return add(field, config, GT_ROLE_SKETCH);
    }
    if (is_given_default(field, config)) {
        return GPUTUNE_OK;
    }
    if (!is_of(field->fallback, config)) {
        return add(field, config,
                   gt_request_is_default(field->options.request, config) ? GT_ROLE_DEFAULT
                                                                         : GT_ROLE_PROPOSED);
    }
    gt_variant *variant = field->fallback;
    field->fallback = NULL;
    variant->role = GT_ROLE_PROPOSED;
    return variant->stage == GT_STAGE_READY ? gt_array_push(&field->newly_ready, variant)
                                            : GPUTUNE_OK;
}

static uint32_t proposals_left(const gt_field *field)
{
    uint32_t limit = field->options.limit;
    uint32_t most = limit && limit < GT_FIELD_VARIANTS_MAX ? limit : GT_FIELD_VARIANTS_MAX;
    uint32_t taken = (uint32_t)field->variants.count + field->duplicates - field->sketches -
                     (field->fallback != NULL);
    return taken < most ? most - taken : 0;
}

bool gt_field_is_hopeless(const gt_field *field)
{
    enum { ENOUGH = 64 };
    return field->options.races && field->options.proposer->learns && !field->compiles &&
           field->alike >= ENOUGH;
}

bool gt_field_has_more_proposals(const gt_field *field)
{
    return !field->options.proposer->exhausted && !field->cut && !gt_field_is_hopeless(field);
}

static gputune_status propose(uint32_t *count, const gt_field *field, gt_config *out, uint32_t most)
{
    gt_proposer *proposer = field->options.proposer;
    *count = proposer->propose(proposer, out, most);
    return proposer->out_of_memory ? gt_fail_memory() : GPUTUNE_OK;
}

/* Notes how many variants had no result at this proposal, for the debug log. */
static void note_age(gt_field *field, uint32_t unknown)
{
    field->ages.count++;
    field->ages.sum += unknown;
    field->ages.most = unknown > field->ages.most ? unknown : field->ages.most;
}

/* ---- how far ahead --------------------------------------------------------------------------- */

/* The number of variants that were started and have no result yet, so that the proposer knows
 * nothing of them. */
static uint32_t on_their_way(const gt_field *field)
{
    return field->compiling + (uint32_t)field->compiled.count + field->verifying + field->untimed;
}

static uint32_t room(const gt_field *field)
{
    return gt_schedule_room(&field->schedule, field->options.farm->compile_workers,
                            field->options.proposer->learns, field->compiling, on_their_way(field));
}

/* Whether the call's time is up before half of a compile is done. A worker that had begun it would
 * hold up the next call's first sources. */
static bool is_too_late(const gt_field *field)
{
    return gt_patience_left_s(&field->options.request->patience) < field->schedule.compile_s / 2;
}

static bool wants_more(const gt_field *field)
{
    bool has_more = field->started < field->variants.count || gt_field_has_more_proposals(field);
    return has_more && room(field) > 0 && !is_too_late(field);
}

/* A proposer that learns thinks anew with every result; some proposals at a time save it much of
 * that. */
static bool is_time_to_ask(const gt_field *field)
{
    uint32_t workers = field->options.farm->compile_workers;
    return !field->options.proposer->learns ||
           room(field) >= (workers > AT_A_TIME ? workers / AT_A_TIME : 1);
}

/* Adds the proposer's next proposals. Adds none while the proposer waits for results. */
static gputune_status take_proposals(gt_field *field)
{
    gt_config configs[PROPOSALS];
    uint32_t left = proposals_left(field), count;
    uint32_t most = field->options.proposer->learns ? room(field) : PROPOSALS;
    if (!left) {
        GT_TRY(propose(&count, field, configs, 1));
        field->cut =
            count > 0 && !is_given_default(field, configs) && !is_of(field->fallback, configs);
        return GPUTUNE_OK;
    }
    most = left < most ? left : most;
    GT_TRY(propose(&count, field, configs, most < PROPOSALS ? most : PROPOSALS));
    for (uint32_t i = 0; i < count; i++) {
        note_age(field, on_their_way(field) + i);
        GT_TRY(take_proposal(field, &configs[i]));
    }
    return GPUTUNE_OK;
}

gputune_status gt_field_pump(gt_field *field)
{
    field->awaits_results = false;
    for (int i = 0; i < STARTS_MAX && wants_more(field); i++) {
        if (field->started == field->variants.count && is_time_to_ask(field)) {
            GT_TRY(take_proposals(field));
        }
        if (field->started == field->variants.count) {
            field->awaits_results = true;
            break;
        }
        GT_TRY(gt_field_start(field, field->variants.items[field->started++]));
    }
    return gt_field_verify_compiled(field);
}

double gt_field_patience(const gt_field *field)
{
    bool starts_more = wants_more(field) && !field->awaits_results;
    return starts_more ? 0 : 0.1;
}
