#include "cli/console.h"
#include "cli/options.h"
#include "cli/scenarios.h"
#include "support/test.h"

TEST(numbers_with_suffixes_and_powers)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1", 1},
        {"4096", 4096},
        {"4K", 4096},
        {"4k", 4096},
        {"16M", 16777216},
        {"1G", 1 << 30},
        {"2^20", 1 << 20},
        {"10^3", 1000},
        {"1^99", 1},
        {"7^0", 1},
        {"0", 0},
        {"0^5", 0},
        {"2^40", 1099511627776},
        {"1T", 1099511627776},
        {"1024G", 1099511627776},
        {"00012", 12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 0;
        assert_null(cli_size_number(&value, cases[i].text));
        assert_int_equal(value, cases[i].value);
    }
}

TEST(a_text_that_is_not_a_size_is_refused_with_a_reason)
{
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"-1", "out of range"},
        {"1025G", "out of range"},
        {"2^41", "out of range"},
        {"9999999999999999999999999", "out of range"},
        {"9^99999999999999999", "out of range"},
        {"1X", "not a number"},
        {"1KB", "not a number"},
        {"2^", "not a number"},
        {"1.5", "not a number"},
        {"2^3^4", "not a number"},
        {"half", "not a number"},
        {"", "not a number"},
        {"-", "not a number"},
        {"K", "not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 42;
        const char *problem = cli_size_number(&value, cases[i].text);
        assert_int_equal(value, 42);
        assert_non_null(problem);
        assert_non_null(strstr(problem, cases[i].problem));
    }
}

TEST(lists_of_one_name_join)
{
    cli_values values = {NULL, 0};
    assert_int_equal(cli_values_parse(&values, "--size", " n=1,2 m=3 "), CLI_CONTINUE);
    assert_int_equal(cli_values_parse(&values, "--size", "n=4"), CLI_CONTINUE);
    assert_int_equal(values.count, 2);
    const cli_value_list *n = cli_values_find(&values, "n");
    assert_int_equal(n->count, 3);
    assert_string_equal(n->values[2], "4");
    assert_null(cli_values_find(&values, "x"));
}

TEST(each_word_of_a_text_is_a_size)
{
    gputune_sizes sizes = cli_sizes_of(" n=4096  T=half ");
    assert_int_equal(sizes.count, 2);
    assert_string_equal(sizes.items[0].name, "n=4096");
    assert_string_equal(sizes.items[1].name, "T=half");
    assert_int_equal(sizes.items[1].value, 0);
    assert_int_equal(cli_sizes_of("").count, 0);
}
