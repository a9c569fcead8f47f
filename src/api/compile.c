#include "api/tuner.h"

#include "base/array.h"
#include "base/text.h"
#include "tuner/field.h"

#include <stdlib.h>
#include <string.h>

typedef struct compile_run {
    const gt_request *request;
    gt_field field;
    uint32_t reported; /* variants told of so far */
    int (*each)(void *user, const gputune_compiled *compiled);
    void *user;
} compile_run;

static int tell(compile_run *run, uint32_t index)
{
    const gt_variant *variant = &run->field.variants.items[index];
    const gt_unit *unit = &run->field.units.items[variant->unit];
    char *config;
    GT_TRY(gt_config_text(&config, run->request->template, &variant->config));
    const gputune_compiled compiled = {.version = GPUTUNE_COMPILED_VERSION,
                                       .kernel = run->request->template->name,
                                       .configuration = config,
                                       .arch = run->request->device->arch,
                                       .status = gt_variant_status(variant),
                                       .message = variant->message ? variant->message : "",
                                       .log = unit->compiled.log ? unit->compiled.log : "",
                                       .registers = unit->compiled.resources.registers,
                                       .spill_bytes = unit->compiled.resources.spill_bytes,
                                       .shared_bytes = unit->compiled.resources.static_shared_bytes,
                                       .compile_ns = unit->compiled.compile_ns};
    int answer = run->each ? run->each(run->user, &compiled) : 0;
    free(config);
    return answer;
}

/* Tells of finished variants in the order of the space. */
static int tell_finished(compile_run *run)
{
    for (; run->reported < run->field.variants.count; run->reported++) {
        gt_stage stage = run->field.variants.items[run->reported].stage;
        if (stage != GT_STAGE_READY && stage != GT_STAGE_FAILED) {
            return 0;
        }
        int answer = tell(run, run->reported);
        if (answer) {
            return answer;
        }
    }
    return 0;
}

static gputune_status keep_code(const compile_run *run)
{
    const gt_field *field = &run->field;
    const gt_device *device = run->request->device;
    GT_ARRAY(gt_code) codes = {0};
    gputune_status status = GPUTUNE_OK;
    for (size_t i = GT_UNIT_FIRST; i < field->units.count && !status; i++) {
        const gt_unit *unit = &field->units.items[i];
        gt_code code = {.source = unit->hash,
                        .ptx = device->emulated,
                        .nvrtc_version = unit->compiled.nvrtc_version,
                        .image = unit->compiled.image,
                        .resources = unit->compiled.resources,
                        .compile_ns = unit->compiled.compile_ns};
        memcpy(code.arch, device->arch, sizeof code.arch);
        if (unit->stage == GT_STAGE_READY && !unit->from_store) {
            status = gt_array_push(&codes, code);
        }
    }
    if (!status && codes.count) {
        status = gt_store_put_cubins(run->request->services->store, codes.items, codes.count, NULL);
    }
    gt_array_free(&codes);
    return status;
}

static int compile_all(compile_run *run, gt_farm *farm)
{
    const volatile int *cancel = run->request->options.cancel;
    int answer = 0;
    while (!answer && run->reported < run->field.variants.count && !(cancel && *cancel)) {
        gt_event event = {0};
        GT_TRY(gt_field_pump(&run->field));
        if (!gt_field_settled(&run->field)) {
            GT_TRY(farm->ops->wait(farm, &event, gt_field_patience(&run->field)));
            gputune_status status = gt_field_handle(&run->field, &event);
            gt_event_free(&event);
            GT_TRY(status);
        }
        answer = tell_finished(run);
    }
    return answer;
}

static gputune_status open_run(compile_run *run, gt_farm **farm)
{
    const gt_request *request = run->request;
    const gt_services *services = request->services;
    gt_field_options options = {.template = request->template,
                                .problem = &request->problem,
                                .workload = &request->workload,
                                .device = request->device,
                                .prelude = gt_catalog_prelude(services->catalog),
                                .store = services->store,
                                .force = request->options.force};
    gt_space *space;
    GT_TRY(services->farm(services->user, &options.farm, false, request->options.isolation));
    GT_TRY(gt_field_open(&run->field, &options));
    GT_TRY(gt_request_space(&space, request));
    gputune_status status = gt_field_add_space(&run->field, space, request->options.max_variants);
    gt_space_free(space);
    *farm = options.farm;
    return status;
}

static int compile_request(compile_run *run)
{
    gt_farm *farm = NULL;
    int answer = open_run(run, &farm);
    if (answer == GPUTUNE_OK) {
        answer = compile_all(run, farm);
        farm->ops->cancel(farm);
        gputune_status kept = keep_code(run);
        answer = answer ? answer : kept;
    }
    if (answer == GPUTUNE_OK && run->field.ready == 0) {
        answer = gt_field_verdict(&run->field);
    }
    gt_field_close(&run->field);
    return answer;
}

int gputune_compile(gputune *tuner, const char *kernel, gputune_sizes sizes, const char *arch,
                    const gputune_options *options,
                    int (*each)(void *user, const gputune_compiled *compiled), void *user)
{
    gt_device device;
    gt_request *request;
    GT_TRY(gt_tuner_arch(&device, tuner, arch));
    pthread_mutex_lock(&tuner->tuning);
    int answer = gt_request_make(&request, &tuner->services, &device, kernel, sizes, options);
    if (answer == GPUTUNE_OK) {
        compile_run run = {.request = request, .each = each, .user = user};
        answer = compile_request(&run);
        gt_request_free(request);
    }
    pthread_mutex_unlock(&tuner->tuning);
    return answer;
}
