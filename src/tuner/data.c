/* Makes the contents of buffers that the measure worker cannot compute itself. */
#include "tuner/data.h"

#include "base/environment.h"
#include "base/file.h"
#include "base/signals.h"
#include "farm/measure_value.h"
#include "kernel/bind/binding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct target {
    const gt_request *request;
    gt_measure_setup *setup;
    const gt_problem *problem;
    const gt_workload *workload;
    uint32_t index;
} target;

/* Returns argument `n`, or pass() block `n` - argument_count. Sets *place as in gt_data_file. */
static const gt_argument *argument_at(uint32_t *place, const gt_template *template, uint32_t n)
{
    const bool is_block = n >= template->argument_count;
    const uint32_t block = n - template->argument_count;
    *place = is_block ? GT_PARAMETER_MAX + block : n;
    return is_block ? &template->passes[block] : &template->arguments[n];
}

static gputune_status add_to(gt_live_input **out, const target *to, uint32_t buffer)
{
    gt_measure_setup *setup = to->setup;
    gt_live_input *inputs =
        realloc(setup->inputs, (setup->input_count + 1) * sizeof *setup->inputs);
    GT_TRY(gt_allocated(inputs));
    setup->inputs = inputs;
    *out = &inputs[setup->input_count++];
    **out = (gt_live_input){.workload = to->index, .buffer = buffer};
    return GPUTUNE_OK;
}

static gputune_status take_bytes(gt_live_input *out, uint64_t bytes)
{
    out->bytes.data = malloc(bytes);
    GT_TRY(gt_allocated(out->bytes.data));
    out->bytes.bytes = bytes;
    return GPUTUNE_OK;
}

/* Returns the data that will be sent for an input; NULL if the measure worker generates them. */
static const gt_live_input *find_input(const target *to, uint32_t buffer)
{
    /* if an input was added several times, the last one is used */
    for (uint32_t i = to->setup->input_count; i-- > 0;) {
        const gt_live_input *input = &to->setup->inputs[i];
        if (input->workload == to->index && input->buffer == buffer && !input->expected) {
            return input;
        }
    }
    return NULL;
}

static gputune_status send_live(const target *to)
{
    const gt_services *services = to->request->services;
    const gputune_options *o = &to->request->options;
    if (o->input_count) {
        GT_TRY(services->wait_for_inputs(services->user, o));
    }
    for (size_t i = 0; i < o->input_count; i++) {
        gt_live_input *input;
        uint32_t buffer = 0;
        GT_TRY(gt_request_input(&buffer, to->workload, &o->inputs[i]));
        GT_TRY(add_to(&input, to, buffer));
        GT_TRY(services->input(services->user, input, &o->inputs[i]));
    }
    return GPUTUNE_OK;
}

static gputune_status send_files(const target *to)
{
    for (uint32_t i = 0; i < to->request->files.count; i++) {
        const struct gt_data_file *file = &to->request->files.items[i];
        gt_live_input *input;
        GT_TRY(add_to(&input, to, gt_data_buffer(to->workload, file->argument)));
        input->expected = file->expected;
        GT_TRY(take_bytes(input, file->npy.bytes));
        memcpy(input->bytes.data, file->text + file->npy.data, file->npy.bytes);
    }
    return GPUTUNE_OK;
}

/* ---- elements computed by expressions -------------------------------------------------------- */

static gputune_status compute_scalar(uint64_t *bits, const gt_buffer *buffer,
                                     const gt_expression *value, const int64_t *slots)
{
    int64_t integer;
    double real;
    if (gt_type_is_float(buffer->type)) {
        GT_TRY(gt_expression_real(&real, value, slots, true));
        *bits = gt_bits_from_double(buffer->type, real);
        return GPUTUNE_OK;
    }
    GT_TRY(gt_expression_integer(&integer, value, slots));
    *bits = (uint64_t)integer;
    GT_REFUSE(!gt_type_holds(buffer->type, integer), GPUTUNE_EINVAL,
              "%s[%lld] would be %lld, which does not fit its type %s", buffer->name,
              (long long)slots[GT_SLOT_ELEMENT], (long long)integer, gt_type_name(buffer->type));
    return GPUTUNE_OK;
}

/* A range of elements that one thread computes. */
typedef struct fill_part {
    const gt_request *request;
    char *out;
    const gt_buffer *buffer;
    const gt_expression *value;
    gt_binding binding;
    uint64_t begin, end;
    pthread_t thread;
    bool has_thread;
    gputune_status status;
    char message[512];
} fill_part;

static gputune_status check_time(const fill_part *part)
{
    const gt_request *request = part->request;
    const char *name = request->template->name, *buffer = part->buffer->name;
    GT_REFUSE(gt_patience_canceled(&request->patience), GPUTUNE_ECANCELED,
              "%s: stopped while '%s' was computed", name, buffer);
    GT_REFUSE(gt_patience_left_s(&request->patience) <= 0, GPUTUNE_ETIMEOUT,
              "%s: the %llu elements of '%s' were not computed in %.3g s; raise the time limit, or "
              "fill them by an init() kernel",
              name, (unsigned long long)part->buffer->elements, buffer,
              request->options.time_limit_s);
    return GPUTUNE_OK;
}

static gputune_status fill_part_of(fill_part *part)
{
    enum { UNWATCHED = 4096 };
    const uint32_t bytes = gt_type_bytes(part->buffer->type);
    for (uint64_t i = part->begin; i < part->end; i++) {
        uint64_t bits = 0;
        if ((i - part->begin) % UNWATCHED == 0) {
            GT_TRY(check_time(part));
        }
        part->binding.slots[GT_SLOT_ELEMENT] = (int64_t)i;
        GT_TRY(compute_scalar(&bits, part->buffer, part->value, part->binding.slots));
        /* all hosts of CUDA are little-endian */
        memcpy(part->out + i * bytes, &bits, bytes);
    }
    return GPUTUNE_OK;
}

static void *run_part(void *user)
{
    fill_part *part = user;
    part->status = fill_part_of(part);
    (void)snprintf(part->message, sizeof part->message, "%s", gt_message());
    return NULL;
}

/* Computes a buffer on all cores. If several parts fail, returns the failure of the first. */
static gputune_status fill_elements(const fill_part *all)
{
    static const uint64_t least = 1 << 16;
    const uint64_t elements = all->buffer->elements, most = elements / least + 1;
    const uint32_t count = most < gt_cores() ? (uint32_t)most : gt_cores();
    GT_FREED fill_part *parts = calloc(count, sizeof *parts);
    GT_TRY(gt_allocated(parts));
    for (uint32_t i = count; i-- > 0;) { /* this thread computes the first part */
        parts[i] = *all;
        parts[i].begin = elements / count * i;
        parts[i].end = i + 1 < count ? elements / count * (i + 1) : elements;
        parts[i].has_thread =
            i && gt_thread_start(&parts[i].thread, NULL, run_part, &parts[i]) == 0;
        if (!parts[i].has_thread) {
            run_part(&parts[i]);
        }
    }
    const fill_part *failed = NULL;
    for (uint32_t i = count; i-- > 0;) {
        if (parts[i].has_thread) {
            (void)pthread_join(parts[i].thread, NULL);
        }
        failed = parts[i].status != GPUTUNE_OK ? &parts[i] : failed;
    }
    return failed ? gt_fail(failed->status, "%s", failed->message) : GPUTUNE_OK;
}

static gputune_status send_expression(const target *to, uint32_t place, const gt_fill *from,
                                      gt_binding *binding)
{
    const gt_buffer *buffer = gt_workload_input(to->workload, place);
    gt_live_input *input;
    if (from->kind != GT_FILL_EXPRESSION || find_input(to, place)) {
        return GPUTUNE_OK;
    }
    GT_TRY(add_to(&input, to, place));
    GT_TRY(take_bytes(input, buffer->bytes));
    const fill_part all = {.request = to->request,
                           .out = input->bytes.data,
                           .buffer = buffer,
                           .value = from->low,
                           .binding = *binding};
    return fill_elements(&all);
}

static gputune_status send_expressions(const target *to)
{
    gt_binding binding;
    const gt_template *template = to->request->template;
    gt_binding_open(&binding, template, to->problem, to->request->device);
    for (uint32_t i = 0; i < template->pass_count + template->argument_count; i++) {
        uint32_t place;
        const gt_argument *argument = argument_at(&place, template, i);
        if (place >= GT_PARAMETER_MAX || argument->is_buffer) {
            GT_TRY(send_expression(to, gt_data_buffer(to->workload, place), &argument->fill,
                                   &binding));
        }
    }
    return GPUTUNE_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static gputune_status add_file(gt_request *request, uint32_t argument, const char *path,
                               bool expected)
{
    struct gt_data_file file = {.argument = argument, .expected = expected};
    GT_TRY(gt_array_reserve(&request->files));
    GT_TRY(gt_strdup(&file.path, path));
    return gt_array_push(&request->files, file);
}

/* Adds an input file to the request. A relative path begins at the template's folder. */
static gputune_status add_beside(gt_request *request, uint32_t argument, const char *name,
                                 bool expected)
{
    const char *template = request->template->path;
    const int folder = name[0] == '/' ? 0 : (int)(gt_base_name(template) - template);
    GT_FREED char *path = NULL;
    GT_TRY(gt_format(&path, "%.*s%s", folder, template, name));
    return add_file(request, argument, path, expected);
}

static gputune_status find_argument(uint32_t *out, const gt_request *request, const char *name)
{
    const gt_template *template = request->template;
    const char *names[GT_PARAMETER_MAX + GT_BLOCK_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < template->pass_count + template->argument_count; i++) {
        uint32_t place;
        const gt_argument *argument = argument_at(&place, template, i);
        bool is_block = place >= GT_PARAMETER_MAX;
        if (!is_block && (!argument->is_buffer || argument->direction == GT_OUT)) {
            continue;
        }
        if (strcmp(argument->name, name) == 0) {
            *out = place;
            return GPUTUNE_OK;
        }
        names[count++] = argument->name;
    }
    const char *nearest = gt_nearest(name, names, count);
    return gt_fail(GPUTUNE_EINVAL, "%s has no input '%s'; expected %s%s%s", template->name, name,
                   nearest ? "'" : "",
                   nearest ? nearest : "an in or inout buffer of args(), or a pass() block",
                   nearest ? "'" : "");
}

static bool is_replaced(const gt_request *request, const char *name)
{
    const gputune_options *o = &request->options;
    bool is = false;
    for (size_t i = 0; i < o->input_count; i++) {
        is |= strcmp(o->inputs[i].buffer, name) == 0;
    }
    for (size_t i = 0; i < o->file_count; i++) {
        is |= strcmp(o->files[i].buffer, name) == 0;
    }
    return is;
}

static gputune_status find_files(gt_request *request)
{
    const gputune_options *o = &request->options;
    const uint32_t count = request->template->pass_count + request->template->argument_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place;
        const gt_argument *argument = argument_at(&place, request->template, i);
        if (argument->fill.file && !is_replaced(request, argument->name)) {
            GT_TRY(add_beside(request, place, argument->fill.file, false));
        }
        if (argument->expected) {
            GT_TRY(add_beside(request, place, argument->expected, true));
        }
    }
    for (size_t i = 0; i < o->file_count; i++) {
        uint32_t argument = 0;
        GT_TRY(find_argument(&argument, request, o->files[i].buffer));
        GT_TRY(add_file(request, argument, o->files[i].path, false));
        request->files.items[request->files.count - 1].named = o->inputs_tag != NULL;
    }
    return GPUTUNE_OK;
}

/* Compares element types. NumPy lacks bfloat16 and fp8, so files store them as integers. */
static bool is_type(const gt_npy *npy, gt_type type)
{
    bool fp8 = type == GT_TYPE_E4M3 || type == GT_TYPE_E5M2;
    return npy->type == type || (type == GT_TYPE_BF16 && npy->type == GT_TYPE_U16) ||
           (fp8 && npy->type == GT_TYPE_U8);
}

/* Returns the shape that a file must have: the extents and, for vectors, the component count. */
static gputune_status wanted_shape(uint64_t out[4], uint32_t *dimensions, const gt_request *request,
                                   uint32_t argument, const gt_buffer *buffer)
{
    gt_binding binding;
    *dimensions = 1;
    out[0] = gt_buffer_count(buffer);
    if (argument < GT_PARAMETER_MAX) {
        const gt_argument *declared = &request->template->arguments[argument];
        gt_binding_open(&binding, request->template, &request->problem, request->device);
        GT_TRY(gt_argument_shape(out, declared, binding.slots));
        *dimensions = declared->extent_count;
    }
    if (buffer->per_element > 1) {
        out[(*dimensions)++] = buffer->per_element;
    }
    return GPUTUNE_OK;
}

/* Compares shapes. The file for a pass() block only needs the right number of elements. */
static bool is_shape(const gt_npy *npy, const uint64_t *shape, uint32_t dimensions, bool is_block)
{
    uint64_t elements = 1, wanted = 1;
    for (uint32_t i = 0; i < npy->dimensions; i++) {
        elements *= npy->shape[i];
    }
    for (uint32_t i = 0; i < dimensions; i++) {
        wanted *= shape[i];
    }
    return is_block ? elements == wanted
                    : npy->dimensions == dimensions &&
                          memcmp(npy->shape, shape, dimensions * sizeof *shape) == 0;
}

static gputune_status check_file(const gt_request *request, const struct gt_data_file *file)
{
    const gt_buffer *buffer =
        gt_workload_input(&request->workload, gt_data_buffer(&request->workload, file->argument));
    uint64_t shape[4];
    uint32_t dimensions = 0;
    GT_SCOPED(gt_text_free) gt_text found = {0}, expected = {0};
    GT_REFUSE(
        buffer->number_count, GPUTUNE_EINVAL,
        "%s: each element of %s has several numbers, which no such file can hold; expected plain "
        "numbers or vectors",
        file->path, buffer->name);
    GT_TRY(wanted_shape(shape, &dimensions, request, file->argument, buffer));
    if (is_type(&file->npy, buffer->type) &&
        is_shape(&file->npy, shape, dimensions, file->argument >= GT_PARAMETER_MAX)) {
        return GPUTUNE_OK;
    }
    gt_npy_describe(&found, file->npy.type, file->npy.shape, file->npy.dimensions);
    gt_npy_describe(&expected, buffer->type, shape, dimensions);
    return gt_fail(GPUTUNE_EINVAL,
                   "%s: the array is %s; expected %s, the shape and type of %s at these sizes",
                   file->path, gt_text_string(&found), gt_text_string(&expected), buffer->name);
}

#define DATA_MOST ((size_t)4 << 30) /* in bytes */

gputune_status gt_data_open(gt_request *request)
{
    GT_TRY(find_files(request));
    for (uint32_t i = 0; i < request->files.count; i++) {
        struct gt_data_file *file = &request->files.items[i];
        size_t bytes = 0;
        GT_TRY(gt_file_read_most(&file->text, &bytes, file->path, DATA_MOST));
        GT_TRY(gt_npy_read(&file->npy, file->text, bytes, file->path));
        file->hash = gt_hash_bytes(file->text, bytes);
        GT_TRY(check_file(request, file));
    }
    return GPUTUNE_OK;
}

void gt_data_close(gt_request *request)
{
    for (uint32_t i = 0; i < request->files.count; i++) {
        free(request->files.items[i].path);
        free(request->files.items[i].text);
    }
    gt_array_free(&request->files);
}

void gt_data_describe(gt_text *out, const gt_request *request)
{
    const gputune_options *o = &request->options;
    char hex[GT_HASH_HEX];
    for (uint32_t i = 0; i < request->files.count; i++) {
        const struct gt_data_file *file = &request->files.items[i];
        if (!file->named) {
            gt_text_printf(out, " %s%s=%s", file->expected ? "expected " : "",
                           gt_workload_input(&request->workload,
                                             gt_data_buffer(&request->workload, file->argument))
                               ->name,
                           gt_hash_hex(hex, file->hash));
        }
    }
    for (size_t i = 0; i < o->input_count && !o->inputs_tag; i++) {
        const gputune_input *input = &o->inputs[i];
        if (input->on_host) {
            gt_text_printf(out, " %s=%s", input->buffer,
                           gt_hash_hex(hex, gt_hash_bytes(input->data, input->bytes)));
        }
    }
}

/* ---- the caller's reference ------------------------------------------------------------------ */

typedef struct call {
    const target *to;
    gputune_host_argument arguments[GT_PARAMETER_MAX];
    size_t count;
} call;

static void free_call(call *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->arguments[i].data);
    }
}

static gputune_status add_argument(call *c, const gt_argument *declared, uint64_t bytes)
{
    gputune_host_argument *argument = &c->arguments[c->count];
    *argument = (gputune_host_argument){
        .name = declared->name,
        .type = gt_type_text(c->to->request->template, c->to->problem, declared->type),
        .data = calloc(1, bytes + 1),
        .bytes = bytes};
    GT_TRY(gt_allocated(argument->data));
    c->count++;
    return GPUTUNE_OK;
}

static gputune_status add_input(call *c, const gt_argument *declared, uint32_t index)
{
    const gt_workload *workload = c->to->workload;
    const gt_buffer *buffer = gt_workload_input(workload, index);
    const gt_live_input *sent = find_input(c->to, index);
    GT_TRY(add_argument(c, declared, buffer->bytes));
    gputune_host_argument *argument = &c->arguments[c->count - 1];
    argument->element_bytes = gt_buffer_element_bytes(buffer);
    argument->is_output = buffer->direction != GT_IN;
    GT_REFUSE(
        sent && sent->is_ipc, GPUTUNE_EUNSUPPORTED,
        "the reference function needs '%s' on the host; expected an input with on_host, or a file",
        buffer->name);
    if (sent) {
        memcpy(argument->data, sent->bytes.data, sent->bytes.bytes);
    } else if (buffer->direction != GT_OUT) {
        gt_fill_host(argument->data, workload, buffer, gt_fill_seed(c->to->setup->seed, index));
    }
    return GPUTUNE_OK;
}

static gputune_status add_arguments(call *c)
{
    const gt_workload *workload = c->to->workload;
    const gt_template *template = c->to->request->template;
    for (uint32_t i = 0; i < workload->block_count; i++) {
        GT_TRY(add_input(c, &template->passes[i], GT_PARAMETER_MAX + i));
    }
    for (uint32_t i = 0; i < workload->argument_count; i++) {
        uint32_t index = workload->arguments[i].index;
        if (workload->arguments[i].is_buffer) {
            GT_TRY(add_input(c, &template->arguments[i], index));
        } else {
            const gt_scalar *scalar = &workload->scalars[index];
            GT_TRY(add_argument(c, &template->arguments[i], scalar->bytes));
            gt_scalar_write(c->arguments[c->count - 1].data, workload, scalar);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status call_reference(const call *c)
{
    const gt_template *template = c->to->request->template;
    const gputune_options *o = &c->to->request->options;
    gt_problem_items items;
    int answer = o->reference(o->user, gt_problem_sizes(&items, template, c->to->problem),
                              c->arguments, c->count);
    GT_REFUSE(answer, GPUTUNE_EINVAL, "%s: the call's reference function failed with %d",
              template->name, answer);
    return GPUTUNE_OK;
}

static gputune_status send_results(call *c)
{
    const gt_workload *workload = c->to->workload;
    for (uint32_t i = 0; i < workload->argument_count; i++) {
        gputune_host_argument *argument = &c->arguments[i + workload->block_count];
        gt_live_input *input;
        if (!argument->is_output) {
            continue;
        }
        GT_TRY(add_to(&input, c->to, gt_data_buffer(workload, i)));
        input->expected = true;
        input->bytes = (gt_image){argument->data, argument->bytes};
        argument->data = NULL;
    }
    return GPUTUNE_OK;
}

static gputune_status add_reference_results(const target *to)
{
    GT_SCOPED(free_call) call c = {.to = to};
    if (!to->request->options.reference) {
        return GPUTUNE_OK;
    }
    GT_REFUSE(to->workload->has_init, GPUTUNE_EUNSUPPORTED,
              "%s fills its inputs on the GPU, by init(), so a reference function of the host "
              "cannot read them; expected a reference() in the template",
              to->request->template->name);
    GT_TRY(add_arguments(&c));
    GT_TRY(call_reference(&c));
    return send_results(&c);
}

gputune_status gt_data_send(gt_field *field)
{
    const gt_request *request = field->options.request;
    gt_measure_setup *setup = field->setup;
    const target timed = {request, setup, &request->problem, &setup->workloads[0], 0};
    const target odd_tail = {request, setup, &request->odd_tail, &setup->workloads[1], 1};
    GT_TRY(send_live(&timed));
    GT_TRY(send_files(&timed));
    GT_TRY(send_expressions(&timed));
    GT_TRY(add_reference_results(&timed));
    if (setup->workload_count == 1) {
        return GPUTUNE_OK;
    }
    GT_TRY(send_expressions(&odd_tail));
    return add_reference_results(&odd_tail);
}

void gt_data_release(gt_field *field)
{
    gt_measure_setup *setup = field->setup;
    for (uint32_t i = 0; setup && i < setup->input_count; i++) {
        free(setup->inputs[i].bytes.data);
    }
    if (setup) {
        free(setup->inputs);
        setup->inputs = NULL;
        setup->input_count = 0;
    }
}
