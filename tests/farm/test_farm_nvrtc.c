/* Tests the farm with a real worker and NVRTC. Skipped without NVRTC. */
#include "harness.h"

static const char *const kernel = "extern \"C\" __global__ void scale(float *x, float a)\n"
                                  "{\n"
                                  "    x[blockIdx.x * BLOCK + threadIdx.x] *= a;\n"
                                  "}\n";

static gt_farm *open_real(void)
{
    GT_FREED char *worker = beside_test("../../gputune-worker");
    gt_farm *farm = open_farm((gt_farm_options){.worker = worker});
    return farm;
}

static void submit_compile(gt_farm *farm, uint64_t id, int block, bool ptx)
{
    char define[32];
    snprintf(define, sizeof define, "-DBLOCK=%d", block);
    const char *const options[] = {define};
    gt_compile_job job = {
        .id = id,
        .source = {
            .text = kernel, .arch = "sm_90", .options = options, .option_count = 1, .ptx = ptx}};
    ASSERT_OK(farm->ops->compile(farm, &job));
}

static gt_event first_event(gt_farm *farm)
{
    gt_event event;
    ASSERT_OK(farm->ops->wait(farm, &event, 100));
    assert_int_equal(event.kind, GT_EVENT_COMPILED);
    if (event.status == GPUTUNE_ENOCOMPILER) {
        gt_event_free(&event);
        farm->ops->close(farm);
        skip();
    }
    return event;
}

TEST(variants_become_cubins_with_figures)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_real();
    for (uint64_t i = 1; i <= 4; i++) {
        submit_compile(farm, i, 32 << i, false);
    }
    for (int i = 0; i < 4; i++) {
        GT_SCOPED(gt_event_free) gt_event event = first_event(farm);
        ASSERT_OK(event.status);
        assert_true(event.compiled.image.bytes > 500);
        assert_memory_equal(event.compiled.image.data,
                            "\x7f"
                            "ELF",
                            4);
        assert_true(event.compiled.resources.registers > 0);
        assert_true(event.compiled.compile_ns > 0);
    }
}

TEST(an_emulated_device_gets_ptx_and_the_same_figures)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_real();
    submit_compile(farm, 1, 128, true);
    GT_SCOPED(gt_event_free) gt_event event = first_event(farm);
    ASSERT_OK(event.status);
    assert_non_null(strstr(event.compiled.image.data, ".entry scale"));
    assert_true(event.compiled.resources.registers > 0);
}

TEST(a_mistake_is_reported_with_its_line)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_real();
    gt_compile_job job = {.id = 3,
                          .source = {.text = "__global__ void f() { nonsense; }", .arch = "sm_90"}};
    ASSERT_OK(farm->ops->compile(farm, &job));
    GT_SCOPED(gt_event_free) gt_event event = first_event(farm);
    assert_int_equal(event.status, GPUTUNE_ECOMPILE);
    assert_non_null(strstr(event.message, "nonsense"));
    assert_non_null(strstr(event.compiled.log, "nonsense"));
}
