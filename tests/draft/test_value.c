/* Tests arithmetic on symbolic values, their text in drafts, and upper bounds of indices. */
#include "draft/parts.h"

#include "support/test.h"

static draft_symbol symbols[] = {
    {.kind = DRAFT_HOST, .name = "n"},    {.kind = DRAFT_HOST, .name = "m"},
    {.kind = DRAFT_COUNTER, .name = "i"}, {.kind = DRAFT_COUNTER, .name = "j"},
    {.kind = DRAFT_LOADED, .name = "d"},
};
#define N      draft_symbol_value(&symbols[0])
#define M      draft_symbol_value(&symbols[1])
#define I      draft_symbol_value(&symbols[2])
#define J      draft_symbol_value(&symbols[3])
#define LOADED draft_symbol_value(&symbols[4])

static draft_amount *do_(int operation, draft_amount *a, draft_amount *b)
{
    return draft_binary(operation, a, b, false);
}

static draft_amount *number(int64_t value)
{
    return draft_number(value);
}

/* Uses N and M first, because factors are printed in the order in which their symbols were first
 * used. */
static void begin(void)
{
    draft_plus(N, number(1), 1);
    draft_plus(M, number(1), 1);
}

#define ASSERT_PRINTS(value, text) assert_string_equal(draft_print_value(value), text)

TEST(equal_values_are_one)
{
    begin();
    draft_amount *a = draft_times(draft_plus(N, number(1), 1), M);
    draft_amount *b = draft_plus(M, draft_times(M, N), 1);
    assert_ptr_equal(a, b);
    ASSERT_PRINTS(a, "n * m + m");
    ASSERT_PRINTS(draft_plus(a, a, -1), "0");
    ASSERT_PRINTS(draft_times(number(-2), N), "-2 * n");
}

TEST(rounding_up_is_found_in_each_form)
{
    draft_amount *usual = do_(CX_DIV, do_(CX_ADD, N, number(255)), number(256));
    ASSERT_PRINTS(usual, "ceil_div(n, 256)");
    assert_ptr_equal(do_(CX_ADD, do_(CX_DIV, do_(CX_SUB, N, number(1)), number(256)), number(1)),
                     usual);
    ASSERT_PRINTS(do_(CX_DIV, do_(CX_SUB, do_(CX_ADD, N, M), number(1)), M), "ceil_div(n, m)");
}

TEST(quotients_without_a_rest_are_exact)
{
    assert_ptr_equal(do_(CX_DIV, draft_times(N, number(8)), number(8)), N);
    ASSERT_PRINTS(do_(CX_DIV, N, number(0)), "1");
    assert_false(draft_is_known(do_(CX_DIV, N, number(0))));
}

TEST(indices_are_bounded_by_comparisons)
{
    begin();
    draft_amount *last_row = do_(CX_SUB, N, number(1));
    draft_facts facts = {0};
    draft_facts_add(&facts, do_(CX_LT, I, N), true);
    draft_facts_add(&facts, do_(CX_LT, J, M), true);
    draft_amount *index = draft_plus(draft_times(I, M), J, 1);
    ASSERT_PRINTS(draft_plus(draft_bound(index, true, &facts), number(1), 1), "n * m");
    draft_amount *clamped = draft_make(DRAFT_MIN, draft_plus(I, number(3), 1), last_row, NULL);
    ASSERT_PRINTS(draft_bound(clamped, true, &facts), "n - 1");
    assert_false(draft_is_known(draft_bound(draft_plus(index, LOADED, 1), true, &facts)));
    ASSERT_PRINTS(draft_bound(do_(CX_REM, LOADED, N), true, &facts), "n - 1");
}

TEST(quotients_may_be_zero)
{
    begin();
    ASSERT_PRINTS(draft_make(DRAFT_MAX, do_(CX_DIV, N, number(4)), number(1), NULL),
                  "max(n / 4, 1)");
    ASSERT_PRINTS(draft_make(DRAFT_MAX, N, number(1), NULL), "n");
}

TEST(comparisons_are_written_without_common_terms)
{
    begin();
    draft_amount *blocks = draft_make(DRAFT_CEIL_DIV, N, number(32), NULL);
    ASSERT_PRINTS(draft_at_most(draft_times(blocks, number(32)), N), "n % 32 == 0");
    ASSERT_PRINTS(draft_at_most(draft_plus(draft_times(N, M), M, 1), draft_times(M, number(3))),
                  "n * m <= 2 * m");
    ASSERT_PRINTS(draft_make(DRAFT_NEGATION, draft_at_most(N, M), NULL, NULL), "m < n");
}

TEST(sums_that_are_too_long_are_not_known)
{
    draft_amount *sum = N, *product = N;
    for (int i = 0; i < 60; i++) {
        draft_symbol *symbol = draft_new(sizeof *symbol);
        *symbol = (draft_symbol){.kind = DRAFT_HOST, .name = "s"};
        sum = draft_plus(sum, draft_symbol_value(symbol), 1);
        product = draft_times(product, N);
    }
    assert_false(draft_is_known(sum));
    assert_false(draft_is_known(product));
}

TEST(numbers_that_overflow_are_not_known)
{
    draft_amount *least = number(INT64_MIN);
    assert_false(draft_is_known(draft_plus(number(INT64_MAX), number(1), 1)));
    assert_false(draft_is_known(do_(CX_DIV, least, number(-1))));
    ASSERT_PRINTS(do_(CX_REM, least, number(-1)), "0");
}
