/* Makes requests, including the keys under which results are stored. */
#include "tuner/request.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/objective.h"
#include "base/text.h"
#include "tuner/data.h"
#include "tuner/samples.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEFAULT_ALIGNMENT = 16 };
static const double default_epsilon = 0.005;

gputune_objective gt_default_objective(const gt_template *template)
{
    bool has_pass = false;
    for (uint32_t i = 0; i < template->pass_count; i++) {
        has_pass |= template->passes[i].axis >= 0;
    }
    return template->work.axes ? GPUTUNE_OBJECTIVE_RATE
           : has_pass          ? GPUTUNE_OBJECTIVE_LAUNCH
                               : GPUTUNE_OBJECTIVE_KERNEL;
}

/* Refuses an objective by time if launches of variants do different amounts of work, and an
 * objective by rate if the template does not state the work. */
static gputune_status check_objective(const gt_template *template, gputune_objective objective)
{
    const gt_objective *facts = gt_objective_facts(objective);
    const char *rate = gt_objective_facts(GPUTUNE_OBJECTIVE_RATE)->name;
    const gt_place place = template->work.place;
    GT_REFUSE(
        facts->by_work && !template->work.stated, GPUTUNE_EINVAL,
        "%s:%d:%d: %s has no work(), which the objective '%s' needs; expected work(flops = ...) or "
        "work(bytes = ...)",
        place.path, place.line, place.column, template->name, facts->name);
    GT_REFUSE(
        !facts->by_work && template->work.axes, GPUTUNE_EINVAL,
        "%s:%d:%d: work() uses the axis %s, so launches of %s do different amounts of work, which "
        "the objective '%s' ignores; expected the objective '%s', which compares work per second",
        place.path, place.line, place.column,
        template->axes[__builtin_ctzll(template->work.axes)].name, template->name, facts->name,
        rate);
    return GPUTUNE_OK;
}

static void fill_defaults(gputune_options *o, const gt_template *template)
{
    o->effort = o->effort ? o->effort : GPUTUNE_MEASURE;
    o->force = o->force && o->effort >= GPUTUNE_MEASURE;
    o->objective = o->objective ? o->objective : gt_default_objective(template);
    if (o->time_limit_s <= 0) {
        o->time_limit_s = gt_objective_facts(o->objective)->limit_s;
    }
    o->alignment = o->alignment ? o->alignment : DEFAULT_ALIGNMENT;
    o->epsilon = o->epsilon > 0 ? o->epsilon : default_epsilon;
    o->seed = o->seed ? o->seed : 1;
}

static gputune_status make_alignment_text(gt_request *request)
{
    const gputune_options *o = &request->options;
    gt_text text = {0};
    gt_text_printf(&text, "%u", o->alignment);
    for (size_t i = 0; i < o->alignment_count; i++) {
        gt_text_printf(&text, " %s=%u", o->alignments[i].buffer, o->alignments[i].bytes);
    }
    return gt_text_take(&request->alignment_text, &text);
}

static gputune_status make_inputs_text(gt_request *request)
{
    const gputune_options *o = &request->options;
    gt_text text = {0};
    bool is_live = o->inputs_tag && o->input_count + o->file_count;
    for (size_t i = 0; i < o->input_count; i++) {
        is_live |= !o->inputs[i].on_host;
    }
    if (is_live) {
        gt_text_printf(&text, "live:%s", o->inputs_tag ? o->inputs_tag : "live");
    } else {
        gt_text_printf(&text, "seed=%llu", (unsigned long long)o->seed);
    }
    gt_data_describe(&text, request);
    if (o->reference) {
        gt_text_append(&text, " reference=host");
    }
    return gt_text_take(&request->inputs_text, &text);
}

static gputune_status make_only_text(gt_request *request)
{
    gt_text text = {0};
    for (size_t i = 0; i < request->options.only_count; i++) {
        gt_text_printf(&text, "%s%s", i ? " " : "", request->options.only[i]);
    }
    return gt_text_take(&request->only_text, &text);
}

/* Lists the const and type values. A result of another size is used only if these are equal. */
static gputune_status make_fixed_text(gt_request *request)
{
    gt_text text = {0};
    for (uint32_t i = 0; i < request->template->problem_count; i++) {
        const gt_problem_value *value = &request->template->problem[i];
        const gt_value *bound = &request->problem.values[i];
        const char *space = text.length ? " " : "";
        if (value->kind == GT_PROBLEM_TYPE) {
            gt_text_printf(&text, "%s%s=%s", space, value->name, bound->word);
        } else if (value->kind == GT_PROBLEM_CONST) {
            gt_text_printf(&text, "%s%s=%lld", space, value->name, (long long)bound->number);
        }
    }
    return gt_text_take(&request->fixed_text, &text);
}

static uint64_t this_process(void)
{
    static _Atomic(uint64_t) number;
    const int64_t now[2] = {gt_now_ns(), (int64_t)getpid()};
    uint64_t none = 0, made = gt_hash_bytes(now, sizeof now).low | 1;
    atomic_compare_exchange_strong(&number, &none, made);
    return atomic_load(&number);
}

/* Appends the hash of the code that computes expected results, if gt_source_expected() sets it. */
static gputune_status append_expected(gt_text *out, const gt_request *request)
{
    gt_hash hash;
    char hex[GT_HASH_HEX];
    gputune_status status =
        gt_source_expected(&hash, request->template, &request->problem, request->device,
                           gt_catalog_prelude(request->services->catalog));
    if (hash.high || hash.low) {
        gt_text_printf(out, "; expected %s", gt_hash_hex(hex, hash));
    }
    /* the proof will report all other failures */
    return status == GPUTUNE_ENOMEM ? status : GPUTUNE_OK;
}

/* Describes what a proof depends on: the sizes and the expected results. */
static gputune_status make_proved_at(gt_request *request)
{
    gt_text text = {0};
    gt_text_printf(&text, "%s%s%s", request->problem_text, request->odd_tail_text[0] ? "; " : "",
                   request->odd_tail_text);
    const gputune_options *o = &request->options;
    if (o->reference && o->reference_tag) {
        gt_text_printf(&text, "; reference %s", o->reference_tag);
    } else if (o->reference) {
        gt_text_printf(
            &text, "; reference of process %llx, %llx of %llx", (unsigned long long)this_process(),
            (unsigned long long)(uintptr_t)o->reference, (unsigned long long)(uintptr_t)o->user);
    }
    gputune_status status = append_expected(&text, request);
    if (status != GPUTUNE_OK) {
        gt_text_free(&text);
        return status;
    }
    return gt_text_take(&request->proved_at, &text);
}

static gputune_status make_scenario(gt_request *request)
{
    GT_TRY(gt_problem_text(&request->problem_text, request->template, &request->problem));
    GT_TRY(make_alignment_text(request));
    GT_TRY(make_inputs_text(request));
    GT_TRY(make_fixed_text(request));
    GT_TRY(make_only_text(request));
    if (gt_problem_odd_tail(&request->odd_tail, request->template, &request->problem,
                            request->device)) {
        GT_TRY(gt_problem_text(&request->odd_tail_text, request->template, &request->odd_tail));
    } else {
        GT_TRY(gt_strdup(&request->odd_tail_text, ""));
    }
    GT_TRY(make_proved_at(request));
    bool by_host =
        gt_objective_facts(request->options.objective)->by_host && !request->device->emulated;
    request->host_text = by_host ? request->device->processor : NULL;
    gt_environment_join(request->environment, request->device->environment, request->host_text);
    request->scenario = (gt_scenario){.environment = request->environment,
                                      .kernel = request->template->name,
                                      .problem = request->problem_text,
                                      .fixed = request->fixed_text,
                                      .objective = request->options.objective,
                                      .cache = request->options.cache,
                                      .alignment = request->alignment_text,
                                      .inputs = request->inputs_text,
                                      .identity = request->template->identity,
                                      .unreferenced = !gt_workload_is_judged(&request->workload),
                                      .work_bytes = request->workload.work_bytes,
                                      .work_flops = request->workload.work_flops};
    return GPUTUNE_OK;
}

void gt_request_judge(gt_workload *workload, const gt_request *request)
{
    if (request->options.reference) {
        workload->has_reference = workload->has_scale = workload->has_check = false;
        workload->refers_to_itself = false;
        workload->has_expected = true;
    }
}

gputune_status gt_request_input(uint32_t *out, const gt_workload *workload,
                                const gputune_input *input)
{
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        const gt_buffer *buffer = &workload->buffers[i];
        if (strcmp(buffer->name, input->buffer) != 0) {
            continue;
        }
        GT_REFUSE(buffer->direction == GT_OUT, GPUTUNE_EINVAL,
                  "input '%s' is an output; expected a buffer that is read", input->buffer);
        GT_REFUSE(input->bytes != buffer->bytes || !input->data, GPUTUNE_EINVAL,
                  "input '%s' has %llu bytes; expected %llu", input->buffer,
                  (unsigned long long)(input->data ? input->bytes : 0),
                  (unsigned long long)buffer->bytes);
        *out = i;
        return GPUTUNE_OK;
    }
    return gt_fail(GPUTUNE_EINVAL, "the kernel has no buffer '%s' to take as an input",
                   input->buffer);
}

/* Checks the element type of an input. Vectors may be passed as arrays of components. */
static gputune_status check_input_type(const gt_request *request, const char *buffer,
                                       const char *type)
{
    const gt_template *template = request->template;
    gt_element given, wanted;
    for (uint32_t i = 0; i < template->pass_count + template->argument_count; i++) {
        const gt_argument *declared = i < template->pass_count
                                          ? &template->passes[i]
                                          : &template->arguments[i - template->pass_count];
        const char *word = gt_type_word(template, &request->problem, declared->type);
        GT_REFUSE(
            strcmp(declared->name, buffer) == 0 && gt_element_from_name(&given, type) &&
                gt_element_from_name(&wanted, word) &&
                (given.type != wanted.type || (given.lanes > 1 && given.lanes != wanted.lanes)),
            GPUTUNE_EINVAL, "input '%s' has elements of type %s; the template has %s", buffer, type,
            word);
    }
    return GPUTUNE_OK;
}

/* Checks the inputs of the call, even if the request can be answered without them. */
static gputune_status check_inputs(const gt_request *request)
{
    const gputune_options *o = &request->options;
    for (size_t i = 0; i < o->input_count; i++) {
        uint32_t buffer;
        if (o->input_types && o->input_types[i]) {
            GT_TRY(check_input_type(request, o->inputs[i].buffer, o->input_types[i]));
        }
        GT_TRY(gt_request_input(&buffer, &request->workload, &o->inputs[i]));
    }
    return GPUTUNE_OK;
}

static gputune_status read_starts(gt_request *request)
{
    const gt_template *template = request->template;
    const gputune_options *o = &request->options;
    for (uint32_t i = 0; i < template->start_count; i++) {
        GT_TRY(gt_array_push(&request->starts, template->starts[i]));
    }
    for (size_t i = 0; i < o->start_count; i++) {
        gt_config config;
        const gputune_status status = gt_config_parse(&config, template, o->start[i], false);
        GT_REFUSE(status == GPUTUNE_EINVAL, status, "start '%s': %s", o->start[i], gputune_error());
        GT_TRY(status);
        GT_TRY(gt_array_push(&request->starts, config));
    }
    return GPUTUNE_OK;
}

static bool is_over(void *user)
{
    return gt_patience_left_s(&((const gt_request *)user)->patience) <= 0;
}

static gputune_status resolve_sizes(gt_request *request, gputune_sizes sizes)
{
    const char *samples = request->options.samples_path;
    if (samples) {
        GT_TRY(gt_samples_check(samples));
    }
    request->standard = gt_config_default(request->template);
    fill_defaults(&request->options, request->template);
    GT_TRY(check_objective(request->template, request->options.objective));
    gt_request_begin(request);
    GT_TRY(gt_problem_bind(&request->problem, request->template, sizes));
    GT_TRY(gt_workload_bind(&request->workload, request->template, &request->problem,
                            request->device, request->options.alignment,
                            request->options.alignments, request->options.alignment_count));
    gt_request_judge(&request->workload, request);
    GT_TRY(check_inputs(request));
    GT_TRY(gt_data_open(request));
    GT_TRY(make_scenario(request));
    GT_TRY(gt_space_open(&request->space, request->template, &request->problem, &request->workload,
                         request->device, request->options.only, request->options.only_count));
    gt_space_set_cancel(request->space, is_over, request);
    GT_TRY(read_starts(request));
    request->terms =
        (gt_terms){.space = gt_space_signature(request->space),
                   .limit = request->options.max_variants,
                   .effort = request->options.effort,
                   .driver_version = request->device->driver_version,
                   .complete = request->options.strategy == GPUTUNE_STRATEGY_EXHAUSTIVE};
    return GPUTUNE_OK;
}

static void log_twice(void *user, gputune_log_level level, const char *line)
{
    const gt_request *request = user;
    gt_log_line(&request->services->log, level, "%s", line);
    request->options.log(request->options.user, level, line);
}

gputune_status gt_request_make(gt_request **out, const gt_services *services,
                               const gt_device *device, const char *kernel, gputune_sizes sizes,
                               const gputune_options *options)
{
    GT_SCOPED(gt_request_end) gt_request *request = calloc(1, sizeof *request);
    GT_TRY(gt_allocated(request));
    request->services = services;
    request->log = services->log;
    request->device = device;
    request->by_path = kernel && gt_catalog_is_path(kernel);
    GT_TRY(gt_options_read(&request->options, options));
    if (request->options.log) {
        request->log = (gt_log){log_twice, request};
    }
    GT_TRY(gt_call_check(kernel, sizes, &request->options));
    GT_TRY(gt_catalog_find(&request->template, services->catalog, kernel));
    GT_TRY(resolve_sizes(request, sizes));
    *out = gt_take(&request);
    return GPUTUNE_OK;
}

gputune_sizes gt_problem_sizes(gt_problem_items *out, const gt_template *template,
                               const gt_problem *problem)
{
    for (uint32_t i = 0; i < template->problem_count; i++) {
        const gt_value *value = &problem->values[i];
        out->items[i] = (gputune_size){template->problem[i].name, value->number};
        if (value->word) {
            gt_snprintf(out->words[i], sizeof out->words[i], "%s=%s", template->problem[i].name,
                        value->word);
            out->items[i] = (gputune_size){out->words[i], 0};
        }
    }
    return (gputune_sizes){template->problem_count, out->items};
}

gputune_status gt_request_make_at(gt_request **out, const gt_services *services,
                                  const gt_device *device, const char *kernel,
                                  const gt_template *template, const gt_problem *problem,
                                  const gputune_options *options)
{
    gt_problem_items items;
    return gt_request_make(out, services, device, kernel,
                           gt_problem_sizes(&items, template, problem), options);
}

void gt_request_free(gt_request *request)
{
    if (!request) {
        return;
    }
    gt_data_close(request);
    gt_space_free(request->space);
    gt_array_free(&request->starts);
    free(request->problem_text);
    free(request->fixed_text);
    free(request->alignment_text);
    free(request->inputs_text);
    free(request->only_text);
    free(request->proved_at);
    free(request->odd_tail_text);
    free(request->samples_path);
    gt_code_free(&request->default_code);
    free(request);
}

void gt_request_begin(gt_request *request)
{
    request->patience = gt_patience_for(request->options.time_limit_s, request->options.cancel);
    request->patience.closing = request->services->closing;
    request->grace = (gt_patience){0};
}

gputune_status gt_request_outlive_call(gt_request *request)
{
    gputune_options *o = &request->options;
    GT_REFUSE(o->input_count || o->file_count || o->reference, GPUTUNE_EINVAL,
              "%s: a call with inputs, files or a reference function of its own cannot be tuned in "
              "the background, because the program may change them before the tuning ends; "
              "expected the template's inputs and reference, or a call without `background`",
              request->template->name);
    if (o->samples_path) {
        GT_TRY(gt_strdup(&request->samples_path, o->samples_path));
    }
    o->samples_path = request->samples_path;
    o->alignments = NULL; /* the request no longer needs the lists and texts of the caller */
    o->alignment_count = 0;
    o->only = o->start = NULL;
    o->only_count = o->start_count = 0;
    o->inputs_tag = o->reference_tag = NULL;
    return GPUTUNE_OK;
}

gt_patience gt_request_grace(gt_request *request)
{
    static const double grace_s = 0.15;
    if (!request->grace.until_ns) {
        request->grace = gt_patience_for(grace_s, NULL);
    }
    return request->grace;
}

gputune_status gt_request_ended(const gt_request *request, const char *before, const char *remedy)
{
    const char *name = request->template->name;
    /* a cancel is reported even if it came after the limit */
    bool canceled =
        gt_is_canceled(request->options.cancel) || gt_is_canceled(request->services->closing);
    return canceled ? gt_fail(GPUTUNE_ECANCELED, "%s: stopped before %s", name, before)
                    : gt_fail(GPUTUNE_ETIMEOUT, "%s: the time limit of %.3g s passed before %s; %s",
                              name, request->options.time_limit_s, before, remedy);
}

gputune_status gt_request_prepare_space(const gt_request *request)
{
    gputune_status status = gt_space_prepare(request->space);
    return status == GPUTUNE_ECANCELED
               ? gt_request_ended(request, "all configurations were counted", "raise it")
               : status;
}

static void warn_of_excluded_values(const gt_request *request)
{
    const gt_template *template = request->template;
    gt_space *space = request->space;
    for (uint32_t i = 0; i < template->axis_count && request->only_text[0]; i++) {
        const uint8_t *choices;
        size_t count = gt_space_choices(space, i, &choices);
        for (size_t v = 0; v < count; v++) {
            GT_SCOPED(gt_text_free) gt_text value = {0};
            bool asked = count != template->axes[i].count || choices[v] != v;
            const char *reason = asked ? gt_space_why_unused(space, i, choices[v]) : NULL;
            if (reason) {
                gt_axis_value_append(&value, &template->axes[i], choices[v]);
                gt_log_line(&request->log, GPUTUNE_LOG_WARNING, "%s: %s=%s is not tried: %s",
                            template->name, template->axes[i].name, gt_text_string(&value), reason);
            }
        }
    }
}

gputune_status gt_request_space_to_try(const gt_request *request)
{
    GT_TRY(gt_request_prepare_space(request));
    GT_TRY(gt_space_require_any(request->space));
    warn_of_excluded_values(request);
    gt_space_rewind(request->space);
    return GPUTUNE_OK;
}

void gt_request_warn_of_default(const gt_request *request)
{
    const char *reason = gt_space_excludes(request->space, &request->standard);
    GT_FREED char *text = NULL;
    if (reason && gt_config_text(&text, request->template, &request->standard) == GPUTUNE_OK) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING,
                    "%s: the default %s is excluded at %s: %s; speed-ups are unknown",
                    request->template->name, text, request->problem_text, reason);
    }
}

bool gt_request_permits(const gt_request *request, const gt_config *config)
{
    return gt_space_excludes(request->space, config) == NULL;
}

gputune_status gt_request_compiling(gt_nvrtc_request *out, const char ***options,
                                    const gt_request *request, const gt_source *source,
                                    bool quickly)
{
    const char *const *folders;
    size_t folder_count, count = 0;
    GT_TRY(gt_catalog_compile_options(&folders, &folder_count, request->services->catalog,
                                      request->template));
    const char **all = *options = calloc(source->option_count + folder_count + 3, sizeof *all);
    GT_TRY(gt_allocated(all));
    for (size_t i = 0; i < source->option_count; i++) {
        all[count++] = source->options[i];
    }
    for (size_t i = 0; i < folder_count; i++) {
        all[count++] = folders[i];
    }
    /* line information lets fault messages show the source line */
    if (request->check || request->device->emulated) {
        all[count++] = "-lineinfo";
    }
    /* NVRTC before 12.8 lacks this option, so its quick compiles are full compiles */
    if (quickly) {
        all[count++] = "--Ofast-compile=min";
    }
    *out = (gt_nvrtc_request){.text = source->text,
                              .arch = request->device->arch,
                              .ptx = request->device->emulated,
                              .options = all,
                              .option_count = count,
                              .instances = (const char *const *)source->instances,
                              .instance_count = source->instance_count,
                              .head_bytes = source->head_bytes,
                              .headers = source->headers};
    return GPUTUNE_OK;
}

gt_launch *gt_request_launch(const gt_request *request, const gt_config *config)
{
    GT_FREED gt_launch *launch = malloc(sizeof *launch);
    const bool is_bound = launch && gt_launch_bind(launch, request->template, &request->problem,
                                                   config, request->device) == GPUTUNE_OK;
    return is_bound ? gt_take(&launch) : NULL;
}

gputune_status gt_request_source(gt_source *out, const gt_request *request, const gt_config *config)
{
    return gt_source_generate(out, request->template, &request->problem, config, request->device,
                              gt_catalog_prelude(request->services->catalog));
}

gputune_status gt_request_trial(gt_hash *out, const gt_request *request, const gt_config *config)
{
    GT_SCOPED(gt_source_free) gt_source source = {0};
    GT_TRY(gt_request_source(&source, request, config));
    *out = gt_trial_hash(request->template, config, source.hash);
    return GPUTUNE_OK;
}

gputune_status gt_request_stored(gt_config *out, const gt_request *request, const char *text,
                                 gt_hash trial)
{
    gt_config config;
    gt_hash hash = {0};
    gputune_status status = gt_config_parse(&config, request->template, text, true);
    GT_THEN(status, gt_request_trial(&hash, request, &config));
    if (status != GPUTUNE_OK || !gt_hash_equal(hash, trial)) {
        return status == GPUTUNE_ENOMEM ? status : GPUTUNE_ENOTFOUND;
    }
    *out = config;
    return GPUTUNE_OK;
}
