/* Tests the order in which a run tunes its scenarios, and how it divides the time among them. */
#include "cli/turns.h"
#include "support/test.h"

enum { COUNT = 6 };

/* Three scenarios of each kernel: gemm at m = n = 256, 64 and 1024, axpy at n = 9, 7 and 8. */
static cli_kernel kernels[2] = {{.given = "gemm"}, {.given = "axpy"}};
static cli_scenario scenarios[COUNT];

static void make_of(cli_turn *turns, const char *const *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scenarios[i].kernel = &kernels[i / 3];
        turns[i] =
            (cli_turn){.scenario = &scenarios[i], .place = i, .cost = cli_turn_cost(sizes[i])};
    }
}

static void make(cli_turn *turns)
{
    static const char *const sizes[COUNT] = {"m=256 n=256", "m=64 n=64",  "m=1024 n=1024",
                                             "n=9 T=half",  "n=7 T=half", "n=8 T=half"};
    make_of(turns, sizes, COUNT);
}

static void check_places(const cli_turn *turns, const size_t *expected)
{
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(turns[i].place, expected[i]);
    }
}

TEST(the_smaller_of_two_sizes_comes_first)
{
    cli_turn turns[2];
    make_of(turns, (const char *const[]){"n=1048576", "n=16384"}, 2);
    cli_turns_sort(turns, 2);
    assert_int_equal(turns[0].place, 1);
}

TEST(known_scenarios_come_first)
{
    cli_turn turns[COUNT];
    make(turns);
    turns[2].known = turns[3].known = true;
    cli_turns_sort(turns, COUNT);
    check_places(turns, (const size_t[]){2, 3, 1, 0, 4, 5});
}

TEST(equal_costs_keep_the_order_given)
{
    cli_turn turns[COUNT];
    make(turns);
    for (size_t i = 0; i < COUNT; i++) {
        turns[i].cost = 1;
    }
    cli_turns_sort(turns, COUNT);
    check_places(turns, (const size_t[]){0, 1, 2, 3, 4, 5});
}

TEST(every_turn_gets_a_second)
{
    cli_turn turns[COUNT];
    make(turns);
    cli_turns_weigh(turns, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(cli_turns_share_s(turns, COUNT, i, 0.5, 1) == 1);
    }
}

TEST(what_takes_longest_is_known_from_a_kernels_latest_search)
{
    cli_turn turns[COUNT];
    make(turns);
    cli_turns_sort(turns, COUNT);
    assert_int_equal(cli_turns_longest(turns, COUNT, 0), 0);
    cli_turns_note(turns, COUNT, 1, &turns[0], 0.5);
    assert_int_equal(cli_turns_longest(turns, COUNT, 1), 3); /* axpy's first search */
    cli_turns_note(turns, COUNT, 1, &turns[3], 0.2);
    assert_int_equal(cli_turns_longest(turns, COUNT, 1), 2);
    turns[0].known = true;
    cli_turns_note(turns, COUNT, 1, &turns[0], 0.001);
    assert_int_equal(cli_turns_longest(turns, COUNT, 1), 2);
    cli_turns_note(turns, COUNT, 1, &turns[3], 0.7);
    assert_int_equal(cli_turns_longest(turns, COUNT, 1), 4);
}
