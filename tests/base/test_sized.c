/* Tests reading structs from callers that were built with an older or newer header. */
#include "base/sized.h"
#include "support/test.h"

typedef struct sample {
    uint32_t size, a;
    uint64_t b, c;
} sample;

/* A later version of `sample`, with one more member. */
typedef struct later {
    sample known;
    uint64_t d;
} later;

static const uint64_t untouched = 0xabababababababab;

TEST(read_copies_common_members)
{
    sample out = {sizeof out, 1, 2, 3};
    ASSERT_OK(GT_SIZED_READ(sample, &out, &((sample){sizeof(sample), 4, 5, 6})));
    assert_true(out.size == sizeof out && out.a == 4 && out.b == 5 && out.c == 6);
    out = (sample){sizeof out, 1, 2, 3};
    ASSERT_OK(GT_SIZED_READ(sample, &out, &((sample){offsetof(sample, c), 4, 5, 6})));
    assert_true(out.size == sizeof out && out.a == 4 && out.b == 5 && out.c == 3);
    later given = {{sizeof given, 7, 8, 9}, 10};
    ASSERT_OK(GT_SIZED_READ(sample, &out, &given.known));
    assert_true(out.size == sizeof out && out.a == 7 && out.b == 8 && out.c == 9);
}

TEST(read_stops_at_the_end_of_an_older_struct)
{
    sample out = {sizeof out, 1, 2, 3};
    GT_FREED uint64_t *older = calloc(2, sizeof *older);
    memcpy(older, &((sample){.size = 16, .a = 4}), 8);
    older[1] = 5;
    ASSERT_OK(GT_SIZED_READ(sample, &out, (const sample *)(const void *)older));
    assert_true(out.a == 4 && out.b == 5 && out.c == 3);
}

TEST(read_keeps_defaults_without_a_struct)
{
    sample out = {sizeof out, 1, 2, 3};
    ASSERT_OK(GT_SIZED_READ(sample, &out, NULL));
    assert_true(out.a == 1 && out.b == 2 && out.c == 3);
}

TEST(write_copies_common_members)
{
    const sample known = {sizeof known, 1, 2, 3};
    sample older = {.size = offsetof(sample, c), .c = untouched};
    later newer = {{.size = sizeof newer}, untouched};
    ASSERT_OK(GT_SIZED_WRITE(sample, &older, &known));
    assert_true(older.size == offsetof(sample, c) && older.b == 2 && older.c == untouched);
    ASSERT_OK(GT_SIZED_WRITE(sample, &newer.known, &known));
    assert_true(newer.known.size == sizeof known && newer.known.c == 3 && newer.d == untouched);
}

TEST(invalid_sizes_are_refused)
{
    static const uint32_t wrong[] = {0, 1, 4, 17, 4100, 0xdeadbeef};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sample out = {sizeof out, 1, 2, 3}, theirs = {wrong[i], 4, 5, 6};
        assert_int_equal(GT_SIZED_READ(sample, &out, &theirs), GPUTUNE_EINVAL);
        assert_int_equal(GT_SIZED_WRITE(sample, &theirs, &out), GPUTUNE_EINVAL);
        assert_true(out.a == 1 && theirs.size == wrong[i] && theirs.a == 4);
    }
    assert_int_equal(GT_SIZED_READ(sample, &(sample){0}, &(sample){0}), GPUTUNE_EINVAL);
    assert_string_equal(gt_message(),
                        "the size of a sample is 0; expected its sizeof, 24: initialise "
                        "it with its _INIT macro");
}
