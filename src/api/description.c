/* Describes the parameters of a plan's kernel. */
#include "api/description.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct described {
    gputune_parameter parameter;
    char name[GT_NAME_MAX], type[GT_NAME_MAX];
} described;

struct gt_description {
    char *sizes;
    uint32_t count;
    described items[];
};

static void set_texts(described *out, const char *name, const char *type)
{
    snprintf(out->name, sizeof out->name, "%s", name);
    snprintf(out->type, sizeof out->type, "%s", type);
    out->parameter.name = out->name;
    out->parameter.type = out->type;
}

static void describe_buffer(described *out, const gt_workload *workload, uint32_t index)
{
    const gt_buffer *buffer = &workload->buffers[index];
    out->parameter.kind = GPUTUNE_PARAMETER_BUFFER;
    out->parameter.buffer_bytes = buffer->bytes;
    out->parameter.alignment = workload->alignment[index];
    out->parameter.is_input = buffer->direction != GT_OUT;
    out->parameter.is_output = buffer->direction != GT_IN;
    set_texts(out, buffer->name, gt_type_name(buffer->type));
}

static void describe_scalar(described *out, const gt_workload *workload, uint32_t index)
{
    const gt_scalar *scalar = &workload->scalars[index];
    out->parameter.kind = GPUTUNE_PARAMETER_SCALAR;
    out->parameter.is_input = true;
    out->parameter.is_size = scalar->problem_value >= 0;
    out->parameter.size = out->parameter.is_size ? scalar->integer : 0;
    set_texts(out, scalar->name, gt_type_name(scalar->type));
}

static void describe_block(described *out, const gt_workload *workload, const gt_launch *launch)
{
    out->parameter.kind = GPUTUNE_PARAMETER_BLOCK;
    out->parameter.buffer_bytes = launch->block_bytes;
    out->parameter.is_input = true;
    out->parameter.by_address = launch->pass == GT_PASS_GLOBAL;
    set_texts(out, workload->block.name, gt_type_name(workload->block.type));
}

static void describe(described *out, const gt_request *request, const gt_launch *launch,
                     uint32_t index, uint32_t *scratch)
{
    const gt_parameter *parameter = &launch->parameters[index];
    const gt_workload *workload = &request->workload;
    out->parameter = (gputune_parameter){.version = GPUTUNE_PARAMETER_VERSION,
                                         .argument = parameter->argument,
                                         .bytes = parameter->bytes};
    if (parameter->kind == GT_PARAMETER_SCRATCH) {
        const char *type, *name = gt_template_scratch(request->template, (*scratch)++, &type);
        out->parameter.kind = GPUTUNE_PARAMETER_SCRATCH;
        out->parameter.buffer_bytes = parameter->scratch_bytes;
        set_texts(out, name ? name : "", name ? type : "");
    } else if (parameter->kind == GT_PARAMETER_BLOCK) {
        describe_block(out, workload, launch);
    } else {
        uint32_t argument = (uint32_t)parameter->argument - workload->has_block;
        uint32_t item = workload->arguments[argument].index;
        if (workload->arguments[argument].is_buffer) {
            describe_buffer(out, workload, item);
        } else {
            describe_scalar(out, workload, item);
        }
    }
}

gputune_status gt_description_make(gt_description **out, const gt_request *request,
                                   const gt_launch *launch)
{
    uint32_t scratch = 0;
    gt_description *description =
        calloc(1, sizeof *description + launch->parameter_count * sizeof description->items[0]);
    if (!description) {
        return gt_fail_memory();
    }
    gputune_status status = gt_strdup(&description->sizes, request->problem_text);
    if (status != GPUTUNE_OK) {
        gt_description_free(description);
        return status;
    }
    description->count = launch->parameter_count;
    for (uint32_t i = 0; i < description->count; i++) {
        describe(&description->items[i], request, launch, i, &scratch);
    }
    for (uint32_t i = 0; i < launch->clear_count; i++) {
        description->items[launch->clears[i].parameter].parameter.cleared = true;
    }
    *out = description;
    return GPUTUNE_OK;
}

void gt_description_free(gt_description *description)
{
    if (description) {
        free(description->sizes);
        free(description);
    }
}

const char *gt_description_sizes(const gt_description *description)
{
    return description->sizes;
}

const gputune_parameter *gt_description_parameter(const gt_description *description, uint32_t index)
{
    return index < description->count ? &description->items[index].parameter : NULL;
}
