/* The thread's one line of message, and the names of codes. */
#include "base/log.h"
#include "base/status.h"
#include "base_support.h"

#include <errno.h>
#include <pthread.h>

static void failing_gives_the_code_and_one_line(void **state)
{
    (void)state;
    assert_int_equal(gt_fail(GPUTUNE_EIO, "first\nsecond\r\nthird %d", 3), GPUTUNE_EIO);
    assert_string_equal(gputune_error(), "first second  third 3");
}

static void long_message_is_cut(void **state)
{
    char text[3000];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    gt_fail(GPUTUNE_EINVAL, "%s", text);
    assert_int_equal(strlen(gputune_error()), 1023);
    gt_fail_prefix(GPUTUNE_EINVAL, "the place");
    assert_int_equal(strlen(gputune_error()), 1023);
    assert_memory_equal(gputune_error(), "the place: xxx", 14);
}

static void prefix_keeps_what_was_said(void **state)
{
    (void)state;
    gt_fail(GPUTUNE_ETEMPLATE, "no such axis");
    assert_int_equal(gt_fail_prefix(GPUTUNE_ETEMPLATE, "%s:%d", "axpy.cu", 7), GPUTUNE_ETEMPLATE);
    assert_string_equal(gputune_error(), "axpy.cu:7: no such axis");
}

static void message_may_quote_the_last_one(void **state)
{
    (void)state;
    gt_fail(GPUTUNE_EIO, "disk full");
    gt_fail(GPUTUNE_EIO, "not stored: %s", gputune_error());
    assert_string_equal(gputune_error(), "not stored: disk full");
}

static void failing_keeps_errno(void **state)
{
    (void)state;
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

static void message_is_the_threads_own(void **state)
{
    pthread_t thread;
    (void)state;
    gt_fail(GPUTUNE_EIO, "mine");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    assert_string_equal(gputune_error(), "mine");
}

static void every_status_has_name_and_text(void **state)
{
    static const int codes[] = {
#define VALUE(name, value, text) value,
        GPUTUNE_STATUS_LIST(VALUE)
#undef VALUE
    };
    (void)state;
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
    (void)level;
    (void)snprintf(user, 2048, "%s", line);
}

static void log_takes_one_line_at_a_time(void **state)
{
    char line[2048] = "";
    const gt_log log = {keep_line, line};
    (void)state;
    gt_log_line(&log, GPUTUNE_LOG_WARNING, "%s", "two\nlines");
    assert_string_equal(line, "two lines");
    gt_log_line(&log, GPUTUNE_LOG_WARNING, "%2000d", 1);
    assert_int_equal(strlen(line), 1023);
    gt_log_line(NULL, GPUTUNE_LOG_WARNING, "nowhere");
    gt_log_line(&(gt_log){0}, GPUTUNE_LOG_WARNING, "nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_gives_the_code_and_one_line),
        cmocka_unit_test(long_message_is_cut),
        cmocka_unit_test(prefix_keeps_what_was_said),
        cmocka_unit_test(message_may_quote_the_last_one),
        cmocka_unit_test(failing_keeps_errno),
        cmocka_unit_test(message_is_the_threads_own),
        cmocka_unit_test(every_status_has_name_and_text),
        cmocka_unit_test(log_takes_one_line_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
