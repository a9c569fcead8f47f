/* Tests the clock of a variant's time limit. On the emulator, it is CPU time, because the worker
 * may have to wait for a core; on a GPU, it is wall time. */
#include "harness.h"
#include "support/clock.h"
#include "support/folder.h"

static const double TIME_S = 1; /* time limit of each variant, from GPUTUNE_EMU_DEADLINE */
static const uint64_t one[] = {1};

static gt_farm *open_emulated(void)
{
    clock_set_true();
    setenv("GPUTUNE_EMU_DEADLINE", "1", 1);
    gt_farm *farm = open_farm((gt_farm_options){.driver = "emu"});
    prepare_ok(farm);
    return farm;
}

/* Makes the worker stop itself while it verifies variant 2, and waits until it has stopped. */
static pid_t stop_in_hand(gt_farm *farm)
{
    verify_ok(farm, 1, "ok");
    pid_t worker = (pid_t)sample_pid(farm, one, 1);
    request_verify(farm, 2, "stop");
    while (state_of(worker) != 'T') {
        expect_silence(farm);
    }
    expect_silence(farm);
    return worker;
}

TEST(a_variant_whose_worker_waits_for_a_core_is_not_late)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_emulated();
    pid_t worker = stop_in_hand(farm);
    clock_skip(10 * TIME_S);
    expect_silence(farm);
    kill(worker, SIGCONT);
    expect_plain(farm, GT_EVENT_VERIFIED, 2, GPUTUNE_OK);
}

TEST(a_variant_whose_worker_gets_no_core_is_late_in_the_end)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_emulated();
    stop_in_hand(farm);
    clock_skip(100 * TIME_S);
    expect_plain(farm, GT_EVENT_VERIFIED, 2, GPUTUNE_ETIMEOUT);
}

TEST(a_variant_that_never_ends_is_reported)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_emulated();
    request_verify(farm, 1, "spin");
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_ETIMEOUT);
}

TEST(a_variant_that_waits_forever_is_reported)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_emulated();
    request_verify(farm, 1, "hang");
    expect_silence(farm);
    clock_skip(2 * TIME_S);
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_ETIMEOUT);
}

TEST(on_a_gpu_the_time_passes_by_the_wall_clock)
{
    clock_set_true();
    GT_SCOPED(close_farm) gt_farm *farm = open_measuring();
    prepare_ok(farm);
    stop_in_hand(farm);
    clock_skip(10 * TIME_S);
    expect_plain(farm, GT_EVENT_VERIFIED, 2, GPUTUNE_ETIMEOUT);
}

/* Opens a farm whose worker runs this shell script. */
static gt_farm *open_script(const char *script, const char *driver)
{
    char *path = temporary_file();
    clock_set_true();
    file_write(path, "#!/bin/sh\n%s\n", script);
    assert_int_equal(chmod(path, 0700), 0);
    return open_farm((gt_farm_options){.worker = path, .driver = driver});
}

/* The worker that starts first never gets ready, so the other one compiles both jobs. */
TEST(a_compiler_that_never_gets_ready_is_replaced)
{
    char script[512];
    gt_event events[2];
    GT_FREED char *worker = beside_test("fake-worker"), *mark = strdup(temporary_file());
    snprintf(script, sizeof script, "rm %s 2>&- && exec sleep 1000\nexec %s \"$@\"", mark, worker);
    GT_SCOPED(close_farm) gt_farm *farm = open_script(script, NULL);
    request_compile(farm, 1, "text");
    request_compile(farm, 2, "text");
    for (int i = 0; i < 2; i++) {
        ASSERT_OK(farm->ops->wait(farm, &events[i], SOON_S));
        ASSERT_OK(events[i].status);
        clock_skip(11);
    }
    assert_int_equal(events[0].id + events[1].id, 3);
    gt_event_free(&events[0]);
    gt_event_free(&events[1]);
}

/* The farm waits briefly for the emulator, but long for a real driver, which may need a minute. */
TEST(an_emulator_that_never_gets_ready_is_reported)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_script("exec sleep 1000", "emu");
    request_prepare(farm, "ok");
    clock_skip(11);
    expect_plain(farm, GT_EVENT_PREPARED, 0, GPUTUNE_EWORKER);
}

TEST(a_deadline_that_is_no_time_is_refused)
{
    GT_FREED char *worker = beside_test("fake-worker");
    gt_farm_options options = {.driver = "emu", .worker = worker};
    static const char *const wrong[] = {"soon", "0", "-1", "1s", "nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gt_farm *farm = NULL;
        setenv("GPUTUNE_EMU_DEADLINE", wrong[i], 1);
        ASSERT_FAILS(gt_farm_open(&farm, &options), GPUTUNE_EINVAL, "GPUTUNE_EMU_DEADLINE=");
    }
}
