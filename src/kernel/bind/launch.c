/* Makes the launch of a configuration, and the keys of trials. */
#include "kernel/bind/binding.h"
#include "kernel/bind/source.h"
#include "kernel/template/axis_kind.h"

#include <string.h>

static gt_limit check_vector(const gt_binding *binding, uint32_t axis, int64_t width)
{
    const gt_template *template = binding->template;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        int64_t inner = 0;
        if (gt_axis_widens(&template->axes[axis], i) && argument->extent_count > 1) {
            GT_EXCLUDE(gt_expression_try(&inner, argument->extents[argument->extent_count - 1],
                                         binding->slots),
                       GT_LIMIT_EXPRESSION);
            GT_EXCLUDE(inner % width != 0, GT_LIMIT_VECTOR_EXTENT);
        }
    }
    return GT_LIMIT_NONE;
}

gt_limit gt_binding_vectors(const gt_binding *binding)
{
    gt_limit limit = GT_LIMIT_NONE;
    for (uint32_t i = 0; i < binding->template->axis_count && !limit; i++) {
        limit = check_vector(binding, i, binding->slots[GT_SLOT_AXIS + i]);
    }
    return limit;
}

gt_parameter *gt_launch_add(gt_launch *launch, gt_parameter_kind kind, uint32_t bytes, int argument)
{
    gt_parameter *added = &launch->parameters[launch->parameter_count++];
    *added = (gt_parameter){.kind = kind, .bytes = bytes, .argument = argument};
    return added;
}

gputune_status gt_launch_arguments(gt_launch *launch, const gt_binding *binding, bool plain)
{
    const gt_template *template = binding->template;
    const gt_template_parts *parts = template->parts;
    const uint32_t first = template->pass_count;
    launch->block_count = template->pass_count;
    launch->argument_count = template->argument_count + first;
    for (uint32_t i = 0; i < first; i++) {
        const gt_block *block = &launch->blocks[i];
        const uint32_t bytes = block->pass == GT_PASS_GLOBAL ? 8 : block->by_value_bytes;
        if (bytes > 0) {
            gt_launch_add(launch, GT_PARAMETER_BLOCK, bytes, (int)i);
        }
    }
    const uint32_t begin = launch->parameter_count;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        gt_parameter *added = gt_launch_add(launch, GT_PARAMETER_BUFFER, 8, (int)(i + first));
        if (argument->map && !plain) {
            added->kind = GT_PARAMETER_TENSORMAP;
            added->bytes = GT_TENSORMAP_BYTES;
            added->map = (uint32_t)(argument->map - parts->maps);
        } else if (argument->texture && !plain) {
            added->kind = GT_PARAMETER_TEXTURE;
            added->map = (uint32_t)(argument->texture - parts->textures);
        } else if (!argument->is_buffer) {
            added->kind = GT_PARAMETER_SCALAR;
            added->bytes = gt_element_resolve(binding, argument->type).bytes;
        }
        GT_TRY(gt_argument_hold(added, binding, argument, begin));
    }
    return GPUTUNE_OK;
}

static gputune_status bytes_of(uint64_t *out, const gt_binding *binding, uint32_t index)
{
    const gt_argument *buffer = &binding->template->arguments[index];
    uint64_t elements;
    GT_TRY(gt_elements_count(&elements, buffer, binding->slots));
    *out = elements * gt_element_resolve(binding, buffer->type).bytes;
    GT_REFUSE(*out > GT_BUFFER_BYTES_MAX, GPUTUNE_EINVAL,
              "buffer %s exceeds 2^47 bytes at these sizes", buffer->name);
    return GPUTUNE_OK;
}

static gputune_status add_scratch(gt_launch *launch, const gt_binding *binding)
{
    const gt_template *template = binding->template;
    for (uint32_t i = template->argument_count; i < template->parameter_count; i++) {
        gt_parameter *added = gt_launch_add(launch, GT_PARAMETER_SCRATCH, 8, -1);
        const gt_argument *scratch = &template->arguments[i];
        added->scratch = (scratch->fill.kind == GT_FILL_ZERO ? GT_SCRATCH_ZERO : 0) |
                         (scratch->races ? GT_SCRATCH_RACES : 0);
        GT_TRY(bytes_of(&added->scratch_bytes, binding, i));
    }
    return GPUTUNE_OK;
}

static void add_maps(gt_launch *launch, const gt_template *template)
{
    launch->map_count = template->parts->map_count;
    for (uint32_t i = 0; i < launch->map_count; i++) {
        const gt_map *map = &template->parts->maps[i];
        if (!map->replaces) {
            gt_launch_add(launch, GT_PARAMETER_TENSORMAP, GT_TENSORMAP_BYTES,
                          (int)(map->argument + template->pass_count))
                ->map = i;
        }
    }
}

/* Returns the index of the parameter for an argument or scratch buffer. Must be called before other
 * parameters are appended. */
static uint32_t parameter_of(const gt_launch *launch, const gt_template *template, uint32_t index)
{
    return launch->parameter_count - template->parameter_count + index;
}

static gputune_status add_clears(gt_launch *launch, const gt_binding *binding)
{
    const gt_template *template = binding->template;
    for (uint32_t i = 0; i < template->parameter_count; i++) {
        if (template->arguments[i].cleared) {
            gt_parameter *cleared = &launch->parameters[parameter_of(launch, template, i)];
            GT_TRY(bytes_of(&cleared->clear_bytes, binding, i));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status add_l2(gt_launch *launch, const gt_binding *binding, uint32_t axis)
{
    const gt_template *template = binding->template;
    const gt_device *device = binding->device;
    uint32_t index = (uint32_t)__builtin_ctzll(template->axes[axis].buffers);
    uint64_t percent = (uint64_t)binding->slots[GT_SLOT_AXIS + axis];
    launch->l2.used = true;
    if (percent == 0) {
        return GPUTUNE_OK;
    }
    launch->l2.parameter = parameter_of(launch, template, index);
    const gt_parameter_kind kind = launch->parameters[launch->l2.parameter].kind;
    GT_REFUSE(kind != GT_PARAMETER_BUFFER && kind != GT_PARAMETER_SCRATCH, GPUTUNE_EINVAL,
              "l2_persist: %s is not a buffer among the kernel's parameters",
              template->arguments[index].name);
    uint64_t bytes, most = (uint64_t)device->l2_window_bytes;
    GT_TRY(bytes_of(&bytes, binding, index));
    launch->l2.window_bytes = bytes < most ? bytes : most;
    launch->l2.set_aside_bytes = (uint64_t)device->l2_persist_bytes * percent / 100;
    return GPUTUNE_OK;
}

static gputune_status check_swaps(const gt_binding *binding)
{
    const gt_template *template = binding->template;
    for (uint32_t i = 0; i < template->parts->order_count; i++) {
        const gt_order *order = &template->parts->orders[i];
        uint64_t bytes = 0, other = 0;
        if (order->kind == GT_ORDER_SWAP) {
            GT_TRY(bytes_of(&bytes, binding, order->index));
            GT_TRY(bytes_of(&other, binding, order->other));
        }
        GT_REFUSE(bytes != other, GPUTUNE_EINVAL,
                  "swap(%s, %s): the buffers have %llu and %llu bytes at these sizes; expected "
                  "equal sizes",
                  template->arguments[order->index].name, template->arguments[order->other].name,
                  (unsigned long long)bytes, (unsigned long long)other);
    }
    return GPUTUNE_OK;
}

static gputune_status add_steps(gt_launch *launch, const gt_binding *binding)
{
    const gt_template_parts *parts = binding->template->parts;
    GT_REFUSE_AT(launch->parameter_count + parts->computed_count > GT_PARAMETER_MAX,
                 parts->kernel.place, "more than %d arguments; expected fewer", GT_PARAMETER_MAX);
    for (uint32_t i = 0; i < parts->step_count; i++) {
        const gt_template_step *from = &parts->steps[i];
        gt_kernel_step *step = &launch->steps[i];
        memcpy(step->entry, from->kernel.entry, sizeof step->entry);
        step->parameter_count = from->argument_count;
        memcpy(step->parameters, from->arguments, sizeof step->parameters);
    }
    for (uint32_t i = 0; i < parts->computed_count; i++) {
        gt_parameter *value =
            gt_launch_add(launch, GT_PARAMETER_VALUE, gt_type_bytes(parts->computed[i].type), -1);
        value->map = i;
        value->base = parts->computed[i].base;
        if (!parts->has_loops) {
            int64_t number;
            (void)gt_binding_value(&number, binding, i); /* checked by gt_steps_bind() */
            value->scratch_bytes = (uint64_t)number;
        }
    }
    return check_swaps(binding);
}

static gputune_status bind_launch(gt_launch *launch, gt_binding *binding, const gt_config *config)
{
    const gt_template *template = binding->template;
    gt_limit limit = gt_binding_all(binding, config);
    limit = limit ? limit : gt_blocks_make(launch->blocks, binding, NULL);
    limit = limit ? limit : gt_maps_make(launch->maps, binding);
    limit = limit ? limit : gt_steps_bind(launch, binding);
    if (limit) {
        GT_FREED char *text = NULL;
        GT_TRY(gt_config_text(&text, template, config));
        return gt_fail(GPUTUNE_ENOVARIANT, "%s%s%s cannot be launched at these sizes: %s",
                       template->name, *text ? " " : "", text,
                       GT_LIMIT_REASON(limit, binding->device));
    }
    GT_TRY(gt_textures_make(launch->textures, binding));
    launch->texture_count = template->parts->texture_count;
    launch->carveout_kb = binding->carveout_kb;
    GT_TRY(gt_launch_arguments(launch, binding, false));
    GT_TRY(add_scratch(launch, binding));
    for (uint32_t i = 0; i < template->axis_count; i++) {
        if (template->axes[i].kind == GT_AXIS_L2_PERSIST) {
            GT_TRY(add_l2(launch, binding, i));
        }
    }
    GT_TRY(add_clears(launch, binding));
    add_maps(launch, template);
    GT_TRY(add_steps(launch, binding));
    if (!template->parts->is_pipeline) {
        gt_launch_take_all(launch);
    }
    return gt_launch_count_held(launch);
}

gputune_status gt_launch_bind(gt_launch *out, const gt_template *template,
                              const gt_problem *problem, const gt_config *config,
                              const gt_device *device)
{
    gt_binding binding;
    memset(out, 0, sizeof *out);
    gt_binding_open(&binding, template, problem, device);
    return bind_launch(out, &binding, config);
}

uint32_t gt_widest_access(int cc)
{
    return cc >= 100 ? 32 : 16;
}

uint32_t gt_binding_vector_bytes(const gt_binding *binding, uint32_t argument)
{
    const gt_template *template = binding->template;
    int64_t widest = 0;
    for (uint32_t a = 0; a < template->axis_count; a++) {
        const int64_t width = binding->slots[GT_SLOT_AXIS + a];
        const bool is_wide = gt_axis_widens(&template->axes[a], argument) && width > 1;
        widest = is_wide && width > widest ? width : widest;
    }
    return (uint32_t)widest * gt_element_resolve(binding, template->arguments[argument].type).bytes;
}

uint32_t gt_vector_bytes(const gt_template *template, const gt_problem *problem,
                         const gt_config *config, const gt_device *device)
{
    gt_binding binding;
    uint32_t widest = 0, most = gt_widest_access(device->cc);
    gt_binding_open(&binding, template, problem, device);
    gt_slots_config(binding.slots, template, config);
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const uint32_t bytes = gt_binding_vector_bytes(&binding, i);
        widest = bytes > widest ? bytes : widest;
    }
    return widest < most ? widest : most;
}

/* gt_launch_hash() hashes the bytes of these structs, so they must not contain any padding. */
_Static_assert(sizeof(gt_block) == 4 * 4 + 96 && sizeof(gt_parameter) == 8 * 4 + 2 * 8 &&
                   sizeof(gt_tensormap) == 7 * 4 + GT_TENSORMAP_RANK * 20 &&
                   sizeof(gt_texture) == 8 * 4 + 3 * 8,
               "these have none");

gt_hash gt_launch_hash(const gt_launch *launch)
{
    const gt_sequence *sequence = &launch->sequence;
    const struct {
        const void *items;
        size_t bytes;
    } parts[] = {{launch->blocks, launch->block_count * sizeof *launch->blocks},
                 {launch->parameters, launch->parameter_count * sizeof *launch->parameters},
                 {launch->maps, launch->map_count * sizeof *launch->maps},
                 {launch->textures, launch->texture_count * sizeof *launch->textures},
                 {launch->steps, launch->step_count * sizeof *launch->steps},
                 {sequence->items, sequence->item_count * sizeof *sequence->items},
                 {sequence->code, sequence->code_count * sizeof *sequence->code}};
    const uint64_t numbers[] = {(uint64_t)launch->carveout_kb, launch->l2.parameter,
                                launch->l2.set_aside_bytes, launch->l2.window_bytes};
    gt_hash hash = gt_hash_bytes(numbers, sizeof numbers);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        hash = gt_hash_join(hash, gt_hash_bytes(parts[i].items, parts[i].bytes));
    }
    return hash;
}

/* Hashes without allocating memory, because a failed allocation could truncate the input. Two
 * different trials could then get the same hash. */
gt_hash gt_trial_hash(const gt_template *template, const gt_config *config, gt_hash source)
{
    const gt_template_parts *parts = template->parts;
    gt_hash hash = gt_hash_join(source, parts->geometry);
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis *axis = &template->axes[i];
        bool launches = gt_axis_traits_of(axis->kind)->at_launch || !axis->in_source ||
                        (parts->geometry_axes >> i & 1);
        if (launches) {
            const char *value = GT_TEXT_OF_VALUE(&axis->values[config->choice[i]]);
            hash = gt_hash_join(hash, gt_hash_string(axis->name));
            hash = gt_hash_join(hash, gt_hash_string(value));
        }
    }
    return hash;
}

static gt_limit limit_vector(const gt_binding *binding, const gt_workload *w, uint32_t axis,
                             uint8_t choice)
{
    const gt_template *template = binding->template;
    const int64_t width = template->axes[axis].values[choice].number;
    const uint64_t widest = gt_widest_access(binding->device->cc);
    for (uint32_t i = 0; i < template->argument_count; i++) {
        uint32_t index = w->arguments[i].index;
        uint64_t bytes = (uint64_t)width * gt_buffer_element_bytes(&w->buffers[index]);
        GT_EXCLUDE(gt_axis_widens(&template->axes[axis], i) && width > 1 &&
                       (bytes < widest ? bytes : widest) > w->alignment[index],
                   GT_LIMIT_VECTOR_ALIGNMENT);
    }
    return check_vector(binding, axis, width);
}

static gt_limit limit_pass(const gt_binding *binding, uint32_t axis, uint8_t choice)
{
    const gt_axis *a = &binding->template->axes[axis];
    int64_t value = a->values[choice].number;
    gt_pass ways[GT_BLOCK_MAX] = {GT_PASS_NONE};
    gt_block blocks[GT_BLOCK_MAX];
    uint32_t block = 0;
    while (binding->template->passes[block].axis != (int)axis) {
        block++;
    }
    ways[block] = (gt_pass)value;
    gt_limit limit = gt_blocks_make(blocks, binding, ways);
    /* if the whole block fits by value, allow `split` only as the default */
    bool redundant = (int64_t)blocks[block].pass != value && choice != a->default_choice;
    return limit == GT_LIMIT_NONE && redundant ? GT_LIMIT_PASS_SPLIT : limit;
}

gt_limit gt_axis_limit(const gt_binding *binding, const gt_workload *workload, uint32_t axis,
                       uint8_t choice)
{
    const gt_device *device = binding->device;
    const gt_axis *own = &binding->template->axes[axis];
    const bool none = own->values[choice].number == 0;
    switch (own->kind) {
    case GT_AXIS_VECTOR:
        return limit_vector(binding, workload, axis, choice);
    case GT_AXIS_PASS:
        return limit_pass(binding, axis, choice);
    case GT_AXIS_L2_PERSIST:
        return none || device->l2_persist_bytes > 0 ? GT_LIMIT_NONE : GT_LIMIT_L2_PERSIST;
    default:
        return GT_LIMIT_NONE;
    }
}
