/* How far ahead of the results variants are proposed and compiled. */
#include "tuner/field_parts.h"

#include <math.h>

enum {
    COMPILE_AHEAD = 3, /* sources submitted per compile worker, so that none waits */
    STARTS_MAX = 256,  /* in one go: a few milliseconds */
    LEAST_WAITING = 4  /* for the GPU, before compiling waits for it */
};
/* A free worker has its next source within this time. */
#define REACTION_S 0.1
#define USUAL_S    0.4 /* to compile a source, before any has been */

/* How many sources wait for a worker. The search learns from results: what is proposed before they
 * are there is proposed blindly, so no more wait than the workers take up before the next ones are
 * proposed. */
static uint32_t in_reserve(const gt_field *field)
{
    uint32_t workers = field->options.farm->compile_workers;
    if (!field->options.proposer->learns) {
        return (COMPILE_AHEAD - 1) * workers;
    }
    double usual = field->compiled_sources ? field->compile_s / field->compiled_sources : USUAL_S;
    double taken_up = ceil(workers * REACTION_S / usual);
    return taken_up < workers ? (uint32_t)taken_up : workers;
}

static uint32_t most_at_a_time(const gt_field *field)
{
    return field->options.farm->compile_workers + in_reserve(field);
}

/* Where the GPU is what the search waits for, compiling more only makes proposals older. */
static bool gpu_is_behind(const gt_field *field)
{
    uint32_t workers = field->options.farm->compile_workers;
    return field->options.proposer->learns && field->prepared &&
           field->verifying >= (workers > LEAST_WAITING ? workers : LEAST_WAITING);
}

static bool wants_more(const gt_field *field)
{
    bool has_more = field->started < field->variants.count || gt_field_has_more_proposals(field);
    return has_more && field->compiling < most_at_a_time(field) && !gpu_is_behind(field);
}

/* A proposer that learns thinks anew with every result; half of the reserve at a time saves it
 * much of that. */
static bool is_time_to_ask(const gt_field *field)
{
    uint32_t spare = most_at_a_time(field) - field->compiling;
    return !field->options.proposer->learns || 2 * spare >= in_reserve(field);
}

static gputune_status take_proposals(gt_field *field)
{
    bool learns = field->options.proposer->learns;
    uint32_t spare = most_at_a_time(field) - field->compiling;
    return gt_field_take_proposals(field, learns ? spare : GT_FIELD_PROPOSALS);
}

gputune_status gt_field_pump(gt_field *field)
{
    if (!field->has_auxiliary && field->options.measure) {
        field->has_auxiliary = true;
        GT_TRY(gt_field_start_auxiliary(field));
    }
    field->awaits_results = false;
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
    return GPUTUNE_OK;
}

double gt_field_patience(const gt_field *field)
{
    return wants_more(field) && !field->awaits_results ? 0 : 0.1;
}
