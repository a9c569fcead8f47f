/* The table of the kinds of axes. */
#include "kernel/axis_kind.h"

static bool takes_vector(const gt_value *value)
{
    int64_t n = value->number;
    return !value->word && (n == 1 || n == 2 || n == 4 || n == 8);
}

static bool takes_pass(const gt_value *value)
{
    return value->word && value->number >= GT_PASS_VALUE && value->number <= GT_PASS_GLOBAL;
}

static bool takes_cluster(const gt_value *value)
{
    return !value->word && value->number >= 1 && value->number <= 64;
}

static bool takes_carveout(const gt_value *value)
{
    return value->word ? value->number == -1 : value->number >= 0 && value->number <= 4096;
}

/* The widest access that the machine does in one go, to which the prelude's types are aligned:
 * 16 bytes, 32 from compute capability 10.0 on. */
static uint64_t needed_alignment(const gt_device *device, uint64_t bytes)
{
    uint64_t widest = device->cc >= 100 ? 32 : 16;
    return bytes < widest ? bytes : widest;
}

static gt_limit limit_vector(const gt_binding *binding, const gt_workload *w, uint32_t axis,
                             uint8_t choice)
{
    const gt_template *template = binding->template;
    int64_t width = template->axes[axis].values[choice].number;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        if (!(template->axes[axis].buffers >> i & 1)) {
            continue;
        }
        uint32_t index = w->arguments[i].index;
        const gt_buffer *buffer = &w->buffers[index];
        uint64_t bytes = (uint64_t)width * gt_buffer_element_bytes(buffer);
        if (width > 1 && needed_alignment(binding->device, bytes) > w->alignment[index]) {
            return GT_LIMIT_VECTOR_ALIGNMENT;
        }
        if (template->arguments[i].extent_count > 1 && w->innermost[index] % (uint64_t)width != 0) {
            return GT_LIMIT_VECTOR_EXTENT;
        }
    }
    return GT_LIMIT_NONE;
}

static gt_limit limit_pass(const gt_binding *binding, const gt_workload *workload, uint32_t axis,
                           uint8_t choice)
{
    const gt_axis *a = &binding->template->axes[axis];
    int64_t value = a->values[choice].number;
    gt_pass_layout layout;
    (void)workload;
    gt_limit limit = gt_pass_layout_make(&layout, binding, (gt_pass)value);
    /* the default stays, whatever it comes to */
    bool redundant = (int64_t)layout.pass != value && choice != a->default_choice;
    return limit == GT_LIMIT_NONE && redundant ? GT_LIMIT_PASS_SPLIT : limit;
}

static const gt_axis_traits table[] = {
    [GT_AXIS_TUNE] = {.name = "tune", .parse = gt_parse_axis},
    [GT_AXIS_VECTOR] = {.name = "vector",
                        .aligned = true,
                        .expected = "1, 2, 4 or 8",
                        .takes = takes_vector,
                        .limit = limit_vector,
                        .parse = gt_parse_vector},
    [GT_AXIS_PASS] = {.name = "pass",
                      .once = true,
                      .generates = true,
                      .at_launch = true,
                      .expected = "value, split, constant or global",
                      .takes = takes_pass,
                      .limit = limit_pass,
                      .parse = gt_parse_pass},
    [GT_AXIS_CLUSTER] = {.name = "cluster",
                         .once = true,
                         .at_launch = true,
                         .expected = "a number of blocks from 1 to 64",
                         .takes = takes_cluster,
                         .parse = gt_parse_cluster},
    [GT_AXIS_CARVEOUT] = {.name = "carveout",
                          .once = true,
                          .at_launch = true,
                          .expected = "auto, or KB",
                          .takes = takes_carveout,
                          .parse = gt_parse_axis},
};

const gt_axis_traits *gt_axis_traits_of(gt_axis_kind kind)
{
    return (size_t)kind < sizeof table / sizeof *table ? &table[kind] : NULL;
}
