/* Tests tensor maps: how a configuration encodes them, and why configurations are excluded. */
#include "kernel_support.h"

#define HEAD                                                                                       \
    "#pragma gputune kernel(k) problem(m = 100, n = 256) block(64) grid(1)\n"                      \
    "#pragma gputune tune(B = 8, 64) tune(S = 0, 64, 128)\n"                                       \
    "#pragma gputune args(in half x[m][n], out float y[m][n])\n"
#define BODY "__global__ void k(const __grid_constant__ CUtensorMap x, float *y) { y[0] = S; }\n"
#define MORE                                                                                       \
    "__global__ void k(const half *x, float *y, const __grid_constant__ CUtensorMap a) { S; }\n"

TEST(test_in_place_of_a_buffer)
{
    SETUP(b, HEAD "#pragma gputune tensormap(x, box = (B, 32), swizzle = S, l2 = 256)\n" BODY,
          "sm_90");
    const gt_launch launch = launch_of(&b, "B=64 S=64");
    const gt_tensormap *map = &launch.maps[0];
    assert_int_equal(launch.map_count, 1);
    assert_int_equal(launch.parameter_count, 2);
    assert_int_equal(launch.parameters[0].kind, GT_PARAMETER_TENSORMAP);
    assert_int_equal(launch.parameters[0].bytes, 128);
    assert_int_equal(launch.parameters[0].argument, 0);
    assert_int_equal(map->rank, 2);
    assert_int_equal(map->type, 6); /* CU_TENSOR_MAP_DATA_TYPE_FLOAT16 */
    assert_int_equal(map->swizzle, 2);
    assert_int_equal(map->l2_promotion, 3);
    assert_int_equal(map->sizes[0], 256);
    assert_int_equal(map->sizes[1], 100);
    assert_int_equal(map->strides[0], 512);
    assert_int_equal(map->box[0], 32);
    assert_int_equal(map->box[1], 64);
    const gt_launch other = launch_of(&b, "B=8 S=64");
    assert_false(gt_hash_equal(gt_launch_hash(&launch), gt_launch_hash(&other)));
    assert_int_equal(gt_buffer_alignment(&b.workload.buffers[0]), 16);
}

TEST(test_beside_it)
{
    SETUP(b,
          HEAD "#pragma gputune tensormap(a : x, box = (1, B, 16), sizes = (m, n / 64, 64), "
               "strides = (2 * n, 64), interleave = 32, swizzle = 32, fill = nan)\n" MORE,
          "sm_90");
    const gt_launch launch = launch_of(&b, "B=8");
    const gt_tensormap *map = &launch.maps[0];
    assert_int_equal(launch.parameter_count, 3);
    assert_int_equal(launch.parameters[0].kind, GT_PARAMETER_BUFFER);
    assert_int_equal(launch.parameters[2].kind, GT_PARAMETER_TENSORMAP);
    assert_int_equal(launch.parameters[2].argument, 0);
    assert_int_equal(map->rank, 3);
    assert_int_equal(map->interleave, 2);
    assert_int_equal(map->nan_fill, 1);
    assert_int_equal(map->strides[0], 128);
    assert_int_equal(map->strides[1], 1024);
    assert_int_equal(map->sizes[2], 100);
    assert_int_equal(gt_buffer_alignment(&b.workload.buffers[0]), 32);
}

TEST(test_in_a_launch)
{
    SETUP(b,
          "#pragma gputune kernel(all) problem(m = 100, n = 256) tune(B = 8, 64)\n"
          "#pragma gputune args(in half x[m][n], out float y[m][n]) scratch(float s[m])\n"
          "#pragma gputune launch(f, block = 64, grid = 1, args = (a, y, B * 2, x))\n"
          "#pragma gputune launch(g, block = 64, grid = 1)\n"
          "#pragma gputune tensormap(x, box = (B, 32)) tensormap(a : y, box = (B, 16))\n"
          "__global__ void f(const __grid_constant__ CUtensorMap a, float *y, int b,\n"
          "                  const __grid_constant__ CUtensorMap x) {}\n"
          "__global__ void g(const __grid_constant__ CUtensorMap x, float *y, float *s,\n"
          "                  const __grid_constant__ CUtensorMap a) {}\n",
          "sm_90");
    const gt_launch launch = launch_of(&b, "B=64");
    const gt_kernel_step *f = &launch.steps[0], *g = &launch.steps[1];
    assert_int_equal(launch.parameter_count, 5);
    assert_int_equal(launch.parameters[3].kind, GT_PARAMETER_TENSORMAP);
    assert_int_equal(launch.maps[launch.parameters[3].map].box[0], 16);
    assert_int_equal(launch.parameters[4].scratch_bytes, 128);
    assert_memory_equal(f->parameters, ((uint32_t[]){3, 1, 4, 0}), 4 * sizeof *f->parameters);
    assert_int_equal(g->parameter_count, 4);
    assert_memory_equal(g->parameters, ((uint32_t[]){0, 1, 2, 3}), 4 * sizeof *g->parameters);
}

TEST(test_odd_tail)
{
    gt_problem odd_tail;
    SETUP(b, HEAD "#pragma gputune tensormap(x, box = (B, 32))\n" BODY, "sm_90");
    assert_true(gt_problem_odd_tail(&odd_tail, b.template, &b.problem, &b.device));
    assert_int_equal(odd_tail.values[1].number, 256);
    assert_int_not_equal(odd_tail.values[0].number, 100);
}

TEST(test_exclusions)
{
    static const struct {
        const char *map, *arch;
        int valid;
    } cases[] = {{"box = (B, 32), swizzle = S", "sm_90", 6},
                 {"box = (B, 64), swizzle = S", "sm_90", 4},
                 {"box = (B, 4)", "sm_90", 0},
                 {"box = (8 * B, 32)", "sm_90", 3},
                 {"box = (B, 32)", "sm_86", 0},
                 {"box = (B, 32), swizzle = S + 16", "sm_90", 0},
                 {"box = (B, 32), interleave = 16", "sm_90", 0},
                 {"box = (B, 32), strides = n + 4", "sm_90", 0},
                 {"box = (1, B, 32), sizes = (1, 1 << 32, 1 << 31)", "sm_90", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, HEAD "#pragma gputune tensormap(x, %s)\n" BODY,
                       cases[i].map);
        SETUP(b, text, cases[i].arch);
        assert_int_equal(count_valid(b.space), cases[i].valid);
    }
}
