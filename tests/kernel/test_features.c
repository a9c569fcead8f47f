/* Tests the features on which the conditions of rules depend, and the requirements of variants. */
#include "kernel/bind/binding.h"
#include "kernel/rule/features.h"
#include "kernel_support.h"

static const char template_text[] =
    "#pragma gputune kernel(k) problem(m = 4096) problem(n = 4096) problem(depth = 8)\n"
    "#pragma gputune args(inout float y[m][n], in float x[n])\n"
    "#pragma gputune tune(B = 64, 128) vector(V = 1, 4 : y)\n"
    "#pragma gputune require(V == 4 || n % 4 != 0 || B == 64)\n"
    "#pragma gputune block(B) grid(ceil_div(n, V * block_x), m)\n"
    "__global__ void k(float *y, const float *x) { y[0] = B * V * x[0]; }\n";

static void make(gt_size_features *out, const gt_template *template, const char *least,
                 const char *most, const char *const *variants, size_t count)
{
    gt_rule_region region;
    gt_config configs[8];
    const gt_device device = device_of("sm_90a");
    ASSERT_OK(gt_problem_parse(&region.least, template, least));
    ASSERT_OK(gt_problem_parse(&region.most, template, most));
    for (size_t i = 0; i < count; i++) {
        configs[i] = config_of(template, variants[i]);
    }
    ASSERT_OK(gt_size_features_make(out, template, &region, &device, configs, count));
}

static const gt_size_feature *feature_of(const gt_size_features *features, const char *text)
{
    for (uint32_t i = 0; i < features->count; i++) {
        if (strcmp(features->items[i].expression->text, text) == 0) {
            return &features->items[i];
        }
    }
    fail_msg("no feature '%s'", text);
    return NULL;
}

TEST(test_features)
{
    static const char *const variants[] = {"B=64 V=1", "B=128 V=1", "B=64 V=4"};
    static const char *const expected[] = {"m",
                                           "n",
                                           "m * n",
                                           "m <= n",
                                           "m <= 4 * n",
                                           "16 * m <= n",
                                           "n % 32 == 0",
                                           "ceil_div(n, 128) * m",
                                           "ceil_div(n, 256) * m",
                                           "m <= 65535"};
    GT_SCOPED(template_end) gt_template *t = parse(template_text);
    gt_size_features features;
    make(&features, t, "m=1 n=1", "m=1M n=1M", variants, 3);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        (void)feature_of(&features, expected[i]);
    }
    const uint64_t odd = feature_of(&features, "n % 4 != 0")->grants;
    const uint64_t even = feature_of(&features, "n % 4 == 0")->grants;
    const uint64_t low = feature_of(&features, "m <= 65535")->grants;
    assert_true(odd && even && low && odd != even);
    assert_int_equal(features.needs[0], low);
    assert_int_equal(features.needs[1], low | odd);
    assert_int_equal(features.needs[2], low | even);
    assert_int_equal(feature_of(&features, "m <= 65535 && n % 4 == 0")->grants, low | even);
    assert_int_equal(feature_of(&features, "n % 4 == 0")->denies, odd);
    assert_int_equal(feature_of(&features, "n % 2 == 0")->denies, odd);
    assert_int_equal(feature_of(&features, "n % 2 == 0")->grants, 0);
    assert_int_equal(feature_of(&features, "n % 32 == 0")->grants, even);
    assert_int_equal(feature_of(&features, "n % 32 == 0")->denies, 0);
    assert_int_equal(feature_of(&features, "m % 4 == 0")->grants, 0);
    static const char *const blocks[] = {"ceil_div(n, 64) * m", "ceil_div(n, 128) * m",
                                         "ceil_div(n, 256) * m"};
    for (int v = 0; v < 3; v++) {
        const gt_size_feature *load = &features.items[features.load_features[v]];
        assert_string_equal(load->expression->text, blocks[v]);
        assert_true(features.load_factors[v] > 0);
    }
    gt_size_features_free(&features);
    make(&features, t, "m=64 n=1", "m=64 n=1K", variants, 3);
    (void)feature_of(&features, "ceil_div(n, 64)");
    assert_string_equal(features.items[0].expression->text, "n");
    assert_int_equal(features.needs[0], 0);
    gt_size_features_free(&features);
}

TEST(a_joined_condition_contains_all_needs)
{
    static const char *const variants[] = {"W=0 V=4", "W=1 V=4"};
    GT_SCOPED(template_end)
    gt_template *t = parse("#pragma gputune kernel(k) problem(n = 4096, len = 4096)\n"
                           "#pragma gputune args(out float y[2][n], in float x[2][len])\n"
                           "#pragma gputune vector(V = 1, 4 : y, x) tune(W = 0, 1)\n"
                           "#pragma gputune require(W == 0 || len > 4 && n % 4 == 0)\n"
                           "#pragma gputune block(64) grid(1)\n"
                           "__global__ void k(float *y, const float *x) { y[0] = V * W; }\n");
    GT_SCOPED(gt_size_features_free) gt_size_features features;
    make(&features, t, "n=1 len=1", "n=1M len=1M", variants, 2);
    const uint64_t own = feature_of(&features, "n % 4 == 0")->grants;
    const uint64_t other = feature_of(&features, "len % 4 == 0")->grants;
    assert_true(own && other && own != other);
    assert_int_equal(features.needs[0], own | other);
    assert_int_equal(feature_of(&features, "n % 4 == 0 && len % 4 == 0")->grants, own | other);
    assert_int_equal(
        feature_of(&features, "n % 4 == 0 && len % 4 == 0 && len > 4 && n % 4 == 0")->grants,
        features.needs[1]);
}

TEST(many_sizes_leave_room_for_needs)
{
    static const char *const variants[] = {"V=4"};
    gt_template *t =
        parse("#pragma gputune kernel(k) problem(a = 9, b = 9, c = 9, d = 9, e = 9, f = 9, g = 9)\n"
              "#pragma gputune args(out float y[a + b][c + d], in float x[e + f + g])\n"
              "#pragma gputune vector(V = 1, 4 : y) block(64) grid(c + d, a + b)\n"
              "__global__ void k(float *y, const float *x) { y[0] = V * x[0]; }\n");
    GT_SCOPED(gt_size_features_free) gt_size_features features;
    make(&features, t, "a=1 b=1 c=1 d=1 e=1 f=1 g=1", "a=1M b=1M c=1M d=1M e=1M f=1M g=1M",
         variants, 1);
    assert_int_equal(feature_of(&features, "(c + d) % 4 == 0")->grants |
                         feature_of(&features, "(a + b) <= 65535")->grants,
                     features.needs[0]);
    gt_template_free(t);
}

TEST(no_condition_grants_a_need_that_cannot_be_printed)
{
    static const char *const variants[] = {"V=1", "V=2", "V=4"};
    GT_SCOPED(template_end)
    gt_template *t =
        parse("#pragma gputune kernel(k) problem(n = 4096)\n"
              "#pragma gputune args(out float y[2][n], in float x[n])\n"
              "#pragma gputune launch(k, block = 64, grid = n, cluster = n > 9 ? 2 : 1)\n"
              "#pragma gputune vector(V = 1, 2, 4 : y)\n"
              "#pragma gputune require(V < 2 || (V < 4 ? max_clusters : grid_x) > 9)\n"
              "__global__ void k(float *y, const float *x) { y[0] = V * x[0]; }\n");
    GT_SCOPED(gt_size_features_free) gt_size_features features;
    make(&features, t, "n=1", "n=1M", variants, 3);
    for (uint32_t i = 0; i < features.count; i++) {
        assert_true(features.needs[1] & ~features.items[i].grants);
        assert_true(features.needs[2] & ~features.items[i].grants);
    }
}

TEST(the_load_counts_the_tiles_of_a_loop)
{
    static const char *const variants[] = {"P=0", "P=1"};
    GT_SCOPED(template_end)
    gt_template *t = parse("#pragma gputune kernel(k) problem(n = 4096) args(out float y[n])\n"
                           "#pragma gputune tune(P = 0, 1) block(64)\n"
                           "#pragma gputune grid(P ? min(ceil_div(n, 64) * 2, sm_count) : \\\n"
                           "                         ceil_div(n, 64) * min(n, 4))\n"
                           "__global__ void k(float *y) { y[0] = P; }\n");
    GT_SCOPED(gt_size_features_free) gt_size_features features;
    make(&features, t, "n=1", "n=1M", variants, 2);
    assert_string_equal(features.items[features.load_features[0]].expression->text,
                        "ceil_div(n, 64) * min(n, 4)");
    assert_string_equal(features.items[features.load_features[1]].expression->text,
                        "ceil_div(n, 64) * 2");
}

TEST(test_values)
{
    static const char *const variants[] = {"B=64 V=4"};
    GT_SCOPED(template_end) gt_template *t = parse(template_text);
    GT_SCOPED(gt_size_features_free) gt_size_features features;
    gt_problem problem;
    int64_t slots[GT_SLOT_MAX];
    double values[GT_SIZE_FEATURES_MAX];
    const gt_device device = device_of("sm_90a");
    make(&features, t, "m=1 n=1", "m=1T n=1T", variants, 1);
    ASSERT_OK(gt_problem_parse(&problem, t, "m=1T n=1T"));
    gt_slots_fill(slots, t, &problem, &device);
    gt_size_features_evaluate(values, &features, slots);
    assert_true(values[0] == 0x1p40);
    assert_true(isnan(values[feature_of(&features, "m * n") - features.items]));
    assert_true(values[feature_of(&features, "n % 4 == 0") - features.items] == 1);
}
