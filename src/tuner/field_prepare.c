/* What the measure worker needs before any variant: service kernels, reference, workloads. */
#include "tuner/field_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gputune_status prepare_workloads(gt_field *field, gt_measure_setup *setup)
{
    const gt_request *r = field->options.request;
    char *sizes;
    setup->workload_count = field->workload_count;
    setup->check = r->check;
    setup->workloads[0] = r->workload;
    if (field->workload_count == 1) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_workload_bind(&setup->workloads[1], r->template, &field->awkward, r->device, 1, NULL,
                            0));
    GT_TRY(gt_problem_text(&sizes, r->template, &field->awkward));
    (void)snprintf(setup->awkward, sizeof setup->awkward, "%s", sizes);
    free(sizes);
    gt_request_judge(&setup->workloads[1], r);
    memcpy(setup->workloads[1].alignment, r->workload.alignment,
           sizeof setup->workloads[1].alignment);
    return GPUTUNE_OK;
}

static gputune_status submit_prepare(gt_field *field)
{
    gt_measure_setup *setup = field->setup;
    gputune_status status = prepare_workloads(field, setup);
    if (status == GPUTUNE_OK) {
        setup->service = field->units.items[GT_UNIT_SERVICE].compiled.image;
        setup->reference = field->units.items[GT_UNIT_REFERENCE].compiled.image;
        status = field->options.farm->ops->prepare(field->options.farm, setup);
    }
    field->preparing = true;
    GT_THEN(status, gt_field_prepare_helpers(field));
    return status == GPUTUNE_OK ? gt_field_verify_compiled(field) : status;
}

gputune_status gt_field_try_prepare(gt_field *field)
{
    const gt_unit *service = &field->units.items[GT_UNIT_SERVICE];
    const gt_unit *reference = &field->units.items[GT_UNIT_REFERENCE];
    if (service->stage == GT_STAGE_FAILED) {
        return gt_fail(service->failure, "the service kernels do not compile: %s",
                       service->message);
    }
    if (reference->stage == GT_STAGE_FAILED) {
        return gt_fail(reference->failure == GPUTUNE_ECOMPILE ? GPUTUNE_ETEMPLATE
                                                              : reference->failure,
                       "%s: the reference does not compile: %s",
                       field->options.request->template->path, reference->message);
    }
    bool both = service->stage == GT_STAGE_READY && reference->stage == GT_STAGE_READY;
    return both && field->may_measure && !field->preparing ? submit_prepare(field) : GPUTUNE_OK;
}

static const gt_service_image *built_in_service(const gt_device *device)
{
    for (const gt_service_image *image = gt_service_images; image->arch; image++) {
        if (!device->emulated && strcmp(image->arch, device->arch) == 0) {
            return image;
        }
    }
    return NULL;
}

static gputune_status start_service(gt_field *field)
{
    static char *const quickly[] = {"--Ofast-compile=mid"}; /* all other work waits for it */
    gt_unit *unit = &field->units.items[GT_UNIT_SERVICE];
    const gt_service_image *built_in = built_in_service(field->options.request->device);
    gt_source source = {.text = (char *)gt_service_source,
                        .hash = gt_hash_string(gt_service_source),
                        .options = (char **)quickly,
                        .option_count = 1};
    if (!built_in) {
        return gt_field_submit_source(field, GT_UNIT_SERVICE, &source);
    }
    unit->compiled.image.data = malloc(built_in->bytes);
    GT_TRY(gt_allocated(unit->compiled.image.data));
    memcpy(unit->compiled.image.data, built_in->data, built_in->bytes);
    unit->compiled.image.bytes = built_in->bytes;
    unit->hash = source.hash;
    unit->stage = GT_STAGE_READY;
    return GPUTUNE_OK;
}

gputune_status gt_field_start_auxiliary(gt_field *field)
{
    const gt_request *request = field->options.request;
    GT_TRY(start_service(field));
    const gt_workload *workload = &request->workload;
    if (!workload->has_reference && !workload->has_check && !workload->has_init) {
        field->units.items[GT_UNIT_REFERENCE].stage = GT_STAGE_READY;
    } else {
        gt_source reference;
        GT_TRY(gt_source_reference(&reference, request->template, &request->problem,
                                   request->device,
                                   gt_catalog_prelude(request->services->catalog)));
        gputune_status status = gt_field_submit_source(field, GT_UNIT_REFERENCE, &reference);
        gt_source_free(&reference);
        GT_TRY(status);
    }
    return gt_field_try_prepare(field);
}

gputune_status gt_field_allow_measuring(gt_field *field)
{
    field->may_measure = true;
    return gt_field_try_prepare(field);
}
