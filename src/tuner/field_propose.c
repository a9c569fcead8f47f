/* Adds variants to a field: those that it begins with, and those that are proposed. */
#include "tuner/field_parts.h"

static gputune_status add(gt_field *field, const gt_config *config, gt_role role)
{
    const gt_variant variant = {.config = *config, .role = role, .stage = GT_STAGE_WAITING};
    field->sketches += role == GT_ROLE_SKETCH;
    field->awaits_default |= role == GT_ROLE_DEFAULT && field->options.measure;
    return gt_array_push(&field->variants, variant);
}

static gputune_status add_permitted(gt_field *field, const gt_config *config, gt_role role)
{
    bool permitted;
    GT_TRY(gt_request_permits(&permitted, field->options.request, config));
    return permitted ? add(field, config, role) : GPUTUNE_OK;
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
    if (field->options.with_fallback && !gt_config_is(&scalar, &standard)) {
        GT_TRY(add_permitted(field, &scalar, GT_ROLE_FALLBACK));
    }
    field->given = (uint32_t)field->variants.count;
    return GPUTUNE_OK;
}

/* A variant that the field began with may be proposed too. A fallback then races. */
static gputune_status take_proposal(gt_field *field, const gt_config *config)
{
    if (field->options.proposer->sketches) {
        return add(field, config, GT_ROLE_SKETCH);
    }
    for (uint32_t i = 0; i < field->given; i++) {
        gt_variant *variant = &field->variants.items[i];
        if (!gt_config_is(&variant->config, config)) {
            continue;
        }
        bool was_fallback = variant->role == GT_ROLE_FALLBACK;
        variant->role = was_fallback ? GT_ROLE_PROPOSED : variant->role;
        return was_fallback && variant->stage == GT_STAGE_READY
                   ? gt_array_push(&field->newly_ready, i)
                   : GPUTUNE_OK;
    }
    return add(field, config,
               gt_request_is_default(field->options.request, config) ? GT_ROLE_DEFAULT
                                                                     : GT_ROLE_PROPOSED);
}

static bool is_given(const gt_field *field, const gt_config *config)
{
    for (uint32_t i = 0; i < field->given; i++) {
        if (gt_config_is(&field->variants.items[i].config, config)) {
            return true;
        }
    }
    return false;
}

static uint32_t proposals_left(const gt_field *field)
{
    uint32_t limit = field->options.limit;
    uint32_t most = limit && limit < GT_FIELD_VARIANTS_MAX ? limit : GT_FIELD_VARIANTS_MAX;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < field->given; i++) { /* a fallback is no proposal */
        taken += field->variants.items[i].role != GT_ROLE_FALLBACK;
    }
    taken += (uint32_t)field->variants.count - field->given - field->sketches;
    return taken < most ? most - taken : 0;
}

bool gt_field_has_more_proposals(const gt_field *field)
{
    return !field->options.proposer->exhausted && !field->cut;
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

gputune_status gt_field_take_proposals(gt_field *field, uint32_t most)
{
    gt_config configs[GT_FIELD_PROPOSALS];
    uint32_t left = proposals_left(field), count;
    if (!left) {
        GT_TRY(propose(&count, field, configs, 1));
        field->cut = count > 0 && !is_given(field, configs);
        return GPUTUNE_OK;
    }
    most = left < most ? left : most;
    GT_TRY(propose(&count, field, configs, most < GT_FIELD_PROPOSALS ? most : GT_FIELD_PROPOSALS));
    for (uint32_t i = 0; i < count; i++) {
        note_age(field, gt_field_on_their_way(field) + i);
        GT_TRY(take_proposal(field, &configs[i]));
    }
    return GPUTUNE_OK;
}
