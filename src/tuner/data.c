/* What the measure worker cannot make itself, made ready to be sent. */
#include "tuner/data.h"

#include "farm/measure_value.h"
#include "kernel/binding.h"

#include <stdlib.h>
#include <string.h>

gputune_status gt_data_add(gt_live_input **out, gt_measure_setup *setup, uint32_t workload,
                           uint32_t buffer)
{
    gt_live_input *inputs =
        realloc(setup->inputs, (setup->input_count + 1) * sizeof *setup->inputs);
    GT_TRY(gt_allocated(inputs));
    setup->inputs = inputs;
    *out = &inputs[setup->input_count++];
    **out = (gt_live_input){.workload = workload, .buffer = buffer};
    return GPUTUNE_OK;
}

static gputune_status take_bytes(gt_live_input *out, uint64_t bytes)
{
    out->bytes.data = malloc(bytes);
    GT_TRY(gt_allocated(out->bytes.data));
    out->bytes.bytes = bytes;
    return GPUTUNE_OK;
}

const gt_live_input *gt_data_find(const gt_measure_setup *setup, uint32_t workload, uint32_t buffer)
{
    for (uint32_t i = setup->input_count; i-- > 0;) { /* of several the last counts */
        const gt_live_input *input = &setup->inputs[i];
        if (input->workload == workload && input->buffer == buffer && !input->expected) {
            return input;
        }
    }
    return NULL;
}

static gputune_status send_live(gt_measure_setup *setup, const gt_request *request)
{
    const gt_services *services = request->services;
    const gputune_options *o = &request->options;
    if (o->input_count) {
        GT_TRY(services->await_inputs(services->user, o));
    }
    for (size_t i = 0; i < o->input_count; i++) {
        gt_live_input *input;
        uint32_t buffer = 0;
        GT_TRY(gt_request_input(&buffer, &request->workload, &o->inputs[i]));
        GT_TRY(gt_data_add(&input, setup, 0, buffer));
        GT_TRY(services->input(services->user, input, &o->inputs[i]));
    }
    return GPUTUNE_OK;
}

static gputune_status send_files(gt_measure_setup *setup, const gt_request *request)
{
    for (uint32_t i = 0; i < request->file_count; i++) {
        const struct gt_data_file *file = &request->files[i];
        gt_live_input *input;
        GT_TRY(gt_data_add(&input, setup, 0, gt_data_buffer(&request->workload, file->argument)));
        input->expected = file->expected;
        GT_TRY(take_bytes(input, file->npy.bytes));
        memcpy(input->bytes.data, file->text + file->npy.data, file->npy.bytes);
    }
    return GPUTUNE_OK;
}

/* ---- Expressions of the index ---------------------------------------------------------------- */

static gputune_status compute(uint64_t *bits, const gt_buffer *buffer, const gt_expression *value,
                              const int64_t *slots)
{
    int64_t integer;
    double real;
    if (gt_type_is_float(buffer->type)) {
        GT_TRY(gt_expression_real(&real, value, slots));
        *bits = gt_bits_from_double(buffer->type, real);
        return GPUTUNE_OK;
    }
    GT_TRY(gt_expression_integer(&integer, value, slots));
    *bits = (uint64_t)integer;
    return gt_type_holds(buffer->type, integer)
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EINVAL, "%s[%lld] would be %lld, which its type %s does not hold",
                         buffer->name, (long long)slots[GT_SLOT_ELEMENT], (long long)integer,
                         gt_type_name(buffer->type));
}

static gputune_status fill(void *out, const gt_buffer *buffer, const gt_expression *value,
                           gt_binding *binding)
{
    uint32_t bytes = gt_type_bytes(buffer->type);
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t bits = 0;
        binding->slots[GT_SLOT_ELEMENT] = (int64_t)i;
        GT_TRY(compute(&bits, buffer, value, binding->slots));
        memcpy((char *)out + i * bytes, &bits, bytes); /* little-endian, as all hosts of CUDA are */
    }
    return GPUTUNE_OK;
}

/* Where expressions are computed for. */
typedef struct target {
    gt_measure_setup *setup;
    const gt_workload *workload;
    uint32_t index; /* of the workload */
} target;

static gputune_status send_expression(const target *to, uint32_t place, const gt_fill *from,
                                      gt_binding *binding)
{
    const gt_buffer *buffer = gt_workload_input(to->workload, place);
    gt_live_input *input;
    if (from->kind != GT_FILL_EXPRESSION || gt_data_find(to->setup, to->index, place)) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_data_add(&input, to->setup, to->index, place));
    GT_TRY(take_bytes(input, buffer->bytes));
    return fill(input->bytes.data, buffer, from->low, binding);
}

static gputune_status send_expressions(const target *to, const gt_request *request,
                                       const gt_problem *problem)
{
    gt_binding binding;
    const gt_template *template = request->template;
    gt_binding_open(&binding, template, problem, request->device);
    for (uint32_t i = 0; i < template->pass_count; i++) {
        GT_TRY(send_expression(to, GT_PARAMETER_MAX + i, &template->passes[i].fill, &binding));
    }
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        if (argument->is_buffer) {
            GT_TRY(send_expression(to, gt_data_buffer(to->workload, i), &argument->fill, &binding));
        }
    }
    return GPUTUNE_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static gputune_status send_awkward(gt_field *field)
{
    const gt_request *request = field->options.request;
    gt_workload *awkward = malloc(sizeof *awkward);
    GT_TRY(gt_allocated(awkward));
    gputune_status status =
        gt_workload_bind(awkward, request->template, &field->awkward, request->device, 1, NULL, 0);
    if (status == GPUTUNE_OK) {
        const target to = {field->setup, awkward, 1};
        status = send_expressions(&to, request, &field->awkward);
    }
    GT_THEN(status, gt_data_refer(field->setup, request, &field->awkward, awkward, 1));
    free(awkward);
    return status;
}

gputune_status gt_data_send(gt_field *field)
{
    const gt_request *request = field->options.request;
    GT_TRY(gt_data_save(field));
    GT_TRY(send_live(field->setup, request));
    GT_TRY(send_files(field->setup, request));
    const target to = {field->setup, &request->workload, 0};
    GT_TRY(send_expressions(&to, request, &request->problem));
    GT_TRY(gt_data_refer(field->setup, request, &request->problem, &request->workload, 0));
    return field->workload_count > 1 ? send_awkward(field) : GPUTUNE_OK;
}

void gt_data_release(gt_field *field)
{
    gt_measure_setup *setup = field->setup;
    for (uint32_t i = 0; i < field->save_count; i++) {
        free(field->saves[i].path);
    }
    free(field->saves);
    field->saves = NULL;
    field->save_count = 0;
    for (uint32_t i = 0; setup && i < setup->input_count; i++) {
        free(setup->inputs[i].bytes.data);
    }
    if (setup) {
        free(setup->inputs);
        setup->inputs = NULL;
        setup->input_count = 0;
    }
}
