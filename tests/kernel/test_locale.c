/* Floating numbers of templates and of messages in a host whose numbers have a decimal comma. */
#include "kernel_support.h"

#include "support/comma_locale.h"

static const char header[] = "#pragma gputune kernel(k)\n"
                             "#pragma gputune problem(n = 1024)\n"
                             "#pragma gputune tune(B = 64, 128)\n"
                             "#pragma gputune default(B = 64)\n"
                             "#pragma gputune block(B)\n"
                             "#pragma gputune grid(ceil_div(n, B))\n";
static const char body[] =
    "__global__ void k(float *y, float a, size_t n) { if (n) y[0] = B * a; }\n";

static char *source(const char *arguments)
{
    gt_text text = {0};
    char *out;
    gt_text_printf(&text, "%s#pragma gputune args(%s, float a = 1.5, size_t n)\n%s", header,
                   arguments, body);
    ASSERT_OK(gt_text_take(&out, &text));
    return out;
}

TEST(test_floats_of_a_template)
{
    comma_locale_needed();
    GT_SCOPED(bench_close) bench b = {0};
    GT_FREED char *text = source("inout float y[n] = uniform(-0.25, 2.5e-1)");
    bench_open(&b, text, "sm_90");
    assert_true(b.workload.buffers[0].low == -0.25);
    assert_true(b.workload.buffers[0].high == 0.25);
    assert_true(gt_scalar_number(&b.workload, &b.workload.scalars[0])->low == 1.5);
}

TEST(test_messages_have_points)
{
    comma_locale_needed();
    GT_FREED char *text = source("inout float y[n] = uniform(0.5, -0.5)");
    gt_template *template = parse(text);
    gt_device device = device_of("sm_90");
    gt_problem problem;
    gt_workload workload;
    ASSERT_OK(gt_problem_bind(&problem, template, (gputune_sizes){0, NULL}));
    assert_int_equal(gt_workload_bind(&workload, template, &problem, &device, 0, NULL, 0),
                     GPUTUNE_EINVAL);
    assert_non_null(strstr(gt_message(), "filled from 0.5 to -0.5"));
    gt_template_free(template);
}

TESTS_WITHIN(comma_locale_set, comma_locale_reset)
