/* The table of the kinds of axes. */
#include "kernel/axis_kind.h"

static gt_limit limit_vector(const gt_binding *binding, const gt_workload *w, uint32_t axis,
                             uint8_t choice)
{
    const gt_template *template = binding->template;
    const int64_t width = template->axes[axis].values[choice].number;
    const uint64_t widest = gt_widest_access(binding->device);
    for (uint32_t i = 0; i < template->argument_count; i++) {
        uint32_t index = w->arguments[i].index;
        uint64_t bytes = (uint64_t)width * gt_buffer_element_bytes(&w->buffers[index]);
        GT_EXCLUDE(gt_axis_widens(&template->axes[axis], i) && width > 1 &&
                       (bytes < widest ? bytes : widest) > w->alignment[index],
                   GT_LIMIT_VECTOR_ALIGNMENT);
    }
    return gt_vector_limit(binding, axis, width);
}

static gt_limit limit_l2(const gt_binding *binding, const gt_workload *workload, uint32_t axis,
                         uint8_t choice)
{
    (void)workload;
    bool none = binding->template->axes[axis].values[choice].number == 0;
    return none || binding->device->l2_persist_bytes > 0 ? GT_LIMIT_NONE : GT_LIMIT_L2_PERSIST;
}

static gt_limit limit_preferred(const gt_binding *binding, const gt_workload *workload,
                                uint32_t axis, uint8_t choice)
{
    enum { FIRST_CC = 100, FIRST_DRIVER = 12080 };
    const gt_device *device = binding->device;
    (void)workload;
    bool none = binding->template->axes[axis].values[choice].number == 0;
    bool has = device->cc >= FIRST_CC && device->cluster_launch &&
               (!device->driver_version || device->driver_version >= FIRST_DRIVER);
    return none || has ? GT_LIMIT_NONE : GT_LIMIT_PREFERRED_NONE;
}

static gt_limit limit_pass(const gt_binding *binding, const gt_workload *workload, uint32_t axis,
                           uint8_t choice)
{
    const gt_axis *a = &binding->template->axes[axis];
    int64_t value = a->values[choice].number;
    gt_pass ways[GT_BLOCK_MAX] = {GT_PASS_NONE}; /* the other blocks are not known yet */
    gt_block blocks[GT_BLOCK_MAX];
    uint32_t block = 0;
    (void)workload;
    while (binding->template->passes[block].axis != (int)axis) {
        block++;
    }
    ways[block] = (gt_pass)value;
    gt_limit limit = gt_blocks_make(blocks, binding, ways);
    /* the default stays, whatever it comes to */
    bool redundant = (int64_t)blocks[block].pass != value && choice != a->default_choice;
    return limit == GT_LIMIT_NONE && redundant ? GT_LIMIT_PASS_SPLIT : limit;
}

static const gt_axis_traits table[GT_AXIS_KINDS] = {
    [GT_AXIS_TUNE] = {.name = "tune", .parse = gt_parse_axis},
    [GT_AXIS_VECTOR] = {.name = "vector",
                        .aligned = true,
                        .buffers = "': x, y', the buffers that the vectors access",
                        .expected = "1, 2, 4 or 8",
                        .numbers = {1, 8},
                        .doubles = true,
                        .limit = limit_vector,
                        .parse = gt_parse_vector},
    [GT_AXIS_PASS] = {.name = "pass",
                      .generates = true,
                      .at_launch = true,
                      .expected = "value, split, constant or global",
                      .numbers = {1, 0},
                      .words = {GT_PASS_VALUE, GT_PASS_GLOBAL},
                      .limit = limit_pass,
                      .parse = gt_parse_pass},
    [GT_AXIS_CLUSTER] = {.name = "cluster",
                         .once = true,
                         .at_launch = true,
                         .expected = "a number of blocks from 1 to 64",
                         .numbers = {1, 64},
                         .sets = offsetof(gt_kernel_step, cluster),
                         .parse = gt_parse_cluster},
    [GT_AXIS_CARVEOUT] = {.name = "carveout",
                          .once = true,
                          .at_launch = true,
                          .expected = "auto, or KB",
                          .numbers = {0, 4096},
                          .words = {-1, -1},
                          .parse = gt_parse_axis},
    [GT_AXIS_PREFERRED_CLUSTER] = {.name = "preferred_cluster",
                                   .once = true,
                                   .at_launch = true,
                                   .expected = "0, or a number of blocks up to 64",
                                   .numbers = {0, 64},
                                   .limit = limit_preferred,
                                   .sets = offsetof(gt_kernel_step, preferred_cluster),
                                   .parse = gt_parse_axis},
    [GT_AXIS_L2_PERSIST] = {.name = "l2_persist",
                            .once = true,
                            .at_launch = true,
                            .buffers = "': table', the buffer whose lines are to stay",
                            .one_buffer = true,
                            .scratch = true,
                            .expected = "per cent from 0 to 100",
                            .numbers = {0, 100},
                            .limit = limit_l2,
                            .parse = gt_parse_vector},
};

const gt_axis_traits *gt_axis_traits_of(gt_axis_kind kind)
{
    return (size_t)kind < GT_AXIS_KINDS ? &table[kind] : NULL;
}

gt_axis_kind gt_axis_kind_of(const char *word)
{
    return (gt_axis_kind)gt_index_of(word, table, GT_AXIS_KINDS);
}
