/* Tests pipelines: several kernels that are launched one after the other as a single plan. */
#include "kernel_support.h"

#define P "#pragma gputune "
#define HEAD                                                                                       \
    P "kernel(both) problem(n = 1000) tune(B = 64, 128) tune(EARLY = 0, 1)\n" P                    \
      "args(inout float y[n], in float x[n], int n) scratch(double part[grid_x])\n"
#define FUNCTIONS                                                                                  \
    "template <int N> __global__ void first(double *part, const float *x, int n) { *part = "       \
    "EARLY; }\n"                                                                                   \
    "__global__ void second(float *y, const float *x, int n, double *part) { y[0] = EARLY; }\n"    \
    "__global__ void other(float *y) {}\n"

#define LONG "naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const char text[] = HEAD P
    "launch(first<B>, block = B, grid = ceil_div(n, B), shared = 8 * B, args = (part, x, n))\n" P
    "launch(second, block = 32, 2, grid = (3, B / 64), times = B / 32, programmatic = EARLY)\n" P
    "launch(first<32>, grid = 7, block = 32, args = (part, x, n))\n" FUNCTIONS;

/* A kernel that is launched with two sets of template arguments has an entry for each set, even if
 * the code specialises the kernel for one of the sets. */
TEST(test_two_instances)
{
    static const char twice[] =
        HEAD P "launch(a::first<B>, block = 1, grid = 1, args = (part, x, n))\n" P
               "launch(a::first<1 + 2>, block = 1, grid = 1, args = (part, x, n))\n" P
               "launch(a::first<B>, block = 2, grid = 1, args = (part, x, n))\n" P
               "launch(a::first<1 + 2>, block = 2, grid = 1 + EARLY, args = (part, x, n))\n"
               "namespace a { template <int N> __global__ void first(double *p, const float *x, "
               "int n) {}\n"
               "template <> __global__ void first<3>(double *p, const float *x, int n) {} }\n";
    SETUP(b, twice, "sm_90");
    const gt_launch launch = launch_of(&b, "B=128 EARLY=1");
    assert_string_equal(launch.steps[0].entry, "a::first");
    assert_string_equal(launch.steps[1].entry, "a::first_launch2");
    assert_string_equal(launch.steps[2].entry, "a::first");
    assert_string_equal(launch.steps[3].entry, "a::first_launch2");
    GT_SCOPED(gt_source_free) gt_source source = source_of(&b, "");
    assert_string_equal(source.instances[0], "a::first<64>");
    assert_string_equal(source.instances[1], "a::first_launch2 = a::first<1 + 2>");
}

/* A tunable in an argument may have the name of the parameter that receives it. */
TEST(test_parameters_named_like_tunables)
{
    static const char text_of_one[] =
        P "kernel(all) problem(n = 1024) tune(T = 64, 128) args(inout float y[n], int n)\n" P
          "launch(k, block = T, grid = n / T, args = (y, n, n / T, T))\n"
          "__global__ void k(float *y, int n, int tiles, const int T) { y[0] = tiles * T; }\n";
    SETUP(b, text_of_one, "sm_90");
    GT_SCOPED(gt_source_free) gt_source source = source_of(&b, "");
    assert_null(strstr(source.text, "#define T "));
    const gt_launch launch = launch_of(&b, "T=128"); /* without a loop, T is passed as a constant */
    assert_int_equal(launch.sequence.item_count, 0);
    assert_int_equal(launch.parameters[2].kind, GT_PARAMETER_VALUE);
    assert_int_equal(launch.parameters[2].scratch_bytes, 8);
    assert_int_equal(launch.parameters[3].scratch_bytes, 128);
}

/* The entry name of an additional instance must fit in its buffer. */
TEST(test_long_instances)
{
    expect_mistake("kernel.cu",
                   HEAD P "launch(" LONG "<B>, block = 1, grid = 1, args = (part, x, n))\n" P
                          "launch(" LONG "<1 + 2>, block = 1, grid = 1, args = (part, x, n))\n"
                          "namespace s" LONG " { template <int N> __global__ void " LONG
                          "(double *p, const float *x, int n) {} }\n",
                   "kernel.cu:4:17: '" LONG "' is too long; expected a shorter name");
}

TEST(test_launches)
{
    SETUP(b, text, "sm_90");
    const gt_launch launch = launch_of(&b, "B=128 EARLY=1");
    assert_int_equal(launch.step_count, 3);
    assert_int_equal(launch.parameter_count, 4);
    const gt_kernel_step *first = &launch.steps[0], *second = &launch.steps[1];
    assert_string_equal(first->entry, "first");
    assert_int_equal(first->grid[0], 8);
    assert_int_equal(first->block[0], 128);
    assert_int_equal(first->shared_bytes, 1024);
    assert_int_equal(first->times, 1);
    assert_int_equal(first->programmatic, 0);
    assert_int_equal(first->parameter_count, 3);
    assert_int_equal(first->parameters[0], 3);
    assert_int_equal(first->parameters[1], 1);
    assert_int_equal(first->parameters[2], 2);
    assert_string_equal(second->entry, "second");
    assert_int_equal(second->block[1], 2);
    assert_int_equal(second->grid[1], 2);
    assert_int_equal(second->times, 4);
    assert_int_equal(second->programmatic, 1);
    assert_int_equal(second->parameter_count, 4);
    assert_int_equal(second->parameters[3], 3);
    assert_int_equal(launch.steps[2].grid[0], 7);
    assert_string_equal(launch.steps[2].entry, "first_launch3");
    assert_int_equal(launch.parameters[3].scratch_bytes, 8 * 8);
}

TEST(test_sources)
{
    SETUP(b, text, "sm_90");
    GT_SCOPED(gt_source_free) gt_source source = source_with(&b, "B=128", "int prelude;\n");
    assert_int_equal(source.instance_count, 2);
    assert_string_equal(source.instances[0], "first<128>");
    assert_string_equal(source.instances[1], "first_launch3 = first<32>");
    assert_non_null(strstr(source.text, "extern \"C\" __global__ void second"));
    assert_null(strstr(source.text, "extern \"C\" __global__ void other"));
}

/* Launches and trials that differ only in a later step have different hashes. */
TEST(test_hashes)
{
    SETUP(b, text, "sm_90");
    const gt_launch one = launch_of(&b, "EARLY=0"), other = launch_of(&b, "EARLY=1");
    assert_false(gt_hash_equal(gt_launch_hash(&one), gt_launch_hash(&other)));
    const gt_config late = config_of(b.template, "EARLY=0"),
                    early = config_of(b.template, "EARLY=1");
    const gt_hash source = {0};
    assert_false(gt_hash_equal(gt_trial_hash(b.template, &late, source),
                               gt_trial_hash(b.template, &early, source)));
}

static void assert_count(const char *pipeline, const char *arch, size_t expected)
{
    char all[2048];
    (void)snprintf(all, sizeof all, HEAD "%s" FUNCTIONS, pipeline);
    SETUP(b, all, arch);
    assert_int_equal(count_valid(b.space), expected);
}

#define FIRST P "launch(first<B>, block = B, grid = 1, args = (part, x, n))\n"

TEST(test_limits)
{
    assert_count(FIRST P "launch(second, block = 16 * B, grid = 1)\n", "sm_90", 2);
    assert_count(FIRST P "launch(second, block = 1, grid = B - 64)\n", "sm_90", 2);
    assert_count(FIRST P "launch(second, block = 1, grid = 1, 1024 * B)\n", "sm_90", 0);
    assert_count(FIRST P "launch(second, block = 1, grid = 1, shared = 2048 * B)\n", "sm_90", 2);
    assert_count(FIRST P "launch(second, block = 1, grid = 1, times = B - 64)\n", "sm_90", 2);
    assert_count(FIRST P "launch(second, block = 1, grid = 1, programmatic = EARLY)\n", "sm_80", 2);
    assert_count(FIRST P "launch(second, block = 1, grid = 1, programmatic = EARLY)\n", "sm_90", 4);
}

/* A step's grid is rounded up to a multiple of its cluster size. Cooperative grids that do not fit
 * on the GPU are excluded. */
TEST(test_clusters_and_cooperative_steps)
{
    SETUP(b,
          HEAD P "launch(first<B>, block = B, grid = 5, cluster = B / 64, args = (part, x, n))\n" P
                 "launch(second, block = B, grid = 7, 3, cluster = 2, EARLY + 1, cooperative = "
                 "EARLY)\n" FUNCTIONS,
          "sm_90");
    const gt_launch launch = launch_of(&b, "B=128 EARLY=1"), plain = launch_of(&b, "B=64 EARLY=0");
    assert_int_equal(launch.steps[0].grid[0], 6);
    assert_int_equal(launch.steps[0].cluster[0], 2);
    assert_int_equal(launch.steps[0].cooperative, 0);
    assert_int_equal(launch.steps[1].grid[0], 8);
    assert_int_equal(launch.steps[1].grid[1], 4);
    assert_int_equal(launch.steps[1].cluster[1], 2);
    assert_int_equal(launch.steps[1].cooperative, 1);
    assert_int_equal(plain.steps[0].cluster[0], 1);
    assert_int_equal(plain.steps[0].grid[0], 5);
    assert_int_equal(plain.steps[1].cooperative, 0);
#define SECOND(settings) FIRST P "launch(second, block = 1024, grid = 264, " settings ")\n"
    assert_count(SECOND("cluster = 1"), "sm_80", 4);
    assert_count(SECOND("cluster = EARLY + 1"), "sm_80", 2);
    assert_count(SECOND("cluster = B / 4"), "sm_90", 2);
    assert_count(SECOND("cluster = EARLY"), "sm_90", 2);
    assert_count(SECOND("cooperative = 1"), "sm_90", 4); /* the GPU holds 264 such blocks */
    assert_count(SECOND("cooperative = EARLY, shared = 128 << 10"), "sm_90", 2);
    assert_count(
        P "launch(first<B>, block = 1024, grid = 265, cooperative = EARLY, args = (part, x, n))\n",
        "sm_90", 2);
    assert_count(P "launch(first<B>, block = 32, grid = 1, cluster = B / 4, args = (part, x, n))\n",
                 "sm_90", 2);
}

static const char *const mistakes[][2] = {
    {P "launch(other, block = 1, grid = 1, args = (z))\n",
     "a.cu:3:60: unknown argument 'z'; expected one of args(), scratch() or tensormap(), a loop's "
     "counter, a tunable or a problem value"},
    {P "launch(second, block = 1, grid = 1, cluster = 2, cluster = 2)\n",
     "a.cu:3:66: 'cluster' is given twice; expected it once"},
    {P "launch(second, block = 1, grid = 1) cooperative()\n",
     "a.cu:3:53: 'cooperative' cannot be combined with launch(); expected it in a launch(), as in "
     "launch(KERNEL, cooperative = 1, …)"},
    {P "launch(second, block = 1, grid = 1) tensormap(x, box = 8)\n",
     "a.cu:3:17: 'second' takes 'x' as float *; expected const __grid_constant__ CUtensorMap, as "
     "declared in tensormap()"},
    {P "tensormap(a : x, box = 8) launch(other, block = 1, grid = 1, args = (a))\n",
     "a.cu:3:43: 'other' takes 'y' as float *; expected const __grid_constant__ CUtensorMap, as "
     "declared in tensormap()"},
};

TEST(test_mistakes)
{
    EXPECT_MISTAKES("a.cu", HEAD "%s" FUNCTIONS, mistakes);
}

TEST(test_features_of_each_kernel)
{
    double out[GT_LAUNCH_FEATURES];
    SETUP(b, text, "sm_90");
    const gt_config config = config_of(b.template, "B=128 EARLY=1");
    assert_int_equal(gt_space_features(out, b.space, &config), 3 * GT_STEP_FEATURES + 1);
    const double *second = out + GT_STEP_FEATURES, *third = second + GT_STEP_FEATURES;
    assert_true(out[0] == 7 && out[1] == 11 && out[2] == 3);
    assert_true(second[0] == 6 && second[1] == 10 && second[2] == log2(6));
    assert_true(third[0] == 5 && third[1] == 10 && third[2] == log2(7));
}
