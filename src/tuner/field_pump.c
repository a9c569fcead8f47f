/* How far ahead of the results variants are proposed and compiled. */
#include "tuner/field_parts.h"

enum {
    STARTS_MAX = 256, /* in one go: a few milliseconds */
    AT_A_TIME = 8     /* a share of the proposals on their way that a proposer is asked for */
};

uint32_t gt_field_on_their_way(const gt_field *field)
{
    return field->compiling + (uint32_t)field->compiled.count + field->verifying +
           gt_field_with_helpers(field) + field->untimed;
}

static uint32_t room(const gt_field *field)
{
    return gt_schedule_room(&field->schedule, gt_farm_compile_workers(field->options.farm),
                            field->options.proposer->learns, field->compiling,
                            gt_field_on_their_way(field));
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
    uint32_t workers = gt_farm_compile_workers(field->options.farm);
    return !field->options.proposer->learns ||
           room(field) >= (workers > AT_A_TIME ? workers / AT_A_TIME : 1);
}

static gputune_status take_proposals(gt_field *field)
{
    bool learns = field->options.proposer->learns;
    return gt_field_take_proposals(field, learns ? room(field) : GT_FIELD_PROPOSALS);
}

gputune_status gt_field_pump(gt_field *field)
{
    if (!field->has_auxiliary && field->options.measure) {
        field->has_auxiliary = true;
        GT_TRY(gt_field_start_auxiliary(field));
    }
    GT_TRY(gt_field_take_elsewhere(field));
    field->awaits_results = false;
    gt_field_schedule_helpers(field);
    for (int i = 0; i < STARTS_MAX && wants_more(field); i++) {
        if (field->started == field->variants.count && is_time_to_ask(field)) {
            GT_TRY(take_proposals(field));
        }
        if (field->started == field->variants.count) {
            field->awaits_results = true;
            break;
        }
        GT_TRY(gt_field_start(field, field->started++));
    }
    return gt_field_verify_compiled(field);
}

double gt_field_patience(const gt_field *field)
{
    bool starts_more = wants_more(field) && !field->awaits_results;
    return starts_more ? 0 : field->elsewhere ? 0.005 : 0.1;
}
