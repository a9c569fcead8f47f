/* Opens and closes a farm, finds the worker executable, and waits for answers of workers. */
#include "farm/farm.h"

#include "base/clock.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "farm/farm_host.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WORKER "gputune-worker"

static gputune_status take_given(char **out, const char *path, const char *source)
{
    struct stat facts;
    GT_REFUSE(stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || access(path, X_OK) != 0,
              GPUTUNE_EWORKER,
              "%s names '%s', which is not an executable file; give the path of " WORKER, source,
              path);
    *out = realpath(path, NULL); /* absolute, as the program may change its current folder */
    return gt_allocated(*out);
}

gputune_status gt_worker_find(char **out, const char *given)
{
    const char *variable = gt_environment("GPUTUNE_WORKER");
    if (given) {
        return take_given(out, given, "the option `worker`");
    }
    if (variable) {
        return take_given(out, variable, "GPUTUNE_WORKER");
    }
    GT_SCOPED(gt_text_free) gt_text tried = {0};
    GT_TRY(gt_file_find_part(out, &tried, WORKER, X_OK));
    return *out ? GPUTUNE_OK
                : gt_fail(GPUTUNE_EWORKER,
                          WORKER " was not found; set GPUTUNE_WORKER to its path (searched %s)",
                          gt_text_string(&tried));
}

static const uint64_t MEGABYTE = 1 << 20;
enum { LEAST_MB = 1024, MOST_MB = 8192 };

/* Returns the size of the machine's memory, or the memory limit of the cgroup if that is lower. */
static uint64_t machine_bytes(void)
{
    char line[32];
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t group = /* 0 for "max" */
        strtoull(gt_file_peek(line, sizeof line, "/sys/fs/cgroup/memory.max"), NULL, 10);
    return group && group < bytes ? group : bytes;
}

uint64_t gt_compile_memory_asked(void)
{
    const char *given = gt_environment("GPUTUNE_COMPILE_MEMORY");
    char *end = NULL;
    uint64_t megabytes = given ? strtoull(given, &end, 10) : 0;
    return given && !*end && megabytes <= UINT32_MAX ? megabytes : 0;
}

static const double DEADLINE_S = 10, LEAST_S = 1, LEAST_EMULATED_S = 4;

/* ---- Requests -------------------------------------------------------------------------------- */

static gputune_status make_request(gt_farm_request **out, gt_farm *base, gt_frame_kind kind,
                                   uint64_t id, const void *job)
{
    gt_host_farm *farm = gt_host_of(base);
    gt_packet *packet;
    GT_TRY(gt_farm_usable(farm));
    GT_REFUSE(!farm->options.driver, GPUTUNE_ENODRIVER,
              "this farm was opened without a device to measure on");
    GT_TRY(gt_packet_make(&packet, kind, job));
    return gt_farm_request_make(out, farm, kind, id, packet);
}

static gputune_status set_variants(gt_farm_request *request, const uint64_t *variants,
                                   uint32_t count)
{
    request->variants = malloc(count * sizeof *variants + 1);
    if (!request->variants) {
        gt_farm_request_free(request);
        return gt_fail_memory();
    }
    memcpy(request->variants, variants, count * sizeof *variants);
    request->variant_count = count;
    return GPUTUNE_OK;
}

static gputune_status prepare(gt_farm *base, const gt_measure_setup *setup)
{
    gt_measure_host *host = &gt_host_of(base)->measure;
    gt_farm_request *request;
    GT_TRY(make_request(&request, base, GT_FRAME_PREPARE, 0, setup));
    host->refusal = GPUTUNE_OK;
    host->blameless = 0;
    gt_packet_drop(host->setup);
    host->setup = gt_packet_keep(request->packet);
    host->lost = (gt_lost){0};
    host->reference_ns = host->prepare_s = 0;
    gt_live_forget_all(host);
    gt_measure_submit(host, request);
    return GPUTUNE_OK;
}

static gputune_status verify(gt_farm *base, const gt_verify_job *job)
{
    gt_measure_host *host = &gt_host_of(base)->measure;
    gt_farm_request *request;

    GT_TRY(gt_array_reserve(&host->variants));
    GT_TRY(make_request(&request, base, GT_FRAME_VERIFY, job->id, job));
    gt_live_forget(host, job->id);
    host->variants.items[host->variants.count++] =
        (gt_live_variant){.id = job->id,
                          .packet = gt_packet_keep(request->packet),
                          .work = job->work,
                          .standard = job->standard,
                          .patient = job->patient};
    gt_measure_submit(host, request);
    return GPUTUNE_OK;
}

static gputune_status sample(gt_farm *base, const gt_sample_job *job)
{
    gt_farm_request *request;
    GT_TRY(make_request(&request, base, GT_FRAME_SAMPLE, job->id, job));
    GT_TRY(set_variants(request, job->variants, job->count));
    request->objective = job->objective;
    gt_measure_submit(&gt_host_of(base)->measure, request);
    return GPUTUNE_OK;
}

static gputune_status recheck(gt_farm *base, const gt_recheck_job *job)
{
    gt_farm_request *request;
    GT_TRY(make_request(&request, base, GT_FRAME_RECHECK, job->id, job));
    GT_TRY(set_variants(request, &job->id, 1));
    gt_measure_submit(&gt_host_of(base)->measure, request);
    return GPUTUNE_OK;
}

static gputune_status drop(gt_farm *base, uint64_t variant)
{
    gt_measure_host *host = &gt_host_of(base)->measure;
    gt_id_job job = {variant};
    gt_live_drop(host, variant);
    if (!host->slot.link.open) {
        return gt_farm_usable(gt_host_of(base));
    }
    gt_farm_request *request;
    GT_TRY(make_request(&request, base, GT_FRAME_DROP, variant, &job));
    gt_measure_submit(host, request);
    return GPUTUNE_OK;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static gt_slot *slot_at(gt_host_farm *farm, uint32_t index)
{
    return index < farm->compile.slot_count ? &farm->compile.slots[index] : &farm->measure.slot;
}

static void serve_slots(gt_host_farm *farm, double seconds)
{
    const uint32_t count = farm->compile.slot_count + 1;
    struct pollfd *descriptors = farm->descriptors;
    seconds = fmin(seconds, gt_compile_patience(farm));
    for (uint32_t i = 0; i < count; i++) {
        gt_slot *slot = slot_at(farm, i);
        short awaited = (short)(POLLIN | (slot->full ? POLLOUT : 0));
        descriptors[i] = (struct pollfd){slot->link.open ? slot->link.channel : -1, awaited, 0};
        seconds = fmin(seconds, gt_slot_patience(slot));
    }
    int milliseconds = seconds <= 0 ? 0 : (int)ceil(fmin(seconds, 3600) * 1e3);
    int ready = poll(descriptors, count, milliseconds);
    /* if poll() fails, wait 1 ms, and then read from all channels, which never blocks */
    if (ready < 0) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    for (uint32_t i = 0; i < count && ready != 0; i++) {
        if (ready < 0 || descriptors[i].revents & ~POLLOUT) {
            gt_slot_receive(slot_at(farm, i));
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        gt_slot *slot = slot_at(farm, i);
        if (gt_slot_patience(slot) <= 0) {
            slot->role->late(slot);
        }
    }
    gt_compile_pump(farm);
    gt_measure_pump(&farm->measure);
}

static gputune_status wait_event(gt_farm *base, gt_event *out, double seconds)
{
    gt_host_farm *farm = gt_host_of(base);
    int64_t start_ns = gt_now_ns();
    bool late = false;
    for (;;) {
        if (farm->ended.count > 0) {
            gt_farm_request *request = gt_queue_take(&farm->ended, 0);
            *out = request->event;
            /* the contents of the event now belong to the caller */
            request->event.kind = GT_EVENT_TIMEOUT;
            gt_farm_request_free(request);
            return GPUTUNE_OK;
        }
        GT_TRY(gt_farm_usable(farm));
        if (late) {
            *out = (gt_event){.kind = GT_EVENT_TIMEOUT};
            return GPUTUNE_OK;
        }
        double left = seconds - gt_seconds_since(start_ns);
        late = left <= 0;
        serve_slots(farm, left);
    }
}

static gputune_status device(gt_farm *base, gt_device *out)
{
    gt_host_farm *farm = gt_host_of(base);
    const gt_measure_host *host = &farm->measure;
    if (!host->has_device && !farm->emulated && farm->options.driver_version) {
        /* opening the device takes 0.2 s, so start the compilers now */
        gt_compile_start_ahead(farm);
    }
    while (!host->has_device) {
        GT_TRY(gt_farm_usable(farm));
        GT_REFUSE(host->refusal != GPUTUNE_OK, host->refusal, "%s", host->refusal_message);
        GT_REFUSE(!host->slot.link.open, GPUTUNE_EWORKER,
                  "there is no measure worker to ask for its device");
        serve_slots(farm, INFINITY);
    }
    *out = host->device;
    return GPUTUNE_OK;
}

static void cancel(gt_farm *base)
{
    gt_host_farm *farm = gt_host_of(base);
    gt_compile_cancel(farm);
    gt_measure_cancel(&farm->measure);
    gt_queue_clear(&farm->ended);
}

static void close_farm(gt_farm *base)
{
    GT_FREED gt_host_farm *farm = gt_host_of(base);
    /* kill the measure worker first, because it takes the longest time to exit */
    gt_process_kill(&farm->measure.slot.link.process);
    gt_compile_close(farm);
    gt_measure_free(&farm->measure);
    gt_queue_clear(&farm->ended);
    free(farm->descriptors);
    gt_texts_free(&farm->compile.environment);
    gt_texts_free(&farm->measure.environment);
    free(farm->worker);
}

static const gt_farm_ops operations = {
    .compile = gt_compile_submit,
    .compiling = gt_compile_list,
    .give_up = gt_compile_give_up,
    .prepare = prepare,
    .verify = verify,
    .sample = sample,
    .recheck = recheck,
    .interrupt = gt_measure_interrupt,
    .drop = drop,
    .device = device,
    .wait = wait_event,
    .cancel = cancel,
    .close = close_farm,
};

/* ---- Opening --------------------------------------------------------------------------------- */

static gputune_status open_compile(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    const gt_farm_options *options = &farm->options;
    uint32_t count = options->compile_workers ? options->compile_workers : gt_cores();
    count = count < GT_COMPILE_WORKERS_MAX ? count : GT_COMPILE_WORKERS_MAX;
    host->slots = calloc(count, sizeof *host->slots);
    farm->descriptors = calloc(count + 1, sizeof *farm->descriptors);
    GT_TRY(gt_allocated(host->slots));
    GT_TRY(gt_allocated(farm->descriptors));
    host->slot_count = host->limit = host->allowed = count;
    if (!options->compile_workers) {
        gt_cores_join(host);
    }
    for (uint32_t i = 0; i < host->slot_count; i++) {
        host->slots[i].farm = farm;
        host->slots[i].role = &gt_compile_role;
    }
    farm->farm.compile_workers = count;
    snprintf(host->driver_version, sizeof host->driver_version, "%d", options->driver_version);
    /* by default, all workers share half of the memory; each gets at least 1 GB, at most 8 GB */
    uint64_t asked = gt_compile_memory_asked(), share = machine_bytes() / MEGABYTE / 2 / count;
    share = share < LEAST_MB ? LEAST_MB : share > MOST_MB ? MOST_MB : share;
    snprintf(host->memory_mb, sizeof host->memory_mb, "%llu",
             (unsigned long long)(asked ? asked : share));
    return gt_process_environment(&host->environment, false, NULL);
}

static gputune_status open_measure(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    gt_farm_options *options = &farm->options;
    const char *visible =
        options->device_uuid && options->device_uuid[0] ? options->device_uuid : NULL;
    GT_FREED char *entry = NULL;
    host->slot.farm = farm;
    host->slot.role = &gt_measure_role;
    options->deadline_s = options->deadline_s > 0 ? options->deadline_s : DEADLINE_S;
    farm->emulated = options->driver && strncmp(options->driver, "emu", 3) == 0;
    /* minimum time limit in seconds; correct kernels have taken up to 1.5 s on the emulator */
    const char *given = farm->emulated ? gt_environment("GPUTUNE_EMU_DEADLINE") : NULL;
    char *end = NULL;
    host->least_s = given ? gt_strtod(given, &end) : farm->emulated ? LEAST_EMULATED_S : LEAST_S;
    GT_REFUSE(given && (*end || !(host->least_s > 0)), GPUTUNE_EINVAL,
              "GPUTUNE_EMU_DEADLINE=%s: expected seconds, such as 0.5", given);
    if (farm->emulated) {
        visible = NULL;
    } else if (!visible) {
        GT_TRY(gt_process_visible(&entry, options->device_ordinal));
        visible = entry;
    }
    snprintf(host->ordinal, sizeof host->ordinal, "%d", visible ? 0 : options->device_ordinal);
    return gt_process_environment(&host->environment, true, visible);
}

gputune_status gt_farm_open(gt_farm **out, const gt_farm_options *options)
{
    gt_host_farm *farm = calloc(1, sizeof *farm);
    GT_TRY(gt_allocated(farm));
    farm->farm.ops = &operations;
    farm->farm.measures = options->driver != NULL;
    farm->options = *options;
    gputune_status status = gt_worker_find(&farm->worker, options->worker);
    GT_THEN(status, open_compile(farm));
    GT_THEN(status, open_measure(farm));
    if (status < 0) {
        close_farm(&farm->farm);
        return status;
    }
    if (options->driver) {
        gt_measure_start(&farm->measure);
    }
    *out = &farm->farm;
    return GPUTUNE_OK;
}
