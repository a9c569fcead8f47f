/* Tests the monitor of the GPU: clocks, noise and other processes. The test first loads a
 * replacement for NVML under the name of the real one. */
#include "base/file.h"
#include "fake_nvml.h"
#include "farm/measure_monitor.h"
#include "gpu/nvml.h"
#include "support/test.h"

#include <limits.h>
#include <sys/prctl.h>
#include <time.h>

#include <dlfcn.h>

enum { THERMAL = 0x40, POWER_CAP = 0x4 };

static fake_nvml *nvml;

static int load_nvml(void **state)
{
    char *folder, *path;
    ASSERT_OK(gt_file_own_folder(&folder));
    ASSERT_OK(gt_format(&path, "%s/fake_nvml.so", folder));
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(path);
    free(folder);
    assert_non_null(library);
    nvml = dlsym(library, "fake_nvml_state");
    assert_non_null(nvml);
    return 0;
}

static void set_processes(unsigned count, unsigned first, unsigned second)
{
    atomic_store(&nvml->pids[0], first);
    atomic_store(&nvml->pids[1], second);
    atomic_store(&nvml->process_count, count);
}

/* Runs a round that is long enough for the monitor to check everything twice. */
static gt_sampled watched_round(gt_monitor *monitor)
{
    gt_sampled sampled = {0};
    gt_monitor_begin(monitor);
    nanosleep(&(struct timespec){0, 600000000}, NULL);
    gt_monitor_end(monitor, &sampled);
    return sampled;
}

static gt_monitor *start(void)
{
    gt_monitor *monitor = gt_monitor_start("GPU-0");
    assert_non_null(monitor);
    return monitor;
}

TEST(a_gpu_of_ones_own_is_calm)
{
    set_processes(1, (unsigned)getpid(), 0);
    gt_monitor *monitor = start();
    gt_sampled seen = watched_round(monitor);
    assert_false(seen.noisy || seen.spoiled);
    assert_string_equal(seen.other, "");
    gt_monitor_stop(monitor);
}

TEST(another_process_is_noticed_and_named)
{
    char expected[32];
    pid_t other = fork();
    if (other == 0) {
        pause();
        _exit(0);
    }
    set_processes(2, (unsigned)getpid(), (unsigned)other);
    gt_monitor *monitor = start();
    gt_sampled seen = watched_round(monitor);
    snprintf(expected, sizeof expected, " %d test_monitor", (int)other);
    assert_true(seen.noisy);
    assert_non_null(strstr(seen.other, expected));
    set_processes(1, (unsigned)getpid(), 0);
    seen = watched_round(monitor);
    assert_false(seen.noisy);
    gt_monitor_stop(monitor);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
}

/* NVML reports process IDs of the host. In a container, other processes may have the same IDs. */
TEST(a_process_of_another_namespace_is_not_named)
{
    atomic_store(&nvml->pids[2], INT_MAX);
    set_processes(3, INT_MAX, INT_MAX);
    gt_monitor *monitor = start();
    gt_sampled seen = watched_round(monitor);
    assert_true(seen.noisy);
    assert_string_equal(seen.other, "1 other process");
    gt_monitor_stop(monitor);
}

TEST(own_processes_are_left_out_of_long_lists)
{
    gt_nvml_users users;
    set_processes(FAKE_PROCESSES_MAX, (unsigned)getpid(), (unsigned)getppid());
    for (unsigned i = 2; i < FAKE_PROCESSES_MAX; i++) {
        atomic_store(&nvml->pids[i], INT_MAX - i);
    }
    gt_nvml_read_users(&users, gt_nvml_open("GPU-0"), getppid());
    assert_int_equal(users.others, FAKE_PROCESSES_MAX - 2);
    assert_int_not_equal(users.one, 0);
}

TEST(the_host_application_is_not_another_user)
{
    set_processes(2, (unsigned)getpid(), (unsigned)getppid());
    gt_monitor *monitor = start();
    gt_sampled seen = watched_round(monitor);
    assert_false(seen.noisy);
    assert_string_equal(seen.other, "");
    gt_monitor_stop(monitor);
}

TEST(workers_of_the_host_are_not_other_users)
{
    int status = 0;
    pid_t other = fork();
    if (other == 0) {
        prctl(PR_SET_NAME, "gputune-worker");
        pause();
        _exit(0);
    }
    pid_t measuring = fork();
    if (measuring == 0) {
        set_processes(2, (unsigned)getpid(), (unsigned)other);
        gt_monitor *monitor = start();
        bool noisy = watched_round(monitor).noisy;
        kill(other, SIGKILL); /* not reaped yet */
        noisy |= watched_round(monitor).noisy;
        gt_monitor_stop(monitor);
        _exit(noisy);
    }
    assert_int_equal(waitpid(measuring, &status, 0), measuring);
    assert_int_equal(status, 0);
    waitpid(other, NULL, 0);
}

TEST(a_worker_that_only_waits_disturbs_nothing)
{
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const pid_t program = fork();
    if (program == 0) {
        const pid_t worker = fork();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (worker == 0) {
            prctl(PR_SET_NAME, "gputune-waits");
            (void)!write(ready[1], &(pid_t){getpid()}, sizeof(pid_t));
        }
        pause();
        _exit(0);
    }
    pid_t worker;
    assert_int_equal(read(ready[0], &worker, sizeof worker), sizeof worker);
    set_processes(2, (unsigned)getpid(), (unsigned)worker);
    gt_monitor *monitor = start();
    assert_false(watched_round(monitor).noisy);
    gt_monitor_stop(monitor);
    kill(worker, SIGKILL);
    kill(program, SIGKILL);
    waitpid(program, NULL, 0);
    close(ready[0]);
    close(ready[1]);
}

TEST(heat_spoils_a_round_and_a_power_cap_does_not)
{
    set_processes(1, (unsigned)getpid(), 0);
    gt_monitor *monitor = start();
    atomic_store(&nvml->throttle, POWER_CAP);
    gt_sampled seen = watched_round(monitor);
    assert_false(seen.spoiled);
    atomic_store(&nvml->throttle, THERMAL);
    seen = watched_round(monitor);
    assert_true(seen.spoiled);
    atomic_store(&nvml->throttle, 0);
    (void)watched_round(monitor); /* clocks are still throttled at the start of this round */
    seen = watched_round(monitor);
    assert_false(seen.spoiled);
    gt_monitor_stop(monitor);
}

TEST(a_gpu_that_nvml_does_not_know_is_left_alone)
{
    gt_monitor *monitor = gt_monitor_start("GPU-9");
    gt_sampled seen = watched_round(monitor);
    assert_false(seen.noisy || seen.spoiled);
    gt_monitor_stop(monitor);
}

TEST(known_settings_of_the_gpu_are_reported)
{
    gt_nvml_setup setup;
    gt_nvml *known = gt_nvml_open("GPU-0");
    atomic_store(&nvml->compute_mode, GT_COMPUTE_EXCLUSIVE);
    atomic_store(&nvml->memory_errors, 5);
    gt_nvml_read_setup(&setup, known);
    assert_int_equal(setup.persistence, GT_OFF);
    assert_int_equal(setup.ecc, GT_UNKNOWN);
    assert_int_equal(setup.mig, GT_UNKNOWN);
    assert_int_equal(setup.mode, GT_COMPUTE_EXCLUSIVE);
    assert_int_equal(setup.uncorrected_errors, 5);
    assert_int_equal(setup.most_sm_mhz, FAKE_SM_MHZ);
    atomic_store(&nvml->persistence, 1);
    gt_nvml_read_setup(&setup, known);
    assert_int_equal(setup.persistence, GT_ON);
    gt_nvml_read_setup(&setup, NULL);
    assert_int_equal(setup.persistence, GT_UNKNOWN);
    assert_int_equal(setup.mode, GT_COMPUTE_SHARED);
}

TEST(gpus_are_counted_if_cuda_shows_whole_gpus)
{
    assert_int_equal(gt_nvml_count(), 2);
    atomic_store(&nvml->mig, 1);
    assert_int_equal(gt_nvml_count(), 0);
    atomic_store(&nvml->mig, 0);
}

TESTS_WITHIN(load_nvml, NULL)
