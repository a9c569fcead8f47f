/* Tests how many variants the schedule allows to compile before the GPU needs them. */
#include "search/schedule.h"

#include "support/test.h"

static uint32_t room(const gt_schedule *schedule, uint32_t workers)
{
    return gt_schedule_room(schedule, workers, true, 0, 0);
}

/* Proposals before the first launch are made without results, so their number is limited. */
TEST(before_the_first_launch_more_workers_do_not_mean_more_proposals)
{
    const gt_schedule unknown = {.round_share = GT_ROUND_SHARE};
    uint32_t few = room(&unknown, 16), many = room(&unknown, 64);
    assert_true(few >= 16);
    assert_true(many >= few && many < 32);
    assert_int_equal(room(&unknown, 1024), many);
    assert_int_equal(gt_schedule_room(&unknown, 64, true, many, many), 0);
    assert_true(gt_schedule_room(&unknown, 64, false, 0, 0) >= 64);
}

TEST(every_worker_has_a_source_if_compiling_is_the_bottleneck)
{
    gt_schedule schedule = {.round_share = GT_ROUND_SHARE};
    gt_schedule_note_compile(&schedule, 2);
    assert_true(room(&schedule, 64) >= 64);
    gt_schedule_note_new_variant(&schedule, 0.005, false);
    assert_true(room(&schedule, 64) >= 64);
}
