/* Tests that compiles are canceled if they take too long to be worth waiting for. */
#include "search_world.h"
#include "tuner/session.h"

enum { BLOCKS = 128, STEP = 8, SLOW = 992 };

/* Returns true for the slowest variants. */
static bool large_blocks(void *user, const char *text)
{
    return block_of(text) >= SLOW;
}

/* Writes 128 values of BLOCK, of which 256 is the fastest. */
static void make_valley(world *w)
{
    write_blocks(w, BLOCKS, STEP);
    SET_EACH(w, time_ns, 800 + 5 * abs(block - 256));
}

static gputune_options by_model(void)
{
    return OPTIONS(.strategy = GPUTUNE_STRATEGY_MODEL, .time_limit_s = 60);
}

/* Checks that no trial with this BLOCK or a larger one is stored. */
static void expect_nothing_stored_from(world *w, int block)
{
    GT_SCOPED(gt_trial_list_free) gt_trial_list list = trials_of(w);
    assert_true(list.count > 0);
    for (size_t i = 0; i < list.count; i++) {
        assert_true(strtol(list.items[i].config + strlen("BLOCK="), NULL, 10) < block);
    }
}

TEST_OF(a_tuning_does_not_wait_for_what_is_not_worth_it, world *w, open_world, close_world)
{
    char expected[64];
    make_valley(w);
    w->farm.compiles_for_ever = large_blocks;
    const gputune_options options = by_model();
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    assert_true(w->farm.given_up > 0);
    assert_int_equal(w->choice.failed, 0);
    const char *told = strstr(w->choice.stop_reason, "; ");
    assert_non_null(told);
    long given_up = strtol(told + 2, NULL, 10);
    assert_true(given_up > 0 && w->choice.variants + (uint32_t)given_up <= BLOCKS);
    snprintf(expected, sizeof expected, "; %ld took too long to compile; ", given_up);
    assert_non_null(strstr(w->choice.stop_reason, expected));
    expect_nothing_stored_from(w, SLOW);
}

typedef struct own_proposer {
    gt_list_proposer list; /* first member, because a gt_proposer is cast to this struct */
    gt_config configs[8];
    uint32_t asked, failures;
} own_proposer;

static bool gives_all_up(gt_proposer *self, const gt_config *config, double seconds)
{
    ((own_proposer *)(void *)self)->asked++;
    return seconds > 100;
}

static void count_failures(gt_proposer *self, const gt_config *config, const gt_tried *result,
                           bool is_quick)
{
    ((own_proposer *)(void *)self)->failures += result->outcome == GT_TRIED_GIVEN_UP;
}

/* Compiles all values of BLOCK. Stops when no compile is left, or after `waits` waits. */
static void compile_all(gt_field *field, own_proposer *proposer, gt_request *request, world *w,
                        int waits)
{
    static const char *const texts[] = {"BLOCK=64", "BLOCK=128", "BLOCK=256", "BLOCK=512"};
    for (int i = 0; i < 4; i++) {
        ASSERT_OK(gt_config_parse(&proposer->configs[i], request->template, texts[i], true));
    }
    proposer->list = gt_list_proposer_make(proposer->configs, 4);
    proposer->list.proposer.gives_up = gives_all_up;
    proposer->list.proposer.on_result = count_failures;
    const gt_field_options options = {.request = request,
                                      .farm = &w->farm.farm,
                                      .proposer = &proposer->list.proposer,
                                      .with_default = true};
    ASSERT_OK(gt_field_open(field, &options));
    do {
        gt_event event;
        ASSERT_OK(gt_field_end_slow_compiles(field));
        ASSERT_OK(gt_field_pump(field));
        ASSERT_OK(w->farm.farm.ops->wait(&w->farm.farm, &event, 0));
        ASSERT_OK(gt_field_handle(field, &event));
        gt_event_free(&event);
    } while (!gt_field_is_done(field) && --waits > 0);
}

static bool all_blocks(void *user, const char *text)
{
    return block_of(text) > 0;
}

TEST_OF(the_default_is_waited_for, world *w, open_world, close_world)
{
    GT_SCOPED(gt_field_close) gt_field field;
    own_proposer proposer = {0};
    w->farm.compiles_for_ever = all_blocks;
    GT_SCOPED(gt_request_end) gt_request *request = request_for(w, NULL);
    compile_all(&field, &proposer, request, w, 100);
    assert_int_equal(w->farm.given_up, 3);
    assert_int_equal(proposer.failures, 3);
    assert_int_equal(field.worthless, 3);
    assert_int_equal(gt_field_tried(&field), 1);
    assert_int_equal(field.standard->stage, GT_STAGE_WAITING);
    assert_true(proposer.asked < 100);
}
