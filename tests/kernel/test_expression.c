/* Tests expressions: values, precedence, and messages for mistakes. */
#include "kernel_support.h"
#include "support/parse_expression.h"

static const char *const names[] = {"a", "b", "c", "pow"};
static const int64_t values[GT_SLOT_MAX] = {7, -3, 0, 7};

static int slot_of(void *user, const char *name)
{
    for (int i = 0; i < 4; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static const gt_scope scope = {.slot = slot_of};
static const gt_place place = {"t.cu", 3, 10};

static gt_expression *expression(const char *text)
{
    gt_expression *parsed = NULL;
    ASSERT_OK(parse_expression(&parsed, text, place, &scope));
    return parsed;
}

TEST(test_integers)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 4 - 3", 3},
        {"1 << 26", 67108864},
        {"1 << 2 + 1", 8},
        {"-7 / 2", -3},
        {"-7 % 2", -1},
        {"0x10 + 010 + 0b11", 27},
        {"64K + 1m + 2G - 1T", 65536 + 1048576 + 2147483648 - 1099511627776},
        {"1ull << 40", INT64_C(1) << 40},
        {"1'000'000 + 0x1'0 + 1", 1000017},
        {"a + b * 2", 1},
        {"a > b && b > 1", 0},
        {"a > b || 1 / c", 1},
        {"c && 1 / c", 0},
        {"c ? 1 / c : 5", 5},
        {"a ? b ? 1 : 2 : 3", 1},
        {"c ? 1 : c ? 2 : 3", 3},
        {"a & 3 | 8 ^ 1", 11},
        {"1 | 2 == 2", 1},
        {"!a + !c", 1},
        {"~0", -1},
        {"- -3", 3},
        {"a == 7 != 0", 1},
        {"ceil_div(10, 4)", 3},
        {"ceil_div(-10, 4)", -2},
        {"round_up(10, 4)", 12},
        {"round_up(12, 4)", 12},
        {"min(4, a, 2 + 3)", 4},
        {"max(4, a)", 7},
        {"sqrt(99)", 9},
        {"sqrt(9223372036854775807)", 3037000499},
        {"log2(1023)", 9},
        {"pow(3, 4)", 81},
        {"pow * 2", 14}, /* here pow is a name, because no ( follows */
        {"pow(-1, 1000001)", -1},
        {"sizeof(double) + sizeof(unsigned int)", 12},
        {"sizeof(float4) + sizeof(char3) + sizeof(__nv_fp8x2_e4m3) + sizeof(bool)", 22},
        {"1 /* one */ + // rest\n 1", 2},
        {"1 + \\\n 1", 2},
        {"0B11 + 0X1f", 34},
        {"pow(-1, 64) + pow(1, 99) + pow(0, 64)", 2},
        {"sqrt(4503599761588224) + sqrt(4503599761588225)", 2 * 67108865 - 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 0;
        gt_expression *parsed = expression(cases[i].text);
        ASSERT_OK(gt_expression_integer(&value, parsed, values));
        if (value != cases[i].value) {
            fail_msg("%s is %lld", cases[i].text, (long long)value);
        }
        free(parsed);
    }
}

TEST(test_reals)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1e-3 * 2", 2e-3},         {"1 / 4", 0.25},      {"a / 2", 3.5},
        {"sqrt(2.25)", 1.5},        {"log2(8)", 3},       {"pow(2, -1)", 0.5},
        {"ceil_div(7, 2)", 4},      {"7 % 4 + 0.5", 3.5}, {"1 << 3", 8},
        {"a > 6.5 ? .5f : 2", 0.5}, {"min(0.5, 1)", 0.5}, {"c || 0.25", 1},
        {"1.f + 2.5F", 3.5},        {"!0.5 + !c", 1},     {"pow(2, 0.5) * pow(2, 0.5)", 2},
        {"-0.5 * 2", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        gt_expression *parsed = expression(cases[i].text);
        ASSERT_OK(gt_expression_real(&value, parsed, values, false));
        assert_float_equal(value, cases[i].value, 1e-12);
        free(parsed);
    }
}

/* In a floating-point expression, a division of two integers truncates, as in C++. */
TEST(test_numbers)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"7 / 2", 3},
        {"a / 2 * 0.5", 1.5},
        {"7 / 2.0", 3.5},
        {"-7 / 2", -3},
        {"7 % 4 / 2 + 0.5", 1.5},
        {"sqrt(6) * sqrt(6) / 4", 1.5},
        {"(c + 1) / (1 << 1)", 0},
        {"max(7, 2) / 2", 3},
        {"1 / 4 ? 1 : 0.25", 0.25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        gt_expression *parsed = expression(cases[i].text);
        ASSERT_OK(gt_expression_real(&value, parsed, values, true));
        if (fabs(value - cases[i].value) > 1e-12) {
            fail_msg("%s is %g", cases[i].text, value);
        }
        free(parsed);
    }
}

TEST(test_many_operands)
{
    enum { OPERANDS = 1024 };
    char text[4 * OPERANDS] = "1";
    int64_t integer;
    double real;
    for (int i = 1; i < OPERANDS; i++) {
        memcpy(text + 4 * i - 3, " + 1", 5);
    }
    GT_FREED gt_expression *parsed = expression(text);
    ASSERT_OK(gt_expression_integer(&integer, parsed, values));
    assert_int_equal(integer, OPERANDS);
    ASSERT_OK(gt_expression_real(&real, parsed, values, true));
    assert_true(real == OPERANDS);
}

TEST(expression_names_division_by_zero_and_overflow)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1 / c", "t.cu:3:10: division by zero in '1 / c'; expected a value that can be computed"},
        {"1 % c", "t.cu:3:10: division by zero in '1 % c'; expected a value that can be computed"},
        {"ceil_div(1, c)",
         "t.cu:3:10: division by zero in 'ceil_div(1, c)'; expected a value that can be computed"},
        {"9223372036854775807 + 1", "t.cu:3:10: overflow of 64 bits in '9223372036854775807 + 1'; "
                                    "expected a value that can be computed"},
        {"pow(10, 19)",
         "t.cu:3:10: overflow of 64 bits in 'pow(10, 19)'; expected a value that can be computed"},
        {"pow(2, 64)",
         "t.cu:3:10: overflow of 64 bits in 'pow(2, 64)'; expected a value that can be computed"},
        {"pow(2, -1)", "t.cu:3:10: a value outside the function's domain in 'pow(2, -1)'; expected "
                       "a value that can be computed"},
        {"sqrt(b)", "t.cu:3:10: a value outside the function's domain in 'sqrt(b)'; expected a "
                    "value that can be computed"},
        {"3 << 62",
         "t.cu:3:10: overflow of 64 bits in '3 << 62'; expected a value that can be computed"},
        {"-9223372036854775807 - 2", "t.cu:3:10: overflow of 64 bits in '-9223372036854775807 - "
                                     "2'; expected a value that can be computed"},
        {"1 << 63",
         "t.cu:3:10: a shift by a negative count or by more than 62 in '1 << 63'; expected "
         "a value that can be computed"},
        {"log2(c)", "t.cu:3:10: a value outside the function's domain in 'log2(c)'; expected a "
                    "value that can be computed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 42;
        gt_expression *parsed = expression(cases[i].text);
        assert_int_equal(gt_expression_integer(&value, parsed, values), GPUTUNE_ETEMPLATE);
        assert_string_equal(gt_message(), cases[i].message);
        assert_int_equal(value, 42);
        free(parsed);
    }
}

TEST(test_the_most_negative_number)
{
    static const char *const overflows[] = {"(-9223372036854775807 - 1) / -1",
                                            "-(-9223372036854775807 - 1)",
                                            "(-9223372036854775807 - 1) * -1"};
    for (size_t i = 0; i < sizeof overflows / sizeof *overflows; i++) {
        int64_t value;
        gt_expression *parsed = expression(overflows[i]);
        assert_int_equal(gt_expression_integer(&value, parsed, values), GPUTUNE_ETEMPLATE);
        free(parsed);
    }
    int64_t value = 1;
    gt_expression *parsed = expression("(-9223372036854775807 - 1) % -1");
    ASSERT_OK(gt_expression_integer(&value, parsed, values));
    assert_int_equal(value, 0);
    free(parsed);
}

TEST(expression_names_syntax_mistakes)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "t.cu:3:10: the pragma ends here; expected a number, a name or '('"},
        {"1 +", "t.cu:3:13: the pragma ends here; expected a number, a name or '('"},
        {"a b", "t.cu:3:12: found 'b'; expected an operator or the expression's end"},
        {"d", "t.cu:3:10: unknown name 'd'; expected a number"},
        {"1 +\n  d", "t.cu:4:3: unknown name 'd'; expected a number"},
        {"min(1)", "t.cu:3:13: min() with 1 value; expected 2"},
        {"pow(1, 2, 3)", "t.cu:3:18: found ','; expected ')'"},
        {"1 = 2", "t.cu:3:12: found '='; expected an operator or the expression's end"},
        {"1.5x", "t.cu:3:10: found '1.5x'; expected an integer below 2^63 or a floating literal"},
        {"0b", "t.cu:3:10: found '0b'; expected an integer below 2^63 or a floating literal"},
        {"1e999", "t.cu:3:10: found '1e999'; expected an integer below 2^63 or a floating literal"},
        {"12ab", "t.cu:3:10: found '12ab'; expected an integer below 2^63 or a floating literal"},
        {"9000000T",
         "t.cu:3:10: found '9000000T'; expected an integer below 2^63 or a floating literal"},
        {"\"a\"", "t.cu:3:10: found '\"a\"'; expected a number, a name or '('"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gt_expression *parsed = NULL;
        assert_int_equal(parse_expression(&parsed, cases[i].text, place, &scope),
                         GPUTUNE_ETEMPLATE);
        assert_string_equal(gt_message(), cases[i].message);
        assert_null(parsed);
    }
}

TEST(expression_knows_its_names_and_kind)
{
    gt_expression *parsed = expression("b  *\t3 /* b */ + 1");
    assert_true(gt_expression_uses(parsed, 1));
    assert_false(gt_expression_uses(parsed, 0));
    assert_string_equal(parsed->text, "b * 3 + 1");
    assert_false(parsed->is_real);
    free(parsed);
    parsed = expression("0x1e5");
    assert_false(parsed->is_real);
    free(parsed);
    parsed = expression("1e5");
    assert_true(parsed->is_real);
    free(parsed);
}
