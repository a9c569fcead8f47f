/* Tests reading and writing rules, and the variant that a rule chooses at a size. */
#include "kernel/bind/binding.h"
#include "kernel/rule/rule.h"
#include "kernel_support.h"

static const char template_text[] =
    "#pragma gputune kernel(k) problem(m = 4096) problem(n = 4096)\n"
    "#pragma gputune problem(type T = float, double, unsigned int) args(out T y[m][n])\n"
    "#pragma gputune tune(B = 64, 128) tune(R = 1, 2) block(B) grid(ceil_div(n, B), m)\n"
    "__global__ void k(T *y) { y[0] = B * R; }\n";

static const char rule_text[] = "region m=64:16384 n=1:65536 T=float\n"
                                "loss mean=1.021 p90=1.064 worst=1.19 sizes=212\n"
                                "variant B=64 R=1\n"
                                "variant B=128 R=1\n"
                                "variant B=128 R=2\n"
                                "if n % 4 == 0\n"
                                "  if m * n <= 256K\n"
                                "    use 1\n"
                                "  else\n"
                                "    use 0\n"
                                "else\n"
                                "  if ceil_div(n, 64) * m <= 2 * sm_count\n"
                                "    use 2\n"
                                "  else\n"
                                "    use 0\n";

static gt_rule *rule_of(const gt_template *template, const char *text)
{
    gt_rule *rule = NULL;
    ASSERT_OK(gt_rule_parse(&rule, template, text));
    return rule;
}

static int choose(const gt_rule *rule, const gt_template *template, const char *sizes)
{
    int64_t slots[GT_SLOT_MAX];
    gt_problem problem;
    const gt_device device = device_of("sm_90a");
    ASSERT_OK(gt_problem_parse(&problem, template, sizes));
    gt_slots_fill(slots, template, &problem, &device);
    return gt_rule_choose(rule, &problem, slots);
}

TEST(test_types_of_two_words)
{
    GT_SCOPED(template_end) gt_template *t = parse(template_text);
    gt_rule *rule = rule_of(t, "region m=64:128 T=unsigned int n=1:2\n"
                               "loss mean=1 p90=1 worst=1 sizes=9\n"
                               "variant B=64 R=1\nuse 0\n");
    assert_int_equal(choose(rule, t, "m=64 n=2 T=unsigned int"), 0);
    assert_int_equal(choose(rule, t, "m=64 n=2 T=float"), -1);
    gt_rule_free(rule);
}

TEST(test_choice)
{
    static const struct {
        const char *sizes;
        int variant;
    } cases[] = {
        {"m=64 n=4096", 1},   {"m=65 n=4096", 0},         {"m=164 n=257", 0},  {"m=66 n=255", 2},
        {"m=66 n=129", 2},    {"m=16384 n=1", 0},         {"m=63 n=4096", -1}, {"m=16385 n=1", -1},
        {"m=64 n=65537", -1}, {"m=64 n=65536", 0},        {"m=64 n=0", -1},    {"m=64 n=1", 2},
        {"T=double", -1},     {"m=16384 n=4 T=float", 1},
    };
    GT_SCOPED(template_end) gt_template *t = parse(template_text);
    gt_rule *rule = rule_of(t, rule_text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(choose(rule, t, cases[i].sizes), cases[i].variant);
    }
    assert_int_equal(rule->variants.count, 3);
    assert_string_equal(text_of(t, &rule->variants.items[2]), "B=128 R=2");
    assert_int_equal(rule->loss.sizes, 212);
    assert_true(rule->loss.worst == 1.19);
    gt_rule_free(rule);
}

/* At a size where a condition overflows, the rule chooses no variant. */
TEST(test_no_value)
{
    GT_SCOPED(template_end) gt_template *t = parse(template_text);
    gt_rule *rule = rule_of(t, "region m=1:1T n=1:1T T=float\nloss mean=1 p90=1 worst=1 sizes=1\n"
                               "variant B=64\nif m * m <= 4 * n\nuse 0\nelse\nuse 0\n");
    assert_int_equal(choose(rule, t, "m=1T n=1"), -1);
    assert_int_equal(choose(rule, t, "m=1G n=1"), 0);
    gt_rule_free(rule);
}

TEST(test_round_trip)
{
    GT_SCOPED(template_end) gt_template *t = parse(template_text);
    gt_rule *rule = rule_of(t, rule_text);
    GT_FREED char *again = NULL;
    ASSERT_OK(gt_rule_text(&again, t, &rule->region, &rule->loss, rule->variants.items,
                           rule->variants.count, strstr(rule_text, "if ")));
    assert_string_equal(again, rule_text);
    gt_rule_free(rule);
}

#define HEAD "region m=64:16K n=1 T=float\nloss mean=1 p90=1 worst=1 sizes=9\n"

TEST(test_mistakes)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "a rule's line 2: found the end; expected 'region'"},
        {"loss", "a rule's line 1: found 'loss'; expected 'region'"},
        {"region q=1:2", "a rule's line 1: k has no size 'q'; expected one of: m, n, T"},
        {"region m=1:x",
         "a rule's line 1: 'x' is not an integer; expected a number such as 4096, 4K, 16M or 2^20"},
        {"region m=1\nloss mean=1",
         "a rule's line 2: found 'loss mean=1'; expected mean=, p90=, worst= and sizes="},
        {HEAD "use 0", "a rule's line 3: found 'use 0'; expected 'variant'"},
        {HEAD "variant B=x", "a rule's line 3: B has no value 'x'; expected an integer"},
        {HEAD "variant B=64\nuse 1",
         "a rule's line 4: found 'use 1'; expected the number of a variant"},
        {HEAD "variant B=64\nuse 0\nuse 0", "a rule's line 5: found 'use 0'; expected the end"},
        {HEAD "variant B=64\nif m <= 9\n  use 0\n",
         "a rule's line 7: found the end; expected 'else'"},
        {HEAD "variant B=64\nif B <= 9",
         "a rule's line 4: rule:4:1: 'B' is a tunable; expected a problem value or a device "
         "property here"},
        {HEAD "variant B=64\nif m <= 9 n",
         "a rule's line 4: found 'if m <= 9 n'; expected one condition"},
    };
    GT_SCOPED(template_end) gt_template *t = parse(template_text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gt_rule *rule = NULL;
        assert_int_equal(gt_rule_parse(&rule, t, cases[i].text), GPUTUNE_ERECORDED);
        assert_string_equal(gt_message(), cases[i].message);
        assert_null(rule);
    }
}
