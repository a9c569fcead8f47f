/* Tests sizes of 0, for which the grid of a launch has no blocks. */
#include "support/folder.h"
#include "world.h"

/* At n = 0, only the grids of `finish` and `copy` have a block. */
static const char text[] =
    "#pragma gputune problem(n = 1000) tune(B = 32, 64)\n"
    "#pragma gputune args(in float x[max(1, n)] = constant(1), out float y[max(1, n)], "
    "inout float total[1], int n)\n"
    "#pragma gputune kernel(sum) block(B) grid(ceil_div(n, B)) clear(total) reference(self)\n"
    "__global__ void sum(const float *x, float *y, float *total, int n)\n"
    "{\n"
    "    int i = blockIdx.x * B + threadIdx.x;\n"
    "    if (i < n) {\n"
    "        y[i] = x[i];\n"
    "        atomicAdd(total, x[i]);\n"
    "    }\n"
    "}\n"
    "#pragma gputune kernel(steps) reference(self)\n"
    "#pragma gputune launch(add, block = B, grid = ceil_div(n, B))\n"
    "#pragma gputune launch(finish, block = 1, grid = 1)\n"
    "__global__ void add(const float *x, float *y, float *total, int n)\n"
    "{\n"
    "    int i = blockIdx.x * B + threadIdx.x;\n"
    "    if (i < n) y[i] = x[i];\n"
    "}\n"
    "__global__ void finish(const float *x, float *y, float *total, int n) { *total = n + 3; }\n"
    "#pragma gputune kernel(copy) block(B) grid(max(1, ceil_div(n, B)))\n"
    "__global__ void copy(const float *x, float *y, float *total, int n)\n"
    "{\n"
    "    int i = blockIdx.x * B + threadIdx.x;\n"
    "    if (i < n) y[i] = x[i];\n"
    "}\n";

/* Launches the kernel at n = 0 on buffers filled with 7, and returns `total`. */
static float launched(gputune_plan *plan)
{
    const float seven = 7;
    float y = 0, total = 0;
    int n = 0;
    CUdeviceptr dx = buffer_of(&seven, sizeof seven), dy = buffer_of(&seven, sizeof seven),
                dtotal = buffer_of(&seven, sizeof seven);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&dx, &dy, &dtotal, &n)));
    CU(MemcpyDtoH(&y, dy, sizeof y));
    CU(MemcpyDtoH(&total, dtotal, sizeof total));
    assert_true(y == 7);
    CU(MemFree(dx));
    CU(MemFree(dy));
    CU(MemFree(dtotal));
    return total;
}

TEST_WITH_TUNER(launch_without_blocks_clears_and_launches_nothing, world.database)
{
    OK(gputune_add_source(tuner, "empty.cu", text, NULL));
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    OK(tune_kernel(&plan, tuner, "sum", GPUTUNE_SIZES({"n", 0}), NULL));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_DEFAULT);
    assert_string_equal(info_of(plan).grids, "0");
    assert_true(launched(plan) == 0);
}

TEST_WITH_TUNER(pipeline_launches_its_other_kernels, world.database)
{
    OK(gputune_add_source(tuner, "empty.cu", text, NULL));
    GT_SCOPED(plan_end) gputune_plan *plan = plan_measured(tuner, "steps", GPUTUNE_SIZES({"n", 0}));
    assert_int_equal(info_of(plan).failed, 0);
    assert_true(launched(plan) == 3);
}

/* At other sizes, a grid with 0 blocks is still an error, and so is a buffer without elements. */
TEST(grids_and_buffers_below_one_are_refused)
{
    static const char small[] = "#pragma gputune kernel(k) problem(n = 1000)\n"
                                "#pragma gputune args(out float y[n], int n)\n"
                                "#pragma gputune tune(B = 32, 64) block(B) grid(n / B)\n"
                                "__global__ void k(float *y, int n) { y[threadIdx.x] = B; }\n";
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    gputune_plan *plan = NULL;
    OK(gputune_add_source(tuner, "small.cu", small, NULL));
    ASSERT_FAILS(tune_kernel(&plan, tuner, "k", GPUTUNE_SIZES({"n", 20}), NULL), GPUTUNE_ENOVARIANT,
                 "a grid dimension is below 1");
    ASSERT_FAILS(tune_kernel(&plan, tuner, "k", GPUTUNE_SIZES({"n", 0}), NULL), GPUTUNE_EINVAL,
                 "n=0 makes y empty; a buffer needs at least one element (write "
                 "y[max(1, n)] if n may be 0)");
}

TEST_WITH_TUNER(element_that_a_buffer_needs_is_not_a_result, world.database)
{
    OK(gputune_add_source(tuner, "empty.cu", text, NULL));
    GT_SCOPED(plan_end) gputune_plan *plan = plan_measured(tuner, "copy", GPUTUNE_SIZES({"n", 0}));
    assert_int_equal(info_of(plan).failed, 0);
}

TESTS_WITHIN(open_h200, world_close)
