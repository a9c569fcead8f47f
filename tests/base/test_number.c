/* Tests converting numbers to and from text in a locale that prints 1234.5 as 1.234,5. */
#include "base/file.h"
#include "base/number.h"
#include "base/status.h"
#include "base/text.h"
#include "base_support.h"

#include "support/comma_locale.h"

TEST(numbers_are_read_with_a_point)
{
    char *end;
    comma_locale_needed();
    assert_true(gt_strtod("1.5e3x", &end) == 1500);
    assert_string_equal(end, "x");
    assert_true(gt_strtod("1,5", &end) == 1);
    assert_string_equal(end, ",5");
    assert_true(gt_strtod("1.234.567", &end) == 1.234);
    assert_true(gt_strtod("0.1", NULL) == 0.1);
    gt_strtod("none", &end);
    assert_string_equal(end, "none");
}

TEST(numbers_are_written_with_a_point_and_no_groups)
{
    char text[64];
    comma_locale_needed();
    assert_int_equal(gt_snprintf(text, sizeof text, "%.2f %g %.1f", 1.5, 1e-9, 1e6), 20);
    assert_string_equal(text, "1.50 1e-09 1000000.0");
    assert_int_equal(gt_snprintf(text, 3, "%.3f", 1.5), 5);
    assert_string_equal(text, "1.");
}

TEST(host_keeps_its_locale)
{
    char text[64];
    comma_locale_needed();
    locale_t before = uselocale((locale_t)0);
    gt_snprintf(text, sizeof text, "%g", 1.5);
    gt_strtod("1.5", NULL);
    assert_true(uselocale((locale_t)0) == before);
    snprintf(text, sizeof text, "%g", 1.5);
    assert_string_equal(text, "1,5");
}

TEST(thread_keeps_its_locale)
{
    char text[64];
    comma_locale_needed();
    locale_t own = newlocale(LC_NUMERIC_MASK, "comma", (locale_t)0);
    locale_t before = uselocale(own);
    gt_snprintf(text, sizeof text, "%g", 1.5);
    assert_string_equal(text, "1.5");
    assert_true(uselocale(before) == own);
    freelocale(own);
}

static void on_log(void *user, gputune_log_level level, const char *line)
{
    snprintf(user, 64, "%s", line);
}

TEST(messages_paths_and_logs_use_points)
{
    char line[64] = "", *path;
    gt_text text = {0};
    const gt_log log = {on_log, line};
    comma_locale_needed();
    gt_fail(GPUTUNE_EIO, "%.1f s", 2.5);
    assert_string_equal(gputune_error(), "2.5 s");
    gt_fail_prefix(GPUTUNE_EIO, "%g", 0.5);
    assert_string_equal(gputune_error(), "0.5: 2.5 s");
    gt_log_line(&log, GPUTUNE_LOG_ERROR, "%.3f", 1.5);
    assert_string_equal(line, "1.500");
    gt_text_printf(&text, "%d %g", 1, 1.25);
    assert_string_equal(gt_text_string(&text), "1 1.25");
    gt_text_free(&text);
    ASSERT_OK(gt_format(&path, "/tmp/%g", 1.5));
    assert_string_equal(path, "/tmp/1.5");
    free(path);
}

static void *format_often(void *failed)
{
    for (int i = 0; i < 20000; i++) {
        char text[32];
        gt_snprintf(text, sizeof text, "%.2f", i / 4.0);
        if (strchr(text, ',') || gt_strtod(text, NULL) != i / 4.0) {
            *(bool *)failed = true;
        }
    }
    return NULL;
}

TEST(threads_keep_separate_locales)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    bool failed[THREADS] = {false};
    comma_locale_needed();
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, format_often, &failed[i]), 0);
    }
    for (int i = 0; i < 20000; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.1f", 0.5);
        assert_string_equal(text, "0,5");
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_false(failed[i]);
    }
}

TESTS_WITHIN(comma_locale_set, comma_locale_reset)
