/* Tests that a flipped bit in the file never leads to a configuration, verdict or code that was not
 * stored. */
#include "store_support.h"

#include <fcntl.h>

/* Distance in bits between flipped bits. The environment variable STRIDE replaces it. */
enum { STRIDE = 43 };

static const struct kept {
    const char *config, *image;
    gt_trial_status status;
} kept[] = {[1] = {"VEC=1", "the default's code", GT_TRIAL_OK},
            [2] = {"VEC=4", "the winner's code", GT_TRIAL_OK},
            [3] = {"VEC=8", "the crashing code", GT_TRIAL_CRASHED}};
enum { TRIALS = 3 };

static uint64_t number_of(gt_hash hash, uint64_t base)
{
    for (uint64_t i = 1; i <= TRIALS; i++) {
        if (gt_hash_equal(hash, hash_of(base + i))) {
            return i;
        }
    }
    return 0;
}

static void make_database(world *w)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_code crashing = code_of(3, kept[3].image);
    put_size(store, 1024, 10);
    put_size(store, 4096, 40);
    ASSERT_OK(gt_store_put_cubins(store, &crashing, 1, NULL));
}

static void judge_code(const gt_code *code, uint64_t number)
{
    if (code->image.data) {
        assert_string_equal(code->image.data, kept[number].image);
    }
}

/* Asserts that a winner that was found equals the stored one. Returns true if it has its code. */
static bool judge_winner(gt_winner *winner)
{
    assert_string_equal(winner->config, "VEC=4");
    assert_string_equal(winner->default_config, "VEC=1");
    assert_string_equal(winner->fallback_config, "VEC=1");
    assert_true(winner->terms.final && winner->terms.proved);
    assert_int_equal(number_of(winner->code.source, 1000), 2);
    assert_int_equal(number_of(winner->fallback.source, 1000), 1);
    judge_code(&winner->code, 2);
    judge_code(&winner->fallback, 1);
    return winner->code.image.data && winner->fallback.image.data;
}

static bool judge_winners(gt_store *store, const gt_scenario *scenario)
{
    gt_winner_list list;
    gt_winner nearest;
    gputune_status status = gt_store_winners(&list, store, scenario, NULL);
    bool whole = status == GPUTUNE_OK && list.count == 1;
    for (size_t i = 0; status == GPUTUNE_OK && i < list.count; i++) {
        whole = judge_winner(&list.items[i]) && whole;
    }
    if (status == GPUTUNE_OK) {
        gt_winner_list_free(&list);
    }
    if (gt_store_find_nearest(&nearest, store, scenario, NULL, 0, NULL) != GPUTUNE_OK) {
        return false;
    }
    whole = judge_winner(&nearest) && whole;
    gt_winner_free(&nearest);
    return whole;
}

static bool judge_trials(gt_store *store, const gt_scenario *scenario)
{
    gt_trial_list list;
    if (gt_store_trials(&list, store, scenario, 0, NULL) != GPUTUNE_OK) {
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        uint64_t number = number_of(list.items[i].hash, 0);
        assert_true(number > 0);
        assert_string_equal(list.items[i].config, kept[number].config);
        assert_int_equal(list.items[i].status, kept[number].status);
        assert_int_equal(number_of(list.items[i].source, 1000), number);
    }
    bool whole = list.count == TRIALS;
    gt_trial_list_free(&list);
    return whole;
}

static bool judge_cubins(gt_store *store)
{
    bool whole = true;
    for (uint64_t i = 1; i <= TRIALS; i++) {
        gt_code code;
        gputune_status status =
            gt_store_find_cubin(&code, store, hash_of(1000 + i), "sm_90", false, NULL);
        whole = whole && status == GPUTUNE_OK;
        if (status == GPUTUNE_OK) {
            judge_code(&code, i);
            gt_code_free(&code);
        }
    }
    return whole;
}

static bool judge(world *w)
{
    gt_store *store;
    gt_scenario scenario = scenario_at(1024);
    if (gt_store_open(&store, w->path, NULL, &w->log, true) != GPUTUNE_OK) {
        return false;
    }
    bool whole = judge_winners(store, &scenario);
    whole = judge_trials(store, &scenario) && whole;
    whole = judge_cubins(store) && whole;
    gt_store_close(store);
    return whole;
}

TEST_OF(flipped_bits_are_noticed, world *w, open_world, close_world)
{
    const char *given = getenv("STRIDE");
    long stride = given ? strtol(given, NULL, 10) : STRIDE, flips = 0, noticed = 0;
    make_database(w);
    assert_true(judge(w));
    int file = open(w->path, O_RDWR);
    off_t bits = 8 * lseek(file, 0, SEEK_END);
    for (off_t bit = 0; bit < bits; bit += stride) {
        unsigned char byte, flipped;
        assert_int_equal(pread(file, &byte, 1, bit / 8), 1);
        flipped = (unsigned char)(byte ^ (1u << bit % 8));
        if (byte == 0 && stride > 1 && bit % 5) {
            continue; /* skip most zero bytes, which are unused space */
        }
        assert_int_equal(pwrite(file, &flipped, 1, bit / 8), 1);
        flips++;
        noticed += !judge(w);
        assert_int_equal(pwrite(file, &byte, 1, bit / 8), 1);
    }
    close(file);
    assert_true(judge(w));
    printf("%ld bits flipped, %ld kept something from being found\n", flips, noticed);
}

/* Replaces rows by other valid rows. A single flipped bit cannot cause this. */
TEST_OF(rows_of_others_are_not_taken, world *w, open_world, close_world)
{
    static const char *const changes[] = {
        "UPDATE winner SET config = 'VEC=8', trial = (SELECT hash FROM trial WHERE config = "
        "'VEC=8')",
        "UPDATE winner SET space = zeroblob(16)",
        "UPDATE winner SET proved = 1, effort = 5",
        "UPDATE trial SET status = 0",
        "UPDATE trial SET status = 2 WHERE config = 'VEC=4'",
        "UPDATE compiled SET cubin = (SELECT max(id) FROM cubin)",
        "UPDATE compiled SET arch = 'sm_80'",
        "UPDATE cubin SET image = x'00'",
        "UPDATE winner SET scenario = 3 - scenario, space = CASE scenario WHEN 1 THEN x'01' ELSE "
        "space END"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        unlink(w->path);
        make_database(w);
        run_sql(w->path, changes[i]);
        assert_false(judge(w));
    }
}
