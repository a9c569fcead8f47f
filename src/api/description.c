/* Describes the parameters of a plan's kernels. */
#include "api/description.h"

#include "base/number.h"
#include "base/text.h"
#include "kernel/bind/binding.h"

#include <stdio.h>
#include <stdlib.h>

/* Moves a text to `texts`, and sets *out to the text. Sets *out to "" if the text is empty. */
static gputune_status keep_text(const char **out, gt_texts *texts, gt_text *text)
{
    char *kept;
    *out = "";
    if (!text->length && !text->failed) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_text_take(&kept, text));
    GT_TRY(gt_texts_take(texts, kept));
    *out = kept;
    return GPUTUNE_OK;
}

static gputune_status name_argument(gt_texts *texts, gt_described *out, const gt_binding *binding,
                                    const gt_argument *declared)
{
    gt_text text = {0};
    out->parameter.type = gt_type_text(binding->template, binding->problem, declared->type);
    if (declared->pointee[0]) {
        gt_text_printf(&text, "%s *", declared->pointee);
        GT_TRY(keep_text(&out->parameter.type, texts, &text));
    }
    out->element_bytes = out->whole_bytes = gt_element_resolve(binding, declared->type).bytes;
    gt_structure_describe(&text, binding, declared->type);
    return keep_text(&out->members, texts, &text);
}

static gputune_status describe_constants(gt_description *out, const gt_launch_view *launch)
{
    out->constants = calloc(launch->block_count + 1, sizeof *out->constants);
    GT_TRY(gt_allocated(out->constants));
    for (uint32_t i = 0; i < launch->block_count; i++) {
        const gt_block *block = &launch->blocks[i];
        if (gt_block_copied(block) > 0 && block->pass != GT_PASS_GLOBAL) {
            out->constants[out->constant_count++] = (gputune_constant){
                block->symbol, (int)i, block->by_value_bytes, gt_block_copied(block)};
        }
    }
    return GPUTUNE_OK;
}

static void set_buffer(gputune_parameter *out, const gt_workload *workload, uint32_t index)
{
    const gt_buffer *buffer = &workload->buffers[index];
    out->kind = GPUTUNE_PARAMETER_BUFFER;
    out->bytes = sizeof(uint64_t);
    out->buffer_bytes = buffer->bytes;
    out->alignment = workload->alignment[index];
    out->is_input = buffer->direction != GT_OUT;
    out->is_output = buffer->direction != GT_IN;
    out->element_bytes = gt_buffer_element_bytes(buffer);
}

/* Describes an argument. For a block, describe_launch() sets the size later. */
static void set_argument(gt_described *out, const gt_argument *declared,
                         const gt_workload *workload, const gt_launch_view *launch, uint32_t index)
{
    gputune_parameter *parameter = &out->parameter;
    *parameter = (gputune_parameter){.size = sizeof(gputune_parameter),
                                     .name = declared->name,
                                     .type = parameter->type,
                                     .argument = (int)index};
    if (index < workload->block_count) {
        uint32_t bytes = (uint32_t)workload->blocks[index].bytes;
        out->whole_bytes = bytes ? bytes : out->whole_bytes;
        parameter->kind = GPUTUNE_PARAMETER_BLOCK;
        parameter->buffer_bytes = launch->blocks[index].bytes;
        parameter->element_bytes = gt_buffer_element_bytes(&workload->blocks[index]);
        parameter->is_input = true;
        parameter->by_address = launch->blocks[index].pass == GT_PASS_GLOBAL;
        return;
    }
    uint32_t place = index - workload->block_count, item = workload->arguments[place].index;
    if (workload->arguments[place].is_buffer) {
        set_buffer(parameter, workload, item);
    } else {
        const gt_number *number = gt_scalar_number(workload, &workload->scalars[item]);
        parameter->kind = GPUTUNE_PARAMETER_SCALAR;
        parameter->bytes = out->element_bytes;
        parameter->is_input = true;
        parameter->is_size = number && number->problem_value >= 0;
        parameter->size_value = parameter->is_size ? number->integer : 0;
    }
}

static gputune_status describe_arguments(gt_description *out, const gt_request *request,
                                         const gt_launch_view *launch)
{
    gt_binding binding;
    const gt_template *template = request->template;
    const uint32_t blocks = template->pass_count, count = blocks + template->argument_count;
    gt_binding_open(&binding, template, &request->problem, request->device);
    out->arguments = calloc(count, sizeof *out->arguments);
    GT_TRY(gt_allocated(out->arguments));
    for (uint32_t i = 0; i < count; i++) {
        gt_described *argument = &out->arguments[out->argument_count++];
        const gt_argument *declared =
            i < blocks ? &template->passes[i] : &template->arguments[i - blocks];
        GT_TRY(name_argument(&out->texts, argument, &binding, declared));
        set_argument(argument, declared, &request->workload, launch, i);
    }
    return GPUTUNE_OK;
}

static void describe_scratch(gputune_parameter *out, const gt_template *template, uint32_t index,
                             const gt_parameter *parameter)
{
    const gt_argument *scratch = &template->arguments[template->argument_count + index];
    *out = (gputune_parameter){.size = sizeof *out,
                               .kind = GPUTUNE_PARAMETER_SCRATCH,
                               .name = scratch->name,
                               .type = scratch->type,
                               .argument = -1,
                               .bytes = parameter->bytes,
                               .buffer_bytes = parameter->scratch_bytes,
                               .cleared = parameter->clear_bytes > 0};
}

static void describe_launch(gt_description *description, const gt_request *request,
                            const gt_launch_view *launch, uint32_t index, uint32_t *scratch)
{
    gputune_parameter *out = &description->parameters[index];
    const gt_parameter *parameter = &launch->parameters[index];
    if (parameter->kind == GT_PARAMETER_SCRATCH) {
        describe_scratch(out, request->template, (*scratch)++, parameter);
        return;
    }
    if (parameter->kind == GT_PARAMETER_VALUE) { /* a constant: loops are refused */
        const gt_template_value *value = &request->template->parts->computed[parameter->map];
        *out = (gputune_parameter){.size = sizeof *out,
                                   .kind = GPUTUNE_PARAMETER_SCALAR,
                                   .name = value->value->text,
                                   .type = gt_type_name(value->type),
                                   .argument = -1,
                                   .bytes = parameter->bytes,
                                   .is_input = true,
                                   .size_value = (int64_t)parameter->scratch_bytes};
        return;
    }
    gputune_parameter *argument = &description->arguments[parameter->argument].parameter;
    if (parameter->kind == GT_PARAMETER_BLOCK) {
        argument->bytes = parameter->bytes;
    }
    *out = *argument;
    out->bytes = parameter->bytes;
    out->cleared = parameter->clear_bytes > 0;
    argument->cleared |= out->cleared;
    if (parameter->kind == GT_PARAMETER_TENSORMAP) {
        out->kind = GPUTUNE_PARAMETER_TENSORMAP;
    } else if (parameter->kind == GT_PARAMETER_TEXTURE) {
        out->kind = GPUTUNE_PARAMETER_TEXTURE;
    }
}

gputune_status gt_description_make(gt_description *out, const gt_request *request,
                                   const gt_launch_view *launch)
{
    uint32_t scratch = 0;
    GT_TRY(gt_strdup(&out->sizes, request->problem_text));
    GT_TRY(describe_arguments(out, request, launch));
    out->parameters = calloc(launch->parameter_count + 1, sizeof *out->parameters);
    GT_TRY(gt_allocated(out->parameters));
    GT_TRY(describe_constants(out, launch));
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        describe_launch(out, request, launch, i, &scratch);
    }
    return GPUTUNE_OK;
}

void gt_description_free(gt_description *description)
{
    gt_texts_free(&description->texts);
    free(description->arguments);
    free(description->parameters);
    free(description->constants);
    free(description->sizes);
}
