/* Makes allocations and driver calls fail while a kernel is loaded, launched, captured and freed.
 * Nothing may leak, and the next launch must work. */
#include "launcher_support.h"

#include "support/each_failure.h"

typedef struct job {
    gt_launch launch;
    const void *const *arguments;
    bool shared;
} job;

static gputune_status use(gt_launcher *launcher, const job *j)
{
    double occupancy;
    GT_TRY(gt_launcher_prepare(launcher));
    GT_TRY(gt_launcher_occupancy(&occupancy, launcher));
    for (uint32_t i = 0; i < j->launch.parameter_count; i++) {
        CUdeviceptr scratch;
        GT_TRY(gt_launcher_scratch(&scratch, launcher, fake_stream(1), i));
    }
    for (int i = 0; i < 12; i++) {
        GT_TRY(gt_launcher_launch(launcher, fake_stream(1 + i % 10), j->arguments));
    }
    GT_TRY(gt_launcher_repeat(launcher, fake_stream(1), j->arguments));
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    gputune_status status = gt_launcher_launch(launcher, fake_stream(1), j->arguments);
    bool no_memory = status == GPUTUNE_ECAPTURE && strstr(gt_message(), "out of host memory");
    return no_memory ? GPUTUNE_ENOMEM : status;
}

static gputune_status load_and_use(gt_launcher *launcher, const job *j)
{
    gt_launcher *second = NULL;
    gputune_status status = GPUTUNE_OK;
    if (j->shared) {
        status = gt_launcher_load(&second, &fake.table, &device, &image,
                                  gt_launcher_module(launcher), &j->launch);
    }
    status = status == GPUTUNE_OK ? use(second ? second : launcher, j) : status;
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_NONE;
    fake_graphs_gone();
    gt_launcher_free(second);
    return status;
}

static gputune_status go_through(void *user)
{
    const job *j = user;
    gt_launcher *launcher = NULL;
    fake_reset();
    fake.fails = failing_now;
    fake.fail_code = CUDA_ERROR_UNKNOWN;
    for (uint32_t i = 0; i < j->launch.parameter_count; i++) {
        fake.parameter_sizes[i] = (int)j->launch.parameters[i].bytes;
    }
    gputune_status status =
        gt_launcher_load(&launcher, &fake.table, &device, &image, NULL, &j->launch);
    if (status == GPUTUNE_OK) {
        status = load_and_use(launcher, j);
        gt_launcher_free(launcher);
    }
    assert_int_equal(fake_live(), 0);
    return status;
}

static void fail_each(job *j)
{
    assert_true(each_failure("allocation", 1, go_through, NULL, j) > 0);
    assert_true(each_failure("driver", 1, go_through, NULL, j) > 10);
}

TEST_WITHIN(every_way_of_passing, setup, NULL)
{
    static const gt_pass ways[] = {GT_PASS_NONE, GT_PASS_VALUE, GT_PASS_SPLIT, GT_PASS_CONSTANT,
                                   GT_PASS_GLOBAL};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        job j = {.launch = make_launch(ways[i]),
                 .arguments = ways[i] == GT_PASS_NONE ? arguments + 1 : arguments};
        fail_each(&j);
        j.shared = true;
        fail_each(&j);
    }
}

TEST_WITHIN(scratch_clears_and_clusters, setup, NULL)
{
    job j = {.launch = make_launch(GT_PASS_NONE), .arguments = arguments + 1};
    j.launch.parameters[2] = (gt_parameter){.kind = GT_PARAMETER_SCRATCH,
                                            .bytes = 8,
                                            .argument = -1,
                                            .scratch_bytes = 4096,
                                            .scratch = GT_SCRATCH_ZERO};
    j.launch.parameter_count = 3;
    gt_launch_take_all(&j.launch);
    j.launch.parameters[2].clear_bytes = 4096;
    j.launch.parameters[0].clear_bytes = 777;
    j.launch.steps[0].cluster[0] = 16;
    j.launch.carveout_kb = 100;
    j.launch.steps[0].shared_bytes = 100 * 1024;
    fail_each(&j);
}
