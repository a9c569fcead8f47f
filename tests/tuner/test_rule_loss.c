/* Tests the expected loss that a rule states, with losses that are drawn at random. */
#include "tuner/rule.h"

#include "support/test.h"

/* Draws losses: many are small, and few are large. */
static void draw(double *losses, size_t count, double mean, gt_random *random)
{
    for (size_t i = 0; i < count; i++) {
        losses[i] = -mean * log(1 - gt_random_unit(random));
    }
}

/* With ten tests, a quarter of the stated losses are too low, despite the added standard error. */
TEST(test_promises)
{
    enum { RULES = 1000, TESTS = 10, SIZES = 100 };
    const double of_choice = 0.04, of_tree = 0.03, truth = of_choice + of_tree;
    gt_random random = {1};
    double choice[TESTS], tree[SIZES], sum = 0;
    gt_rule_loss loss;
    int low = 0;
    for (int i = 0; i < RULES; i++) {
        draw(choice, TESTS, of_choice, &random);
        draw(tree, SIZES, of_tree, &random);
        ASSERT_OK(gt_rule_add_losses(&loss, choice, TESTS, tree, SIZES));
        assert_true(loss.mean < loss.p90 && loss.p90 <= loss.worst);
        low += log(loss.mean) < truth;
        sum += log(loss.mean) / RULES;
    }
    assert_in_range(low, 0, 3 * RULES / 10);
    assert_true(sum > truth && sum < 1.3 * truth);
    ASSERT_OK(gt_rule_add_losses(&loss, choice, 1, tree, SIZES));
    assert_true(isnan(loss.mean));
}
