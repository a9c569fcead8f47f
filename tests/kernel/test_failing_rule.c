/* Tests that failed allocations are reported, from parsing a rule to writing its header. */
#include "kernel/bind/binding.h"
#include "kernel/rule/features.h"
#include "kernel/rule/header.h"
#include "kernel_support.h"

#include "support/each_failure.h"

static const char template_text[] =
    "#pragma gputune kernel(k) problem(m = 4096, n = 4096)\n"
    "#pragma gputune args(inout float y[m][n], in float x[n], int n, float a = 2)\n"
    "#pragma gputune tune(B = 64, 128) vector(V = 1, 4 : y) scratch(float s[ceil_div(n, B)])\n"
    "#pragma gputune require(V == 4 || n % 4 != 0) block(B) grid(ceil_div(n, V * B), m)\n"
    "__global__ void k(float *y, const float *x, int n, float a, float *s) { y[0] = B * x[0]; }\n";

static const char rule_text[] = "region m=64:16K n=1:65536\n"
                                "loss mean=1 p90=1 worst=1 sizes=9\n"
                                "variant B=64 V=1\n"
                                "variant B=128 V=4\n"
                                "if n % 4 == 0\n"
                                "  use 1\n"
                                "else\n"
                                "  use 0\n";

typedef struct job {
    gt_template *template;
    gt_device device;
} job;

static gputune_status write_all(const job *j, const gt_rule *rule)
{
    static const uint32_t codes[] = {0, 1};
    static const char *const archs[] = {"sm_90a"};
    const gt_header_code compiled[] = {{{"one", 3}, {"k"}}, {{"two", 3}, {"k"}}};
    const gt_header header = {j->template, rule, rule_text, &j->device, false,
                              codes,       2,    1,         archs,      compiled};
    gt_size_features features;
    char *text;
    GT_TRY(gt_rule_text(&text, j->template, &rule->region, &rule->loss, rule->variants.items,
                        rule->variants.count, "use 0\n"));
    free(text);
    GT_TRY(gt_size_features_make(&features, j->template, &rule->region, &j->device,
                                 rule->variants.items, rule->variants.count));
    gt_size_features_free(&features);
    GT_TRY(gt_header_write(&text, &header));
    free(text);
    return GPUTUNE_OK;
}

static gputune_status go_through(void *user)
{
    const job *j = user;
    gt_rule *rule;
    GT_TRY(gt_rule_parse(&rule, j->template, rule_text));
    gputune_status status = write_all(j, rule);
    gt_rule_free(rule);
    return status;
}

TEST(test_rule)
{
    job j = {parse(template_text), device_of("sm_90a")};
    assert_true(each_failure("allocation", 1, go_through, NULL, &j) > 50);
    gt_template_free(j.template);
}
