/* Tests that equally fast variants are chosen in a fixed order, whatever is tried first. */
#include "search_world.h"

/* Writes the template with two axes that make no difference to the time: the size of dynamic shared
 * memory, and the number of waves of blocks. */
static void write_axes(const world *w)
{
    char *text = strdup(template_text), *grid = strstr(text, "#pragma gputune grid");
    FILE *file = fopen(w->path, "w");
    assert_non_null(file);
    assert_non_null(grid);
    fprintf(file, "%.*s", (int)(strstr(text, "%s") - text), text);
    fprintf(file,
            "512, 256, 64, 128) tune(SHARED = 4096, 0, 1024) tune(WAVES = 1000, 2000, 3000)\n"
            "#pragma gputune default(BLOCK = 128, SHARED = 1024)\n"
            "#pragma gputune block(BLOCK) shared(SHARED)\n"
            "#pragma gputune grid(min(ceil_div(n, BLOCK), WAVES))\n%s",
            strstr(grid, "\n") + 1);
    fclose(file);
    free(text);
}

static const gputune_strategy strategies[] = {GPUTUNE_STRATEGY_AUTO, GPUTUNE_STRATEGY_EXHAUSTIVE,
                                              GPUTUNE_STRATEGY_RANDOM, GPUTUNE_STRATEGY_MODEL,
                                              GPUTUNE_STRATEGY_LOCAL};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

/* Tunes with many seeds, strategies and first configurations. */
static void expect_always(world *w, const char *config)
{
    static const char *const starts[] = {"BLOCK=64 SHARED=4096 WAVES=3000",
                                         "BLOCK=512 SHARED=0 WAVES=3000", "WAVES=2000",
                                         "BLOCK=256 SHARED=0 WAVES=2000"};
    write_axes(w);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        w->farm.compile_s = 0.001 * (double)(seed % 3);
        tuned(w, &OPTIONS(.seed = seed, .strategy = strategies[seed % STRATEGIES],
                          .start = &starts[seed % 4], .start_count = seed % 2));
        assert_string_equal(w->config, config);
    }
}

TEST_OF(among_equals_fewer_resources_win, world *w, open_world, close_world)
{
    SET_EACH(w, time_ns, 800);
    w->by_block[128].time_ns = 1000;
    expect_always(w, "BLOCK=512 SHARED=0 WAVES=1000");
}

TEST_OF(among_equals_the_default_wins, world *w, open_world, close_world)
{
    SET_EACH(w, time_ns, 800);
    expect_always(w, "BLOCK=128 SHARED=1024 WAVES=1000");
}

TEST_OF(the_fastest_keeps_winning, world *w, open_world, close_world)
{
    expect_always(w, "BLOCK=256 SHARED=0 WAVES=1000");
}

TEST_OF(equal_estimates_have_the_same_order, world *w, open_world, close_world)
{
    write_axes(w);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        tuned(w, &OPTIONS(.seed = seed, .effort = GPUTUNE_ESTIMATE));
        assert_string_equal(w->config, "BLOCK=128 SHARED=1024 WAVES=1000");
    }
}
