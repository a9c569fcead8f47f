#include "cli/memory.h"
#include "support/test.h"

TEST(texts_grow)
{
    char *text = NULL;
    for (int i = 0; i < 100; i++) {
        cli_append(&text, "%d ", i % 10);
    }
    assert_int_equal(strlen(text), 200);
    assert_string_equal(text + 194, "7 8 9 ");
    assert_string_equal(cli_format("%s", ""), "");
    assert_string_equal(cli_copy_part("abcdef", 3), "abc");
    assert_string_equal(cli_copy_part("ab", 3), "ab");
    assert_null(cli_copy(NULL));
}

TEST(words_are_quoted_for_a_shell)
{
    assert_string_equal(cli_shell_word("./a-b/k_1.cu:axpy"), "./a-b/k_1.cu:axpy");
    assert_string_equal(cli_shell_word("a b.cu"), "'a b.cu'");
    assert_string_equal(cli_shell_word("it's `x`.cu"), "'it'\\''s `x`.cu'");
}

/* The list is reallocated after the mark, but releasing memory up to the mark must not free the
 * list. A sanitizer reports it if the list is freed too early. */
TEST(mark_releases_later_memory)
{
    const char **list = cli_grow(NULL, 0, sizeof *list);
    for (size_t i = 0; i < 1000; i++) {
        const char *kept = cli_format("%zu", i);
        void *mark = cli_mark();
        cli_format("%s of %zu", "scratch", i);
        list = i ? cli_grow(list, i, sizeof *list) : list;
        list[i] = kept;
        cli_allocate(3, 100);
        cli_release(mark);
    }
    assert_string_equal(list[0], "0");
    assert_string_equal(list[999], "999");
}

TEST(marks_stand_in_each_other)
{
    char *text = cli_copy("a");
    void *outer = cli_mark();
    cli_copy("scratch");
    void *inner = cli_mark();
    cli_append(&text, "%s", "b");
    cli_copy("scratch");
    cli_release(inner);
    assert_string_equal(text, "ab");
    cli_release(outer);
    assert_string_equal(text, "ab");
}
