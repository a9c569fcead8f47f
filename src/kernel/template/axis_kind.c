/* The table of the kinds of axes. */
#include "kernel/template/axis_kind.h"

static const gt_axis_traits table[GT_AXIS_KINDS] = {
    [GT_AXIS_TUNE] = {.name = "tune"},
    [GT_AXIS_VECTOR] = {.name = "vector",
                        .aligned = true,
                        .buffers = "': x, y', the buffers that the vectors access",
                        .expected = "1, 2, 4 or 8",
                        .numbers = {1, 8},
                        .doubles = true},
    [GT_AXIS_PASS] = {.name = "pass",
                      .generates = true,
                      .at_launch = true,
                      .expected = "value, split, constant or global",
                      .numbers = {1, 0},
                      .words = {GT_PASS_VALUE, GT_PASS_GLOBAL}},
    [GT_AXIS_CLUSTER] = {.name = "cluster",
                         .at_launch = true,
                         .expected = "a number of blocks from 1 to 64",
                         .numbers = {1, 64}},
    [GT_AXIS_CARVEOUT] = {.name = "carveout",
                          .at_launch = true,
                          .expected = "auto, or KB",
                          .numbers = {0, 4096},
                          .words = {-1, -1}},
    [GT_AXIS_L2_PERSIST] = {.name = "l2_persist",
                            .at_launch = true,
                            .buffers = "': table', the buffer that should stay in the cache",
                            .one_buffer = true,
                            .expected = "per cent from 0 to 100",
                            .numbers = {0, 100}},
};

const gt_axis_traits *gt_axis_traits_of(gt_axis_kind kind)
{
    return (size_t)kind < GT_AXIS_KINDS ? &table[kind] : NULL;
}

gt_axis_kind gt_axis_kind_of(const char *word)
{
    return (gt_axis_kind)gt_index_of(word, table, GT_AXIS_KINDS);
}

const char *gt_axis_kind_name(gt_axis_kind kind)
{
    return gt_axis_traits_of(kind)->name;
}
