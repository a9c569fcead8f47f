/* Helpers for the tests of the launcher: a device, an image, and launches. */
#pragma once

#include "gpu/launcher.h"
#include "support/fake_driver.h"
#include "support/test.h"

static const gt_device device = {
    .cc = 90,
    .sm_count = 132,
    .warp_size = 32,
    .max_threads_per_sm = 2048,
    .shared_per_block_bytes = 48 * 1024,
    .shared_per_block_optin_bytes = 227 * 1024,
    .shared_per_sm_bytes = 228 * 1024,
    .max_cluster = 16,
    .max_parameter_bytes = 32764,
};
static const gt_image image = {"\x7f"
                               "ELF image",
                               10};

enum { BLOCK_BYTES = 8000 };
static uint8_t block[BLOCK_BYTES];
static CUdeviceptr out_buffer = 0xabcd00;
static const int count = 12345;
static const void *const arguments[] = {block, &out_buffer, &count};

/* Makes a launch of kernel(out, count). A parameter block, if any, is passed first. */
static inline gt_launch make_launch(gt_pass pass)
{
    gt_launch launch = {
        .step_count = 1,
        .steps = {{.entry = "kernel",
                   .grid = {256, 1, 1},
                   .block = {128, 1, 1},
                   .cluster = {1, 1, 1},
                   .shared_bytes = 0,
                   .times = 1}},
        .carveout_kb = -1,
        .block_count = pass != GT_PASS_NONE,
        .argument_count = pass == GT_PASS_NONE ? 2 : 3,
    };
    uint32_t by_value = pass == GT_PASS_VALUE   ? BLOCK_BYTES
                        : pass == GT_PASS_SPLIT ? GT_PARAMETER_PORTABLE_BYTES - 96
                                                : 0;
    launch.blocks[0] = (gt_block){pass, BLOCK_BYTES, by_value, GT_PASS_SYMBOL "c", false};
    int first = pass == GT_PASS_NONE ? 0 : 1;
    uint32_t n = 0;
    if (pass == GT_PASS_GLOBAL || by_value) {
        uint32_t bytes = by_value ? by_value : 8;
        launch.parameters[n++] =
            (gt_parameter){.kind = GT_PARAMETER_BLOCK, .bytes = bytes, .argument = 0};
    }
    launch.parameters[n++] =
        (gt_parameter){.kind = GT_PARAMETER_BUFFER, .bytes = 8, .argument = first};
    launch.parameters[n++] =
        (gt_parameter){.kind = GT_PARAMETER_SCALAR, .bytes = 4, .argument = first + 1};
    launch.parameter_count = n;
    gt_launch_take_all(&launch);
    return launch;
}

/* Loads a copy of the launch. The copy lives as long as the test. */
static inline gputune_status try_load(gt_launcher **out, const gt_launch *launch)
{
    static gt_launch kept[32];
    static size_t next;
    gt_launch *copy = &kept[next++ % 32];
    *copy = *launch;
    if (copy->step_count == 1 && !copy->sequence.item_count) {
        gt_launch_take_all(copy);
    }
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        fake.parameter_sizes[i] = (int)launch->parameters[i].bytes;
    }
    return gt_launcher_load(out, &fake.table, &device, &image, NULL, copy);
}

static inline gt_launcher *load(const gt_launch *launch)
{
    gt_launcher *launcher = NULL;
    if (try_load(&launcher, launch) < 0) {
        fail_msg("%s", gt_message());
    }
    fake_forget();
    return launcher;
}

static inline gt_launcher *load_pass(gt_pass pass)
{
    gt_launch launch = make_launch(pass);
    return load(&launch);
}

static inline void launch_on(gt_launcher *launcher, int stream)
{
    if (gt_launcher_launch(launcher, fake_stream(stream), arguments) < 0) {
        fail_msg("%s", gt_message());
    }
}

static inline void free_and_check(gt_launcher *launcher)
{
    gt_launcher_free(launcher);
    assert_int_equal(fake_live(), 0);
}

static inline void launcher_end(gt_launcher **launcher)
{
    free_and_check(*launcher);
}

static inline int setup(void **state)
{
    fake_reset();
    for (int i = 0; i < BLOCK_BYTES; i++) {
        block[i] = (uint8_t)(i * 7 + i / 256);
    }
    return 0;
}
