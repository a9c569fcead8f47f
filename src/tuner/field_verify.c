/* From compiled to verified variants. */
#include "tuner/field_parts.h"

#include "tuner/outcome.h"

#include <string.h>

gputune_status gt_field_bind_launches(const gt_field *field, const gt_variant *variant,
                                      gt_launch launches[GT_WORKLOAD_MAX])
{
    const gt_request *r = field->options.request;
    GT_TRY(gt_launch_bind(&launches[0], r->template, &r->problem, &variant->config, r->device));
    if (field->workload_count == 1) {
        return GPUTUNE_OK;
    }
    return gt_launch_bind(&launches[1], r->template, &field->awkward, &variant->config, r->device);
}

static gputune_status describe_launches(gt_verify_job *job, const gt_field *field,
                                        gt_variant *variant)
{
    const gt_request *r = field->options.request;
    GT_TRY(gt_field_bind_launches(field, variant, job->launches));
    GT_TRY(gt_work_ratio(&variant->work, r->template, &r->problem, &variant->config, r->device));
    job->work = variant->work;
    return GPUTUNE_OK;
}

static gputune_status submit_verify(gt_field *field, uint32_t index)
{
    gt_variant *variant = &field->variants.items[index];
    gt_verify_job *job = calloc(1, sizeof *job);
    if (!job) {
        return gt_fail_memory();
    }
    job->id = index;
    job->patient = variant->hangs > 0;
    job->image = field->units.items[variant->unit].compiled.image;
    gputune_status status = describe_launches(job, field, variant);
    if (status != GPUTUNE_OK) {
        status = gt_field_fail(field, index, status, true, gt_message());
    } else {
        variant->stage = GT_STAGE_VERIFYING;
        variant->turn = ++field->turns;
        field->verifying++;
        status = field->options.farm->ops->verify(field->options.farm, job);
    }
    free(job);
    return status;
}

gputune_status gt_field_mark_ready(gt_field *field, uint32_t index)
{
    field->variants.items[index].stage = GT_STAGE_READY;
    field->ready++;
    gt_field_tell(field, index, 0);
    return gt_array_push(&field->newly_ready, index);
}

gputune_status gt_field_verify_compiled(gt_field *field)
{
    gputune_status status = GPUTUNE_OK;
    for (size_t i = 0; i < field->compiled.count && field->awaits_default && field->preparing;
         i++) {
        uint32_t index = field->compiled.items[i];
        if (field->variants.items[index].role == GT_ROLE_DEFAULT) {
            field->awaits_default = false;
            memmove(&field->compiled.items[1], field->compiled.items, i * sizeof index);
            field->compiled.items[0] = index;
        }
    }
    if (!field->preparing || field->awaits_default) {
        return GPUTUNE_OK;
    }
    for (size_t i = 0; i < field->compiled.count && !status; i++) {
        status = submit_verify(field, field->compiled.items[i]);
    }
    field->compiled.count = 0;
    return status;
}

gputune_status gt_field_handle_verified(gt_field *field, const gt_event *event)
{
    gt_variant *variant = &field->variants.items[event->id];
    field->verifying--;
    if (event->status != GPUTUNE_OK && !gt_outcome_costs_one_variant(event->status)) {
        return gt_fail(event->status, "%s", event->message);
    }
    if (event->status != GPUTUNE_OK) {
        variant->hangs += event->status == GPUTUNE_ETIMEOUT;
        return gt_field_fail(field, (uint32_t)event->id, event->status, event->repeatable,
                             event->message);
    }
    variant->verified = event->verified;
    return gt_field_mark_ready(field, (uint32_t)event->id);
}

gputune_status gt_field_reverify(gt_field *field)
{
    field->newly_ready.count = 0;
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
        if (gt_variant_may_be_late(variant)) {
            variant->failure = GPUTUNE_OK;
            field->failed--;
            (*count)++;
            GT_TRY(submit_verify(field, i));
        }
    }
    return GPUTUNE_OK;
}
