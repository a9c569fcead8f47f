/* gputune_emit(). */
#include "api/tuner.h"

#include <stdlib.h>
#include <string.h>

/* The whole of a compiler's log, which has several lines. */
static void log_lines(const gt_log *log, const char *text)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        if (length) {
            gt_log_line(log, GPUTUNE_LOG_INFO, "%.*s", (int)length, text);
        }
        text += length + (text[length] == '\n');
    }
}

static gputune_status wait_for_code(gt_event *event, gt_farm *farm, const gt_request *request)
{
    do {
        gt_event_free(event);
        GT_TRY(farm->ops->wait(farm, event, 0.1));
    } while (event->kind != GT_EVENT_COMPILED && gt_patience_left_s(&request->patience) > 0);
    return event->kind == GT_EVENT_COMPILED
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_ETIMEOUT, "%s: not compiled within %.3g s",
                         request->template->name, request->options.time_limit_s);
}

static gputune_status take_image(gt_image *out, const gt_request *request, gt_event *event,
                                 bool ptx)
{
    if (event->status != GPUTUNE_OK) {
        log_lines(&request->services->log,
                  event->status == GPUTUNE_ECOMPILE ? event->compiled.log : NULL);
        return gt_fail(event->status, "%s: %s", request->template->path, event->message);
    }
    *out = event->compiled.image; /* taken over */
    event->compiled.image = (gt_image){0};
    if (ptx && out->bytes && ((const char *)out->data)[out->bytes - 1] == '\0') {
        out->bytes--; /* NVRTC counts the NUL */
    }
    return GPUTUNE_OK;
}

/* Compiles the source for the form that is wanted. */
static gputune_status compile_form(gt_image *out, const gt_request *request,
                                   const gt_source *source, gputune_form form)
{
    const gt_services *services = request->services;
    gt_farm *farm;
    GT_SCOPED(gt_event_free) gt_event event = {0};
    gt_compile_job job = {.text = source->text,
                          .arch = request->device->arch,
                          .ptx = form == GPUTUNE_FORM_PTX,
                          .instances = (const char *const *)source->instances,
                          .instance_count = source->instance_count,
                          .head_bytes = source->head_bytes};
    GT_FREED const char **options = NULL;
    GT_TRY(services->borrow_farm(services->user, &farm, false, request->options.isolation));
    gputune_status status =
        gt_request_compile_options(&options, &job.option_count, request, source, false);
    if (status == GPUTUNE_OK) {
        job.options = options;
        status = farm->ops->compile(farm, &job);
    }
    GT_THEN(status, wait_for_code(&event, farm, request));
    if (status == GPUTUNE_OK) {
        status = take_image(out, request, &event, job.ptx);
    }
    farm->ops->cancel(farm);
    services->return_farm(services->user, farm);
    return status;
}

static gputune_status emit(char **out, size_t *bytes, const gt_request *request,
                           const gt_config *config, gputune_form form)
{
    GT_SCOPED(gt_source_free) gt_source source = {0};
    gt_image image = {0};
    GT_TRY(gt_request_source(&source, request, config));
    if (form == GPUTUNE_FORM_SOURCE) {
        image = (gt_image){source.text, strlen(source.text)};
        source.text = NULL;
    } else {
        GT_TRY(compile_form(&image, request, &source, form));
    }
    *out = image.data;
    *bytes = image.bytes;
    return GPUTUNE_OK;
}

static gputune_status check_config(const gt_request *request, const gt_config *config)
{
    GT_SCOPED(gt_space_end) gt_space *space = NULL;
    GT_TRY(gt_request_space(&space, request));
    const char *reason = gt_space_excludes(space, config);
    return reason ? gt_fail(GPUTUNE_EINVAL, "%s: this configuration is excluded on %s: %s",
                            request->template->name, request->device->arch, reason)
                  : GPUTUNE_OK;
}

int gputune_emit(char **out, size_t *bytes, gputune *tuner, const char *kernel, gputune_sizes sizes,
                 const char *configuration, const char *arch, gputune_form form)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    gt_device device;
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    gt_config config;
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_need(__func__, "bytes", bytes));
    if ((uint32_t)form > GPUTUNE_FORM_CUBIN) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_emit: %d is no form of code", (int)form);
    }
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_arch(&device, tuner, arch));
    GT_TRY(gt_request_make(&request, &tuner->services, &device, kernel, sizes, NULL));
    GT_TRY(gt_config_parse(&config, request->template, configuration ? configuration : ""));
    GT_TRY(check_config(request, &config));
    return emit(out, bytes, request, &config, form);
}

void gputune_free(void *memory)
{
    free(memory);
}
