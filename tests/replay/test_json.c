/* Tests reading the JSON of recorded spaces, and the messages about invalid JSON. */
#include "base/base_support.h"

#include "replay/json.h"

static char copy[2048];
static gt_json_list list;

/* Reads a text, and sets *line to the last line that was read. */
static gputune_status read_text(const char *text, int *line)
{
    gt_json_reader reader;
    const size_t length = strlen(text);
    memcpy(copy, text, length);
    list.count = 0;
    gputune_status status = gt_json_read(&reader, &list, copy, length);
    *line = reader.line;
    return status;
}

static const gt_json *parse(const char *text)
{
    int line;
    if (read_text(text, &line) != GPUTUNE_OK) {
        fail_msg("%s: %s", text, gt_message());
    }
    return list.items;
}

static void refused(const char *text, int line, const char *message)
{
    int at = 0;
    gputune_status status = read_text(text, &at);
    if (status != GPUTUNE_EINVAL || !strstr(gt_message(), message) || at != line) {
        fail_msg("%s: %s in line %d: %s; expected '%s' in line %d", text, gt_status_name(status),
                 at, gt_message(), message, line);
    }
}

static size_t count(const gt_json *in)
{
    size_t all = 0;
    for (const gt_json *one = NULL; (one = gt_json_after(in, one)) != NULL;) {
        all++;
    }
    return all;
}

static const gt_json *at(const gt_json *in, size_t index)
{
    const gt_json *one = gt_json_after(in, NULL);
    for (; one && index; index--) {
        one = gt_json_after(in, one);
    }
    return one;
}

TEST(values_of_every_kind_are_read)
{
    const gt_json *value =
        parse(" { \"a\" : [ 1, -2.5e1 , true,false, null , \"\" ], \"b\":{}, \"a c\":[]}\n");
    const gt_json *a = gt_json_member(value, "a");
    assert_int_equal(count(value), 3);
    assert_int_equal(value->kind, GT_JSON_OBJECT);
    assert_int_equal(count(a), 6);
    assert_true(at(a, 0)->kind == GT_JSON_NUMBER && at(a, 0)->number == 1);
    assert_true(at(a, 1)->number == -25);
    assert_true(at(a, 2)->kind == GT_JSON_BOOLEAN && at(a, 2)->number == 1);
    assert_true(at(a, 3)->kind == GT_JSON_BOOLEAN && at(a, 3)->number == 0);
    assert_int_equal(at(a, 4)->kind, GT_JSON_NULL);
    assert_string_equal(gt_json_text(at(a, 5)), "");
    assert_int_equal(count(gt_json_member(value, "b")), 0);
    assert_int_equal(gt_json_member(value, "a c")->kind, GT_JSON_ARRAY);
    assert_null(gt_json_member(value, "c"));
    assert_true(gt_json_member(parse("{\"a\":1,\"a\":2}"), "a")->number == 2); /* the last */
}

TEST(texts_keep_their_characters)
{
    const gt_json *value =
        parse("\"q\\\" b\\\\ s\\/ \\b\\f\\n\\r\\t \\u0041\\u00e9\\u20AC\\ud83d\\ude00 caf\xc3\xa9 "
              "\xe2\x82\xac \xf0\x9f\x98\x80\"");
    assert_string_equal(gt_json_text(value),
                        "q\" b\\ s/ \b\f\n\r\t A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 caf\xc3\xa9 "
                        "\xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(mistakes_are_reported_with_their_line)
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
        {"{\"a\" 1}", 1, "found '1'; expected ':'"},
        {"{\"a\":1", 1, "the text ends; expected ',' or '}'"},
        {"{\"a\":01}", 1, "found '1'; expected ',' or '}'"},
        {"-", 1, "the text ends; expected a digit"},
        {"1.x", 1, "found 'x'; expected a digit"},
        {"1e400", 1, "the number 1e400 is too large"},
        {"\"a", 1, "the text ends; expected a character of UTF-8, or a closing quote"},
        {"\"a\nb\"", 1, "or a closing quote"},
        {"\"\\x\"", 1, "found 'x\"'; expected one of"},
        {"\"\\", 1, "behind a backslash"},
        {"\"\\u12g4\"", 1, "four digits"},
        {"\"\\ud800\"", 1, "four digits"},
        {"\"\\udc00\"", 1, "four digits"},
        {"\"\xff\"", 1, "UTF-8"},
        {"\"\xc3", 1, "UTF-8"},
        {"\"\xc0\x80\"", 1, "UTF-8"},
        {"\"\xed\xa0\x80\"", 1, "UTF-8"},
        {"\"\xf4\x90\x80\x80\"", 1, "UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refused(cases[i].text, cases[i].line, cases[i].message);
    }
}

TEST(depth_and_lengths_are_limited)
{
    char text[1001];
    memset(text, '[', 1000);
    text[1000] = '\0';
    refused(text, 1, "nested more than 100 deep");
    memset(text, '1', 1000);
    refused(text, 1, "a number has 1000 characters");
}
