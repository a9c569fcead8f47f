/* Public functions that use workers but make no plan: gputune_run(), gputune_make_rule(),
 * gputune_check(), gputune_compile(), gputune_emit() and gputune_emit_rule(). */
#include "api/tuner.h"

#include "base/number.h"
#include "gpu/image.h"
#include "kernel/bind/binding.h"
#include "kernel/rule/header.h"
#include "tuner/rule.h"
#include "tuner/session.h"
#include "tuner/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int gputune_run(gputune *tuner, const char *kernel, gputune_sizes sizes,
                const char *const *configurations, size_t count, const gputune_options *options,
                int (*each)(void *user, const gputune_record *record), void *user)
{
    static const char *const standard[] = {NULL};
    const char *const *wanted = configurations ? configurations : standard;
    const size_t wanted_count = configurations ? count : 1;
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_REFUSE(configurations && !count, GPUTUNE_EINVAL,
              "gputune_run: no configurations; expected at least one");
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_not_pinned(tuner, __func__));
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EINVAL, __func__));
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, kernel, sizes, options));
    GT_FREED gt_config *configs = calloc(wanted_count, sizeof *configs);
    GT_TRY(gt_allocated(configs));
    for (size_t i = 0; i < wanted_count; i++) {
        const char *text = wanted[i] ? wanted[i] : "";
        GT_TRY(gt_config_parse(&configs[i], request->template, text, true));
    }
    return gt_run(request, configs, wanted_count, GT_RUN_FULLY, each, user);
}

int gputune_make_rule(char **out, gputune *tuner, const char *kernel, const gputune_range *ranges,
                      size_t count, uint32_t most_codes, const gputune_options *options)
{
    static const uint32_t usual_codes = 16;
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_FREED char *text = NULL;
    gputune_options o;
    GT_TRY(gt_need(__func__, "a kernel", kernel));
    GT_TRY(gt_need(__func__, "the array of ranges", ranges));
    for (size_t i = 0; i < count; i++) {
        GT_TRY(gt_need(__func__, "the name of a range", ranges[i].name));
    }
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_not_pinned(tuner, __func__));
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EINVAL, __func__));
    GT_REFUSE(
        !gt_store_is_writable(tuner->store), GPUTUNE_EDATABASE,
        "%s: this tuner was opened with read_only, so it cannot store a rule; open one without",
        __func__);
    GT_TRY(gt_options_read(&o, options));
    GT_REFUSE(o.effort && o.effort != GPUTUNE_MEASURE, GPUTUNE_EINVAL,
              "%s: a rule is made by measuring; leave out the effort (--effort)", kernel);
    GT_REFUSE(o.only_count || o.input_count || o.file_count, GPUTUNE_EINVAL,
              "%s: a rule always covers all configurations and uses generated inputs; leave out %s",
              kernel, o.only_count ? "`only` (--only)" : "the inputs (--input)");
    GT_TRY(gt_make_rule(&text, &tuner->services, &tuner->device, kernel, ranges, count,
                        most_codes ? most_codes : usual_codes, &o));
    gt_rules_note_change(tuner->rules);
    if (out) {
        *out = gt_take(&text);
    }
    return GPUTUNE_OK;
}

int gputune_check(gputune *tuner, const char *kernel, gputune_sizes sizes,
                  const gputune_options *options,
                  int (*each)(void *user, const gputune_finding *finding), void *user)
{
    static const double usual_limit_s = 600;
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(gt_request_end) gt_request *request = NULL, *small = NULL;
    gputune_options o;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_not_pinned(tuner, __func__));
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EINVAL, __func__));
    GT_TRY(gt_options_read(&o, options));
    o.time_limit_s = o.time_limit_s > 0 ? o.time_limit_s : usual_limit_s;
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, kernel, sizes, &o));
    if (!sizes.count) { /* about a megabyte */
        const gt_problem problem =
            gt_problem_small(request->template, &request->problem, request->device);
        GT_TRY(gt_request_make_at(&small, &tuner->services, &tuner->device, kernel,
                                  request->template, &problem, &o));
    }
    return gt_check(small ? small : request, each, user);
}

int gputune_compile(gputune *tuner, const char *kernel, gputune_sizes sizes, const char *arch,
                    const gputune_options *options,
                    int (*each)(void *user, const gputune_compiled *compiled), void *user)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    gt_device device;
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_not_pinned(tuner, __func__));
    GT_TRY(gt_tuner_arch(&device, tuner, arch));
    GT_TRY(gt_request_make(&request, &tuner->services, &device, kernel, sizes, options));
    return gt_compile_space(request, each, user);
}

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

static gputune_status take_image(gt_image *out, const gt_request *request, gt_event *event,
                                 bool ptx)
{
    if (event->status != GPUTUNE_OK) {
        log_lines(&request->log, event->status == GPUTUNE_ECOMPILE ? event->compiled.log : NULL);
        return gt_fail(event->status, "%s: %s", request->template->path, event->message);
    }
    *out = event->compiled.image; /* taken over */
    event->compiled.image = (gt_image){0};
    if (ptx && out->bytes && ((const char *)out->data)[out->bytes - 1] == '\0') {
        out->bytes--; /* the size that NVRTC reports includes the NUL */
    }
    return GPUTUNE_OK;
}

static gputune_status compile_on(gt_image *out, gt_farm *farm, const gt_request *request,
                                 const gt_source *source, bool ptx)
{
    GT_SCOPED(gt_event_free) gt_event event = {.kind = GT_EVENT_TIMEOUT};
    GT_FREED const char **options = NULL;
    gt_compile_job job = {.id = 0};
    GT_TRY(gt_request_compiling(&job.source, &options, request, source, false));
    job.source.ptx = ptx;
    GT_TRY(farm->ops->compile(farm, &job));
    while (event.kind != GT_EVENT_COMPILED) {
        if (gt_patience_left_s(&request->patience) <= 0) {
            return gt_request_ended(request, "its code was compiled", "raise it");
        }
        gt_event_free(&event);
        GT_TRY(farm->ops->wait(farm, &event, 0.1));
    }
    return take_image(out, request, &event, ptx);
}

static gputune_status compile_source(gt_image *out, const gt_request *request,
                                     const gt_source *source, bool ptx)
{
    gt_workers *workers = request->services->workers;
    gt_farm *farm;
    GT_TRY(gt_workers_borrow(workers, &farm, false));
    gputune_status status = compile_on(out, farm, request, source, ptx);
    farm->ops->cancel(farm);
    gt_workers_return(workers, farm);
    return status;
}

static gputune_status emit_source(char **out, size_t *bytes, const gt_request *request,
                                  const gt_config *config, gputune_form form)
{
    GT_SCOPED(gt_source_free) gt_source source = {0};
    gt_image image = {0};
    GT_TRY(gt_request_source(&source, request, config));
    if (form == GPUTUNE_FORM_SOURCE) {
        char *text;
        GT_TRY(gt_source_shorten(&text, &source, gt_catalog_prelude(request->services->catalog)));
        image = (gt_image){text, strlen(text)};
    } else if (form == GPUTUNE_FORM_WHOLE) {
        image = (gt_image){source.text, strlen(source.text)};
        source.text = NULL;
    } else {
        GT_TRY(compile_source(&image, request, &source, form == GPUTUNE_FORM_PTX));
    }
    *out = image.data;
    *bytes = image.bytes;
    return GPUTUNE_OK;
}

int gputune_emit(char **out, size_t *bytes, gputune *tuner, const char *kernel, gputune_sizes sizes,
                 const char *configuration, const char *arch, gputune_form form)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_device device;
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    gt_config config;
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_need(__func__, "bytes", bytes));
    GT_REFUSE((uint32_t)form > GPUTUNE_FORM_WHOLE, GPUTUNE_EINVAL,
              "gputune_emit: the form is %d; expected a gputune_form", (int)form);
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_arch(&device, tuner, arch));
    options.time_limit_s = HUGE_VAL; /* no limit, because nothing else waits for the compiler */
    GT_TRY(gt_request_make(&request, &tuner->services, &device, kernel, sizes, &options));
    GT_TRY(gt_config_parse(&config, request->template, configuration ? configuration : "", true));
    const char *reason = gt_space_excludes(request->space, &config);
    GT_REFUSE(reason, GPUTUNE_EINVAL, "%s: this configuration is excluded on %s: %s",
              request->template->name, request->device->arch, reason);
    return emit_source(out, bytes, request, &config, form);
}

/* ---- rules as headers ------------------------------------------------------------------------ */

typedef struct header_parts {
    gt_found_rule found;
    gt_header_code *compiled; /* at [arch * code_count + code] */
    uint32_t *codes;
    gt_texts archs; /* the architectures of the codes */
    gt_header header;
} header_parts;

static void free_header_parts(header_parts *parts)
{
    for (uint32_t i = 0; parts->compiled && i < parts->header.arch_count * parts->header.code_count;
         i++) {
        free(parts->compiled[i].image.data);
        for (int k = 0; k < GT_STEPS_MAX; k++) {
            free(parts->compiled[i].entries[k]);
        }
    }
    gt_found_rule_free(&parts->found);
    gt_texts_free(&parts->archs);
    free(parts->compiled);
    free(parts->codes);
}

/* Numbers the sources of the variants, from 0. Variants with equal sources get the same number. */
static gputune_status number_codes(header_parts *parts, const gt_request *request)
{
    const gt_rule *rule = parts->found.rule;
    GT_FREED gt_hash *hashes = calloc(rule->variants.count, sizeof *hashes);
    parts->codes = calloc(rule->variants.count, sizeof *parts->codes);
    GT_TRY(parts->codes && hashes ? GPUTUNE_OK : gt_fail_memory());
    for (uint32_t v = 0; v < rule->variants.count; v++) {
        uint32_t same = 0;
        GT_SCOPED(gt_source_free) gt_source source = {0};
        GT_TRY(gt_request_source(&source, request, &rule->variants.items[v]));
        hashes[v] = source.hash;
        while (!gt_hash_equal(hashes[same], source.hash)) {
            same++;
        }
        parts->codes[v] = same < v ? parts->codes[same] : parts->header.code_count++;
    }
    return GPUTUNE_OK;
}

/* Refuses sizes outside the region. A size is "NAME" or "NAME=VALUE". */
static gputune_status check_sizes(const gt_rule *rule, const gt_request *request,
                                  gputune_sizes given)
{
    const gt_template *template = request->template;
    GT_SCOPED(gt_text_free) gt_text region = {0};
    gt_rule_region_append(&region, template, &rule->region);
    for (size_t k = 0; k < given.count; k++) {
        char name[GT_NAME_MAX];
        uint32_t i;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(given.items[k].name, "="),
                 given.items[k].name);
        GT_TRY(gt_name_find(&i, template, false, name));
        const int64_t number = request->problem.values[i].number;
        GT_REFUSE(number < rule->region.least.values[i].number ||
                      number > rule->region.most.values[i].number,
                  GPUTUNE_EINVAL,
                  "%s: %s=%lld is outside the region of the rule, %s; leave it out, because the "
                  "header chooses at each size",
                  template->name, name, (long long)number, gt_text_string(&region));
    }
    return GPUTUNE_OK;
}

/* Sets the architectures of the header: sm_90 becomes sm_90a, and duplicates are left out. */
static gputune_status set_archs(header_parts *parts, const gputune *tuner, const char *const *archs,
                                size_t count)
{
    gt_texts *names = &parts->archs;
    for (size_t i = 0; i < (count ? count : 1); i++) {
        gt_device device;
        GT_TRY(gt_tuner_arch(&device, tuner, count ? archs[i] : NULL));
        if (gt_index_of(device.arch, names->items, names->count) == names->count) {
            GT_TRY(gt_texts_add(names, device.arch, strlen(device.arch)));
        }
    }
    parts->header.archs = (const char *const *)names->items;
    parts->header.arch_count = (uint32_t)names->count;
    return GPUTUNE_OK;
}

static gputune_status compile_code(gt_header_code *out, const gt_request *request,
                                   const gt_config *config)
{
    GT_SCOPED(gt_source_free) gt_source source = {0};
    GT_TRY(gt_request_source(&source, request, config));
    GT_TRY(compile_source(&out->image, request, &source, request->device->emulated));
    const char *kernel;
    for (uint32_t i = 0; (kernel = gt_header_kernel(request->template, i)); i++) {
        GT_TRY(gt_image_entry(&out->entries[i], &out->image, kernel));
    }
    return GPUTUNE_OK;
}

/* Compiles the codes for `arch`; NULL means the architecture of the tuner's device. */
static gputune_status compile_codes(gt_header_code *out, const header_parts *parts, gputune *tuner,
                                    const char *kernel, const char *arch)
{
    gt_device device;
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    const gt_rule *rule = parts->found.rule;
    GT_TRY(gt_tuner_arch(&device, tuner, arch));
    GT_TRY(gt_request_make_at(&request, &tuner->services, &device, kernel, parts->header.template,
                              &rule->region.least, NULL));
    for (uint32_t v = 0, done = 0; v < rule->variants.count; v++) {
        if (parts->codes[v] == done) { /* the first variant with this code */
            GT_TRY(compile_code(&out[done++], request, &rule->variants.items[v]));
        }
    }
    return GPUTUNE_OK;
}

int gputune_emit_rule(char **out, gputune *tuner, const char *kernel, gputune_sizes sizes,
                      const char *const *archs, size_t arch_count, int runtime_api)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_SCOPED(free_header_parts) header_parts parts = {.compiled = NULL};
    gt_header *header = &parts.header;
    GT_TRY(gt_need(__func__, "out", out));
    for (size_t i = 0; i < arch_count; i++) {
        GT_TRY(gt_need(__func__, "archs", archs ? archs[i] : NULL));
    }
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EINVAL, __func__));
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, kernel, sizes, NULL));
    GT_TRY(gt_find_rule(&parts.found, request));
    GT_TRY(check_sizes(parts.found.rule, request, sizes));
    GT_TRY(gt_header_check(request->template, parts.found.rule));
    GT_TRY(number_codes(&parts, request));
    GT_TRY(gt_rule_check_choices(parts.found.rule, request->template, &tuner->device));
    if (!parts.found.proved) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING,
                    "%s: the rule was not verified on this kind of GPU and driver, and a program "
                    "with the header does not verify it",
                    request->template->name);
    }
    *header = (gt_header){.template = request->template,
                          .rule = parts.found.rule,
                          .text = parts.found.text,
                          .device = &tuner->device,
                          .runtime_api = runtime_api != 0,
                          .codes = parts.codes,
                          .code_count = header->code_count};
    GT_TRY(set_archs(&parts, tuner, archs, arch_count));
    parts.compiled =
        calloc((size_t)header->arch_count * header->code_count, sizeof *parts.compiled);
    GT_TRY(gt_allocated(parts.compiled));
    header->compiled = parts.compiled;
    for (uint32_t a = 0; a < header->arch_count; a++) {
        GT_TRY(compile_codes(&parts.compiled[(size_t)a * header->code_count], &parts, tuner, kernel,
                             arch_count ? header->archs[a] : NULL));
    }
    return gt_header_write(out, header);
}

void gputune_free(void *memory)
{
    free(memory);
}
