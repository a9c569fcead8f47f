/* Tests how requests are answered after the template was edited, and after memory ran out. */
#include "search_world.h"
#include "support/folder.h"

static void rewrite_template(world *w, const char *clause)
{
    write_template(w, "64, 128, 256, 512, 1024");
    FILE *file = fopen(w->path, "a");
    assert_non_null(file);
    fprintf(file,
            "#pragma gputune vector(VEC = 1, 2 : %s)\n#pragma gputune %s\n"
            "static_assert(VEC > 0, \"\");\n",
            strcmp(clause, "buffers") == 0 ? "x, y" : "x",
            strcmp(clause, "buffers") == 0 ? "define(W = 1)" : clause);
    fclose(file);
}

/* The edits change the code of variants other than the winner, so the stored result is not used. */
TEST_OF(test_clauses_that_make_other_code_make_another_race, world *w, open_world, close_world)
{
    static const struct {
        const char *before, *after;
    } edits[] = {
        {"define(W = BLOCK == 64 ? 2 : 1)", "define(W = BLOCK == 64 ? 4 : 1)"},
        {"maxreg(BLOCK == 64 ? 32 : 128)", "maxreg(BLOCK == 64 ? 64 : 128)"},
        {"launch_bounds(BLOCK, BLOCK == 64 ? 2 : 1)", "launch_bounds(BLOCK, BLOCK == 64 ? 4 : 1)"},
        {"define(W = 1)", "buffers"}};
    w->by_block[1024].time_ns = 100;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        rewrite_template(w, edits[i].before);
        ASSERT_OK(tune(w, NULL));
        expect_answer(w, 0, NULL, GPUTUNE_SOURCE_CACHED, "BLOCK=1024 VEC=1");
        rewrite_template(w, edits[i].after);
        expect_answer(w, 0, NULL, GPUTUNE_SOURCE_MEASURED, "BLOCK=1024 VEC=1");
    }
}

static void write_default(world *w, int block)
{
    char text[2 * sizeof template_text], *at;
    snprintf(text, sizeof text, template_text, "64, 128, 256, 512");
    at = strstr(text, "default(BLOCK = 128)");
    assert_non_null(at);
    memcpy(at, "default(BLOCK = ", 16);
    at[16] = (char)('0' + block / 100);
    at[17] = (char)('0' + block / 10 % 10);
    at[18] = (char)('0' + block % 10);
    file_write(w->path, "%s", text);
}

TEST_OF(test_a_speedup_over_another_default_is_not_reported, world *w, open_world, close_world)
{
    static const uint32_t defaults[] = {128, 512, 128};
    for (size_t i = 0; i < 3; i++) {
        write_default(w, defaults[i]);
        assert_string_equal(tuned(w, NULL), "BLOCK=256");
        assert_float_equal(w->choice.verdict.speedup, i == 1 ? 0 : 1.25, 0.01);
    }
}

TEST_OF(test_the_stored_fallback_stays_if_the_default_is_edited, world *w, open_world, close_world)
{
    assert_string_equal(tuned(w, NULL), "BLOCK=256");
    write_default(w, 512);
    uint32_t compiles = w->farm.compiles;
    assert_string_equal(tuned(w, NULL), "BLOCK=256");
    assert_int_equal(w->farm.compiles, compiles);
    assert_true(w->choice.has_fallback);
}

/* The winner was the default and needed no fallback. */
TEST_OF(test_a_default_that_won_needs_no_fallback_if_the_default_is_edited, world *w, open_world,
        close_world)
{
    write_default(w, 256);
    assert_string_equal(tuned(w, NULL), "BLOCK=256");
    write_default(w, 512);
    uint32_t compiles = w->farm.compiles;
    assert_string_equal(tuned(w, NULL), "BLOCK=256");
    assert_int_equal(w->farm.compiles, compiles);
    assert_false(w->choice.needs_alignment);
}

TEST_OF(test_an_estimate_takes_nothing_that_is_known_to_be_bad, world *w, open_world, close_world)
{
    static const char *const only[] = {"BLOCK=256"};
    gputune_options options = OPTIONS(.only = only, .only_count = 1);
    w->by_block[256].recheck = GPUTUNE_EWRONG;
    w->by_block[512].time_ns = 900;
    expect_answer(w, 0, NULL, GPUTUNE_SOURCE_MEASURED, "BLOCK=512");
    options.effort = GPUTUNE_ESTIMATE;
    options.force = true;
    assert_string_equal(tuned(w, &options), "BLOCK=128");
}

TEST_OF(test_an_estimate_does_not_give_a_default_that_it_found_bad, world *w, open_world,
        close_world)
{
    const gputune_options options = OPTIONS(.effort = GPUTUNE_ESTIMATE);
    SET_EACH(w, verify, GPUTUNE_ECRASHED);
    assert_int_equal(tune(w, &options), GPUTUNE_ECRASHED);
}

TEST_OF(test_without_memory_for_a_variant_nothing_is_decided, world *w, open_world, close_world)
{
    w->by_block[256].verify = GPUTUNE_EDEVMEM;
    w->by_block[512].time_ns = 900;
    expect_answer(w, 0, NULL, GPUTUNE_SOURCE_MEASURED, "BLOCK=512");
    w->by_block[256].verify = GPUTUNE_OK;
    expect_answer(w, 0, NULL, GPUTUNE_SOURCE_MEASURED, "BLOCK=256");
    expect_answer(w, 0, NULL, GPUTUNE_SOURCE_CACHED, "BLOCK=256");
}
