/* Tests learning rules from times that follow formulas. */
#include "search/rule_learner.h"

#include "base/random.h"
#include "support/test.h"

enum { SIZES = 120, CONFIGS = 6, FEATURES = 5 };

/* Sizes of a matrix, spread logarithmically, a third of them odd. */
typedef struct scene {
    double times[SIZES * CONFIGS], values[SIZES * FEATURES];
    uint32_t codes[CONFIGS];
    uint64_t needs[CONFIGS];
    gt_rule_data data;
} scene;

static const gt_rule_feature features[FEATURES] = {{"m", false, 0, 0},
                                                   {"n", false, 0, 0},
                                                   {"m * n", false, 0, 0},
                                                   {"m % 4 == 0", true, 0, 0},
                                                   {"n % 4 == 0", true, 1, 0}};

static void set_values(double *values, double m, double n)
{
    const double all[FEATURES] = {m, n, m * n, fmod(m, 4) == 0, fmod(n, 4) == 0};
    memcpy(values, all, sizeof all);
}

/* Returns the time of a configuration: a constant, plus a time for each element. The last two
 * configurations require rows whose length is a multiple of four elements. */
static double time_of(uint32_t config, const double *values)
{
    static const double starts[CONFIGS] = {1000, 4000, 60000, 30000, 2000, 20000};
    static const double rates[CONFIGS] = {2, 1, 0.25, 2, 1, 0.125};
    return config >= 4 && !values[4] ? INFINITY : starts[config] + rates[config] * values[2];
}

static void draw(double *values, gt_random *random)
{
    const double step = gt_random_below(random, 3) ? 4 : 1;
    const double m = floor(exp(log(16) + log(256) * gt_random_unit(random)));
    const double n = floor(exp(log(16) + log(256) * gt_random_unit(random)) / step) * step;
    set_values(values, m, n);
}

static void set_up(scene *s, uint32_t configs)
{
    gt_random random = {3};
    for (uint32_t i = 0; i < SIZES; i++) {
        draw(&s->values[(size_t)i * FEATURES], &random);
        for (uint32_t c = 0; c < configs; c++) {
            s->times[(size_t)i * configs + c] = time_of(c, &s->values[(size_t)i * FEATURES]);
        }
    }
    for (uint32_t c = 0; c < configs; c++) {
        s->codes[c] = 10 + c;
        s->needs[c] = c >= 4;
    }
    s->data = (gt_rule_data){SIZES,    configs,  FEATURES, 2,       s->times, s->values,
                             features, s->codes, s->needs, CONFIGS, NULL,     NULL};
}

static void expect_kept(const gt_rule_data *data, const char *expected)
{
    char text[CONFIGS + 1] = "";
    bool kept[CONFIGS];
    ASSERT_OK(gt_portfolio_choose(kept, data));
    for (uint32_t c = 0; c < data->config_count; c++) {
        text[c] = kept[c] ? 'x' : '.';
    }
    text[data->config_count] = '\0';
    assert_string_equal(text, expected);
}

TEST(test_portfolio)
{
    scene s;
    set_up(&s, CONFIGS);
    s.data.most_codes = 3;
    expect_kept(&s.data, ".xx..x");
    s.data.most_codes = 1; /* a single code must run at all sizes, so without requirements */
    expect_kept(&s.data, ".x....");
    s.data.most_codes = 9;
    expect_kept(&s.data, "xxxxxx");
    /* configurations with the same code count as one code */
    s.codes[0] = s.codes[1] = s.codes[2];
    s.data.most_codes = 3;
    expect_kept(&s.data, "xxx.xx");
}

/* The learner replaces codes one by one. It must find the best set even if there are many codes. */
TEST(test_large_portfolio)
{
    enum { MANY = 60, KEPT = 12 };
    GT_FREED double *times = calloc((size_t)MANY * MANY, sizeof *times);
    uint32_t codes[MANY];
    uint64_t needs[MANY] = {0};
    bool kept[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        codes[i] = i;
        for (uint32_t c = 0; c < MANY; c++) { /* each group of five sizes has its own best code */
            times[i * MANY + c] = c % 5 == 2 && c / 5 == i / 5 ? 1 : 2 + (double)c / MANY;
        }
    }
    const gt_rule_data data = {MANY, MANY, 0, 0, times, NULL, NULL, codes, needs, KEPT, NULL, NULL};
    ASSERT_OK(gt_portfolio_choose(kept, &data));
    for (uint32_t c = 0; c < MANY; c++) {
        assert_int_equal(kept[c], c % 5 == 2);
    }
}

TEST(test_no_variant)
{
    scene s;
    bool kept[CONFIGS];
    set_up(&s, CONFIGS);
    for (uint32_t c = 0; c < CONFIGS; c++) {
        s.times[5 * CONFIGS + c] = c == 1 ? 1 : INFINITY;
    }
    ASSERT_OK(gt_portfolio_choose(kept, &s.data));
    for (uint32_t c = 0; c < CONFIGS; c++) {
        s.times[5 * CONFIGS + c] = INFINITY;
    }
    assert_int_equal(gt_portfolio_choose(kept, &s.data), GPUTUNE_ENOVARIANT);
}

static uint32_t choose(const gt_rule_tree *tree, const gt_rule_data *data, const double *values)
{
    const gt_tree_node *node = tree->nodes;
    while (node->otherwise) {
        const double value = values[node->feature];
        node = (data->features[node->feature].is_condition ? value != 0 : value <= node->most)
                   ? node + 1
                   : &tree->nodes[node->otherwise];
    }
    return node->config;
}

/* Draws new sizes, and checks that the rule's choices can run. Returns the mean loss. */
static double mean_of(const scene *s, const gt_rule_tree *tree)
{
    gt_random random = {4};
    double sum = 0;
    enum { DRAWN = 2000 };
    for (int i = 0; i < DRAWN; i++) {
        double values[FEATURES], best = INFINITY;
        draw(values, &random);
        for (uint32_t c = 0; c < s->data.config_count; c++) {
            best = fmin(best, time_of(c, values));
        }
        const double chosen = time_of(choose(tree, &s->data, values), values);
        assert_true(isfinite(chosen));
        sum += log(chosen / best);
    }
    return exp(sum / DRAWN);
}

TEST(test_unseen_sizes)
{
    scene s;
    GT_SCOPED(gt_rule_tree_free) gt_rule_tree tree;
    set_up(&s, CONFIGS);
    ASSERT_OK(gt_rule_learn(&tree, &s.data));
    assert_true(mean_of(&s, &tree) < 1.02);
    double sum = 0;
    for (uint32_t i = 0; i < SIZES; i++) {
        sum += tree.losses[i];
    }
    assert_true(sum >= 0 && sum / SIZES < log(1.02));
}

/* A configuration with requirements is used only if a condition of the rule guarantees them. */
TEST(test_needs)
{
    scene s;
    GT_SCOPED(gt_rule_tree_free) gt_rule_tree tree;
    set_up(&s, CONFIGS);
    for (uint32_t i = 0; i < SIZES; i++) {
        double *values = &s.values[(size_t)i * FEATURES];
        set_values(values, values[0], 4 * ceil(values[1] / 4));
        for (uint32_t c = 0; c < CONFIGS; c++) {
            s.times[(size_t)i * CONFIGS + c] = time_of(c, values);
        }
    }
    ASSERT_OK(gt_rule_learn(&tree, &s.data));
    (void)mean_of(&s, &tree);
}

/* If no configuration can run at some predicted sizes, no condition is needed for these. */
TEST(rule_of_one_configuration_has_no_condition)
{
    enum { MEASURED = 30 };
    scene s;
    GT_SCOPED(gt_rule_tree_free) gt_rule_tree tree;
    set_up(&s, 1);
    s.needs[0] = 1;
    for (uint32_t i = 0; i < SIZES; i++) {
        double *values = &s.values[(size_t)i * FEATURES];
        set_values(values, values[0], i < MEASURED ? 4 * ceil(values[1] / 4) : values[1]);
        s.times[i] = i < MEASURED ? time_of(0, values) : NAN;
    }
    ASSERT_OK(gt_rule_learn(&tree, &s.data));
    assert_int_equal(tree.node_count, 1);
}

TEST(test_text)
{
    static const uint32_t numbers[] = {0, 1};
    scene s;
    GT_SCOPED(gt_rule_tree_free) gt_rule_tree tree;
    GT_FREED char *text = NULL;
    set_up(&s, 2);
    ASSERT_OK(gt_rule_learn(&tree, &s.data));
    ASSERT_OK(gt_rule_tree_text(&text, &tree, &s.data, numbers));
    assert_string_equal(text, "if m * n <= 2688\n  use 0\nelse\n  use 1\n");
}

TEST(test_predicted_sizes)
{
    enum { MEASURED = 30 };
    scene s;
    gt_rule_tree tree;
    double losses[2];
    set_up(&s, CONFIGS);
    for (int predicted = 0; predicted < 2; predicted++) {
        s.data.size_count = predicted ? SIZES : MEASURED;
        for (uint32_t i = MEASURED * CONFIGS; i < SIZES * CONFIGS; i++) {
            s.times[i] = NAN;
        }
        ASSERT_OK(gt_rule_learn(&tree, &s.data));
        losses[predicted] = mean_of(&s, &tree);
        gt_rule_tree_free(&tree);
    }
    assert_true(losses[1] < 1.03);
    assert_true(losses[1] < losses[0]);
}

/* Returns the time for waves of blocks on ten multiprocessors, or for a kernel without blocks. */
static double time_of_waves(uint32_t config, const double *values)
{
    return config ? 6 * pow(values[2], 0.42) : 100 * ceil(values[3] / 10);
}

static void draw_blocks(double *values, gt_random *random)
{
    const double m = floor(exp(log(32) + log(12) * gt_random_unit(random)));
    const double n = floor(exp(log(32) + log(12) * gt_random_unit(random)));
    const double all[FEATURES] = {m, n, m * n, ceil(m / 32) * ceil(n / 32),
                                  ceil(m / 64) * ceil(n / 64)};
    memcpy(values, all, sizeof all);
}

/* Times that depend on waves of blocks are predicted better if the numbers of blocks are known. */
TEST(test_waves)
{
    enum { MEASURED = 40, ALL = 1000, DRAWN = 1000 };
    const gt_rule_feature number = features[0];
    const gt_rule_feature sizes[FEATURES] = {number, number, number, number, number};
    static const uint32_t codes[] = {0, 1}, load_features[] = {3, 3};
    static const uint64_t needs[] = {0, 0};
    static const double load_factors[] = {0.1, 0};
    static double times[ALL * 2], values[ALL * FEATURES];
    double sums[2] = {0};
    gt_random random = {5};
    for (uint32_t i = 0; i < ALL; i++) {
        draw_blocks(&values[(size_t)i * FEATURES], &random);
        for (uint32_t c = 0; c < 2; c++) {
            times[2 * i + c] =
                i < MEASURED ? time_of_waves(c, &values[(size_t)i * FEATURES]) : (double)NAN;
        }
    }
    for (int known = 0; known < 2; known++) {
        const gt_rule_data data = {.size_count = ALL,
                                   .config_count = 2,
                                   .feature_count = FEATURES,
                                   .coordinate_count = 2,
                                   .times_ns = times,
                                   .values = values,
                                   .features = sizes,
                                   .codes = codes,
                                   .needs = needs,
                                   .most_codes = 2,
                                   .load_features = known ? load_features : NULL,
                                   .load_factors = known ? load_factors : NULL};
        gt_rule_tree tree;
        ASSERT_OK(gt_rule_learn(&tree, &data));
        random.state = 6;
        for (int i = 0; i < DRAWN; i++) {
            double at[FEATURES];
            draw_blocks(at, &random);
            const double chosen = time_of_waves(choose(&tree, &data, at), at);
            sums[known] += log(chosen / fmin(time_of_waves(0, at), time_of_waves(1, at))) / DRAWN;
        }
        gt_rule_tree_free(&tree);
    }
    assert_true(sums[1] < sums[0] / 2);
}
