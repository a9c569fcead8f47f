/* Tests spaces: order, pruning, and reasons for exclusion. */
#include "kernel_support.h"

#define HEAD                                                                                       \
    "#pragma gputune kernel(k) problem(n = 4096) args(inout float y[n], size_t n)\n"               \
    "__global__ void k(float *y, size_t n) { y[0] = A + B + C + D + E + F + G + K + M + V; }\n"

static void assert_excluded(gt_space *space, const char *reason, uint64_t count)
{
    const gt_exclusion_count *list;
    size_t lines = gt_space_exclusions(space, &list);
    for (size_t i = 0; i < lines; i++) {
        if (strcmp(list[i].reason, reason) == 0) {
            assert_int_equal(list[i].count, count);
            return;
        }
    }
    fail_msg("no exclusion '%s'", reason);
}

TEST(test_no_axes)
{
    setup b;
    setup_open(&b, HEAD "#pragma gputune block(64) grid(1)\n", "sm_90");
    assert_int_equal(gt_space_combinations(b.space), 1);
    assert_int_equal(count_valid(b.space), 1);
    setup_close(&b);
    setup_open(&b, HEAD "#pragma gputune block(64) grid(1) require(n < 100)\n", "sm_90");
    assert_int_equal(count_valid(b.space), 0);
    assert_excluded(b.space, "require(n < 100)", 1);
    setup_close(&b);
}

TEST(test_limits)
{
    static const struct {
        const char *pragmas, *arch, *reason;
        uint64_t count;
    } cases[] = {
        {"tune(B = 64, 2048) block(B) grid(1)", "sm_90", "block exceeds 1024 threads", 1},
        {"tune(B = 64, 512) block(B, 4) grid(1)", "sm_90", "block exceeds 1024 threads", 1},
        {"tune(B = 0, 64) block(B) grid(1)", "sm_90", "a block dimension is below 1", 1},
        {"tune(B = 1, 128) block(1, 1, B) grid(1)", "sm_90", "block is too large in y or z", 1},
        {"tune(G = 0, 64) block(1) grid(G)", "sm_90", "a grid dimension is below 1", 1},
        {"tune(G = 1, 65536) block(1) grid(1, G)", "sm_90",
         "grid exceeds the GPU's limit (2147483647 in x, 65535 in y and z)", 1},
        {"tune(S = 1, 300) block(1) grid(1) shared(S * 1024)", "sm_90",
         "shared memory exceeds 232448 bytes per block", 1},
        {"tune(S = -1, 3) block(1) grid(1) shared(S)", "sm_90", "shared memory is negative", 1},
        {"cluster(C = 1, 8, 16, 32) block(1) grid(1)", "sm_90", "cluster exceeds 16 blocks", 1},
        {"cluster(C = 1, 8; D = 1, 4) block(1) grid(1)", "sm_90", "cluster exceeds 16 blocks", 1},
        {"cluster(C = 1, 2, 4) block(1) grid(1)", "sm_80", "clusters need compute capability 9.0",
         2},
        {"carveout(C = auto, 8, 228) block(1) grid(1)", "sm_80",
         "this GPU has no such carveout size", 1},
        {"carveout(C = auto, 0, 8, 64) block(1) grid(1) shared(8 * 1024)", "sm_90",
         "carveout is smaller than a block's shared memory and 1024 reserved bytes", 2},
        {"tune(B = 64, 128) block(B) grid(1) launch_bounds(64)", "sm_90",
         "launch_bounds allow fewer threads than the block has", 1},
        {"tune(R = 0, 32, 256) block(1) grid(1) maxreg(R)", "sm_90",
         "maxreg is outside 0 (no limit) to 255", 1},
        {"tune(A = 0, 1) block(1) grid(n / A)", "sm_90",
         "an expression divides by zero or overflows", 1},
        {"vector(V = 1, 2, 4, 8 : y) block(1) grid(1)", "sm_100",
         "vector is wider than a buffer's assumed alignment", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GT_SCOPED(gt_text_free) gt_text text = {0};
        gt_text_printf(&text, HEAD "#pragma gputune %s\n", cases[i].pragmas);
        SETUP(b, gt_text_string(&text), cases[i].arch);
        size_t valid = count_valid(b.space);
        assert_int_equal(valid, gt_space_combinations(b.space) - cases[i].count);
        assert_excluded(b.space, cases[i].reason, cases[i].count);
    }
}

TEST(test_vectors)
{
    setup b;
    static const char rows[] =
        "#pragma gputune kernel(k) problem(n = 6) args(out double y[4][n], in float x[n])\n"
        "#pragma gputune vector(V = 1, 2, 4 : y, x) block(1) grid(1)\n"
        "__global__ void k(double *y, const float *x) { y[0] = V; }\n";
    setup_open_at(&b, rows, "sm_90", (gputune_sizes){0, NULL}, 256, NULL, 0);
    assert_int_equal(count_valid(b.space), 2);
    assert_excluded(b.space, "vector does not divide a buffer's innermost extent", 1);
    setup_close(&b);
    setup_open_at(&b, rows, "sm_90", (gputune_sizes){0, NULL}, 8, NULL, 0);
    assert_int_equal(count_valid(b.space), 1);
    setup_close(&b);
}

TEST(test_pass_limits)
{
    static const char block[] =
        "#pragma gputune kernel(k) problem(const N = 8000) args(out float y[4])\n"
        "#pragma gputune pass(c : float[N] = value, split, constant, global) block(1) grid(1)\n"
        "#pragma gputune default(c = global)\n"
        "__global__ void k(GPUTUNE_PARAM(c) float *y) {}\n";
    static const struct {
        int64_t elements;
        size_t valid;
        const char *excluded;
    } cases[] = {
        {8000, 4, NULL},
        {8188, 4, NULL},
        /* 8189 floats and a pointer exceed the limit by one element */
        {8189, 3, "parameters passed by value exceed 32764 bytes"},
        {100, 3, "the pass value 'split' would pass the whole block by value"},
        {17000, 2, NULL}, /* valid: `split` (a part in constant memory), and `global` */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GT_SCOPED(setup_close) setup b = {0};
        setup_open_at(&b, block, "sm_90", GPUTUNE_SIZES({"N", cases[i].elements}), 0, NULL, 0);
        assert_int_equal(count_valid(b.space), cases[i].valid);
        if (cases[i].excluded) {
            assert_excluded(b.space, cases[i].excluded, 1);
        }
    }
}

TEST(test_occupancy_and_grid)
{
    SETUP(b,
          HEAD "#pragma gputune tune(B = 256, 1024) cluster(C = 1, 4) block(B) shared(60 * 1024)\n"
               "#pragma gputune grid(max_blocks + 1) require(grid_x > 3 * sm_count || B > 512)\n"
               "#pragma gputune require(max_clusters * C <= max_blocks) require(block_x == B)\n",
          "sm_90");
    assert_int_equal(count_valid(b.space), 4);
    const gt_launch launch = launch_of(&b, "B=256 C=4");
    /* three blocks fit into shared memory, and the grid is rounded up to the cluster */
    assert_int_equal(launch.steps[0].grid[0], 3 * 132 + 4);
    assert_int_equal(launch.steps[0].cluster[0], 4);
}

/* Search strategies use features of the launch, which are known before compiling. */
TEST(test_features)
{
    double first[GT_LAUNCH_FEATURES], second[GT_LAUNCH_FEATURES];
    SETUP(b,
          HEAD "#pragma gputune tune(B = 128, 256) tune(KB = 15, 31) block(B) grid(4096 / B)\n"
               "#pragma gputune shared(KB * 1024) launch_bounds(B, 2)\n",
          "sm_90");
    const gt_config small = config_of(b.template, "B=128 KB=15");
    const gt_config large = config_of(b.template, "B=256 KB=31");
    assert_int_equal(gt_space_features(first, b.space, &small), GT_STEP_FEATURES + 1);
    assert_int_equal(gt_space_features(second, b.space, &large), GT_STEP_FEATURES + 1);
    /* features: log2 of threads, shared memory plus a reserved kilobyte, and blocks */
    assert_true(first[0] == 7 && first[1] == 14 && first[2] == 5);
    assert_true(second[0] == 8 && second[1] == 15 && second[2] == 4);
    /* 14 blocks of 16 KB or 7 of 32 KB fit, and launch_bounds() allows the threads of two blocks */
    assert_true(first[3] == log2(14 * 132) && second[3] == log2(7 * 132));
    assert_true(first[4] == log2(128 * 2 * 132) && second[4] == log2(256 * 2 * 132));
    assert_true(first[5] == 1 && second[5] == 1);
}

TEST(test_only)
{
    static const char text[] = HEAD
        "#pragma gputune tune(B = 64, 128) tune(M = p, q) vector(V = 1, 2 : y) block(B) grid(1)\n";
    static const struct {
        const char *only, *message;
    } mistakes[] = {
        {"BB=1", "k has no axis 'BB'; expected 'B'"},
        {"nothing=1", "k has no axis 'nothing'; expected one of: B, M, V"},
        {"B", "'B' is not a setting; expected AXIS=value"},
        {"B=", "'B=' is not a setting; expected AXIS=value"},
        {"B=64,,3", "B has no value ''; expected one of 64, 128"},
        {"B=p", "B has no value 'p'; expected an integer"},
        {"M=3", "M has no value '3'; expected a word"},
        {"V=3", "V has no value '3'; expected 1, 2, 4 or 8"},
    };
    setup b;
    gt_config config;
    const char *const only[] = {"B=96,128", "V = 4"};
    setup_open_at(&b, text, "sm_90", (gputune_sizes){0, NULL}, 0, only, 2);
    assert_int_equal(gt_space_combinations(b.space), 4);
    assert_true(gt_space_next(b.space, &config));
    assert_string_equal(text_of(b.template, &config), "B=96 M=p V=4");
    assert_int_equal(b.template->axes[0].count, 2);
    const gt_config standard = gt_config_default(b.template);
    assert_null(gt_space_excludes(b.space, &standard));
    setup_close(&b);
    setup_open(&b, text, "sm_90");
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        gt_space *space = NULL;
        assert_int_equal(gt_space_open(&space, b.template, &b.problem, &b.workload, &b.device,
                                       &mistakes[i].only, 1),
                         GPUTUNE_EINVAL);
        assert_string_equal(gt_message(), mistakes[i].message);
    }
    setup_close(&b);
}

TEST(test_signature)
{
    static const char text[] = HEAD "#pragma gputune tune(B = 64, 128) block(B) grid(1)\n";
    gt_space *same, *fewer;
    const char *const all = "B=64,128", *const one = "B=64";
    SETUP(b, text, "sm_90");
    ASSERT_OK(gt_space_open(&same, b.template, &b.problem, &b.workload, &b.device, &all, 1));
    ASSERT_OK(gt_space_open(&fewer, b.template, &b.problem, &b.workload, &b.device, &one, 1));
    assert_true(gt_hash_equal(gt_space_signature(b.space), gt_space_signature(same)));
    assert_false(gt_hash_equal(gt_space_signature(b.space), gt_space_signature(fewer)));
    gt_space_free(same);
    gt_space_free(fewer);
}

/* Asking why a configuration is excluded must not disturb a walk over the space. */
TEST(test_excludes_while_walking)
{
    gt_config config;
    size_t count = 0;
    SETUP(b,
          HEAD "#pragma gputune tune(A = 1, 2, 3) tune(B = 1, 2, 3) require(A <= B)\n"
               "#pragma gputune block(A) grid(B)\n",
          "sm_90");
    const gt_config wrong = config_of(b.template, "A=3 B=1");
    while (gt_space_next(b.space, &config)) {
        assert_null(gt_space_excludes(b.space, &config));
        assert_string_equal(gt_space_excludes(b.space, &wrong), "require(A <= B)");
        count++;
    }
    assert_int_equal(count, 6);
}

/* If a require() cannot be computed, the configuration is excluded, and every function reports this
 * as the reason. */
TEST(test_division_by_zero)
{
    static const char reason[] = "require(B / (K - 1) <= 64): division by zero or overflow";
    SETUP(b,
          HEAD "#pragma gputune tune(K = 1, 2, 3) tune(B = 64, 128, 256) block(B) grid(1)\n"
               "#pragma gputune require(B / (K - 1) <= 64)\n",
          "sm_90");
    const gt_config one = config_of(b.template, "B=64 K=1");
    assert_int_equal(gt_space_count(b.space).count, 3);
    assert_int_equal(count_valid(b.space), 3);
    assert_excluded(b.space, reason, 3);
    assert_excluded(b.space, "require(B / (K - 1) <= 64)", 3);
    assert_string_equal(gt_space_excludes(b.space, &one), reason);
    assert_false(gt_space_has(b.space, &one));
    assert_string_equal(gt_space_why_unused(b.space, 0, 0), reason);
    assert_null(gt_space_why_unused(b.space, 0, 1));
}

/* sizeof() accepts the name of a type in problem(). The value of this type may be the name of
 * another type in problem(). */
TEST(test_type_words)
{
    static const char text[] =
        "#pragma gputune kernel(k) problem(n = 64, type T = float, double, type S = T, half)\n"
        "#pragma gputune args(inout T y[n]) tune(U = S, half) block(64) grid(1)\n"
        "#pragma gputune require(sizeof(U) == sizeof(S) && sizeof(U) == 8)\n"
        "__global__ void k(T *y) { y[0] = U(); }\n";
    setup b;
    setup_open(&b, text, "sm_90");
    assert_int_equal(count_valid(b.space), 0);
    setup_close(&b);
    setup_open_at(&b, text, "sm_90", GPUTUNE_SIZES({"T=double", 0}), 0, NULL, 0);
    assert_int_equal(count_valid(b.space), 1);
    setup_close(&b);
}

TEST(test_nothing_valid)
{
    const char *const only[] = {"B=0"};
    static const char text[] = HEAD "#pragma gputune tune(B = 64, 128) tune(C = 1, 2, 3) block(B) "
                                    "grid(1) require(C != 2)\n";
    setup b;
    setup_open(&b, text, "sm_90");
    ASSERT_OK(gt_space_require_any(b.space));
    setup_close(&b);
    setup_open_at(&b, text, "sm_90", (gputune_sizes){0, NULL}, 0, only, 1);
    assert_int_equal(gt_space_require_any(b.space), GPUTUNE_ENOVARIANT);
    assert_string_equal(gt_message(), "k: none of 3 configurations is possible at these sizes on "
                                      "this GPU: a block dimension is below 1 (excludes 3)");
    assert_string_equal(gt_space_why_unused(b.space, 0, 2), "a block dimension is below 1");
    setup_close(&b);
}
