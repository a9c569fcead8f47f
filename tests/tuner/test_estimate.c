/* Tests the computed number of resident blocks against the occupancy that the driver reports on an
 * H200, and the ranking of estimates. */
#include "gpu/device.h"
#include "support/test.h"
#include "tuner/tune.h"

static gt_device h200(void)
{
    gt_device device;
    ASSERT_OK(gt_device_for_arch(&device, "sm_90"));
    device.sm_count = 132;
    return device;
}

static gt_kernel_step shape(uint32_t grid, uint32_t block, uint32_t shared_bytes)
{
    return (gt_kernel_step){.grid = {grid, 1, 1},
                            .block = {block, 1, 1},
                            .cluster = {1, 1, 1},
                            .shared_bytes = shared_bytes};
}

TEST(test_resident_blocks_follow_every_limit)
{
    const gt_device device = h200();
    const struct {
        uint32_t block, registers, shared;
        int blocks;
    } cases[] = {
        {64, 16, 0, 32},      {1024, 26, 0, 2}, /* limited by threads */
        {256, 56, 0, 4},                        /* occupancy 0.50 was measured */
        {256, 40, 0, 6},                        /* occupancy 0.75 was measured */
        {256, 16, 131072, 1}, {1024, 96, 0, 0}, /* the driver refuses to use so many registers */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const gt_kernel_step step = shape(1000, cases[i].block, cases[i].shared);
        const gt_resources resources = {.registers = cases[i].registers};
        assert_int_equal(gt_resident_blocks(&device, &step, &resources), cases[i].blocks);
    }
}

TEST(test_wider_accesses_rank_higher_until_latency_is_hidden)
{
    const gt_device device = h200();
    const gt_kernel_step step = shape(100000, 64, 0);
    const gt_resources resources = {.registers = 20};
    double narrow = gt_estimate(&device, &step, &resources, 4);
    double wide = gt_estimate(&device, &step, &resources, 16);
    assert_true(wide > narrow);
    assert_float_equal(gt_estimate(&device, &step, &resources, 64), wide, 1e-9);
}

TEST(test_spills_and_half_empty_waves_cost)
{
    const gt_device device = h200();
    const gt_kernel_step full = shape(132 * 8, 256, 0), half = shape(132 * 8 + 1, 256, 0);
    const gt_resources plain = {.registers = 32}, spilling = {.registers = 32, .spill_bytes = 64};
    assert_true(gt_estimate(&device, &full, &plain, 16) > gt_estimate(&device, &half, &plain, 16));
    assert_true(gt_estimate(&device, &full, &plain, 16) >
                gt_estimate(&device, &full, &spilling, 16));
}
