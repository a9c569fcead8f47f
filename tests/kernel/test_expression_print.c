/* Tests printing expressions in which known values were replaced by numbers. */
#include "kernel_support.h"
#include "support/parse_expression.h"

#include "base/random.h"

static const char *const names[] = {"n", "m", "B", "C"};
enum { NAMES = 4, KNOWN = 1 << 2 | 1 << 3 };
static const int64_t slots[GT_SLOT_MAX] = {100, 7, 64, 1}, least[GT_SLOT_MAX] = {65, 1};

static int slot_of(void *user, const char *name)
{
    const size_t i = gt_index_of(name, names, NAMES);
    return i < NAMES ? (int)i : -1;
}

static const char *name_of(void *user, int slot)
{
    return slot < 2 ? names[slot] : NULL;
}

static const gt_scope scope = {.slot = slot_of};

static gt_expression *expression(const char *text)
{
    gt_expression *parsed = NULL;
    ASSERT_OK(parse_expression(&parsed, text, (gt_place){"t.cu", 3, 10}, &scope));
    return parsed;
}

static gputune_status print(gt_text *out, const char *text, uint64_t known)
{
    const gt_print form = {slots, {known}, name_of, NULL, "", 0, least, false};
    gt_expression *parsed = expression(text);
    gputune_status status = gt_expression_print(out, NULL, NULL, parsed, &form);
    free(parsed);
    return status;
}

TEST(test_print)
{
    static const struct {
        const char *text, *printed;
    } cases[] = {
        {"ceil_div(n, B) * C", "ceil_div(n, 64)"},
        {"min(B, ceil_div(n, B)) * (m + 0)", "min(64, ceil_div(n, 64)) * m"},
        {"B == 64 || n % 2 != 0", "1"},
        {"B == 4 || n % (2 * B) != 0 || B * C == 1", "n % 128 != 0"},
        {"B > 1 && n", "n != 0"},
        {"B > 1 ? n : 1 / 0", "n"},
        {"(n - m) - (n - (m - 1))", "n - m - (n - (m - 1))"},
        {"n * (C - 2)", "n * (-1)"},
        {"log2(n) + sqrt(B)", "log2(n) + 8"},
        {"n << (C - 1) >> 2", "n >> 2"},
        {"(n + 3) >> 2 || m == B && n", "(n + 3) >> 2 || (m == 64 && n)"},
        {"min(C, ceil_div(n, B)) * m", "m"}, /* n is at least 65, and m at least 1 */
        {"max(ceil_div(n, B), 2) * max(m, 2)", "ceil_div(n, 64) * max(m, 2)"},
        {"max(B, n - m)", "max(64, n - m)"},
        {"4 <= max(4, m) && m > 0 && B != n && !(m < 1)", "1"},
        {"m > 1 || m <= 1 && 65 == n", "m > 1 || (m <= 1 && 65 == n)"},
        {"max(n - m, -1) + min(-2, m - n)", "max(n - m, -1) + min(-2, m - n)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GT_SCOPED(gt_text_free) gt_text out = {0};
        ASSERT_OK(print(&out, cases[i].text, KNOWN));
        assert_string_equal(gt_text_string(&out), cases[i].printed);
    }
}

TEST(test_no_value)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"n * 0.5", "t.cu:3:10: a floating-point number in 'n * 0.5'; expected a value that can be "
                    "computed"},
        {"n + B / (C - 1)", "t.cu:3:10: division by zero in 'n + B / (C - 1)'; expected a value "
                            "that can be computed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GT_SCOPED(gt_text_free) gt_text out = {0};
        assert_int_equal(print(&out, cases[i].text, KNOWN), GPUTUNE_ETEMPLATE);
        assert_string_equal(gt_message(), cases[i].message);
    }
}

static void draw(gt_text *out, gt_random *random, int depth)
{
    static const char *const operators[] = {
        "*", "/", "%", "+", "-", "<<", "<", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||"};
    const uint64_t kind = depth ? gt_random_below(random, 8) : gt_random_below(random, 2);
    if (kind == 0) {
        gt_text_append(out, names[gt_random_below(random, NAMES)]);
    } else if (kind == 1) {
        gt_text_printf(out, "%d", (int)gt_random_below(random, 5));
    } else if (kind == 2) {
        gt_text_append(out, gt_random_below(random, 2) ? "ceil_div(" : "max(");
        draw(out, random, depth - 1);
        gt_text_append(out, ", ");
        draw(out, random, depth - 1);
        gt_text_append(out, ")");
    } else if (kind == 3) {
        gt_text_append(out, gt_random_below(random, 2) ? "-(" : "!(");
        draw(out, random, depth - 1);
        gt_text_append(out, ")");
    } else {
        gt_text_append(out, "(");
        draw(out, random, depth - 1);
        gt_text_printf(out, kind == 4 ? ") ? (" : ") %s (", operators[gt_random_below(random, 16)]);
        draw(out, random, depth - 1);
        if (kind == 4) {
            gt_text_append(out, ") : (");
            draw(out, random, depth - 1);
        }
        gt_text_append(out, ")");
    }
}

TEST(test_random_expressions)
{
    gt_random random = {1};
    int compared = 0;
    for (int i = 0; i < 20000; i++) {
        GT_SCOPED(gt_text_free) gt_text text = {0}, printed = {0};
        int64_t value, again;
        draw(&text, &random, 4);
        gt_expression *original = expression(gt_text_string(&text));
        if (!gt_expression_try(&value, original, slots) &&
            print(&printed, gt_text_string(&text), KNOWN) == GPUTUNE_OK) {
            gt_expression *second = expression(gt_text_string(&printed));
            assert_null(gt_expression_try(&again, second, slots));
            if (again != value) {
                fail_msg("%s: %lld; %s: %lld", gt_text_string(&text), (long long)value,
                         gt_text_string(&printed), (long long)again);
            }
            free(second);
            compared++;
        }
        free(original);
    }
    assert_true(compared > 5000);
}
