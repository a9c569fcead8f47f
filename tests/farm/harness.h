/* Opens a farm with the scripted worker, submits requests and checks the events. */
#pragma once

#include "base/file.h"
#include "farm/farm.h"
#include "support/test.h"

#pragma GCC diagnostic ignored "-Wunused-function"

static const double SOON_S = 30; /* longest wait; only failing tests wait this long */

static char *beside_test(const char *name)
{
    char *folder, *path;
    ASSERT_OK(gt_file_own_folder(&folder));
    ASSERT_OK(gt_format(&path, "%s/%s", folder, name));
    free(folder);
    return path;
}

/* Creates an empty file. The path is valid until the next call. */
static char *temporary_file(void)
{
    static char path[] = "/tmp/gputune-test-XXXXXX";
    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    return path;
}

static char state_of(pid_t pid)
{
    char path[32], text[256];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    const char *end = strrchr(gt_file_peek(text, sizeof text, path), ')');
    return end ? end[2] : '\0';
}

static gt_farm *open_farm(gt_farm_options options)
{
    GT_FREED char *worker = options.worker ? NULL : beside_test("fake-worker");
    options.worker = options.worker ? options.worker : worker;
    options.deadline_s = options.deadline_s > 0 ? options.deadline_s : 0.4;
    options.compile_workers = options.compile_workers ? options.compile_workers : 2;
    gt_farm *farm;
    if (gt_farm_open(&farm, &options) < 0) {
        fail_msg("%s", gt_message());
    }
    return farm;
}

static void close_farm(gt_farm **farm)
{
    (*farm)->ops->close(*farm);
}

static gt_farm *open_measuring(void)
{
    return open_farm((gt_farm_options){.driver = "fake"});
}

static void request_compile(gt_farm *farm, uint64_t id, const char *text)
{
    gt_compile_job job = {.id = id, .source = {.text = text, .arch = "sm_90"}};
    ASSERT_OK(farm->ops->compile(farm, &job));
}

static void request_prepare(gt_farm *farm, const char *script)
{
    static gt_measure_setup setup;
    setup.workload_count = 1;
    setup.reference = (gt_image){(void *)(uintptr_t)script, strlen(script)};
    ASSERT_OK(farm->ops->prepare(farm, &setup));
}

static void submit_verify(gt_farm *farm, uint64_t id, const char *script, bool patient)
{
    static gt_verify_job job;
    job.id = id;
    job.patient = patient;
    job.image = (gt_image){(void *)(uintptr_t)script, strlen(script)};
    ASSERT_OK(farm->ops->verify(farm, &job));
}

static void request_verify(gt_farm *farm, uint64_t id, const char *script)
{
    submit_verify(farm, id, script, false);
}

static void request_sample(gt_farm *farm, uint64_t id, const uint64_t *variants, uint32_t count)
{
    gt_sample_job job = {
        .id = id, .variants = variants, .count = count, .objective = GPUTUNE_OBJECTIVE_KERNEL};
    ASSERT_OK(farm->ops->sample(farm, &job));
}

static gt_event expect(gt_farm *farm, gt_event_kind kind, uint64_t id, gputune_status status)
{
    gt_event event;
    if (farm->ops->wait(farm, &event, SOON_S) < 0) {
        fail_msg("wait: %s", gt_message());
    }
    if (event.kind != kind || event.id != id || event.status != status) {
        fail_msg("got event %d of %llu with %s (%s), expected %d of %llu with %s", (int)event.kind,
                 (unsigned long long)event.id, gt_status_name(event.status), event.message,
                 (int)kind, (unsigned long long)id, gt_status_name(status));
    }
    return event;
}

static void expect_plain(gt_farm *farm, gt_event_kind kind, uint64_t id, gputune_status status)
{
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, kind, id, status);
}

static void prepare_ok(gt_farm *farm)
{
    request_prepare(farm, "ok");
    expect_plain(farm, GT_EVENT_PREPARED, 0, GPUTUNE_OK);
}

static void verify_ok(gt_farm *farm, uint64_t id, const char *script)
{
    request_verify(farm, id, script);
    expect_plain(farm, GT_EVENT_VERIFIED, id, GPUTUNE_OK);
}

static void compile_ok(gt_farm *farm, uint64_t id)
{
    request_compile(farm, id, "text");
    expect_plain(farm, GT_EVENT_COMPILED, id, GPUTUNE_OK);
}

static void expect_silence(gt_farm *farm)
{
    gt_event event;
    ASSERT_OK(farm->ops->wait(farm, &event, 0.05));
    assert_int_equal(event.kind, GT_EVENT_TIMEOUT);
}

/* Samples the variants. Returns the process ID of the worker that took the sample. */
static uint64_t sample_pid(gt_farm *farm, const uint64_t *variants, uint32_t count)
{
    request_sample(farm, 999, variants, count);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_SAMPLED, 999, GPUTUNE_OK);
    assert_int_equal(event.sampled.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(event.sampled.values[i] == 10.0 * (double)variants[i]);
    }
    return (uint64_t)event.sampled.used_ratio;
}
