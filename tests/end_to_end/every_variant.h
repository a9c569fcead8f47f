/* Verifies a sample of a template's space on an emulated device with real workers.
 * GPUTUNE_TEST_LONG=1 triples the sample. */
#pragma once

#include "world.h"

#include "gpu/device.h"
#include "gpu/nvrtc.h"
#include "tuner/data.h"
#include "tuner/field.h"
#include "tuner/request.h"

#pragma GCC diagnostic ignored "-Wunused-function"

/* The farm and its services. They are opened once per program, so all tests share the workers. */
static struct {
    gt_device device;
    gt_services services;
    gt_farm *farm;
} setup;

static int setup_open(const char *driver_name)
{
    const gt_driver *driver;
    const gt_nvrtc *nvrtc;
    world_environment();
    if (gt_nvrtc_open(&nvrtc, 0) < 0) {
        return 0;
    }
    OK(gt_driver_open(&driver, driver_name));
    OK(gt_device_query(&setup.device, driver, 0));
    gt_device_set_nvrtc(&setup.device, gt_nvrtc_version(nvrtc));
    OK(gt_catalog_open(&setup.services.catalog, NULL, NULL));
    OK(gt_store_open(&setup.services.store, ":memory:", NULL, NULL, false));
    const gt_farm_options options = {.driver = driver_name,
                                     .device_uuid = setup.device.uuid,
                                     .arch = setup.device.arch,
                                     .deadline_s = 60};
    OK(gt_farm_open(&setup.farm, &options));
    return 0;
}

static int setup_h200(void **state)
{
    return setup_open("emu:h200");
}

static int setup_close(void **state)
{
    if (setup.farm) {
        setup.farm->ops->close(setup.farm);
        gt_store_close(setup.services.store);
        gt_catalog_close(setup.services.catalog);
    }
    return 0;
}

static void field_settle(gt_field *field)
{
    OK(gt_field_pump(field));
    while (!gt_field_is_done(field)) {
        gt_event event = {0};
        OK(setup.farm->ops->wait(setup.farm, &event, 60));
        OK(gt_field_handle(field, &event));
        gt_event_free(&event);
        OK(gt_field_pump(field));
    }
}

/* Checks that every variant is correct, or was refused after compiling because its block needs too
 * many registers. */
static void field_judge(const gt_field *field)
{
    uint32_t wrong = 0, refused = 0;
    for (uint32_t i = 0; i < field->variants.count; i++) {
        const gt_variant *variant = field->variants.items[i];
        if (variant->stage == GT_STAGE_READY) {
            continue;
        }
        if (variant->message && strstr(variant->message, "registers per thread")) {
            refused++;
            continue;
        }
        char *text;
        OK(gt_config_text(&text, field->options.request->template, &variant->config));
        print_error("%s: %s: %s\n", text, gt_variant_status(variant),
                    variant->message ? variant->message : "");
        free(text);
        wrong++;
    }
    print_message("%s: %u variants, %u sources, %u need too many registers\n",
                  field->options.request->template->name, (unsigned)field->variants.count,
                  (unsigned)(field->units.count - GT_UNIT_FIRST), refused);
    assert_int_equal(wrong, 0);
    assert_true(refused * 10 <= field->variants.count);
}

typedef struct every_nth {
    gt_proposer proposer;
    gt_space *space;
    uint32_t step, seen;
} every_nth;

static uint32_t propose_nth(gt_proposer *self, gt_config *out, uint32_t count)
{
    every_nth *sample = (every_nth *)self;
    uint32_t given = 0;
    while (given < count && !self->exhausted) {
        self->exhausted = !gt_space_next(sample->space, &out[given]);
        given += !self->exhausted && sample->seen++ % sample->step == 0;
    }
    return given;
}

static void verify_begin(gt_field *field, gt_request **request, const char *kernel,
                         gputune_sizes sizes, uint32_t step, uint64_t seed)
{
    static every_nth sample; /* static, because the field keeps a pointer to it */
    OK(gt_request_make(request, &setup.services, &setup.device, kernel, sizes,
                       &OPTIONS(.seed = seed)));
    gt_space *space = (*request)->space;
    const gt_config standard = gt_config_default((*request)->template);
    assert_true(gt_space_has(space, &standard));
    sample = (every_nth){{.propose = propose_nth}, space, step, 0};
    const gt_field_options options = {.request = *request,
                                      .farm = setup.farm,
                                      .proposer = &sample.proposer,
                                      .with_default = true,
                                      .measure = true};
    OK(gt_field_open(field, &options));
    OK(gt_data_send(field));
    OK(gt_field_allow_measuring(field));
    field_settle(field);
}

static void verify_end(gt_field *field, gt_request *request)
{
    gt_data_release(field);
    gt_field_close(field);
    gt_request_free(request);
}

/* Verifies one of `step` variants with GPUTUNE_TEST_LONG, otherwise one of 3 * step variants. */
static void verify_space(const char *kernel, gputune_sizes sizes, uint32_t step)
{
    gt_request *request;
    gt_field field;
    SKIP_IF(!setup.farm);
    step = getenv("GPUTUNE_TEST_LONG") ? step : 3 * step;
    verify_begin(&field, &request, kernel, sizes, step, 1);
    field_judge(&field);
    verify_end(&field, request);
}
