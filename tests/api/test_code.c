/* Tests that plans share code. A fake driver counts how often an image is loaded. */
#include "api/plan.h"
#include "support/fake_driver.h"
#include "support/test.h"

static const char cubin[] = "\x7f"
                            "ELF image";
static const char with_variable[] = ".global .align 4 .u32 ticket;\n.visible .entry kernel(\n)\n";
static const char with_constant[] =
    ".global .align 4 .u32 _ZN12gputune_partILi1ELi1EE5countE = 1;\n.visible .entry kernel(\n)\n";

static const gt_device device = {.cc = 90,
                                 .sm_count = 132,
                                 .warp_size = 32,
                                 .max_threads_per_sm = 2048,
                                 .shared_per_block_bytes = 48 * 1024,
                                 .shared_per_sm_bytes = 228 * 1024};
static gt_plan_pool pool;

static int setup(void **state)
{
    fake_reset();
    gt_plan_pool_open(&pool, &fake.table, &device, false);
    return 0;
}

static int end(void **state)
{
    assert_int_equal(fake.live_modules, 0);
    gt_plan_pool_end(&pool);
    gt_plan_pool_free(&pool);
    return 0;
}

static gt_plan_code *code_of(const char *text, uint32_t grid, int carveout_kb)
{
    gt_image image;
    gt_plan_code *code;
    gt_launch launch = {.step_count = 1, .carveout_kb = carveout_kb};
    gt_launch_view *packed;
    launch.steps[0] = (gt_kernel_step){.entry = "kernel",
                                       .grid = {grid, 1, 1},
                                       .block = {128, 1, 1},
                                       .cluster = {1, 1, 1},
                                       .times = 1};
    ASSERT_OK(gt_launch_pack(&packed, &launch));
    ASSERT_OK(gt_image_copy(&image, text, strlen(text) + 1));
    ASSERT_OK(gt_plan_code_make(&code, &pool, packed, &image));
    free(image.data); /* image.data is NULL if the code now owns the image */
    return code;
}

static uint64_t launch(gt_plan_code *code, uint32_t grid)
{
    const void *const none[] = {NULL};
    gt_launcher *launcher;
    ASSERT_OK(gt_plan_code_load(&launcher, code));
    ASSERT_OK(gt_launcher_launch(launcher, fake_stream(1), none));
    const fake_call *call = fake_find("LaunchKernelEx", fake_count("LaunchKernelEx") - 1);
    assert_int_equal(call->config.gridDimX, grid);
    return call->object;
}

/* Launches code made from two images. Returns how many modules are loaded for both. */
static int modules_of(const char *one, int one_kb, const char *other, int other_kb)
{
    gt_plan_code *a = code_of(one, 5, one_kb), *b = code_of(other, 7, other_kb);
    launch(a, 5);
    launch(b, 7);
    const int loaded = fake.live_modules;
    gt_plan_code_free(a);
    launch(b, 7);
    assert_in_range(fake.live_modules, 1, loaded);
    gt_plan_code_free(b);
    assert_int_equal(fake.live_modules, 0);
    return loaded;
}

TEST_WITHIN(test_equal_images_share_image_and_function, setup, end)
{
    gt_plan_code *a = code_of(cubin, 5, -1), *b = code_of(cubin, 7, -1);
    assert_ptr_equal(a->code->image.data, b->code->image.data);
    assert_int_equal(launch(a, 5), launch(b, 7));
    assert_int_equal(fake.live_modules, 1);
    gt_plan_code_free(a);
    gt_plan_code_free(b);
}

TEST_WITHIN(test_modules_are_shared_if_launches_cannot_differ, setup, end)
{
    assert_int_equal(modules_of(cubin, -1, cubin, -1), 1);
    assert_int_equal(modules_of(cubin, -1, cubin, 100), 2);
    assert_int_equal(modules_of(cubin, -1, with_constant, -1), 2);
    assert_int_equal(modules_of(with_constant, -1, with_constant, -1), 1);
    assert_int_equal(modules_of(with_variable, -1, with_variable, -1), 2);
}

TEST_WITHIN(test_each_context_has_a_module, setup, end)
{
    gt_plan_code *a = code_of(cubin, 5, -1), *b = code_of(cubin, 7, -1);
    launch(a, 5);
    fake.current = fake_context(2);
    launch(a, 5);
    launch(b, 7);
    assert_int_equal(fake.live_modules, 2);
    fake.current = fake_context(1);
    launch(b, 7);
    assert_int_equal(fake.live_modules, 2);
    gt_plan_code_free(b);
    gt_plan_code_free(a);
}

static unsigned long long context_id;

static CUresult get_id(CUcontext context, unsigned long long *id)
{
    *id = context_id;
    return CUDA_SUCCESS;
}

/* Resetting a context unloads its code, although the context keeps its handle. */
TEST_WITHIN(test_a_reset_context_gets_the_code_again, setup, NULL)
{
    fake.table.CtxGetId = get_id;
    gt_plan_code *a = code_of(cubin, 5, -1), *b = code_of(cubin, 7, -1);
    launch(a, 5);
    launch(b, 7);
    assert_int_equal(fake_count("ModuleLoadData"), 1);
    context_id++;
    launch(b, 7);
    launch(a, 5);
    assert_int_equal(fake_count("ModuleLoadData"), 2);
    assert_int_equal(fake_count("ModuleUnload"), 0);
    gt_plan_code_free(a);
    gt_plan_code_free(b);
    assert_int_equal(fake_count("ModuleUnload"), 1);
    gt_plan_pool_free(&pool);
}
