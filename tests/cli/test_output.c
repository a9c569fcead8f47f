#include "cli/files.h"
#include "cli/memory.h"
#include "cli/table.h"

#include "support/test.h"

TEST(units_have_four_digits)
{
    assert_string_equal(cli_value(0.5, GPUTUNE_OBJECTIVE_DEFAULT), "0.500 ns");
    assert_string_equal(cli_value(812, GPUTUNE_OBJECTIVE_DEFAULT), "812.0 ns");
    assert_string_equal(cli_value(999.94, GPUTUNE_OBJECTIVE_DEFAULT), "999.9 ns");
    assert_string_equal(cli_value(999.96, GPUTUNE_OBJECTIVE_DEFAULT), "1.000 µs");
    assert_string_equal(cli_value(198123, GPUTUNE_OBJECTIVE_DEFAULT), "198.1 µs");
    assert_string_equal(cli_value(1234567, GPUTUNE_OBJECTIVE_DEFAULT), "1.235 ms");
    assert_string_equal(cli_value(2.5e9, GPUTUNE_OBJECTIVE_DEFAULT), "2.500 s");
    assert_string_equal(cli_value(7.2e12, GPUTUNE_OBJECTIVE_DEFAULT), "7200 s");
    assert_string_equal(cli_value(4.5e6, GPUTUNE_OBJECTIVE_ENERGY), "4.500 mJ");
    assert_string_equal(cli_rate(4.065e12), "4065 GB/s");
    assert_string_equal(cli_rate(1.5e9), "1.50 GB/s");
    assert_string_equal(cli_bytes(0), "0 B");
    assert_string_equal(cli_bytes(49152), "48 KB");
    assert_string_equal(cli_bytes(1536), "1.5 KB");
    assert_int_equal(cli_columns("1 µs"), 4);
}

TEST(round_sizes_are_shortened)
{
    assert_string_equal(cli_short_sizes("n=67108864 T=half m=1000"), "n=64M T=half m=1000");
    assert_string_equal(cli_short_sizes("n=1024"), "n=1K");
    assert_string_equal(cli_short_sizes("n=0"), "n=0");
    assert_string_equal(cli_short_sizes(""), "");
    assert_string_equal(cli_short_sizes("n"), "n");
    assert_string_equal(cli_short_sizes("n=99999999999999999999999999"),
                        "n=99999999999999999999999999");
}

typedef struct item {
    const char *text;
    double number;
} item;

static const cli_column columns[] = {
    {"text", "text", CLI_TEXT, CLI_IN_DATA | CLI_VIEW, offsetof(item, text)},
    {"number", "number", CLI_REAL, CLI_IN_DATA | CLI_VIEW, offsetof(item, number)},
};

static char *write_item(const item *item, cli_format_kind format)
{
    cli_table table = CLI_TABLE("items", columns, *item, CLI_VIEW);
    cli_table_add(&table, item);
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    cli_tables_write(table.name, &table, 1, format, file);
    fclose(file);
    char *copy = cli_copy(text);
    free(text);
    return copy;
}

TEST(json_numbers_read_back_the_same)
{
    static const char name[] = "\"number\": ";
    const double numbers[] = {0.1, 1.0 / 3, 198298.09999999998, 5e-324, 1.7976931348623157e308, -2};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const item one = {"x", numbers[i]};
        const char *number = strstr(write_item(&one, CLI_FORMAT_JSON), name);
        assert_non_null(number);
        assert_true(strtod(number + strlen(name), NULL) == numbers[i]);
    }
}

TEST(json_escapes_quotes_and_control_characters)
{
    assert_string_equal(cli_json_text("\"a\"\n\t,\x01\\/\x7f\xc2\xb5"),
                        "\"\\\"a\\\"\\n\\t,\\u0001\\\\/\x7f\xc2\xb5\"");
    assert_string_equal(cli_json_text(NULL), "\"\"");
    assert_string_equal(cli_json_text("\xff\xfe"), "\"\""); /* not UTF-8 */
}

TEST(infinity_is_nothing)
{
    const item one = {"x", 1e308 * 10};
    assert_string_equal(write_item(&one, CLI_FORMAT_CSV), "text,number\nx,\n");
}

TEST(csv_quotes_commas_and_line_ends)
{
    const item one = {"say \"a, b\"", 2};
    assert_string_equal(write_item(&one, CLI_FORMAT_CSV), "text,number\n\"say \"\"a, b\"\"\",2\n");
}

TEST(words_are_quoted_for_a_shell)
{
    assert_string_equal(cli_shell_word("./a-b/k_1.cu:axpy"), "./a-b/k_1.cu:axpy");
    assert_string_equal(cli_shell_word("a b.cu"), "'a b.cu'");
    assert_string_equal(cli_shell_word("it's `x`.cu"), "'it'\\''s `x`.cu'");
}
