/* The list of a program's tests, and the default main(). */
#include "support/test.h"

static struct CMUnitTest tests[64];
static int lines[64];
static size_t count;

/* Inserts a test in the order of the source lines. Constructors call this in any order. */
void test_add(int line, const struct CMUnitTest *test)
{
    if (count == sizeof tests / sizeof *tests) {
        fprintf(stderr, "%s: more than %zu tests in one program\n", test->name, count);
        exit(1);
    }
    size_t at = count++;
    for (; at && lines[at - 1] > line; at--) {
        lines[at] = lines[at - 1];
        tests[at] = tests[at - 1];
    }
    lines[at] = line;
    tests[at] = *test;
}

int tests_run(CMFixtureFunction before_all, CMFixtureFunction after_all)
{
    return _cmocka_run_group_tests("tests", tests, count, before_all, after_all);
}

__attribute__((weak)) int main(void)
{
    return tests_run(NULL, NULL);
}
