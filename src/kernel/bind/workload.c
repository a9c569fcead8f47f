/* Makes the workload of a template for a problem: its buffers, scalars, tolerances and judges. */
#include "kernel/bind/binding.h"
#include "kernel/bind/source.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

gputune_status gt_argument_shape(uint64_t out[3], const gt_argument *argument, const int64_t *slots)
{
    const char *name = argument->name;
    for (uint32_t i = 0; i < argument->extent_count; i++) {
        const gt_expression *extent = argument->extents[i];
        int64_t value;
        GT_TRY(gt_expression_integer(&value, extent, slots));
        GT_REFUSE_AT(value < 1 && !gt_expression_uses_any(extent, 0, GT_SLOT_MAX), extent->place,
                     "'%s' has an extent of %lld; expected at least 1", name, (long long)value);
        GT_REFUSE(value < 1, GPUTUNE_EINVAL,
                  "%s%s%lld makes %s empty; a buffer needs at least one element (write "
                  "%s[max(1, %s)] if %s may be %lld)",
                  extent->text, strchr(extent->text, ' ') ? " = " : "=", (long long)value, name,
                  name, extent->text, extent->text, (long long)value);
        out[i] = (uint64_t)value;
    }
    return GPUTUNE_OK;
}

gputune_status gt_elements_count(uint64_t *out, const gt_argument *buffer, const int64_t *slots)
{
    uint64_t elements = 1, shape[3];
    GT_TRY(gt_argument_shape(shape, buffer, slots));
    for (uint32_t i = 0; i < buffer->extent_count; i++) {
        GT_REFUSE(__builtin_mul_overflow(elements, shape[i], &elements) ||
                      elements > GT_BUFFER_BYTES_MAX,
                  GPUTUNE_EINVAL, "buffer %s exceeds 2^47 bytes at these sizes", buffer->name);
    }
    *out = elements;
    return GPUTUNE_OK;
}

/* Returns true if an extent uses a size that is 0, and has its least possible value, as in y[max(1,
 * n)] for n = 0. */
static bool is_placeholder(const gt_binding *binding, const gt_argument *argument)
{
    bool is = false;
    int64_t slots[GT_SLOT_MAX], usual, least;
    memcpy(slots, binding->slots, sizeof slots);
    for (uint32_t i = 0; i < argument->extent_count; i++) {
        const gt_expression *extent = argument->extents[i];
        bool uses_zero = false;
        for (int k = GT_SLOT_PROBLEM; k < GT_SLOT_PROBLEM + GT_PROBLEM_MAX; k++) {
            uses_zero |= binding->slots[k] == 0 && gt_expression_uses_any(extent, k, 1);
            slots[k] = binding->slots[k] ? 0 : -1;
        }
        is |= uses_zero && gt_expression_integer(&usual, extent, binding->slots) == GPUTUNE_OK &&
              gt_expression_integer(&least, extent, slots) == GPUTUNE_OK && usual == least;
    }
    return is;
}

static gputune_status bind_buffer(gt_workload *out, gt_buffer *buffer, const gt_binding *binding,
                                  const gt_argument *argument, bool is_block)
{
    memcpy(buffer->name, argument->name, sizeof buffer->name);
    buffer->direction = argument->direction;
    buffer->nan_ok = argument->nan_ok;
    buffer->finite = argument->finite;
    buffer->races = argument->races;
    buffer->is_placeholder = is_placeholder(binding, argument);
    GT_TRY(gt_elements_count(&buffer->elements, argument, binding->slots));
    GT_TRY(gt_elements_bind(out, buffer, binding, argument));
    buffer->reference_type = buffer->type;
    return gt_elements_open(out, buffer, binding, is_block);
}

static gputune_status bind_arguments(gt_workload *out, const gt_binding *binding)
{
    const gt_template *template = binding->template;
    out->argument_count = template->argument_count;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        const uint32_t index = argument->is_buffer ? out->buffer_count++ : out->scalar_count++;
        gt_buffer *buffer = &out->buffers[index];
        out->arguments[i].is_buffer = argument->is_buffer;
        out->arguments[i].index = index;
        if (!argument->is_buffer) {
            GT_TRY(gt_scalar_bind(out, &out->scalars[index], binding, argument));
            continue;
        }
        GT_TRY(bind_buffer(out, buffer, binding, argument, false));
        if (template->parts->reference.double_mask >> i & 1) {
            buffer->reference_type = GT_TYPE_F64;
        }
        GT_REFUSE(buffer->bytes > GT_BUFFER_BYTES_MAX, GPUTUNE_EINVAL,
                  "buffer %s exceeds 2^47 bytes at these sizes", argument->name);
    }
    return GPUTUNE_OK;
}

static gputune_status bind_in_place(gt_workload *out, const gt_template *template)
{
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        if (!argument->in_place) {
            continue;
        }
        gt_buffer *output = &out->buffers[out->arguments[i].index];
        output->in_place = out->arguments[argument->in_place - 1].index + 1;
        const gt_buffer *input = &out->buffers[output->in_place - 1];
        GT_REFUSE(
            output->bytes != input->bytes, GPUTUNE_EINVAL,
            "in_place(%s : %s): %s has %llu bytes at these sizes and %s %llu; expected equal sizes",
            output->name, input->name, output->name, (unsigned long long)output->bytes, input->name,
            (unsigned long long)input->bytes);
    }
    return GPUTUNE_OK;
}

static gputune_status bind_blocks(gt_workload *out, const gt_binding *binding)
{
    for (uint32_t i = 0; i < binding->template->pass_count; i++) {
        gt_buffer *block = &out->blocks[out->block_count++];
        GT_TRY(bind_buffer(out, block, binding, &binding->template->passes[i], true));
        GT_REFUSE(block->bytes > UINT32_MAX / 2, GPUTUNE_EINVAL,
                  "block %s exceeds 2 GB at these sizes", block->name);
    }
    return GPUTUNE_OK;
}

static gputune_status bind_tolerance(gt_workload *out, const gt_binding *binding)
{
    const gt_judge *judge = &binding->template->parts->reference;
    const struct {
        const gt_expression *expression;
        double *value;
    } items[] = {{judge->atol, &out->tolerance.atol},
                 {judge->rtol, &out->tolerance.rtol},
                 {judge->stol, &out->tolerance.stol}};
    for (size_t i = 0; i < 3; i++) {
        if (items[i].expression) {
            out->tolerance.stated = true;
            GT_TRY(gt_expression_real(items[i].value, items[i].expression, binding->slots, false));
        }
        GT_REFUSE_AT(*items[i].value < 0, judge->kernel.place,
                     "a negative tolerance; expected 0 or more");
    }
    return GPUTUNE_OK;
}

static const gt_buffer *first_output(const gt_workload *workload)
{
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        if (workload->buffers[i].direction != GT_IN) {
            return &workload->buffers[i];
        }
    }
    return NULL;
}

static gputune_status bind_dimensions(uint32_t out[3], const gt_dimensions *dimensions,
                                      const int64_t *limits, int64_t least,
                                      const gt_binding *binding, const gt_judge *judge)
{
    for (uint32_t i = 0; i < 3; i++) {
        int64_t value = 1;
        if (i < dimensions->count) {
            GT_TRY(gt_expression_integer(&value, dimensions->items[i], binding->slots));
        }
        GT_REFUSE(value < least || value > limits[i], GPUTUNE_EINVAL,
                  "%s would be launched with %lld blocks or threads in dimension %u at these "
                  "sizes; expected 1 to %lld",
                  judge->kernel.name, (long long)value, i, (long long)limits[i]);
        out[i] = (uint32_t)value;
    }
    return GPUTUNE_OK;
}

static gputune_status bind_shape(gt_kernel_step *out, const gt_workload *workload,
                                 const gt_binding *binding, const gt_judge *judge)
{
    const gt_device *device = binding->device;
    const int64_t blocks[3] = {device->max_block[0], device->max_block[1], device->max_block[2]};
    *out = (gt_kernel_step){.cluster = {1, 1, 1}, .times = 1};
    memcpy(out->entry, judge->kernel.entry, sizeof out->entry);
    GT_TRY(bind_dimensions(out->block, &judge->block, blocks, 1, binding, judge));
    if (judge->block.count == 0) {
        out->block[0] = 256;
    }
    uint64_t threads = (uint64_t)out->block[0] * out->block[1] * out->block[2];
    GT_REFUSE(threads > (uint64_t)device->max_threads_per_block, GPUTUNE_EINVAL,
              "%s would be launched with blocks of %llu threads; expected at most %d",
              judge->kernel.name, (unsigned long long)threads, device->max_threads_per_block);
    const int64_t least = gt_binding_has_empty_size(binding) ? 0 : 1;
    GT_TRY(bind_dimensions(out->grid, &judge->grid, device->max_grid, least, binding, judge));
    if (judge->grid.count == 0) {
        uint64_t grid = (gt_buffer_count(first_output(workload)) + threads - 1) / threads;
        out->grid[0] =
            grid > (uint64_t)device->max_grid[0] ? (uint32_t)device->max_grid[0] : (uint32_t)grid;
    }
    return GPUTUNE_OK;
}

static void add_clears(gt_launch *launch, const gt_workload *workload, const gt_template *template)
{
    const uint32_t first = launch->parameter_count - workload->argument_count;
    for (uint32_t i = 0; i < workload->argument_count; i++) {
        if (template->arguments[i].cleared) {
            const gt_buffer *buffer = &workload->buffers[workload->arguments[i].index];
            launch->parameters[first + i].clear_bytes = gt_buffer_reference_bytes(buffer);
        }
    }
}

/* Makes the launch of a judge. The judge gets pointers to the pass() blocks as parameters, and its
 * module contains the constant() blocks. */
static gputune_status bind_judge(gt_launch *out, const gt_workload *workload,
                                 const gt_binding *binding, const gt_judge *judge)
{
    gt_pass ways[GT_BLOCK_MAX];
    out->step_count = 1;
    out->carveout_kb = -1;
    GT_TRY(bind_shape(&out->steps[0], workload, binding, judge));
    for (uint32_t i = 0; i < workload->block_count; i++) {
        ways[i] = binding->template->passes[i].axis < 0 ? GT_PASS_CONSTANT : GT_PASS_GLOBAL;
    }
    (void)gt_blocks_make(out->blocks, binding, ways); /* the limits were checked before */
    return gt_launch_arguments(out, binding, true);
}

static gputune_status finish_judge(gt_launch *out)
{
    gt_launch_take_all(out);
    return gt_launch_count_held(out);
}

static void add_given(gt_launch *launch, gt_parameter_kind kind, uint64_t value)
{
    gt_launch_add(launch, kind, 8, (int)launch->argument_count++)->scratch_bytes = value;
}

static gputune_status add_made(gt_launch *out, const gt_workload *workload,
                               const gt_binding *binding, const gt_judge *judge)
{
    for (uint32_t i = 0; i < workload->argument_count; i++) {
        if (judge->copied >> i & 1) {
            const gt_buffer *buffer = &workload->buffers[workload->arguments[i].index];
            gt_launch_add(out, GT_PARAMETER_SCRATCH, 8, (int)(i + workload->block_count))
                ->scratch_bytes = gt_buffer_reference_bytes(buffer);
        }
    }
    for (uint32_t i = 0; i < judge->value_count; i++) {
        int64_t value;
        GT_TRY(gt_expression_integer(&value, judge->values[i], binding->slots));
        add_given(out, GT_PARAMETER_SCALAR, (uint64_t)value);
    }
    return GPUTUNE_OK;
}

gt_config gt_reference_config(const gt_template *template)
{
    const gt_judge *judge = &template->parts->reference;
    gt_config config = gt_config_default(template);
    for (uint32_t i = 0; i < template->axis_count; i++) {
        config.choice[i] = judge->chosen >> i & 1 ? judge->choices[i] : config.choice[i];
    }
    return config;
}

static gputune_status bind_judges(gt_workload *out, const gt_binding *binding)
{
    const gt_template_parts *parts = binding->template->parts;
    out->has_reference = parts->reference.present || parts->reference.self;
    out->refers_to_itself = parts->reference.self;
    out->has_scale = parts->reference.scale;
    out->has_check = parts->check.present;
    out->has_expected = parts->expects;
    out->has_init = parts->init.present;
    if (out->has_init) {
        GT_TRY(bind_judge(&out->init, out, binding, &parts->init));
        add_given(&out->init, GT_PARAMETER_SCALAR, 0); /* the seed */
        GT_TRY(finish_judge(&out->init));
    }
    if (parts->reference.self) {
        const gt_config config = gt_reference_config(binding->template);
        GT_TRY(gt_launch_bind(&out->reference, binding->template, binding->problem, &config,
                              binding->device));
        out->reference.l2 = (gt_l2_window){0}; /* a reference must not reserve a part of L2 */
    }
    if (parts->reference.present) {
        GT_TRY(bind_judge(&out->reference, out, binding, &parts->reference));
        add_clears(&out->reference, out, binding->template);
        GT_TRY(add_made(&out->reference, out, binding, &parts->reference));
        if (out->has_scale) {
            add_given(&out->reference, GT_PARAMETER_BUFFER,
                      first_output(out)->elements * parts->reference.scale_bytes);
        }
        GT_TRY(finish_judge(&out->reference));
    }
    if (out->has_check) {
        GT_TRY(bind_judge(&out->check, out, binding, &parts->check));
        add_given(&out->check, GT_PARAMETER_BUFFER, 0); /* counts wrong elements */
        GT_TRY(finish_judge(&out->check));
    }
    return GPUTUNE_OK;
}

static gputune_status bind_work(gt_workload *out, const gt_binding *binding)
{
    const gt_template *template = binding->template;
    const gt_template_parts *parts = template->parts;
    const gt_config standard = gt_config_default(template);
    int64_t slots[GT_SLOT_MAX];
    memcpy(slots, binding->slots, sizeof slots);
    gt_slots_config(slots, template, &standard);
    if (parts->work_bytes && (!template->work.axes || !parts->work_flops)) {
        GT_TRY(gt_expression_real(&out->work_bytes, parts->work_bytes, slots, false));
    }
    if (parts->work_flops) {
        GT_TRY(gt_expression_real(&out->work_flops, parts->work_flops, slots, false));
    }
    return GPUTUNE_OK;
}

static gputune_status evaluate_work(double *out, gt_binding *binding, const gt_config *config)
{
    const gt_expression *measure = gt_work_measure(binding->template);
    GT_FREED char *text = NULL;
    gt_slots_config(binding->slots, binding->template, config);
    GT_TRY(gt_expression_real(out, measure, binding->slots, false));
    if (*out > 0) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_config_text(&text, binding->template, config));
    return gt_fail_at(measure->place, "the work of %s is %g; expected more than 0", text, *out);
}

gputune_status gt_work_ratio(double *out, const gt_template *template, const gt_problem *problem,
                             const gt_config *config, const gt_device *device)
{
    const gt_config standard = gt_config_default(template);
    gt_binding binding;
    double own, one;
    *out = 1;
    if (!template->work.axes) {
        return GPUTUNE_OK;
    }
    gt_binding_open(&binding, template, problem, device);
    GT_TRY(evaluate_work(&one, &binding, &standard));
    GT_TRY(evaluate_work(&own, &binding, config));
    *out = own / one;
    return GPUTUNE_OK;
}

static gputune_status check_alignment(uint32_t bytes, const char *name)
{
    bool power = bytes > 0 && (bytes & (bytes - 1)) == 0;
    return power && bytes <= 4096
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EINVAL,
                         "alignment of %s is %u bytes; expected a power of two up to 4096", name,
                         bytes);
}

static gputune_status bind_alignments(gt_workload *out, uint32_t alignment,
                                      const gputune_alignment *alignments, size_t count)
{
    alignment = alignment ? alignment : 16;
    GT_TRY(check_alignment(alignment, "the buffers"));
    for (uint32_t i = 0; i < out->buffer_count; i++) {
        out->alignment[i] = alignment;
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = alignments[i].buffer ? alignments[i].buffer : "";
        const int index = GT_NAMED(out->buffers, out->buffer_count, name);
        if (index < 0) {
            gt_near near = gt_near_to(name);
            gt_near_items(&near, out->buffers, out->buffer_count);
            return gt_fail(GPUTUNE_EINVAL, "no buffer '%s' to align; expected %s", name,
                           gt_near_or(&near, "the name of one in args()"));
        }
        out->alignment[index] = alignments[i].bytes;
        GT_TRY(check_alignment(alignments[i].bytes, name));
    }
    return GPUTUNE_OK;
}

static void align_buffer(gt_workload *out, uint32_t argument, uint32_t needed)
{
    gt_buffer *buffer = &out->buffers[out->arguments[argument].index];
    buffer->alignment = buffer->alignment > needed ? buffer->alignment : needed;
}

static void align_maps(gt_workload *out, const gt_template *template)
{
    for (uint32_t i = 0; i < template->parts->map_count; i++) {
        const gt_map *map = &template->parts->maps[i];
        align_buffer(out, map->argument, map->interleave ? 32 : 16);
    }
    for (uint32_t i = 0; i < template->parts->texture_count; i++) {
        const gt_texture_clause *texture = &template->parts->textures[i];
        if (texture->memory == GT_TEXTURE_BUFFER) {
            align_buffer(out, texture->argument, GT_TEXTURE_ALIGNMENT);
        }
    }
}

gputune_status gt_workload_bind(gt_workload *out, const gt_template *template,
                                const gt_problem *problem, const gt_device *device,
                                uint32_t alignment, const gputune_alignment *alignments,
                                size_t alignment_count)
{
    gt_binding binding;
    gt_texture textures[GT_TEXTURE_MAX];
    GT_FREED gt_workload *workload = calloc(1, sizeof *workload);
    GT_TRY(gt_allocated(workload));
    gt_binding_open(&binding, template, problem, device);
    GT_TRY(bind_blocks(workload, &binding));
    GT_TRY(bind_arguments(workload, &binding));
    GT_TRY(bind_in_place(workload, template));
    GT_TRY(bind_tolerance(workload, &binding));
    GT_TRY(bind_judges(workload, &binding));
    align_maps(workload, template);
    GT_TRY(gt_textures_make(textures, &binding));
    GT_TRY(bind_work(workload, &binding));
    GT_TRY(bind_alignments(workload, alignment, alignments, alignment_count));
    *out = *workload;
    return GPUTUNE_OK;
}

uint64_t gt_reference_scratch_bytes(const gt_workload *workload)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < workload->reference.parameter_count; i++) {
        const gt_parameter *parameter = &workload->reference.parameters[i];
        bool own = parameter->kind != GT_PARAMETER_SCALAR && !workload->refers_to_itself;
        bytes += own ? parameter->scratch_bytes : 0;
    }
    return bytes;
}

uint64_t gt_workload_device_bytes(const gt_workload *workload)
{
    enum { GUARDS = 64 << 10 };
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < workload->block_count; i++) {
        bytes += workload->blocks[i].bytes;
    }
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        const gt_buffer *buffer = &workload->buffers[i];
        bytes += buffer->bytes + GUARDS;
        bytes += buffer->direction == GT_INOUT ? buffer->bytes : 0;
        bytes += buffer->direction == GT_IN ? 0 : gt_buffer_reference_bytes(buffer) + GUARDS;
    }
    return bytes + gt_reference_scratch_bytes(workload);
}
