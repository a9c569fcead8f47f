/* Tests that each thread has its own error message, and tests the names of statuses. */
#include "base/status.h"
#include "base_support.h"

#include <errno.h>

TEST(fail_returns_the_code_and_sets_one_line)
{
    assert_int_equal(gt_fail(GPUTUNE_EIO, "first\nsecond\r\nthird %d", 3), GPUTUNE_EIO);
    assert_string_equal(gputune_error(), "first second  third 3");
}

TEST(long_message_is_cut)
{
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    gt_fail(GPUTUNE_EINVAL, "%s", text);
    assert_int_equal(strlen(gputune_error()), 1023);
    gt_fail_prefix(GPUTUNE_EINVAL, "the place");
    assert_int_equal(strlen(gputune_error()), 1023);
    assert_memory_equal(gputune_error(), "the place: xxx", 14);
}

TEST(prefix_keeps_the_message)
{
    gt_fail(GPUTUNE_ETEMPLATE, "no such axis");
    assert_int_equal(gt_fail_prefix(GPUTUNE_ETEMPLATE, "%s:%d", "axpy.cu", 7), GPUTUNE_ETEMPLATE);
    assert_string_equal(gputune_error(), "axpy.cu:7: no such axis");
}

TEST(message_may_include_the_previous_one)
{
    gt_fail(GPUTUNE_EIO, "disk full");
    gt_fail(GPUTUNE_EIO, "not stored: %s", gputune_error());
    assert_string_equal(gputune_error(), "not stored: disk full");
}

TEST(fail_preserves_errno)
{
    errno = ENOENT;
    gt_fail(GPUTUNE_EIO, "%s", strerror(errno));
    gt_fail_prefix(GPUTUNE_EIO, "here");
    assert_int_equal(errno, ENOENT);
}

static void *fail_elsewhere(void *user)
{
    assert_string_equal(gputune_error(), "");
    gt_fail(GPUTUNE_EIO, "another thread's");
    return user;
}

TEST(message_is_per_thread)
{
    pthread_t thread;
    gt_fail(GPUTUNE_EIO, "mine");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    assert_string_equal(gputune_error(), "mine");
}

TEST(every_status_has_name_and_text)
{
    static const int codes[] = {
#define VALUE(name, value, text) value,
        GPUTUNE_STATUS_LIST(VALUE)
#undef VALUE
    };
    for (size_t i = 0; i < COUNT(codes); i++) {
        assert_string_not_equal(gt_status_name(codes[i]), "?");
        assert_string_not_equal(gputune_status_text(codes[i]), "unknown status");
    }
    assert_string_equal(gt_status_name(GPUTUNE_EINVAL), "EINVAL");
    assert_string_equal(gt_status_name(12345), "?");
    assert_string_equal(gputune_status_text(12345), "unknown status");
}

static void keep_line(void *user, gputune_log_level level, const char *line)
{
    (void)snprintf(user, 2048, "%s", line);
}

TEST(log_takes_one_line_at_a_time)
{
    char line[2048] = "";
    const gt_log log = {keep_line, line};
    gt_log_line(&log, GPUTUNE_LOG_WARNING, "%s", "two\nlines");
    assert_string_equal(line, "two lines");
    gt_log_line(&log, GPUTUNE_LOG_WARNING, "%2000d", 1);
    assert_int_equal(strlen(line), 1023);
    gt_log_line(NULL, GPUTUNE_LOG_WARNING, "nowhere");
    gt_log_line(&(gt_log){0}, GPUTUNE_LOG_WARNING, "nowhere");
}

static void fail_in_callback(void *user, gputune_log_level level, const char *line)
{
    (void)gt_fail(GPUTUNE_EIO, "of the callback");
}

TEST(failure_in_a_callback_of_the_log_keeps_the_message)
{
    const gt_log log = {fail_in_callback, NULL};
    (void)gt_fail(GPUTUNE_EINVAL, "of the call");
    gt_log_line(&log, GPUTUNE_LOG_WARNING, "a line");
    assert_string_equal(gputune_error(), "of the call");
}
