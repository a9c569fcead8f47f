/* TEST(name) { … } defines and registers a test. Tests run in the order of the file. A program
 * without global fixtures needs no main(). The usual C and POSIX headers come with it. */
#pragma once

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/status.h"

#define TEST(name) TEST_WITHIN(name, NULL, NULL)

/* A test with a setup and a teardown function. */
#define TEST_WITHIN(name, set_up, tear_down) TEST_OF(name, void *no_state, set_up, tear_down)

/* Like TEST_WITHIN(), but the test gets the object that `set_up` made: TEST_OF(name, world *w,
 * open_world, close_world) { … }. The test is not inlined, because gcc 12 would wrongly warn of
 * dangling pointers. */
#define TEST_OF(name, parameter, set_up, tear_down)                                                \
    __attribute__((noinline)) static void name(parameter);                                         \
    static void run_##name(void **state)                                                           \
    {                                                                                              \
        name(*state);                                                                              \
    }                                                                                              \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        test_add(__LINE__, &(struct CMUnitTest){#name, run_##name, set_up, tear_down, NULL});      \
    }                                                                                              \
    static void name(__attribute__((unused)) parameter)

/* The main() of a program with global fixtures, each of which may be NULL. */
#define TESTS_WITHIN(before_all, after_all)                                                        \
    int main(void)                                                                                 \
    {                                                                                              \
        return tests_run(before_all, after_all);                                                   \
    }

/* Fails the test with the library's message. */
#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        gputune_status status_ = (call);                                                           \
        if (status_ != GPUTUNE_OK) {                                                               \
            fail_msg("%s: %s: %s", #call, gt_status_name(status_), gt_message());                  \
        }                                                                                          \
    } while (0)

/* Fails the test unless the call fails with this status and its message contains `part`. */
#define ASSERT_FAILS(call, status, part)                                                           \
    do {                                                                                           \
        gputune_status status_ = (call);                                                           \
        if (status_ != (status) || !strstr(gt_message(), part)) {                                  \
            fail_msg("%s: %s: %s", #call, gt_status_name(status_), gt_message());                  \
        }                                                                                          \
    } while (0)

#define SKIP_IF(condition)                                                                         \
    do {                                                                                           \
        if (condition) {                                                                           \
            skip();                                                                                \
        }                                                                                          \
    } while (0)

/* Options of a call: OPTIONS(.effort = GPUTUNE_ESTIMATE, .force = true). */
#define OPTIONS(...)                                                                               \
    (gputune_options)                                                                              \
    {                                                                                              \
        sizeof(gputune_options), GPUTUNE_MEASURE, __VA_ARGS__                                      \
    }
/* Like OPTIONS(), for the options of gputune_open() and for filters of records. */
#define OPEN_OPTIONS(...)                                                                          \
    (gputune_open_options)                                                                         \
    {                                                                                              \
        sizeof(gputune_open_options), __VA_ARGS__                                                  \
    }
#define FILTER(...)                                                                                \
    (gputune_record_filter)                                                                        \
    {                                                                                              \
        sizeof(gputune_record_filter), __VA_ARGS__                                                 \
    }
#pragma GCC diagnostic ignored "-Woverride-init" /* .effort in OPTIONS() overrides its default */

/* Runs all tests and returns the number of failed tests, for main(). The functions may be NULL. */
int tests_run(CMFixtureFunction before_all, CMFixtureFunction after_all);

void test_add(int line, const struct CMUnitTest *test);
