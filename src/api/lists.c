/* Lists kernels and GPUs, and describes spaces. */
#include "api/tuner.h"

#include "base/array.h"
#include "base/environment.h"
#include "base/objective.h"
#include "base/sized.h"
#include "base/text.h"

#include "gpu/device.h"
#include "gpu/nvml.h"
#include "gpu/nvrtc.h"

#include "search/strategy.h"

#include <gputune_tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kernel_walk {
    int (*each)(void *user, const gputune_kernel *kernel);
    void *user;
} kernel_walk;

static void append_axes(gt_text *text, const gt_template *template)
{
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis *axis = &template->axes[i];
        gt_text_printf(text, "%s%s=", i ? " " : "", axis->name);
        for (uint32_t j = 0; j < axis->count; j++) {
            gt_text_append(text, j ? "," : "");
            gt_axis_value_append(text, axis, j);
        }
    }
}

static int describe_kernel(void *user, const gt_template *template)
{
    const kernel_walk *walk = user;
    gt_problem problem;
    gt_text axes = {0};
    GT_FREED char *sizes = NULL, *axis_text = NULL;
    GT_TRY(gt_problem_bind(&problem, template, (gputune_sizes){0, NULL}));
    GT_TRY(gt_problem_text(&sizes, template, &problem));
    append_axes(&axes, template);
    GT_TRY(gt_text_take(&axis_text, &axes));
    const gputune_kernel kernel = {.size = sizeof(gputune_kernel),
                                   .name = template->name,
                                   .path = template->path,
                                   .summary = template->summary,
                                   .sizes = sizes,
                                   .axes = axis_text,
                                   .objective = gt_default_objective(template),
                                   .self_reference = gt_template_is_own_reference(template),
                                   .unreferenced = !gt_template_is_judged(template)};
    return walk->each(walk->user, &kernel);
}

int gputune_kernels(gputune *tuner, const char *kernel,
                    int (*each)(void *user, const gputune_kernel *kernel), void *user)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    return gt_catalog_each(tuner->catalog, kernel, describe_kernel, &(kernel_walk){each, user});
}

static void describe_device(gputune_device *out, const gt_device *device)
{
    *out = (gputune_device){.size = sizeof(gputune_device),
                            .ordinal = device->ordinal,
                            .compute_capability = device->cc,
                            .sm_count = device->sm_count,
                            .memory_bytes = device->memory_bytes,
                            .l2_bytes = device->l2_bytes,
                            .shared_per_sm_bytes = device->shared_per_sm_bytes,
                            .shared_optin_bytes = device->shared_per_block_optin_bytes,
                            .memory_clock_khz = device->memory_clock_khz,
                            .sm_clock_khz = device->sm_clock_khz,
                            .bus_width_bits = device->bus_width_bits,
                            .max_cluster = device->max_cluster,
                            .max_parameter_bytes = device->max_parameter_bytes,
                            .driver_version = device->driver_version,
                            .nvrtc_version = device->nvrtc_version,
                            .peak_bytes_per_s = gt_device_peak_bytes_per_s(device),
                            .emulated = device->emulated};
    snprintf(out->name, sizeof out->name, "%s", device->name);
    snprintf(out->uuid, sizeof out->uuid, "%s", device->uuid);
    snprintf(out->arch, sizeof out->arch, "%s", device->arch);
    snprintf(out->environment, sizeof out->environment, "%s", device->environment);
}

static int nvrtc_version(int driver_version)
{
    const gt_nvrtc *nvrtc;
    return gt_nvrtc_open(&nvrtc, driver_version) == GPUTUNE_OK ? gt_nvrtc_version(nvrtc) : 0;
}

int gputune_devices(const char *driver_name, int (*each)(void *, const gputune_device *),
                    void *user)
{
    const gt_driver *driver;
    int count;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_SCOPED(gt_signal_release) gt_held_signal held;
    gt_signal_hold(&held);
    GT_TRY(gt_driver_open(&driver, driver_name));
    GT_TRY(gt_device_count(&count, driver));
    for (int i = 0; i < count; i++) {
        gt_device device;
        gputune_device description;
        GT_TRY(gt_device_query(&device, driver, i));
        gt_device_set_nvrtc(&device, nvrtc_version(device.driver_version));
        describe_device(&description, &device);
        int answer = each(user, &description);
        if (answer) {
            return answer;
        }
    }
    return GPUTUNE_OK;
}

int gputune_device_count(int *out, const char *driver_name)
{
    const gt_driver *driver;
    const char *name = driver_name ? driver_name : gt_environment("GPUTUNE_DRIVER");
    int version;
    GT_TRY(gt_need(__func__, "out", out));
    GT_SCOPED(gt_signal_release) gt_held_signal held;
    gt_signal_hold(&held);
    GT_TRY(gt_driver_probe(&version, driver_name));
    if ((!name || strcmp(name, "cuda") == 0) && !getenv("CUDA_VISIBLE_DEVICES")) {
        *out = (int)gt_nvml_count(); /* 0: unknown; faster than asking the driver */
        if (*out) {
            return GPUTUNE_OK;
        }
    }
    GT_TRY(gt_driver_open(&driver, driver_name));
    return gt_device_count(out, driver);
}

int gputune_tuner_device(gputune_device *out, gputune *tuner)
{
    gputune_device description;
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EUNSUPPORTED, __func__));
    describe_device(&description, &tuner->device);
    return GT_SIZED_WRITE(gputune_device, out, &description);
}

const char *gputune_objective_name(gputune_objective objective)
{
    bool exists = (uint32_t)objective < GPUTUNE_OBJECTIVE_COUNT;
    return exists ? gt_objective_facts(objective)->name : "?";
}

const char *gputune_strategy_name(gputune_strategy strategy)
{
    return gt_strategy_name(strategy);
}

typedef struct space_parts {
    gputune_space space;
    gt_request *request;
    gt_device device;
    GT_ARRAY(gputune_axis_value) values;
    GT_ARRAY(gputune_exclusion) exclusions;
    gt_texts texts;
} space_parts;

static void free_parts(space_parts **of)
{
    space_parts *parts = *of;
    if (!parts) {
        return;
    }
    gt_texts_free(&parts->texts);
    gt_array_free(&parts->values);
    gt_array_free(&parts->exclusions);
    gt_request_free(parts->request);
    free(parts);
}

void gputune_space_free(gputune_space *space)
{
    space_parts *parts = (space_parts *)space; /* its first member */
    free_parts(&parts);
}

static const char *why_excluded(const space_parts *parts, uint32_t axis, uint32_t choice)
{
    const uint8_t *choices;
    size_t count = gt_space_choices(parts->request->space, axis, &choices);
    if (!memchr(choices, (int)choice, count)) {
        return "excluded by a restriction";
    }
    const char *reason = gt_space_why_unused(parts->request->space, axis, (uint8_t)choice);
    return reason ? reason : "";
}

static gputune_status describe_value(space_parts *parts, uint32_t axis_index, uint32_t choice)
{
    const gt_template *template = parts->request->template;
    const gt_axis *axis = &template->axes[axis_index];
    gputune_axis_value value = {.axis = axis->name,
                                .kind = gt_axis_kind_name(axis->kind),
                                .excluded = why_excluded(parts, axis_index, choice),
                                .is_default = axis->default_choice == choice};
    gt_text text = {0};
    char *shown;
    gt_axis_value_append(&text, axis, choice);
    GT_TRY(gt_text_take(&shown, &text));
    GT_TRY(gt_texts_take(&parts->texts, shown));
    value.value = shown;
    return gt_array_push(&parts->values, value);
}

static gputune_status describe_values(space_parts *parts)
{
    const gt_template *template = parts->request->template;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const uint8_t *choices;
        size_t count = gt_space_choices(parts->request->space, i, &choices);
        for (uint32_t j = 0; j < template->axes[i].count; j++) {
            GT_TRY(describe_value(parts, i, j));
        }
        for (size_t j = 0; j < count; j++) {
            if (choices[j] >= template->axes[i].count) { /* the option `only` added this value */
                GT_TRY(describe_value(parts, i, choices[j]));
            }
        }
    }
    return GPUTUNE_OK;
}

static gputune_status describe_space(space_parts *parts)
{
    _Static_assert((int)GPUTUNE_AT_MOST == (int)GT_AT_MOST, "the two have the same values");
    gputune_space *space = &parts->space;
    GT_TRY(gt_request_prepare_space(parts->request));
    const gt_space_size valid = gt_space_count(parts->request->space);
    const gt_space_size sources = gt_space_sources(parts->request->space);
    *space = (gputune_space){.size = sizeof *space,
                             .combinations = gt_space_combinations(parts->request->space),
                             .valid = valid.count,
                             .valid_certainty = (gputune_certainty)valid.certainty,
                             .sources = sources.count,
                             .sources_certainty = (gputune_certainty)sources.certainty};
    if (space->valid) {
        gt_request_warn_of_default(parts->request);
    }
    GT_TRY(describe_values(parts));
    const gt_exclusion_count *counts;
    size_t count = gt_space_exclusions(parts->request->space, &counts);
    for (size_t i = 0; i < count; i++) {
        const gputune_exclusion exclusion = {counts[i].reason, counts[i].count,
                                             (gputune_certainty)counts[i].certainty};
        GT_TRY(gt_array_push(&parts->exclusions, exclusion));
    }
    space->values = parts->values.items;
    space->value_count = parts->values.count;
    space->exclusions = parts->exclusions.items;
    space->exclusion_count = parts->exclusions.count;
    return GPUTUNE_OK;
}

int gputune_describe_space(gputune_space **out, gputune *tuner, const char *kernel,
                           gputune_sizes sizes, const char *arch, const gputune_options *options)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_SCOPED(free_parts) space_parts *parts = calloc(1, sizeof *parts);
    GT_TRY(gt_allocated(parts));
    GT_TRY(gt_tuner_arch(&parts->device, tuner, arch));
    GT_TRY(
        gt_request_make(&parts->request, &tuner->services, &parts->device, kernel, sizes, options));
    GT_TRY(describe_space(parts));
    *out = &gt_take(&parts)->space;
    return GPUTUNE_OK;
}
