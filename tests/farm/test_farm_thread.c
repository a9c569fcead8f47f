/* Tests the measure loop on a thread of the host, with the scripted GPU of fake_worker.c. */
#include "fake_worker.c"

#include "harness.h"

static const uint64_t one[] = {1};

static gt_farm *open_on_thread(void)
{
    return open_farm((gt_farm_options){.driver = "fake", .isolation = GPUTUNE_ISOLATION_THREAD});
}

TEST(a_thread_answers_as_a_process_does)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_on_thread();
    ask_prepare(farm, "ok");
    ask_verify(farm, 1, "ok");
    ask_verify(farm, 2, "wrong");
    expect_plain(farm, GT_EVENT_PREPARED, 0, GPUTUNE_OK);
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_OK);
    expect_plain(farm, GT_EVENT_VERIFIED, 2, GPUTUNE_EWRONG);
    assert_true(sample_pid(farm, one, 1) == (uint64_t)getpid());
}

TEST(a_fatal_error_on_a_thread_ends_measuring)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_on_thread();
    ask_prepare(farm, "ok");
    ask_verify(farm, 1, "fatal");
    ask_verify(farm, 2, "ok");
    expect_plain(farm, GT_EVENT_PREPARED, 0, GPUTUNE_OK);
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_ECRASHED);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_VERIFIED, 2, GPUTUNE_ECRASHED);
    assert_non_null(strstr(event.message, "isolation"));
}
