/* JSON as recorded spaces have it: what is read, and what is told of what is not.
 */
#include "base/base_support.h"

#include "api/json.h"

#include <float.h>
#include <math.h>
#include <string.h>

static json_t *parse(const char *text)
{
    json_t *value;
    int line;
    if (gt_json_parse(&value, &line, text, strlen(text)) != GPUTUNE_OK) {
        fail_msg("%s: %s", text, gt_message());
    }
    return value;
}

static void refused(const char *text, int line, const char *message)
{
    json_t *value = NULL;
    int at = 0;
    gputune_status status = gt_json_parse(&value, &at, text, strlen(text));
    if (status != GPUTUNE_EINVAL || !strstr(gt_message(), message) || at != line || value) {
        fail_msg("%s: %s in line %d: %s; expected '%s' in line %d", text, gt_status_name(status),
                 at, gt_message(), message, line);
    }
}

TEST(values_of_every_kind_are_read)
{
    json_t *value =
        parse(" { \"a\" : [ 1, -2.5e1 , true,false, null , \"\" ], \"b\":{}, \"a c\":[]}\n");
    json_t *a = json_object_get(value, "a");
    assert_int_equal(json_object_size(value), 3);
    assert_int_equal(json_array_size(a), 6);
    assert_true(json_is_integer(json_array_get(a, 0)));
    assert_true(json_real_value(json_array_get(a, 1)) == -25);
    assert_true(json_is_true(json_array_get(a, 2)) && json_is_false(json_array_get(a, 3)));
    assert_true(json_is_null(json_array_get(a, 4)));
    assert_string_equal(json_string_value(json_array_get(a, 5)), "");
    json_decref(value);
    value = parse("{\"a\":1,\"a\":2}");
    assert_int_equal(json_integer_value(json_object_get(value, "a")), 2); /* the last */
    json_decref(value);
}

TEST(numbers_keep_their_value)
{
    static const struct {
        const char *text;
        double value;
    } reals[] = {{"0.1", 0.1},          {"1e308", 1e308}, {"2.2250738585072014e-308", DBL_MIN},
                 {"5e-324", 4.94e-324}, {"1e-400", 0},    {"-0.0", 0},
                 {"1E+2", 100},         {"10.25", 10.25}};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        json_t *value = parse(reals[i].text);
        assert_true(json_is_real(value) && json_real_value(value) == reals[i].value);
        json_decref(value);
    }
    json_t *value = parse("[9223372036854775807, -9223372036854775808, 0, -0]");
    assert_true(json_integer_value(json_array_get(value, 0)) == INT64_MAX);
    assert_true(json_integer_value(json_array_get(value, 1)) == INT64_MIN);
    json_decref(value);
}

TEST(texts_keep_their_characters)
{
    json_t *value =
        parse("\"q\\\" b\\\\ s\\/ \\b\\f\\n\\r\\t \\u0041\\u00e9\\u20AC\\ud83d\\ude00 caf\xc3\xa9 "
              "\xe2\x82\xac \xf0\x9f\x98\x80\"");
    assert_string_equal(json_string_value(value),
                        "q\" b\\ s/ \b\f\n\r\t A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 caf\xc3\xa9 "
                        "\xe2\x82\xac \xf0\x9f\x98\x80");
    json_decref(value);
}

TEST(mistakes_are_told_with_their_line)
{
    static const struct {
        const char *text;
        int line;
        const char *message;
    } cases[] = {
        {"", 1, "the text ends; expected a value"},
        {"\n\nNaN,", 3, "found 'NaN'; expected a value"},
        {"nul", 1, "expected a value"},
        {"[1\n 2]", 2, "found '2'; expected ',' or ']'"},
        {"[1,]", 1, "found ']'; expected a value"},
        {"{\"a\":1,}", 1, "found '}'; expected a name in quotes"},
        {"{a:1}", 1, "found 'a'; expected a name in quotes"},
        {"{\"a\" 1}", 1, "found '1'; expected ':'"},
        {"{\"a\":1", 1, "the text ends; expected ',' or '}'"},
        {"1 2", 1, "found '2'; expected the text's end"},
        {"01", 1, "found '1'; expected the text's end"},
        {"-", 1, "the text ends; expected a digit"},
        {"1.x", 1, "found 'x'; expected a digit"},
        {"1e", 1, "the text ends; expected a digit"},
        {"9223372036854775808", 1, "the number 9223372036854775808 is too large"},
        {"1e400", 1, "the number 1e400 is too large"},
        {"-1e400", 1, "the number -1e400 is too large"},
        {"\"a", 1, "the text ends; expected a character of UTF-8, or a closing quote"},
        {"\"a\nb\"", 1, "or a closing quote"},
        {"\"\\x\"", 1, "found 'x\"'; expected one of"},
        {"\"\\", 1, "behind a backslash"},
        {"\"\\u12\"", 1, "four digits"},
        {"\"\\u12g4\"", 1, "four digits"},
        {"\"\\u0000\"", 1, "four digits"},
        {"\"\\ud800\"", 1, "four digits"},
        {"\"\\ud800\\n\"", 1, "four digits"},
        {"\"\\ud800\\u0041\"", 1, "four digits"},
        {"\"\\udc00\"", 1, "four digits"},
        {"\"\xff\"", 1, "UTF-8"},
        {"\"\xc3\"", 1, "UTF-8"},
        {"\"\xc3", 1, "UTF-8"},
        {"\"\xc0\x80\"", 1, "UTF-8"},
        {"\"\xe0\x80\x80\"", 1, "UTF-8"},
        {"\"\xed\xa0\x80\"", 1, "UTF-8"},
        {"\"\xf0\x80\x80\x80\"", 1, "UTF-8"},
        {"\"\xf4\x90\x80\x80\"", 1, "UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refused(cases[i].text, cases[i].line, cases[i].message);
    }
}

TEST(what_has_no_bound_is_bounded)
{
    char text[1001];
    memset(text, '[', 1000);
    text[1000] = '\0';
    refused(text, 1, "nested more than 100 deep");
    memset(text, '1', 1000);
    refused(text, 1, "a number has 1000 characters");
}

/* Two values, of which the first is all of the text that counts. */
TEST(the_text_ends_where_it_is_said_to)
{
    json_t *value;
    int line;
    assert_int_equal(gt_json_parse(&value, &line, "12345", 3), GPUTUNE_OK);
    assert_int_equal(json_integer_value(value), 123);
    json_decref(value);
    assert_int_equal(gt_json_parse(&value, &line, "true", 3), GPUTUNE_EINVAL);
    assert_int_equal(gt_json_parse(&value, &line, "1\0", 2), GPUTUNE_EINVAL);
}
