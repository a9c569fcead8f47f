/* Tests that a failed allocation in the rule learner is reported. */
#include "search/rule_learner.h"

#include "support/each_failure.h"

enum { SIZES = 24, CONFIGS = 3 };

static gputune_status learn(void *user)
{
    static const uint32_t numbers[CONFIGS] = {0, 1, 2};
    const gt_rule_data *data = user;
    gt_rule_tree tree;
    char *text;
    GT_TRY(gt_rule_learn(&tree, data));
    gputune_status status = gt_rule_tree_text(&text, &tree, data, numbers);
    gt_rule_tree_free(&tree);
    GT_TRY(status);
    free(text);
    return GPUTUNE_OK;
}

TEST(test_learner)
{
    static const gt_rule_feature features[] = {{"n", false, 0, 0}, {"n % 2 == 0", true, 1, 0}};
    static const uint32_t codes[CONFIGS] = {1, 2, 3};
    static const uint64_t needs[CONFIGS] = {0, 0, 1};
    double times[SIZES * CONFIGS], values[SIZES * 2];
    for (int s = 0; s < SIZES; s++) {
        const double n = 3 + 10 * s;
        values[2 * s] = n;
        values[2 * s + 1] = fmod(n, 2) == 0;
        for (int c = 0; c < CONFIGS; c++) { /* a third of the sizes is not measured */
            times[s * CONFIGS + c] = s % 3 == 2                         ? NAN
                                     : c == 2 && values[2 * s + 1] == 0 ? INFINITY
                                                                        : 10 * c + n / (c + 1);
        }
    }
    gt_rule_data data = {SIZES,    CONFIGS, 2,     1, times, values,
                         features, codes,   needs, 3, NULL,  NULL};
    assert_true(each_failure("allocation", 1, learn, NULL, &data) > 10);
}
