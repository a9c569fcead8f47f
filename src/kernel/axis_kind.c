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

static const gt_axis_traits table[] = {
    [GT_AXIS_TUNE] = {.name = "tune", .parse = gt_parse_axis},
    [GT_AXIS_VECTOR] = {.name = "vector",
                        .aligned = true,
                        .expected = "1, 2, 4 or 8",
                        .takes = takes_vector,
                        .parse = gt_parse_vector},
    [GT_AXIS_PASS] = {.name = "pass",
                      .once = true,
                      .generates = true,
                      .at_launch = true,
                      .expected = "value, split, constant or global",
                      .takes = takes_pass,
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
