/* Tests growable strings, integers in text, and finding the most similar name. */
#include "base/text.h"
#include "base_support.h"

TEST(text_grows_and_is_moved_out)
{
    gt_text text = {0};
    char *taken;
    assert_string_equal(gt_text_string(&text), "");
    for (int i = 0; i < 1000; i++) {
        gt_text_printf(&text, "%03d,", i);
    }
    gt_text_append(&text, "end");
    gt_text_append_bytes(&text, "\0!", 2);
    assert_int_equal(text.length, 4005);
    ASSERT_OK(gt_text_take(&taken, &text));
    assert_memory_equal(taken + 3996, "999,end\0!", 10);
    assert_int_equal(text.length, 0);
    free(taken);
    ASSERT_OK(gt_text_take(&taken, &text));
    assert_string_equal(taken, "");
    free(taken);
}

TEST(text_too_long_for_memory_fails_at_the_end)
{
    gt_text text = {0};
    char *untouched = NULL;
    gt_text_append(&text, "start");
    gt_text_append_bytes(&text, "x", SIZE_MAX / 2);
    gt_text_append(&text, "more");
    assert_true(text.failed);
    assert_int_equal(gt_text_take(&untouched, &text), GPUTUNE_ENOMEM);
    assert_null(untouched);
    assert_null(text.data);
}

TEST(integers_are_read_with_suffixes_and_exponents)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"0", 0},
        {"42", 42},
        {" 42 ", 42},
        {"+7", 7},
        {"-12", -12},
        {"0x10", 16},
        {"4K", 4096},
        {"4k", 4096},
        {"16M", INT64_C(1) << 24},
        {"3G", INT64_C(3) << 30},
        {"2T", INT64_C(2) << 40},
        {"2^20", 1 << 20},
        {"10^18", INT64_C(1000000000000000000)},
        {"7^0", 1},
        {"2^10K", 1 << 20},
        {"010", 10},
        {"0099", 99},
        {"1^99", 1},
        {"0^99999999999999999999", 0},
        {"-2^2", -4},
        {"0xfK", 15360},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        int64_t value = -99;
        if (gt_parse_int(&value, good[i].text) != GPUTUNE_OK || value != good[i].value) {
            fail_msg("'%s' gave %lld", good[i].text, (long long)value);
        }
    }
}

TEST(malformed_integers_are_refused)
{
    static const char *const bad[] = {
        "",   " ",   "K",    "four", "4KB",   "4 K",  "1.5", "4x",
        "2^", "2^x", "2^-1", "2^63", "--1",   "0x",   "1e3", "9223372036854775808",
        "^3", "8G8", "2^ 3", "+ 1",  "2^3^4", "10^19"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        int64_t value = -99;
        if (gt_parse_int(&value, bad[i]) != GPUTUNE_EINVAL || value != -99) {
            fail_msg("'%s' was taken for %lld", bad[i], (long long)value);
        }
    }
    ASSERT_FAILS(gt_parse_int(&(int64_t){0}, "9KB"), GPUTUNE_EINVAL,
                 "'9KB' is not an integer; expected");
}

TEST(too_large_integers_are_refused)
{
    static const char *const large[] = {"9223372036854775808",
                                        "-9223372036854775809",
                                        "9000000T",
                                        "2^63",
                                        "10^99999999999999999999",
                                        "0x10000000000000000",
                                        "99999999999999999999999^1"};
    for (size_t i = 0; i < COUNT(large); i++) {
        int64_t value = -99;
        assert_int_equal(gt_read_int(&value, large[i]), GT_INT_TOO_LARGE);
        ASSERT_FAILS(gt_parse_int(&value, large[i]), GPUTUNE_EINVAL,
                     "is too large; expected an integer below 2^63");
        assert_int_equal(value, -99);
    }
}

TEST(nearest_name_is_found)
{
    static const char *const names[] = {"axpy", "matmul", "reduce", "transpose", "softmax"};
    assert_string_equal(gt_nearest("matmull", names, COUNT(names)), "matmul");
    assert_string_equal(gt_nearest("MATMUL", names, COUNT(names)), "matmul");
    assert_string_equal(gt_nearest("apxy", names, COUNT(names)), "axpy");
    assert_string_equal(gt_nearest("transposed_", names, COUNT(names)), "transpose");
    assert_null(gt_nearest("convolution", names, COUNT(names)));
    assert_null(gt_nearest("matmul", names, 0));
    assert_null(gt_nearest("", names, COUNT(names)));
    static const char *const letters[] = {"n", "ab"};
    assert_string_equal(gt_nearest("nn", letters, 2), "n");
    /* a single letter has no similar name; otherwise any two letters would be similar */
    assert_null(gt_nearest("m", letters, 2));
    assert_null(gt_nearest("xy", letters, 2));
    assert_null(gt_nearest("bcd", letters, 2));
}

TEST(very_long_word_has_no_nearest_name)
{
    static const char *const names[] = {"axpy"};
    char word[500];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_null(gt_nearest(word, names, 1));
}

/* A message may quote a source in any encoding, and may be cut within a character. */
TEST(invalid_utf8_is_replaced)
{
    static const char *const cases[][2] = {{"caf\xe9 \xc3\xa9", "caf? \xc3\xa9"},
                                           {"\xe2\x82\xac \xe2\x82", "\xe2\x82\xac ??"},
                                           {"\xc0\x80\xf4\x90\x80\x80", "??????"},
                                           {"", ""}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[16];
        snprintf(text, sizeof text, "%s", cases[i][0]);
        gt_make_utf8(text);
        assert_string_equal(text, cases[i][1]);
    }
}
