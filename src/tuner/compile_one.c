#include "tuner/field.h"
#include "tuner/tune.h"

/* Compiles a field of one. */
static gputune_status compile(gt_field *field, gt_farm *farm)
{
    GT_TRY(gt_field_pump(field));
    while (!gt_field_settled(field)) {
        gt_event event = {0};
        GT_TRY(farm->ops->wait(farm, &event, 1.0));
        gputune_status status = gt_field_handle(field, &event);
        gt_event_free(&event);
        GT_TRY(status);
    }
    const gt_variant *variant = &field->variants.items[0];
    return variant->stage == GT_STAGE_READY
               ? GPUTUNE_OK
               : gt_fail(variant->failure, "%s: %s", field->options.template->path,
                         variant->message ? variant->message : "does not compile");
}

gputune_status gt_compile_one(gt_image *image, gt_resources *resources, const gt_request *request,
                              const gt_config *config)
{
    const gt_services *services = request->services;
    gt_field field = {0};
    gt_field_options options = {.template = request->template,
                                .problem = &request->problem,
                                .workload = &request->workload,
                                .device = request->device,
                                .prelude = gt_catalog_prelude(services->catalog),
                                .store = services->store};
    GT_TRY(services->farm(services->user, &options.farm, false, request->options.isolation));
    GT_TRY(gt_field_open(&field, &options));
    gputune_status status = gt_field_add(&field, config, NULL);
    if (status == GPUTUNE_OK) {
        status = compile(&field, options.farm);
    }
    if (status == GPUTUNE_OK) {
        gt_compiled *compiled = &field.units.items[field.variants.items[0].unit].compiled;
        *resources = compiled->resources;
        *image = compiled->image; /* taken over */
        compiled->image = (gt_image){0};
    }
    gt_field_close(&field);
    return status;
}
