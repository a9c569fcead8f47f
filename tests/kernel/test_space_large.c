/* Tests spaces that are too large to enumerate. Random draws must be evenly distributed. */
#include "random_template.h"

#include <sys/resource.h>

#define HEAD                                                                                       \
    "#pragma gputune kernel(k) problem(n = 4096) args(inout float y[n], size_t n)\n"               \
    "#pragma gputune block(64) grid(1)\n"                                                          \
    "__global__ void k(float *y, size_t n)\n"                                                      \
    "{ y[0] = A + B + C + D + E + F + G + H + I + J + K + L + Z; }\n"

/* Opens a space of `axes` axes with the values 0 to 9, and one constraint. */
static void open_digits(setup *b, int axes, const char *constraint)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    gt_text_append(&text, HEAD);
    for (int i = 0; i < axes; i++) {
        gt_text_printf(&text, "#pragma gputune tune(%c = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)\n", 'A' + i);
    }
    gt_text_printf(&text, "#pragma gputune %s\n", constraint);
    setup_open(b, gt_text_string(&text), "sm_90");
}

static void assert_count(gt_space *space, uint64_t count)
{
    gt_space_size size = gt_space_count(space);
    assert_int_equal(size.certainty, GT_EXACT);
    assert_int_equal(size.count, count);
}

/* One of 10^10 configurations is valid. The constraint is written in several ways. */
TEST(test_needle)
{
    static const struct {
        const char *constraint, *needle;
    } cases[] = {
        {"require(A + B + C + D + E + F + G + H + I + J == 90)", "9999999999"},
        {"require(A == 1 && B == 2 && C == 3 && D == 4 && E == 5 && F == 6 && G == 7 && H == 8 && "
         "I == 9 && J == 0)",
         "1234567890"},
        {"require(A < B) require(B < C) require(C < D && D < E) require(E < F) require(F < G) "
         "require(G < H && H < I && I < J)",
         "0123456789"},
        {"require(A * B * C * D * E * F * G * H * I * J == pow(9, 10))", "9999999999"},
        {"require(max(A, B, C, D, E) == 0) require(F * G * H * I * J >= 59049)", "0000099999"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GT_SCOPED(setup_close) setup b = {0};
        gt_config config, drawn;
        gt_random random = {i};
        open_digits(&b, 10, cases[i].constraint);
        assert_int_equal(gt_space_combinations(b.space), UINT64_C(10000000000));
        assert_count(b.space, 1);
        assert_true(gt_space_next(b.space, &config));
        assert_true(gt_space_draw(b.space, &random, &drawn));
        for (int axis = 0; axis < 10; axis++) {
            assert_int_equal(config.choice[axis], cases[i].needle[axis] - '0');
            assert_int_equal(drawn.choice[axis], cases[i].needle[axis] - '0');
        }
        assert_false(gt_space_next(b.space, &config));
    }
}

/* A tiled matrix product, in which constraints connect most axes. */
static const char tiles[] =
    "#pragma gputune kernel(k) problem(m = 4096, n = 4096, k = 4096) args(inout float y[n])\n"
    "#pragma gputune tune(BX = 4, 8, 16, 32, 64) tune(BY = 4, 8, 16, 32, 64)\n"
    "#pragma gputune tune(TX = 1, 2, 4, 8, 16) tune(TY = 1, 2, 4, 8, 16)\n"
    "#pragma gputune tune(BK = 4, 8, 16, 32, 64) tune(STAGES = 1, 2, 3, 4)\n"
    "#pragma gputune tune(VA = 1, 2, 4) tune(VB = 1, 2, 4) tune(PA = 0, 1, 2, 4, 8)\n"
    "#pragma gputune tune(PB = 0, 1, 2, 4, 8) tune(SWIZZLE = 0, 1) tune(UK = 1, 2, 4, 8)\n"
    "#pragma gputune tune(SPLIT = 1, 2, 4, 8, 16) cluster(CL = 1, 2, 4, 8) block(BX, BY)\n"
    "#pragma gputune grid(ceil_div(n, BX * TX), ceil_div(m, BY * TY), SPLIT)\n"
    "#pragma gputune shared(4 * STAGES * (BK * (BX * TX + PA) + BK * (BY * TY + PB)))\n"
    "#pragma gputune require((BX * TX * BK) % (BX * BY * VA) == 0)\n"
    "#pragma gputune require((BY * TY * BK) % (BX * BY * VB) == 0) require(BK % UK == 0)\n"
    "#pragma gputune require(k % (BK * SPLIT) == 0) require(!(SWIZZLE && (PA || PB)))\n"
    "#pragma gputune require(BX * BY % 32 == 0 && TX * TY * 2 + TX + TY <= 200)\n"
    "__global__ void k(float *y) {}\n";

TEST(test_tiles)
{
    gt_config config;
    gt_random random = {1};
    struct rusage usage;
    SETUP(b, tiles, "sm_90");
    assert_true(gt_space_count(b.space).count > 10000000);
    assert_int_equal(gt_space_count(b.space).certainty, GT_EXACT);
    for (int i = 0; i < 200; i++) {
        assert_true(gt_space_draw(b.space, &random, &config));
        assert_true(brute_valid(&b, &config));
    }
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < 100 * 1024);
}

static const int weights[10] = {7919,     104729,   1299709,  15485863, 32452843,
                                49979687, 67867967, 86028121, 10439531, 12294982};

static const char sum_of_weights[] =
    "require((A * 7919 + B * 104729 + C * 1299709 + D * 15485863 + E * 32452843 + F * 49979687 + "
    "G * 67867967 + H * 86028121 + I * 10439531 + J * 12294982) % 31 == 5)";

/* Counts the configurations with A = a that satisfy sum_of_weights. Adds the other axes one by one.
 * counts[r] is the number of choices for the axes so far whose sum has the remainder r. */
static double count_by_remainder(int a)
{
    double counts[31] = {0};
    counts[(int)((int64_t)a * weights[0] % 31)] = 1;
    for (int axis = 1; axis < 10; axis++) {
        double next[31] = {0};
        for (int r = 0; r < 31; r++) {
            for (int digit = 0; digit < 10; digit++) {
                next[(r + (int64_t)digit * weights[axis]) % 31] += counts[r];
            }
        }
        memcpy(counts, next, sizeof counts);
    }
    return counts[5];
}

TEST(test_estimates)
{
    GT_SCOPED(setup_close) setup b = {0};
    gt_config config;
    gt_random random = {11};
    double expected[10], all = 0, statistic = 0;
    int drawn[10] = {0}, draws = 2000;
    open_digits(&b, 10, sum_of_weights);
    for (int a = 0; a < 10; a++) {
        all += expected[a] = count_by_remainder(a);
    }
    gt_space_size size = gt_space_count(b.space);
    assert_int_equal(size.certainty, GT_ABOUT);
    assert_true(fabs((double)size.count / all - 1) < 0.2);
    for (int i = 0; i < draws; i++) {
        assert_true(gt_space_draw(b.space, &random, &config));
        assert_true(brute_valid(&b, &config));
        drawn[config.choice[0]]++;
    }
    for (int a = 0; a < 10; a++) {
        double mean = draws * expected[a] / all;
        statistic += (drawn[a] - mean) * (drawn[a] - mean) / mean;
    }
    assert_true(statistic < 9 + 4 * sqrt(18));
}

typedef struct patience {
    uint64_t asked, most;
} patience;

static bool is_out_of_patience(void *user)
{
    patience *p = user;
    return ++p->asked > p->most;
}

/* Every part of the space may contain valid configurations until the last axis is chosen, so the
 * walk does not end until the caller cancels it. */
TEST(test_cancel)
{
    GT_SCOPED(setup_close) setup b = {0};
    gt_config config;
    gt_random random = {1};
    patience p = {0, 5000};
    open_digits(&b, 10,
                "require(((A * 7919) ^ (B * 104729) ^ (C * 1299709) ^ (D * 15485863) ^ "
                "(E * 32452843) ^ (F * 49979687) ^ (G * 67867967) ^ (H * 86028121) ^ "
                "(I * 104395301) ^ (J * 122949823)) == 12345)");
    gt_space_set_cancel(b.space, is_out_of_patience, &p);
    assert_int_equal(gt_space_count(b.space).certainty, GT_AT_MOST);
    assert_false(gt_space_draw(b.space, &random, &config));
    p.most = p.asked + 50;
    assert_false(gt_space_next(b.space, &config));
    assert_int_equal(p.asked, p.most + 1);
    assert_false(gt_space_next(b.space, &config));
}

/* If preparing a space is canceled, listing its configurations is exact and random draws work. */
TEST(test_without_diagrams)
{
    GT_SCOPED(setup_close) setup b = {0};
    gt_config config, brute = {{0}};
    gt_random random = {1};
    patience p = {0, 0};
    open_digits(&b, 4, "require(A + B + C + D == 9) require(A * D <= C + 1)");
    gt_space_set_cancel(b.space, is_out_of_patience, &p);
    assert_int_equal(gt_space_prepare(b.space), GPUTUNE_ECANCELED);
    gt_space_set_cancel(b.space, NULL, NULL);
    assert_int_not_equal(gt_space_count(b.space).certainty, GT_EXACT);
    do {
        if (brute_valid(&b, &brute)) {
            assert_true(gt_space_next(b.space, &config));
            assert_memory_equal(&config, &brute, sizeof config);
        }
    } while (brute_next(b.template, &brute));
    assert_false(gt_space_next(b.space, &config));
    for (int i = 0; i < 50; i++) {
        assert_true(gt_space_draw(b.space, &random, &config));
        assert_true(brute_valid(&b, &config));
    }
}

/* Checks that Pearson's statistic of draws over all valid configurations is near its degrees of
 * freedom. */
static void assert_even(const char *constraint, int axes)
{
    GT_SCOPED(setup_close) setup b = {0};
    gt_config config;
    gt_random random = {77};
    enum { EACH = 50 };
    open_digits(&b, axes, constraint);
    size_t count = (size_t)gt_space_count(b.space).count, places = 1;
    for (int i = 0; i < axes; i++) {
        places *= 10;
    }
    GT_FREED uint32_t *seen = calloc(places, sizeof *seen);
    assert_non_null(seen);
    for (size_t i = 0; i < count * EACH; i++) {
        size_t place = 0;
        assert_true(gt_space_draw(b.space, &random, &config));
        for (int axis = 0; axis < axes; axis++) {
            place = place * 10 + config.choice[axis];
        }
        seen[place]++;
    }
    double statistic = 0, freedom = (double)count - 1;
    size_t reached = 0;
    for (size_t i = 0; i < places; i++) {
        reached += seen[i] > 0;
        statistic += seen[i] ? (seen[i] - (double)EACH) * (seen[i] - (double)EACH) / EACH : 0;
    }
    assert_int_equal(reached, count);
    assert_true(fabs(statistic - freedom) < 4 * sqrt(2 * freedom));
}

TEST(test_even_draws)
{
    assert_even("require(A < B)", 3);
    assert_even("require(A + B + C == 11)", 3);
    assert_even("require(A % max(B, 1) == 0) require(C * D <= B)", 4);
    assert_even("require((A ^ B) < C || D == 3) require(D < 4)", 4);
}
