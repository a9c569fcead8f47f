/* Tests the use of known results: reports to a proposer, edits of the template, and hints from
 * other sizes. */
#include "search_world.h"
#include "tuner/tuning.h"

typedef struct listener {
    gt_list_proposer list; /* first member, because a gt_proposer is cast to this struct */
    gt_config configs[4];
    double reported_ns[4], gpu_s[4];
} listener;

static void listen(gt_proposer *self, const gt_config *config, const gt_tried *result,
                   bool is_quick)
{
    listener *l = (listener *)(void *)self;
    for (int i = 0; i < 4; i++) {
        if (memcmp(&l->configs[i], config, sizeof *config) == 0 && result->time_ns > 0) {
            l->reported_ns[i] = result->time_ns;
            l->gpu_s[i] = result->measure_s;
        }
    }
}

/* Variants that leave the race after their first sample are also reported, with their time and the
 * GPU time that they took. */
TEST_OF(times_of_losers_are_reported, world *w, open_world, close_world)
{
    static const char *const texts[] = {"BLOCK=64", "BLOCK=128", "BLOCK=256", "BLOCK=512"};
    listener l = {0};
    w->by_block[64].time_ns = w->by_block[512].time_ns = 9000;
    GT_SCOPED(gt_request_end) gt_request *request = request_for(w, NULL);
    for (int i = 0; i < 4; i++) {
        ASSERT_OK(gt_config_parse(&l.configs[i], request->template, texts[i], true));
    }
    l.list = gt_list_proposer_make(l.configs, 4);
    l.list.proposer.on_result = listen;
    gt_tuning tuning = {.session.request = request, .proved = GT_NO_VARIANT};
    const gt_field_options options = {.proposer = &l.list.proposer, .with_default = true};
    ASSERT_OK(gt_session_open(&tuning.session, &gt_tuning_policy, &tuning, request, &options));
    ASSERT_OK(gt_tuning_open_race(&tuning));
    ASSERT_OK(gt_session_run(&tuning.session));
    for (int i = 0; i < 4; i++) {
        assert_float_equal(l.reported_ns[i], w->by_block[64 << i].time_ns, 1);
        assert_true(l.gpu_s[i] > 0 && l.gpu_s[i] < 10);
    }
    gt_session_close(&tuning.session);
    gt_tuning_free_races(&tuning);
}

/* The default is tried even if it is known to be slow. It is counted only once. */
TEST_OF(known_default_counts_once, world *w, open_world, close_world)
{
    w->by_block[128].time_ns = 9000;
    tuned(w, NULL);
    assert_int_equal(w->choice.variants, 4);
    write_template(w, "64, 128, 256, 512, 1024");
    tuned(w, NULL);
    assert_int_equal(w->choice.variants, 5);
}

static void write_clause(world *w, const char *clause)
{
    char more[256];
    snprintf(more, sizeof more, "64, 128, 256, 512)\n#pragma gputune %.*s", (int)strlen(clause) - 1,
             clause);
    write_template(w, more);
}

static const char *const edits[][2] = {
    {"define(D = BLOCK == 256 ? 1 : 2)", "define(D = BLOCK == 256 ? 3 : 2)"},
    {"define(D = n)", "define(D = n / 1)"}, /* D is not in the code */
    {"maxreg(BLOCK == 256 ? 64 : 128)", "maxreg(BLOCK == 256 ? 32 : 128)"},
    {"launch_bounds(BLOCK)", "launch_bounds(BLOCK, 2)"},
    {"options(\"-DD=1\")", "options(\"-DD=2\")"},
    {"shared(BLOCK)", "shared(2 * BLOCK)"},
};
enum { EDITS = sizeof edits / sizeof *edits };

/* A variant that was slow or failed before an edit is tried again afterwards. */
static void edit(world *w, const char *const clauses[2], scripted_variant before)
{
    const scripted_variant good = w->by_block[256];
    w->by_block[256] = before;
    write_clause(w, clauses[0]);
    assert_string_equal(tuned(w, NULL), "BLOCK=128");
    w->by_block[256] = good;
    assert_string_equal(tuned(w, NULL), "BLOCK=128");
    write_clause(w, clauses[1]);
    assert_string_equal(tuned(w, NULL), "BLOCK=256");
    assert_int_equal(w->choice.failed, 0);
}

TEST_OF(slow_variant_is_tried_again_after_an_edit, world *w, open_world, close_world)
{
    scripted_variant slow = w->by_block[256];
    slow.time_ns = 9000;
    for (int i = 0; i < EDITS; i++) {
        edit(w, edits[i], slow);
    }
}

TEST_OF(failed_variant_is_tried_again_after_an_edit, world *w, open_world, close_world)
{
    scripted_variant wrong = w->by_block[256];
    wrong.verify = GPUTUNE_EWRONG;
    for (int i = 0; i < EDITS; i++) {
        edit(w, edits[i], wrong);
    }
}

/* After an edit changed the winner's code, a call that may not measure gets the default. */
TEST_OF(a_winner_of_other_code_answers_nobody, world *w, open_world, close_world)
{
    const gputune_options cached = OPTIONS(.effort = GPUTUNE_CACHED_ONLY);
    for (int i = 0; i < EDITS; i++) {
        write_clause(w, edits[i][0]);
        assert_string_equal(tuned(w, NULL), "BLOCK=256");
        assert_string_equal(tuned(w, &cached), "BLOCK=256");
        write_clause(w, edits[i][1]);
        assert_string_equal(tuned(w, &cached), "BLOCK=128");
        assert_int_equal(w->choice.source, GPUTUNE_SOURCE_DEFAULT);
    }
}

enum { BLOCKS = 128, STEP = 8, BEST = 808 };

/* Writes 128 values of BLOCK, one of which is far faster than all others. */
static void make_needle(world *w)
{
    write_blocks(w, BLOCKS, STEP);
    SET_EACH(w, time_ns, 1000 + block % 7);
    w->by_block[BEST].time_ns = 100;
}

/* Finds the fastest value by trying all variants at one size, then tries a few at another size. */
static void try_few(world *w, const gputune_options *few)
{
    make_needle(w);
    ASSERT_OK(tune_at(w, 4096, NULL));
    assert_string_equal(w->config, "BLOCK=808");
    ASSERT_OK(tune_at(w, 65536, few));
}

static gputune_options few_by_model(void)
{
    return OPTIONS(.strategy = GPUTUNE_STRATEGY_MODEL, .max_variants = 4);
}

TEST_OF(the_best_at_another_size_is_tried_first, world *w, open_world, close_world)
{
    const gputune_options options = few_by_model();
    try_few(w, &options);
    assert_string_equal(w->config, "BLOCK=808");
}

/* A forced tuning uses the same hints. */
TEST_OF(force_begins_there_too, world *w, open_world, close_world)
{
    gputune_options options = few_by_model();
    options.force = 1;
    try_few(w, &options);
    assert_string_equal(w->config, "BLOCK=808");
}

static const char space_of_16[] = "64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704, 768, 832, "
                                  "896, 960, 1024";

static void write_starts(world *w, const char *clauses)
{
    char values[256];
    snprintf(values, sizeof values, "%s) %s", space_of_16, clauses);
    values[strlen(values) - 1] = '\0';
    write_template(w, values);
}

/* Expects exactly the default and these blocks among the stored trials. */
static void expect_tried(world *w, const int *blocks, size_t count)
{
    GT_SCOPED(gt_trial_list_free) gt_trial_list list = trials_of(w);
    assert_int_equal(list.count, count + 1);
    for (size_t i = 0; i < count; i++) {
        char config[32];
        bool found = false;
        snprintf(config, sizeof config, "BLOCK=%d", blocks[i]);
        for (size_t t = 0; t < list.count; t++) {
            found |= strcmp(list.items[t].config, config) == 0;
        }
        assert_true(found);
    }
}

static void keep_line(void *user, gputune_log_level level, const char *line)
{
    if (level == GPUTUNE_LOG_INFO && strstr(line, "skipped")) {
        snprintf(user, 256, "%s", line);
    }
}

/* If the number of variants is limited, only the default and the start configurations are tried. */
TEST_OF(starts_are_tried_first, world *w, open_world, close_world)
{
    static const gputune_strategy strategies[] = {
        GPUTUNE_STRATEGY_AUTO, GPUTUNE_STRATEGY_EXHAUSTIVE, GPUTUNE_STRATEGY_RANDOM,
        GPUTUNE_STRATEGY_MODEL, GPUTUNE_STRATEGY_LOCAL};
    static const char *const more[] = {"BLOCK=704", "BLOCK=960", "BLOCK=128"};
    write_starts(w, "start(BLOCK = 960) start(BLOCK = 448)");
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        const uint64_t seed = i + 1;
        tuned(w, &OPTIONS(.strategy = strategies[i], .max_variants = 4, .start = more,
                          .start_count = 3, .seed = seed));
        gt_request *request = request_for(w, &OPTIONS(.seed = seed));
        gt_trial_list list;
        ASSERT_OK(
            gt_store_trials(&list, w->store, &request->scenario, w->device.driver_version, NULL));
        assert_int_equal(list.count, 4);
        for (size_t t = 0; t < list.count; t++) {
            assert_non_null(
                strstr("BLOCK=128 BLOCK=960 BLOCK=448 BLOCK=704", list.items[t].config));
        }
        gt_trial_list_free(&list);
        gt_request_free(request);
    }
}

TEST_OF(starts_outside_the_space_are_skipped, world *w, open_world, close_world)
{
    static const char *const start[] = {"BLOCK=448", "BLOCK=1024"}, *const only[] = {
                                                                        "BLOCK=64,448"};
    char line[256] = "";
    write_starts(w, "start(BLOCK = 960)");
    tuned(w, &OPTIONS(.start = start, .start_count = 1, .only = only, .only_count = 1,
                      .max_variants = 2, .log = keep_line, .user = line));
    assert_string_equal(line, "scale: start BLOCK=960 is skipped: `only` excludes it");
    expect_tried(w, (const int[]){448}, 1);
    write_starts(w, "require(BLOCK < 1000)");
    tuned(w, &OPTIONS(.start = start + 1, .start_count = 1, .force = true, .log = keep_line,
                      .user = line));
    assert_string_equal(line, "scale: start BLOCK=1024 is skipped: require(BLOCK < 1000)");
}

TEST_OF(wrong_starts_are_refused, world *w, open_world, close_world)
{
    static const char *const starts[][2] = {
        {"BLOCK=96",
         "start 'BLOCK=96': BLOCK has no value '96'; expected one of 64, 128, 256, 512"},
        {"BLOK=64", "start 'BLOK=64': scale has no axis 'BLOK'; expected 'BLOCK'"},
        {"64", "start '64': '64' is not a setting; expected AXIS=value"},
        {NULL, "start: entry 0 is NULL, or has no name"}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        assert_int_equal(tune(w, &OPTIONS(.start = starts[i], .start_count = 1)), GPUTUNE_EINVAL);
        assert_string_equal(gputune_error(), starts[i][1]);
    }
}

TEST_OF(starts_keep_stored_results, world *w, open_world, close_world)
{
    tuned(w, NULL);
    write_template(w, "64, 128, 256, 512) start(BLOCK = 512");
    tuned(w, NULL);
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_CACHED);
}

TEST_OF(exhaustive_search_ignores_hints, world *w, open_world, close_world)
{
    gputune_options options = few_by_model();
    options.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    try_few(w, &options);
    assert_string_not_equal(w->config, "BLOCK=808");
}

TEST_OF(a_restricted_space_stays_restricted, world *w, open_world, close_world)
{
    gputune_options options = few_by_model();
    static const char *const only[] = {"BLOCK=64,128,256,512"};
    options.only = only;
    options.only_count = 1;
    try_few(w, &options);
    assert_string_not_equal(w->config, "BLOCK=808");
}
