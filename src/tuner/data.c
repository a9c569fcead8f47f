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
    if (!inputs) {
        return gt_fail_memory();
    }
    setup->inputs = inputs;
    *out = &inputs[setup->input_count++];
    **out = (gt_live_input){.workload = workload, .buffer = buffer};
    return GPUTUNE_OK;
}

static gputune_status take_bytes(gt_live_input *out, uint64_t bytes)
{
    out->bytes.data = malloc(bytes);
    if (!out->bytes.data) {
        return gt_fail_memory();
    }
    out->bytes.bytes = bytes;
    return GPUTUNE_OK;
}

static bool is_sent(const gt_measure_setup *setup, uint32_t workload, uint32_t buffer)
{
    for (uint32_t i = 0; i < setup->input_count; i++) {
        const gt_live_input *input = &setup->inputs[i];
        if (input->workload == workload && input->buffer == buffer && !input->expected) {
            return true;
        }
    }
    return false;
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

static gputune_status send_expressions(gt_measure_setup *setup, const gt_request *request,
                                       const gt_problem *problem, const gt_workload *workload,
                                       uint32_t workload_index)
{
    gt_binding binding;
    gt_binding_open(&binding, request->template, problem, request->device);
    for (uint32_t i = 0; i < request->template->argument_count; i++) {
        const gt_argument *argument = &request->template->arguments[i];
        uint32_t index = gt_data_buffer(workload, i);
        gt_live_input *input;
        if (!argument->is_buffer || argument->fill.kind != GT_FILL_EXPRESSION ||
            is_sent(setup, workload_index, index)) {
            continue;
        }
        GT_TRY(gt_data_add(&input, setup, workload_index, index));
        GT_TRY(take_bytes(input, workload->buffers[index].bytes));
        GT_TRY(fill(input->bytes.data, &workload->buffers[index], argument->fill.low, &binding));
    }
    return GPUTUNE_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static gputune_status send_awkward(gt_field *field)
{
    const gt_request *request = field->options.request;
    gt_workload *awkward = malloc(sizeof *awkward);
    if (!awkward) {
        return gt_fail_memory();
    }
    gputune_status status =
        gt_workload_bind(awkward, request->template, &field->awkward, request->device, 1, NULL, 0);
    if (status == GPUTUNE_OK) {
        status = send_expressions(field->setup, request, &field->awkward, awkward, 1);
    }
    if (status == GPUTUNE_OK) {
        status = gt_data_refer(field->setup, request, &field->awkward, awkward, 1);
    }
    free(awkward);
    return status;
}

gputune_status gt_data_send(gt_field *field)
{
    const gt_request *request = field->options.request;
    GT_TRY(send_live(field->setup, request));
    GT_TRY(send_files(field->setup, request));
    GT_TRY(send_expressions(field->setup, request, &request->problem, &request->workload, 0));
    GT_TRY(gt_data_refer(field->setup, request, &request->problem, &request->workload, 0));
    return field->workload_count > 1 ? send_awkward(field) : GPUTUNE_OK;
}

void gt_data_release(gt_measure_setup *setup)
{
    if (!setup) {
        return;
    }
    for (uint32_t i = 0; i < setup->input_count; i++) {
        free(setup->inputs[i].bytes.data);
    }
    free(setup->inputs);
    setup->inputs = NULL;
    setup->input_count = 0;
}
