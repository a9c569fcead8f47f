/* A process that answers the requests of a sequence with the real tuner, plan table and store, and
 * a scripted farm and clock. The process checks nothing. */
#pragma once

#include "tuner/sequence.h"

#include "api/tuner.h"
#include "gpu/device.h"
#include "support/clock.h"
#include "tuner/outcome.h"
#include "tuner/race.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char sequence_template[] =
    "#pragma gputune kernel(scale)\n"
    "#pragma gputune problem(n = 1 << 20)\n"
    "#pragma gputune args(out float y[n], in float x[n], float a = 2, size_t n)\n"
    "#pragma gputune tune(BLOCK = %s)\n"
    "#pragma gputune tune(ITEMS = 1, 2, 4)\n"
    "#pragma gputune default(BLOCK = 128, ITEMS = 1)\n"
    "#pragma gputune require(BLOCK * ITEMS <= %d)\n"
    "#pragma gputune block(BLOCK)\n"
    "#pragma gputune grid(ceil_div(n, BLOCK * ITEMS))\n"
    "#pragma gputune reference(scale_reference, block = 256, grid = ceil_div(n, 256))\n"
    "__global__ void scale(float *y, const float *x, float a, size_t n) {\n"
    "    size_t i = (blockIdx.x * (size_t)BLOCK + threadIdx.x) * ITEMS;\n"
    "    for (int k = 0; k < ITEMS; k++) if (i + k < n) y[i + k] = a * x[i + k];\n"
    "}\n"
    "__global__ void scale_reference(float *y, const float *x, float a, size_t n) {\n"
    "    size_t i = blockIdx.x * 256ul + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i];\n"
    "}\n";

enum { REQUESTS_MAX = 16 };

static struct {
    sequence_request request;
    sequence_answer answer;
    gputune tuner;
    scripted_farm farm;
    /* the operations that the tuner calls, and those of the scripted farm */
    gt_farm_ops ops, scripted;
    const char *path;                  /* of the template */
    int waits;                         /* number of waits for the farm in this request */
    bool was_late;                     /* true if LATE_LIMIT has already delayed an answer */
    uint64_t recheck;                  /* the variant that is re-verified, or GT_NO_VARIANT */
    int source_of[256];                /* by job: a configuration that has the source to compile */
    gputune_plan *plans[REQUESTS_MAX]; /* indexed by the number of the request that made the plan */
    volatile int cancel;
} process;

static int config_of(const gt_launch *launch)
{
    int64_t block = launch->steps[0].block[0], grid = launch->steps[0].grid[0];
    int64_t items = size_values[size_of(process.request.scenario)] / (grid * block);
    for (int c = 0; c < CONFIGS; c++) {
        if (block_values[c / ITEM_VALUES] == block && item_values[c % ITEM_VALUES] == items) {
            return c;
        }
    }
    fprintf(stderr, "a launch of %lld blocks of %lld threads is of no configuration\n",
            (long long)grid, (long long)block);
    _exit(2);
}

static int config_of_text(const char *text)
{
    const char *block = strstr(text, "#define BLOCK "), *items = strstr(text, "#define ITEMS ");
    for (int c = 0; c < CONFIGS && block && items; c++) {
        if ((int)strtol(block + 14, NULL, 10) == block_values[c / ITEM_VALUES] &&
            (int)strtol(items + 14, NULL, 10) == item_values[c % ITEM_VALUES]) {
            return c;
        }
    }
    return NO_CONFIG;
}

static scripted_variant behave_as_asked(void *user, const gt_launch *launch)
{
    int config = config_of(launch);
    process.answer.tried |= 1U << config;
    return process.request.variants[config];
}

static gputune_status compile_as_asked(void *user, const char *text)
{
    int config = config_of_text(text);
    return config == NO_CONFIG ? GPUTUNE_OK : process.request.variants[config].compile;
}

static gputune_status compile_noting(gt_farm *farm, const gt_compile_job *job)
{
    process.source_of[job->id % 256] = config_of_text(job->source.text);
    return process.scripted.compile(farm, job);
}

static gputune_status recheck_noting(gt_farm *farm, const gt_recheck_job *job)
{
    process.recheck = job->id;
    return process.scripted.recheck(farm, job);
}

static void cancel_noting(gt_farm *farm)
{
    process.recheck = GT_NO_VARIANT;
    process.scripted.cancel(farm);
}

/* Returns the bit set of configurations whose proofs have not ended. */
static uint32_t configs_due(void)
{
    uint32_t due = 0;
    for (size_t i = process.farm.next; i < process.farm.events.count; i++) {
        const gt_event *event = &process.farm.events.items[i];
        if (event->kind == GT_EVENT_VERIFIED || event->kind == GT_EVENT_RECHECKED) {
            due |= 1U << config_of(&process.farm.launches.items[event->id]);
        }
    }
    return due;
}

static void inject_fault(gt_event *event)
{
    bool of_measuring = event->kind == GT_EVENT_SAMPLED || event->kind == GT_EVENT_VERIFIED ||
                        event->kind == GT_EVENT_RECHECKED;
    switch (process.request.disturbance) {
    case LIMIT:
    case LATE_LIMIT:
        clock_skip(1000);
        process.answer.ran_on = configs_due();
        break;
    case CANCEL:
        process.cancel = 1;
        break;
    case KILL:
        raise(SIGKILL);
        break;
    case LOST_WORKER:
        if (!of_measuring) {
            return;
        }
        event->status = GPUTUNE_EWORKER;
        event->culprit = GT_NO_VARIANT;
        snprintf(event->message, sizeof event->message, "the worker is lost");
        break;
    default:
        return;
    }
    process.answer.disturbed = true;
}

/* Records a failure that the tuner may store. After a cancel or time limit, only the result of the
 * winner's last proof is stored. */
static void note_failure(const gt_event *event, bool stopped)
{
    int config = NO_CONFIG;
    bool is_recheck = event->kind == GT_EVENT_RECHECKED && event->id == process.recheck;
    process.recheck = is_recheck ? GT_NO_VARIANT : process.recheck;
    if (event->status == GPUTUNE_OK || (stopped && !is_recheck)) {
        return;
    }
    if (event->kind == GT_EVENT_COMPILED) {
        config = process.source_of[event->id % 256];
    } else if (event->kind == GT_EVENT_VERIFIED || event->kind == GT_EVENT_RECHECKED) {
        config = config_of(&process.farm.launches.items[event->id]);
    } else if (event->kind == GT_EVENT_SAMPLED && event->culprit != GT_NO_VARIANT) {
        config = config_of(&process.farm.launches.items[event->culprit]);
    }
    if (config != NO_CONFIG && gt_outcome_is_kept(event->status, event->repeatable)) {
        process.answer.refuted |= 1U << config;
    }
}

static gputune_status wait_as_asked(gt_farm *farm, gt_event *out, double seconds)
{
    const sequence_request *request = &process.request;
    process.answer.disturbed |= gt_gpu_is_wanted(&process.tuner.gpu);
    bool stopped = process.answer.disturbed;
    if (stopped && request->disturbance == LATE_LIMIT && !process.was_late) {
        process.was_late = true;
        clock_skip(0.2);
        *out = (gt_event){.kind = GT_EVENT_TIMEOUT};
        return GPUTUNE_OK;
    }
    gputune_status status = process.scripted.wait(farm, out, seconds);
    clock_skip(1e-4);
    if (++process.waits >= request->at && !stopped) {
        inject_fault(out);
    }
    note_failure(out, stopped);
    return status;
}

static void must(int status, const char *what)
{
    if (status != GPUTUNE_OK) {
        fprintf(stderr, "%s: %s\n", what, gputune_error());
        _exit(2);
    }
}

static void start_process(const char *template, const char *database)
{
    clock_stand();
    gputune *tuner = &process.tuner;
    process.path = template;
    process.recheck = GT_NO_VARIANT;
    must(gt_catalog_open(&tuner->catalog, NULL, NULL), "templates");
    must(gt_store_open(&tuner->store, database, NULL, NULL, false), database);
    must(gt_plan_table_new(&tuner->plans, GT_PLAN_TABLE_LIMIT), "plans");
    must(gt_device_for_arch(&tuner->device, "sm_90"), "device");
    snprintf(tuner->device.name, sizeof tuner->device.name, "Test GPU");
    snprintf(tuner->device.origin, sizeof tuner->device.origin, "cuda");
    snprintf(tuner->device.environment, sizeof tuner->device.environment,
             "0123456789abcdef0123456789abcdef");
    tuner->has_device = true;
    gt_calls_open(&tuner->calls);
    tuner->services = (gt_services){.catalog = tuner->catalog,
                                    .store = tuner->store,
                                    .workers = &tuner->workers,
                                    .gpu = &tuner->gpu,
                                    .user = tuner};
    process.farm.behave = behave_as_asked;
    process.farm.compile = compile_as_asked;
    scripted_farm_open(&process.farm);
    scripted_workers_open(&tuner->workers, &process.farm);
    process.scripted = process.ops = *process.farm.farm.ops;
    process.ops.compile = compile_noting;
    process.ops.recheck = recheck_noting;
    process.ops.cancel = cancel_noting;
    process.ops.wait = wait_as_asked;
    process.farm.farm.ops = &process.ops;
}

/* Lists the chosen values of BLOCK, as in "32, 64". */
static void list_blocks(char out[64], uint32_t chosen)
{
    size_t used = 0;
    out[0] = '\0';
    for (int b = 0; b < BLOCK_VALUES; b++) {
        if (chosen & 1U << b) {
            used +=
                (size_t)snprintf(out + used, 64 - used, "%s%d", used ? ", " : "", block_values[b]);
        }
    }
}

static void write_sequence_template(const char *path, const sequence_request *request)
{
    char blocks[64];
    FILE *file = fopen(path, "w");
    if (!file) {
        _exit(2);
    }
    list_blocks(blocks, request->template_blocks);
    fprintf(file, sequence_template, blocks, request->require);
    fclose(file);
}

static int parse_name(const char *text)
{
    for (int c = 0; c < CONFIGS; c++) {
        char name[32];
        config_name(name, c);
        if (strcmp(name, text) == 0) {
            return c;
        }
    }
    return NO_CONFIG;
}

static void describe(const char *config, gputune_source source, double time_ns, const char *reason)
{
    sequence_answer *answer = &process.answer;
    answer->config = parse_name(config);
    answer->source = source;
    answer->time_ns = time_ns;
    answer->explained = reason[0] != '\0';
    answer->undecided = strstr(reason, gt_race_end_text(GT_RACE_BUDGET)) ||
                        strstr(reason, gt_race_end_text(GT_RACE_CANCELED));
    answer->unproved = strstr(reason, "winner not re-verified") != NULL;
    snprintf(answer->message, sizeof answer->message, "%s", reason);
}

static gputune_status answer_by_table(gputune_sizes sizes, const gputune_options *options)
{
    gputune_info info = GPUTUNE_INFO_INIT;
    gputune_plan *plan;
    GT_TRY(tune_kernel(&plan, &process.tuner, process.path, sizes, options));
    must(gputune_plan_info(&info, plan), "plan");
    describe(info.configuration, info.source, info.time_ns, info.stop_reason);
    for (int i = 0; i < process.request.number; i++) {
        if (process.plans[i] == plan) {
            process.answer.made_by = i;
            gputune_plan_release(plan);
            return GPUTUNE_OK;
        }
    }
    process.plans[process.request.number] = plan; /* kept, so no other plan gets its address */
    return GPUTUNE_OK;
}

static gputune_status answer_by_tuner(gputune_sizes sizes, const gputune_options *options)
{
    gt_request *request;
    gt_choice choice;
    char *config = NULL;
    const gt_services *services = &process.tuner.services;
    GT_TRY(
        gt_request_make(&request, services, &process.tuner.device, process.path, sizes, options));
    gputune_status status = gt_tune(&choice, request);
    if (status == GPUTUNE_OK) {
        must(gt_config_text(&config, request->template, &choice.config), "configuration");
        describe(config, choice.source, choice.time_ns, choice.stop_reason);
        free(config);
        gt_choice_free(&choice);
    }
    gt_request_free(request);
    return status;
}

static void answer_request(void)
{
    const sequence_request *r = &process.request;
    sequence_answer *answer = &process.answer;
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    char blocks[64], only[80];
    const char *const restrictions[] = {only};
    *answer = (sequence_answer){.config = NO_CONFIG, .made_by = r->number};
    process.waits = 0;
    process.was_late = false;
    process.cancel = 0;
    process.tuner.gpu.is_taken = r->disturbance == BUSY_GPU;
    process.tuner.gpu.is_wanted = false;
    process.tuner.device.driver_version = r->driver_version;
    process.tuner.device.emulated = r->emulated;
    process.farm.noise = r->emulated ? 0 : 0.002;
    list_blocks(blocks, r->only_blocks);
    snprintf(only, sizeof only, "BLOCK=%s", blocks);
    options.effort = r->effort;
    options.objective = objective_of(r->scenario);
    options.max_variants = r->max_variants;
    options.strategy = r->max_variants ? GPUTUNE_STRATEGY_EXHAUSTIVE : GPUTUNE_STRATEGY_AUTO;
    options.seed = (uint64_t)seed_of(r->scenario);
    options.force = r->force;
    options.only = restrictions;
    options.only_count = r->only_blocks != 0;
    options.cancel = &process.cancel;
    if (r->refresh) {
        gputune_refresh(&process.tuner);
    }
    gputune_size size = {"n", size_values[size_of(r->scenario)]};
    answer->status = r->through_table ? answer_by_table((gputune_sizes){1, &size}, &options)
                                      : answer_by_tuner((gputune_sizes){1, &size}, &options);
    if (answer->status != GPUTUNE_OK) {
        snprintf(answer->message, sizeof answer->message, "%s", gputune_error());
    }
}

/* Answers requests from `channel` until it is closed. Does not return. */
static inline void run_process(int channel, const char *template, const char *database)
{
    start_process(template, database);
    while (read(channel, &process.request, sizeof process.request) == sizeof process.request) {
        answer_request();
        if (write(channel, &process.answer, sizeof process.answer) != sizeof process.answer) {
            break;
        }
    }
    _exit(0);
}
