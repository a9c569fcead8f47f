/* Tests the measure worker with scripted variants: crashes, hangs, restarts, and canceling. */
#include "farm/farm_host.h"
#include "gpu/nvml.h"
#include "harness.h"

#include <poll.h>

static const uint64_t one[] = {1}, two[] = {1, 2}, three[] = {1, 2, 3};

static gt_farm *open_prepared(void)
{
    gt_farm *farm = open_measuring();
    request_prepare(farm, "ok");
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_PREPARED, 0, GPUTUNE_OK);
    assert_true(event.prepared.reference_ns == 1000);
    return farm;
}

static bool is_running(uint64_t pid)
{
    char state = state_of((pid_t)pid);
    return state && state != 'Z' && state != 'X';
}

static void expect_death(uint64_t pid)
{
    for (int i = 0; i < 5000 && is_running(pid); i++) {
        poll(NULL, 0, 2);
    }
    assert_false(is_running(pid));
}

TEST(requests_are_answered_in_order)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_measuring();
    request_prepare(farm, "ok");
    for (uint64_t i = 1; i <= 100; i++) {
        request_verify(farm, i, "ok");
    }
    request_sample(farm, 500, two, 2);
    expect_plain(farm, GT_EVENT_PREPARED, 0, GPUTUNE_OK);
    for (uint64_t i = 1; i <= 100; i++) {
        GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_VERIFIED, i, GPUTUNE_OK);
        assert_true(event.verified.pilot_ns == (double)i);
    }
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_SAMPLED, 500, GPUTUNE_OK);
    assert_true(event.sampled.values[1] == 20);
}

TEST(a_recheck_is_answered)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    verify_ok(farm, 1, "ok");
    gt_recheck_job job = {1, 77, 1};
    ASSERT_OK(farm->ops->recheck(farm, &job));
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_RECHECKED, 1, GPUTUNE_OK);
    assert_true(event.verified.max_error == 77);
}

TEST(large_images_pass)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    size_t bytes = 20 << 20;
    char *image = calloc(1, bytes);
    memcpy(image, "ok", 2);
    gt_verify_job *job = calloc(1, sizeof *job);
    job->id = 1;
    job->image = (gt_image){image, bytes};
    gt_slot *slot = &gt_host_of(farm)->measure.slot; /* this worker is stopped and reads nothing */
    assert_int_equal(kill(slot->link.process.pid, SIGSTOP), 0);
    ASSERT_OK(farm->ops->verify(farm, job));
    slot->since_ns -= 100000000000;
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_ETIMEOUT);
    ASSERT_OK(farm->ops->verify(farm, job));
    free(image);
    free(job);
    request_sample(farm, 9, one, 1);
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_OK);
    expect_plain(farm, GT_EVENT_SAMPLED, 9, GPUTUNE_OK);
}

TEST(wrong_results_cost_nothing_else)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    request_verify(farm, 1, "ok");
    request_verify(farm, 2, "wrong");
    request_verify(farm, 3, "ok");
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_OK);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_VERIFIED, 2, GPUTUNE_EWRONG);
    assert_string_equal(event.message, "y[3] is 1, expected 2");
    expect_plain(farm, GT_EVENT_VERIFIED, 3, GPUTUNE_OK);
}

static void check_crash(const char *script, bool repeatable)
{
    gt_farm *farm = open_prepared();
    verify_ok(farm, 1, "ok");
    uint64_t before = sample_pid(farm, one, 1);
    request_verify(farm, 7, script);
    request_verify(farm, 2, "ok");
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_VERIFIED, 7, GPUTUNE_ECRASHED);
    assert_int_equal(event.repeatable, repeatable);
    expect_plain(farm, GT_EVENT_VERIFIED, 2, GPUTUNE_OK);
    uint64_t after = sample_pid(farm, two, 2);
    assert_true(before != after);
    assert_false(is_running(before));
    farm->ops->close(farm);
    expect_death(after);
}

TEST(a_crash_costs_its_variant_alone)
{
    check_crash("segv", true);
    check_crash("fatal", true);
}

TEST(an_end_from_outside_is_not_remembered)
{
    check_crash("killed", false);
    check_crash("exit", false);
}

TEST(a_single_outside_end_is_forgiven)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    char script[64];
    snprintf(script, sizeof script, "killed-if %s", temporary_file());
    verify_ok(farm, 1, script);
    uint64_t pid = sample_pid(farm, one, 1);
    kill((pid_t)pid, SIGKILL);
    expect_silence(farm);
    assert_true(sample_pid(farm, one, 1) != pid);
}

TEST(new_worker_verifies_without_time_limit)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    char script[64];
    gt_verify_job *job = calloc(1, sizeof *job);
    snprintf(script, sizeof script, "fast %s", temporary_file());
    job->id = 1;
    job->slower_ns = 1000;
    job->image = (gt_image){script, strlen(script)};
    ASSERT_OK(farm->ops->verify(farm, job));
    free(job);
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_OK);
    uint64_t pid = sample_pid(farm, one, 1);
    kill((pid_t)pid, SIGKILL);
    expect_silence(farm);
    assert_true(sample_pid(farm, one, 1) != pid);
}

static void check_sample_failure(const char *script, gputune_status status, bool repeatable)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    verify_ok(farm, 1, "ok");
    verify_ok(farm, 2, script);
    verify_ok(farm, 3, "ok");
    request_sample(farm, 50, three, 3);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_SAMPLED, 50, status);
    assert_int_equal(event.culprit, 2);
    assert_int_equal(event.repeatable, repeatable);
    static const uint64_t rest[] = {3, 1};
    sample_pid(farm, rest, 2);
}

TEST(a_sample_names_the_culprit)
{
    check_sample_failure("sample-segv", GPUTUNE_ECRASHED, true);
    check_sample_failure("sample-fatal", GPUTUNE_ECRASHED, true);
    check_sample_failure("sample-hang", GPUTUNE_ETIMEOUT, false);
    check_sample_failure("sample-error", GPUTUNE_ECUDA, false);
}

static void submit_default(gt_farm *farm, uint64_t id, const char *script)
{
    const gt_image image = {(void *)(uintptr_t)script, strlen(script)};
    const gt_verify_job job = {.id = id, .standard = true, .image = image};
    ASSERT_OK(farm->ops->verify(farm, &job));
}

TEST(a_new_worker_loads_the_default_even_if_it_was_dropped)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    submit_default(farm, 1, "ok");
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_OK);
    ASSERT_OK(farm->ops->drop(farm, 1));
    request_verify(farm, 2, "segv");
    expect_plain(farm, GT_EVENT_VERIFIED, 2, GPUTUNE_ECRASHED);
    verify_ok(farm, 3, "ok");
    static const uint64_t both[] = {1, 3};
    sample_pid(farm, both, 2);
}

/* A variant that hung once is verified again with a longer deadline. Only repeatable failures are
 * stored. */
TEST(a_hanging_sample_of_a_patient_variant_is_repeatable)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    submit_verify(farm, 2, "sample-hang", true);
    expect_plain(farm, GT_EVENT_VERIFIED, 2, GPUTUNE_OK);
    static const uint64_t two[] = {2};
    request_sample(farm, 50, two, 1);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_SAMPLED, 50, GPUTUNE_ETIMEOUT);
    assert_int_equal(event.culprit, 2);
    assert_true(event.repeatable);
}

/* The worker restores the inputs before a sample. If this fails, no variant is to blame. */
static void check_refill_failure(const char *script, gputune_status status)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_measuring();
    request_prepare(farm, script);
    expect_plain(farm, GT_EVENT_PREPARED, 0, GPUTUNE_OK);
    verify_ok(farm, 1, "ok");
    request_sample(farm, 50, one, 1);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_SAMPLED, 50, status);
    assert_true(event.culprit == GT_NO_VARIANT);
    prepare_ok(farm);
    verify_ok(farm, 1, "ok");
    sample_pid(farm, one, 1);
}

TEST(a_sample_that_fails_before_its_variants_has_no_culprit)
{
    check_refill_failure("refill-segv", GPUTUNE_ECRASHED);
    check_refill_failure("refill-hang", GPUTUNE_ETIMEOUT);
}

/* Variant 2 crashes when it is loaded again after the crash of variant 3. */
TEST(a_crash_while_loading_again_names_the_culprit)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    verify_ok(farm, 1, "ok");
    char script[64], *path = temporary_file();
    snprintf(script, sizeof script, "segv-if %s", path);
    unlink(path);
    verify_ok(farm, 2, script);
    fclose(fopen(path, "w"));
    request_verify(farm, 3, "segv");
    expect_plain(farm, GT_EVENT_VERIFIED, 3, GPUTUNE_ECRASHED);
    request_sample(farm, 60, two, 2);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_SAMPLED, 60, GPUTUNE_ECRASHED);
    assert_int_equal(event.culprit, 2);
    sample_pid(farm, one, 1);
    expect_silence(farm);
}

/* Returns a farm in which variant 2 has just crashed, so the default must be loaded again. In this
 * second load, the default runs the script `word`. */
static gt_farm *open_with_default_that_fails_later(const char *word)
{
    gt_farm *farm = open_prepared();
    char script[64], *path = temporary_file();
    snprintf(script, sizeof script, "%s-if %s", word, path);
    unlink(path);
    submit_default(farm, 1, script);
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_OK);
    fclose(fopen(path, "w"));
    request_verify(farm, 2, "segv");
    expect_plain(farm, GT_EVENT_VERIFIED, 2, GPUTUNE_ECRASHED);
    return farm;
}

/* The default determines how other variants are judged, so it must be verified before them. */
TEST(variants_wait_for_the_default_after_a_second_end)
{
    static const char *const words[] = {"killed", "segv", "hang"};
    static const uint64_t both[] = {1, 3};
    for (size_t i = 0; i < 3; i++) {
        GT_SCOPED(close_farm) gt_farm *farm = open_with_default_that_fails_later(words[i]);
        verify_ok(farm, 3, "ok");
        sample_pid(farm, both, 2);
    }
}

TEST(without_the_default_no_variant_is_verified)
{
    static const char *const words[] = {"wrong", "fatal"};
    static const gputune_status statuses[] = {GPUTUNE_EWRONG, GPUTUNE_ECRASHED};
    for (size_t i = 0; i < 2; i++) {
        GT_SCOPED(close_farm) gt_farm *farm = open_with_default_that_fails_later(words[i]);
        request_verify(farm, 3, "ok");
        expect_plain(farm, GT_EVENT_VERIFIED, 3, statuses[i]);
    }
}

TEST(many_crashes_are_survived)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    for (uint64_t i = 1; i <= 12; i++) {
        request_verify(farm, i, i % 2 ? "ok" : i % 4 ? "segv" : "fatal");
    }
    for (uint64_t i = 1; i <= 12; i++) {
        expect_plain(farm, GT_EVENT_VERIFIED, i, i % 2 ? GPUTUNE_OK : GPUTUNE_ECRASHED);
    }
    static const uint64_t odd[] = {1, 3, 5, 7, 9, 11};
    sample_pid(farm, odd, 6);
}

TEST(a_hang_costs_itself)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    request_verify(farm, 1, "ok");
    request_verify(farm, 2, "hang");
    request_verify(farm, 3, "ok");
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_OK);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_VERIFIED, 2, GPUTUNE_ETIMEOUT);
    assert_false(event.repeatable);
    assert_non_null(strstr(event.message, "did not finish within"));
    expect_plain(farm, GT_EVENT_VERIFIED, 3, GPUTUNE_OK);
    static const uint64_t good[] = {1, 3};
    sample_pid(farm, good, 2);
}

TEST(a_hang_is_certain_after_more_time)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    submit_verify(farm, 1, "hang", true);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_ETIMEOUT);
    assert_true(event.repeatable);
}

TEST(a_single_hang_is_forgiven)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    char script[64];
    snprintf(script, sizeof script, "hang-if %s", temporary_file());
    request_verify(farm, 1, script);
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_ETIMEOUT);
    submit_verify(farm, 1, script, true);
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_OK);
    sample_pid(farm, one, 1);
}

/* Opens a farm with a long limit, and submits a variant that does 100 times the default's work. */
static gt_farm *open_with_much_work(const char *script)
{
    gt_farm *farm = open_farm((gt_farm_options){.driver = "fake", .deadline_s = SOON_S});
    prepare_ok(farm);
    GT_FREED gt_verify_job *job = calloc(1, sizeof *job);
    job->id = 1;
    job->work = 100;
    job->image = (gt_image){(void *)(uintptr_t)script, strlen(script)};
    ASSERT_OK(farm->ops->verify(farm, job));
    return farm;
}

/* With these scripts, a variant that does as much work as the default exceeds its time limit. */
TEST(more_work_has_more_time)
{
    GT_SCOPED(close_farm) gt_farm *proves = open_with_much_work("slow 1200");
    GT_SCOPED(close_farm) gt_farm *samples = open_with_much_work("sample-slow 1200");
    expect_plain(samples, GT_EVENT_VERIFIED, 1, GPUTUNE_OK);
    request_sample(samples, 9, one, 1);
    expect_plain(samples, GT_EVENT_SAMPLED, 9, GPUTUNE_OK);
    expect_plain(proves, GT_EVENT_VERIFIED, 1, GPUTUNE_OK);
}

TEST(energy_of_slow_launches_has_more_time)
{
    enum { LAUNCH_NS = 400000000 }; /* a variant's id, which the fake worker reports as its time */
    static const uint64_t slow = LAUNCH_NS;
    GT_SCOPED(close_farm)
    gt_farm *farm = open_farm((gt_farm_options){.driver = "fake", .deadline_s = 0.5});
    prepare_ok(farm);
    request_verify(farm, slow, "sample-slow 7000");
    expect_plain(farm, GT_EVENT_VERIFIED, slow, GPUTUNE_OK);
    gt_sample_job job = {
        .id = 9, .variants = &slow, .count = 1, .objective = GPUTUNE_OBJECTIVE_ENERGY};
    ASSERT_OK(farm->ops->sample(farm, &job));
    expect_plain(farm, GT_EVENT_SAMPLED, 9, GPUTUNE_OK);
}

TEST(a_bad_reference_is_reported)
{
    static const struct {
        const char *script;
        gputune_status status;
    } cases[] = {{"segv", GPUTUNE_ECRASHED},
                 {"wrong", GPUTUNE_EWRONG},
                 {"reference-fatal", GPUTUNE_ETEMPLATE}};
    for (size_t i = 0; i < 3; i++) {
        GT_SCOPED(close_farm) gt_farm *farm = open_measuring();
        request_prepare(farm, cases[i].script);
        request_verify(farm, 1, "ok");
        expect_plain(farm, GT_EVENT_PREPARED, 0, cases[i].status);
        expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_EINVAL);
        prepare_ok(farm);
        verify_ok(farm, 1, "ok");
    }
}

TEST(an_end_from_outside_while_preparing_is_not_the_references)
{
    static const char *const scripts[] = {"killed", "exit"};
    for (size_t i = 0; i < 2; i++) {
        GT_SCOPED(close_farm) gt_farm *farm = open_measuring();
        request_prepare(farm, scripts[i]);
        expect_plain(farm, GT_EVENT_PREPARED, 0, GPUTUNE_EWORKER);
    }
}

/* If an experiment ended a worker, later workers leave that experiment out. After many such
 * experiments, they skip the whole data proof. */
TEST(experiments_that_end_a_worker_are_left_out)
{
    static const char *const scripts[] = {"data-fatal", "data-hangs", "data-segv"};
    GT_SCOPED(close_farm) gt_farm *farm = open_measuring();
    for (size_t i = 0; i < 3; i++) {
        request_prepare(farm, scripts[i]);
        expect_plain(farm, GT_EVENT_PREPARED, 0, GPUTUNE_OK);
        verify_ok(farm, 1, "ok");
    }
}

TEST(the_device_is_reported_before_any_request)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.driver = "slow 100"});
    gt_device device;
    ASSERT_OK(farm->ops->device(farm, &device));
    assert_string_equal(device.name, "fake");
    assert_int_equal(device.cc, 90);
    prepare_ok(farm);
    verify_ok(farm, 1, "segv-if /nonexistent/path");
    ASSERT_OK(farm->ops->device(farm, &device));
}

TEST(compilers_are_loaded_while_the_device_is_waited_for)
{
    GT_SCOPED(close_farm)
    gt_farm *farm = open_farm(
        (gt_farm_options){.driver = "slow 100", .driver_version = 13000, .compile_workers = 4});
    const gt_compile_host *compile = &gt_host_of(farm)->compile;
    gt_device device;
    assert_false(compile->slots[0].link.open);
    ASSERT_OK(farm->ops->device(farm, &device));
    assert_true(compile->slots[0].link.open && compile->slots[2].link.open);
    assert_false(compile->slots[3].link.open);
    compile_ok(farm, 1);
}

TEST(a_device_that_cannot_be_reported_is_an_error)
{
    static const struct {
        const char *driver;
        gputune_status status;
    } cases[] = {{"none", GPUTUNE_ENODRIVER}, {"segv", GPUTUNE_EWORKER}, {NULL, GPUTUNE_EWORKER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GT_SCOPED(close_farm)
        gt_farm *farm = open_farm((gt_farm_options){.driver = cases[i].driver});
        gt_device device;
        assert_int_equal(farm->ops->device(farm, &device), cases[i].status);
    }
}

TEST(without_a_device_every_request_reports_it)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.driver = "none"});
    request_prepare(farm, "ok");
    request_verify(farm, 1, "ok");
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_PREPARED, 0, GPUTUNE_ENODRIVER);
    assert_non_null(strstr(event.message, "no driver here"));
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_ENODRIVER);
    request_sample(farm, 50, one, 1);
    GT_SCOPED(gt_event_free)
    gt_event sampled = expect(farm, GT_EVENT_SAMPLED, 50, GPUTUNE_ENODRIVER);
    assert_true(sampled.culprit == GT_NO_VARIANT);
    compile_ok(farm, 1);
}

TEST(a_device_that_kills_its_worker_is_given_up)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.driver = "segv"});
    request_prepare(farm, "ok");
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_PREPARED, 0, GPUTUNE_EWORKER);
    assert_non_null(strstr(event.message, "signal 11"));
}

TEST(dropped_variants_are_gone)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    verify_ok(farm, 1, "ok");
    verify_ok(farm, 2, "ok");
    ASSERT_OK(farm->ops->drop(farm, 2));
    request_sample(farm, 5, two, 2);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_SAMPLED, 5, GPUTUNE_EINVAL);
    assert_int_equal(event.culprit, 2);
    sample_pid(farm, one, 1);
}

TEST(cancel_ends_the_current_request)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    verify_ok(farm, 1, "ok");
    uint64_t pid = sample_pid(farm, one, 1);
    request_verify(farm, 2, "hang");
    request_verify(farm, 3, "ok");
    farm->ops->cancel(farm);
    expect_death(pid);
    expect_silence(farm);
    prepare_ok(farm);
    verify_ok(farm, 1, "ok");
}

TEST(cancel_keeps_an_idle_worker_and_close_does_not)
{
    gt_farm *farm = open_prepared();
    verify_ok(farm, 1, "ok");
    uint64_t pid = sample_pid(farm, one, 1);
    farm->ops->cancel(farm);
    prepare_ok(farm);
    verify_ok(farm, 1, "ok");
    assert_true(sample_pid(farm, one, 1) == pid);
    farm->ops->close(farm);
    expect_death(pid);
}

static void expect_name(uint64_t pid, const char *name)
{
    char path[32], text[32] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    for (int i = 0; i < 5000 && strncmp(text, name, strlen(name)) != 0; i++) {
        poll(NULL, 0, 2);
        gt_file_peek(text, sizeof text, path);
    }
    assert_memory_equal(text, name, strlen(name));
}

/* The process name of an idle worker tells other programs that the worker does not disturb
 * measurements. */
TEST(an_idle_worker_shows_that_it_waits)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_prepared();
    verify_ok(farm, 1, "ok");
    uint64_t pid = sample_pid(farm, one, 1);
    farm->ops->cancel(farm);
    expect_name(pid, GT_NVML_WAITING);
    request_prepare(farm, "ok");
    request_verify(farm, 1, "slow 300");
    expect_name(pid, "gputune-worker");
    expect_plain(farm, GT_EVENT_PREPARED, 0, GPUTUNE_OK);
    expect_plain(farm, GT_EVENT_VERIFIED, 1, GPUTUNE_OK);
    assert_true(sample_pid(farm, one, 1) == pid);
}

TEST(a_host_that_dies_takes_its_workers_along)
{
    int channel[2];
    assert_int_equal(pipe(channel), 0);
    pid_t host = fork();
    if (host == 0) {
        gt_farm *farm = open_prepared();
        verify_ok(farm, 1, "ok");
        uint64_t pid = sample_pid(farm, one, 1);
        request_verify(farm, 2, "hang");
        _exit(write(channel[1], &pid, sizeof pid) == sizeof pid ? 0 : 1);
    }
    uint64_t pid = 0;
    assert_int_equal(read(channel[0], &pid, sizeof pid), sizeof pid);
    int status;
    assert_int_equal(waitpid(host, &status, 0), host);
    assert_int_equal(status, 0);
    expect_death(pid);
    close(channel[0]);
    close(channel[1]);
}
