/* Measuring from end to end: on the emulator, or with GPUTUNE_TEST_DRIVER=cuda on a GPU. */
#include "farm/farm.h"
#include "farm/measure_parts.h"
#include "farm/measure_value.h"
#include "gpu/nvrtc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 10000, AWKWARD = 9973, BLOCK = 128 };

static const char reference_text[] =
    "extern \"C\" __global__ void axpy_reference(float *y, const float *x, float a, size_t n) {"
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  if (i < n) y[i] += a * x[i];"
    "}"
    "__device__ unsigned turn;"
    "extern \"C\" __global__ void restless(float *y, const float *x, float a, size_t n) {"
    "  if (threadIdx.x == 0) atomicAdd(&turn, 1u);"
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  if (i < n) y[i] = turn;"
    "}"
    "extern \"C\" __global__ void exact(double *y, const float *x, float a, size_t n, double "
    "*scale)"
    "{ size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  if (i < n) { scale[i] = fabs(y[i]) + fabs((double)a * x[i]); y[i] += (double)a * x[i]; } }"
    "extern \"C\" __global__ void judge(float *y, const float *x, float a, size_t n,"
    "                                   unsigned long long *wrong)"
    "{ size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  if (i < n && !(fabsf(y[i]) <= 3.0f)) atomicAdd(wrong, 1ull); }";

#define VARIANT(statement)                                                                         \
    "extern \"C\" __global__ void axpy(float *y, float *x, float a, size_t n) {"                   \
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;" statement "}"
#define RIGHT VARIANT("if (i < n) y[i] += a * x[i];")

static struct {
    gt_image service, reference;
    gt_measure *measure;
    const gt_nvrtc *nvrtc;
    char missing[256];
} world;

static pid_t crasher;

static const char *driver_name(void)
{
    const char *name = getenv("GPUTUNE_TEST_DRIVER");
    return name ? name : "emu";
}

static gt_image compile(const char *text)
{
    const gt_device *device = gt_measure_device(world.measure);
    gt_nvrtc_request request = {.text = text,
                                .arch = device->arch,
                                .want_cubin = !device->emulated,
                                .want_ptx = device->emulated};
    gt_nvrtc_result result = {0};
    if (gt_nvrtc_compile(&result, world.nvrtc, &request) < 0) {
        fail_msg("%s\n%s", gt_message(), result.log ? result.log : "");
    }
    gt_image *image = device->emulated ? &result.ptx : &result.cubin;
    gt_image taken = *image;
    *image = (gt_image){0};
    gt_nvrtc_result_free(&result);
    return taken;
}

static int open_world(void **state)
{
    (void)state;
    if (gt_nvrtc_open(&world.nvrtc, 0) < 0 ||
        gt_measure_open(&world.measure, driver_name(), 0) < 0) {
        snprintf(world.missing, sizeof world.missing, "%s", gt_message());
        return 0;
    }
    world.service = compile(gt_service_source);
    world.reference = compile(reference_text);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    gt_measure_close(world.measure);
    free(world.service.data);
    free(world.reference.data);
    return 0;
}

#define NEEDS_DEVICE()                                                                             \
    do {                                                                                           \
        (void)state;                                                                               \
        if (!world.measure) {                                                                      \
            print_message("no device: %s\n", world.missing);                                       \
            skip();                                                                                \
        }                                                                                          \
    } while (0)

/* ---- Setups and jobs ------------------------------------------------------------------------- */

static gt_launch launch_of(const char *entry, uint64_t n)
{
    gt_launch launch = {.argument_count = 4, .parameter_count = 4};
    snprintf(launch.entry, sizeof launch.entry, "%s", entry);
    for (int i = 0; i < 3; ++i) {
        launch.geometry.grid[i] = launch.geometry.block[i] = launch.geometry.cluster[i] = 1;
    }
    launch.geometry.grid[0] = (uint32_t)((n + BLOCK - 1) / BLOCK);
    launch.geometry.block[0] = BLOCK;
    launch.geometry.carveout_kb = -1;
    for (int i = 0; i < 4; ++i) {
        launch.parameters[i] = (gt_parameter){
            .kind = i < 2 ? GT_PARAMETER_BUFFER : GT_PARAMETER_SCALAR, .bytes = 8, .argument = i};
    }
    launch.parameters[2].bytes = 4;
    return launch;
}

static void make_workload(gt_workload *out, uint64_t n, const char *reference)
{
    *out = (gt_workload){.argument_count = 4,
                         .buffer_count = 2,
                         .scalar_count = 2,
                         .tolerance = {.rtol = 1e-6},
                         .has_reference = reference != NULL};
    for (uint32_t i = 0; i < 4; ++i) {
        out->arguments[i].is_buffer = i < 2;
        out->arguments[i].index = i % 2;
    }
    for (int i = 0; i < 2; ++i) {
        out->buffers[i] = (gt_buffer){.direction = i == 0 ? GT_INOUT : GT_IN,
                                      .type = GT_TYPE_F32,
                                      .reference_type = GT_TYPE_F32,
                                      .elements = n,
                                      .bytes = 4 * n,
                                      .fill = GT_FILL_UNIFORM,
                                      .low = -1,
                                      .high = 1};
        snprintf(out->buffers[i].name, sizeof out->buffers[i].name, "%s", i == 0 ? "y" : "x");
        out->alignment[i] = 16;
    }
    out->scalars[0] = (gt_scalar){.type = GT_TYPE_F32, .real = 1.5, .problem_value = -1};
    out->scalars[1] = (gt_scalar){.type = GT_TYPE_U64, .integer = (int64_t)n};
    out->reference = launch_of(reference ? reference : "", n);
}

static gt_measure_setup *make_setup(const char *reference)
{
    static gt_measure_setup setup;
    setup = (gt_measure_setup){.objective = GPUTUNE_OBJECTIVE_KERNEL,
                               .seed = 42,
                               .workload_count = 2,
                               .reference = world.reference,
                               .service = world.service};
    make_workload(&setup.workloads[0], N, reference);
    make_workload(&setup.workloads[1], AWKWARD, reference);
    return &setup;
}

static void must(gputune_status status)
{
    if (status < 0) {
        fail_msg("%s: %s", gt_status_name(status), gt_message());
    }
}

static void prepare(const gt_measure_setup *setup)
{
    gt_prepared prepared = {0};
    must(gt_measure_prepare(world.measure, setup, &prepared));
}

static gputune_status verify(gt_verified *out, uint64_t id, const char *text)
{
    static gt_verify_job job;
    job = (gt_verify_job){.id = id, .image = compile(text)};
    job.launches[0] = launch_of("axpy", N);
    job.launches[1] = launch_of("axpy", AWKWARD);
    gputune_status status = gt_measure_verify(world.measure, &job, out);
    free(job.image.data);
    return status;
}

static void assert_wrong(const char *text, const char *message)
{
    gt_verified verified;
    gputune_status status = verify(&verified, 99, text);
    if (status != GPUTUNE_EWRONG || !strstr(gt_message(), message)) {
        fail_msg("expected '%s', got %s: %s", message, gt_status_name(status), gt_message());
    }
}

static void assert_right(const char *text)
{
    gt_verified verified;
    must(verify(&verified, 98, text));
}

/* ---- Preparing ------------------------------------------------------------------------------- */

static void inputs_on_the_device_are_those_of_the_host(void **state)
{
    NEEDS_DEVICE();
    static const gt_type types[] = {GT_TYPE_I8,  GT_TYPE_U16,  GT_TYPE_I32, GT_TYPE_U64,
                                    GT_TYPE_F16, GT_TYPE_BF16, GT_TYPE_F32, GT_TYPE_F64};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; ++k) {
        for (int fill = GT_FILL_UNIFORM; fill <= GT_FILL_CONSTANT; ++fill) {
            gt_measure_setup *setup = make_setup(NULL);
            gt_buffer *x = &setup->workloads[0].buffers[1];
            x->type = x->reference_type = types[k];
            x->bytes = N * gt_type_bytes(types[k]);
            x->fill = (gt_fill_kind)fill;
            x->low = gt_type_is_float(types[k]) ? -0.75 : 3;
            x->high = 77;
            prepare(setup);
            char *expected = malloc(x->bytes), *found = malloc(x->bytes);
            assert_true(expected && found);
            gt_fill_host(expected, x, gt_fill_seed(42, 1));
            assert_int_equal(world.measure->driver->MemcpyDtoH(
                                 found, world.measure->rigs[0].slots[1].address, x->bytes),
                             CUDA_SUCCESS);
            assert_memory_equal(expected, found, x->bytes);
            free(expected);
            free(found);
        }
    }
}

static void the_reference_is_timed(void **state)
{
    gt_prepared prepared = {0};
    NEEDS_DEVICE();
    must(gt_measure_prepare(world.measure, make_setup("axpy_reference"), &prepared));
    assert_true(prepared.reference_ns > 0);
    assert_true(prepared.copy_bytes_per_s > 0);
}

static void a_restless_reference_is_the_templates_mistake(void **state)
{
    gt_prepared prepared;
    NEEDS_DEVICE();
    assert_int_equal(gt_measure_prepare(world.measure, make_setup("restless"), &prepared),
                     GPUTUNE_ETEMPLATE);
    assert_non_null(strstr(gt_message(), "other values of y"));
}

static void a_missing_reference_is_named(void **state)
{
    gt_prepared prepared;
    NEEDS_DEVICE();
    assert_true(gt_measure_prepare(world.measure, make_setup("nowhere"), &prepared) < 0);
    assert_non_null(strstr(gt_message(), "nowhere"));
}

static void too_large_a_size_is_refused_before_anything_is_allocated(void **state)
{
    gt_prepared prepared;
    NEEDS_DEVICE();
    gt_measure_setup *setup = make_setup("axpy_reference");
    setup->workloads[0].buffers[0].elements = UINT64_C(1) << 40;
    setup->workloads[0].buffers[0].bytes = UINT64_C(1) << 42;
    assert_int_equal(gt_measure_prepare(world.measure, setup, &prepared), GPUTUNE_EDEVMEM);
    assert_non_null(strstr(gt_message(), "smaller size"));
}

/* ---- Verifying ------------------------------------------------------------------------------- */

static void a_right_variant_is_accepted(void **state)
{
    gt_verified verified;
    NEEDS_DEVICE();
    prepare(make_setup("axpy_reference"));
    must(verify(&verified, 1, RIGHT));
    assert_true(verified.max_error == 0);
    assert_true(verified.pilot_ns > 0);
    assert_true(verified.occupancy > 0 && verified.occupancy <= 1);
    assert_true(verified.resources.registers > 0);
}

static void errors_within_the_tolerance_are_accepted_and_told(void **state)
{
    gt_verified verified;
    NEEDS_DEVICE();
    prepare(make_setup("axpy_reference"));
    must(
        verify(&verified, 1, VARIANT("if (i < n) { y[i] += a * x[i]; y[i] += y[i] * 0x1p-22f; }")));
    assert_true(verified.max_error > 0 && verified.max_error <= 1);
}

static void a_wrong_value_is_told_with_its_place(void **state)
{
    NEEDS_DEVICE();
    prepare(make_setup("axpy_reference"));
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i] + (i == 123 ? 1 : 0);"), "y[123] is ");
    assert_wrong(VARIANT("if (i < n && i != 9972) y[i] += a * x[i];"), "y[9972] is ");
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i]; if (i == 7) y[i] = 0.0f / 0.0f;"),
                 "y[7] is ");
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i]; if (i == 8) y[i] = 1.0f / 0.0f;"),
                 "y[8] is inf");
    assert_right(RIGHT);
}

static void bytes_beyond_a_buffer_are_guarded(void **state)
{
    NEEDS_DEVICE();
    prepare(make_setup("axpy_reference"));
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i]; if (i == n) y[n] = 1;"), "behind y");
    assert_right(RIGHT);
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i]; if (i == 0) y[-1] = 1;"), "before y");
    assert_right(RIGHT);
}

static void inputs_must_stay_as_they_are(void **state)
{
    NEEDS_DEVICE();
    prepare(make_setup("axpy_reference"));
    assert_wrong(VARIANT("if (i < n) { y[i] += a * x[i]; x[i] = 0; }"), "x, an input, was changed");
    assert_right(RIGHT);
    assert_wrong(VARIANT("if (i == 3) x[3] = 1; if (i < n) y[i] += a * x[i];"),
                 "x, an input, was changed");
    assert_right(RIGHT);
    assert_wrong(VARIANT("if (i == 3 && n == 10000) x[3] = 1; if (i < n) y[i] += a * x[i];"),
                 "y[3] is ");
    assert_right(RIGHT);
}

static void results_are_compared_with_a_reference_in_double(void **state)
{
    gt_verified verified;
    NEEDS_DEVICE();
    gt_measure_setup *setup = make_setup("exact");
    for (int i = 0; i < 2; ++i) {
        gt_workload *workload = &setup->workloads[i];
        workload->buffers[0].reference_type = GT_TYPE_F64;
        workload->has_scale = true;
        workload->tolerance = (gt_tolerance){.stol = 2e-7};
        workload->reference.parameter_count = 5;
        workload->reference.parameters[4] =
            (gt_parameter){.kind = GT_PARAMETER_SCRATCH,
                           .bytes = 8,
                           .argument = -1,
                           .scratch_bytes = 8 * workload->buffers[0].elements};
    }
    prepare(setup);
    must(verify(&verified, 1, RIGHT));
    assert_true(verified.max_error > 0 && verified.max_error <= 1);
    assert_wrong(VARIANT("if (i < n) y[i] += a * x[i] * 1.0001f;"), "times the tolerance");
}

static void without_a_reference_the_first_variant_is_one(void **state)
{
    gt_verified verified;
    NEEDS_DEVICE();
    prepare(make_setup(NULL));
    must(verify(&verified, 1, RIGHT));
    assert_right(RIGHT);
    assert_wrong(VARIANT("if (i < n) y[i] -= a * x[i];"), "y[0] is ");
}

static void a_check_kernel_replaces_the_comparison(void **state)
{
    NEEDS_DEVICE();
    gt_measure_setup *setup = make_setup(NULL);
    for (int i = 0; i < 2; ++i) {
        gt_workload *workload = &setup->workloads[i];
        workload->has_check = true;
        workload->check = launch_of("judge", workload->buffers[0].elements);
        workload->check.parameter_count = 5;
        workload->check.parameters[4] = (gt_parameter){
            .kind = GT_PARAMETER_SCRATCH, .bytes = 8, .argument = -1, .scratch_bytes = 8};
    }
    prepare(setup);
    assert_right(RIGHT);
    assert_right(VARIANT("if (i < n) y[i] = 3;"));
    assert_wrong(VARIANT("if (i < n) y[i] = i < 5 ? 4 : 3;"), "counted 5 failures");
}

static void a_winner_is_checked_again_with_another_seed(void **state)
{
    gt_verified verified;
    NEEDS_DEVICE();
    prepare(make_setup("axpy_reference"));
    must(verify(&verified, 1, RIGHT));
    must(gt_measure_recheck(world.measure, &(gt_recheck_job){1, 4711}, &verified));
    assert_int_equal(world.measure->seed, 4711);
    assert_right(RIGHT);
    assert_int_equal(world.measure->seed, 42);
    assert_true(gt_measure_recheck(world.measure, &(gt_recheck_job){5, 1}, &verified) < 0);
}

static void sample(gputune_objective objective, bool quick)
{
    volatile uint64_t current = 0;
    const uint64_t ids[] = {2, 1, 77};
    gt_sampled sampled = {0};
    gt_sample_job job = {.variants = ids,
                         .count = 3,
                         .objective = objective,
                         .length = quick ? GT_SAMPLE_QUICK : GT_SAMPLE_FULL};
    must(gt_measure_sample(world.measure, &job, &sampled, &current));
    assert_int_equal(sampled.count, 3);
    assert_true(sampled.values[0] > 0 && sampled.values[1] > 0);
    assert_true(isnan(sampled.values[2]));
    free(sampled.values);
}

/* ---- Blocks of parameters -------------------------------------------------------------------- */

enum { BLOCK_INTS = 1500, BY_VALUE_INTS = 1000 };

#define BLOCK_SUM(parameters, item)                                                                \
    "extern \"C\" __global__ void sum(" parameters ") {"                                           \
    "  int total = 0; for (int i = threadIdx.x; i < 1500; i += blockDim.x) total += " item ";"     \
    "  atomicAdd(out, total); }"
#define SPLIT_BLOCK "struct part { int items[1000]; }; __constant__ int gputune_pass_constant[500];"

static const struct {
    gt_pass pass;
    uint32_t by_value_bytes, parameter_bytes;
    const char *text;
} passes[] = {
    {GT_PASS_VALUE, 4 * BLOCK_INTS, 4 * BLOCK_INTS,
     "struct whole { int items[1500]; };" BLOCK_SUM("const __grid_constant__ whole c, int *out",
                                                    "c.items[i]")},
    {GT_PASS_SPLIT, 4 * BY_VALUE_INTS, 4 * BY_VALUE_INTS,
     SPLIT_BLOCK BLOCK_SUM("const __grid_constant__ part c, int *out",
                           "(i < 1000 ? c.items[i] : gputune_pass_constant[i - 1000])")},
    {GT_PASS_CONSTANT, 0, 0,
     "__constant__ int gputune_pass_constant[1500];" BLOCK_SUM("int *out",
                                                               "gputune_pass_constant[i]")},
    {GT_PASS_GLOBAL, 0, 8, BLOCK_SUM("const int *c, int *out", "c[i]")},
};

static gt_launch sum_launch(const char *entry, gt_pass pass, uint32_t by_value, uint32_t bytes)
{
    gt_launch launch = launch_of(entry, 1);
    launch.pass = pass;
    launch.block_bytes = 4 * BLOCK_INTS;
    launch.by_value_bytes = by_value;
    launch.argument_count = 2;
    launch.parameter_count = 0;
    if (bytes) {
        launch.parameters[launch.parameter_count++] =
            (gt_parameter){.kind = GT_PARAMETER_BLOCK, .bytes = bytes};
    }
    launch.parameters[launch.parameter_count++] =
        (gt_parameter){.kind = GT_PARAMETER_BUFFER, .bytes = 8, .argument = 1};
    launch.clear_count = 1;
    launch.clears[0] = (gt_clear){(int)launch.parameter_count - 1, 4};
    return launch;
}

static gt_measure_setup *block_setup(gt_image reference)
{
    gt_measure_setup *setup = make_setup("axpy_reference");
    gt_workload *workload = &setup->workloads[0];
    setup->reference = reference;
    setup->workload_count = 1;
    *workload = (gt_workload){.has_block = true, .argument_count = 1, .buffer_count = 1};
    workload->block = (gt_buffer){.type = GT_TYPE_I32,
                                  .fill = GT_FILL_UNIFORM,
                                  .low = -1000,
                                  .high = 1000,
                                  .elements = BLOCK_INTS,
                                  .bytes = 4 * BLOCK_INTS};
    workload->arguments[0].is_buffer = true;
    workload->buffers[0] = (gt_buffer){.name = "out",
                                       .type = GT_TYPE_I32,
                                       .reference_type = GT_TYPE_I32,
                                       .direction = GT_OUT,
                                       .elements = 1,
                                       .bytes = 4};
    workload->has_reference = true;
    workload->reference = sum_launch("sum", GT_PASS_GLOBAL, 0, 8);
    return setup;
}

static void blocks_reach_the_kernel_in_every_way(void **state)
{
    static gt_verify_job job;
    gt_verified verified;
    NEEDS_DEVICE();
    gt_image reference = compile(passes[3].text);
    prepare(block_setup(reference));
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; ++i) {
        job = (gt_verify_job){.id = 1 + i % 2, .image = compile(passes[i].text)};
        job.launches[0] =
            sum_launch("sum", passes[i].pass, passes[i].by_value_bytes, passes[i].parameter_bytes);
        must(gt_measure_verify(world.measure, &job, &verified));
        free(job.image.data);
        if (i % 2) {
            sample(GPUTUNE_OBJECTIVE_KERNEL, false);
            sample(GPUTUNE_OBJECTIVE_LAUNCH, true);
            must(gt_measure_recheck(world.measure, &(gt_recheck_job){1 + i % 2, 5}, &verified));
            sample(GPUTUNE_OBJECTIVE_KERNEL, true);
        }
    }
    free(reference.data);
}

/* ---- Inputs of the caller -------------------------------------------------------------------- */

static void the_callers_inputs_are_used(void **state)
{
    static float x[N];
    gt_verified verified;
    NEEDS_DEVICE();
    x[17] = 1000;
    gt_live_input input = {.buffer = 1, .bytes = {x, sizeof x}};
    gt_measure_setup *setup = make_setup("axpy_reference");
    setup->inputs = &input;
    setup->input_count = 1;
    prepare(setup);
    must(verify(&verified, 1, RIGHT));
    float expected = 0;
    assert_int_equal(world.measure->driver->MemcpyDtoH(
                         &expected, world.measure->rigs[0].slots[0].expected + 17 * 4, 4),
                     CUDA_SUCCESS);
    assert_true(expected > 1400);
    input.bytes.bytes = 12;
    gt_prepared prepared;
    assert_int_equal(gt_measure_prepare(world.measure, setup, &prepared), GPUTUNE_EINVAL);
    setup->inputs = NULL;
}

/* Another process that owns device memory; it must exist before this one uses the driver. */
static struct {
    int from, to; /* pipes: its handle, and its end */
} owner;

enum { SHARED_OFFSET = 256 };

/* The owner: N floats at SHARED_OFFSET, all 2. Says its handle, waits for the end. */
static void own_memory(int to, int from)
{
    gt_measure *measure;
    CUdeviceptr memory;
    CUipcMemHandle handle;
    char end;
    static float values[N];
    for (int i = 0; i < N; ++i) {
        values[i] = 2;
    }
    if (gt_measure_open(&measure, driver_name(), 0) == GPUTUNE_OK &&
        measure->driver->MemAlloc(&memory, SHARED_OFFSET + sizeof values) == CUDA_SUCCESS &&
        measure->driver->MemcpyHtoD(memory + SHARED_OFFSET, values, sizeof values) ==
            CUDA_SUCCESS &&
        measure->driver->IpcGetMemHandle(&handle, memory) == CUDA_SUCCESS &&
        write(to, &handle, sizeof handle) == (ssize_t)sizeof handle) {
        (void)!read(from, &end, 1);
    }
    _exit(0);
}

static void start_owner(void)
{
    int answer[2], end[2];
    if (pipe(answer) != 0 || pipe(end) != 0) {
        return;
    }
    if (fork() == 0) {
        close(answer[0]);
        close(end[1]);
        own_memory(answer[1], end[0]);
    }
    close(answer[1]);
    close(end[0]);
    owner.from = answer[0];
    owner.to = end[1];
}

static void memory_of_another_process_is_an_input(void **state)
{
    gt_live_input input = {.buffer = 1, .is_ipc = true, .offset = SHARED_OFFSET};
    gt_verified verified;
    gt_prepared prepared;
    float x = 0;
    NEEDS_DEVICE();
    if (read(owner.from, input.handle, sizeof input.handle) != (ssize_t)sizeof input.handle) {
        print_message("no memory can be shared here\n");
        skip();
    }
    gt_measure_setup *setup = make_setup("axpy_reference");
    setup->inputs = &input;
    setup->input_count = 1;
    prepare(setup);
    must(verify(&verified, 1, RIGHT));
    assert_int_equal(world.measure->driver->MemcpyDtoH(
                         &x, world.measure->rigs[0].slots[1].address + 4 * (N - 1), 4),
                     CUDA_SUCCESS);
    assert_true(x == 2);
    input.offset += 4;
    assert_int_equal(gt_measure_prepare(world.measure, setup, &prepared), GPUTUNE_EINVAL);
    close(owner.to);
}

/* ---- Samples --------------------------------------------------------------------------------- */

static void every_objective_gives_times(void **state)
{
    gt_verified verified;
    NEEDS_DEVICE();
    for (int cache = GPUTUNE_CACHE_COLD; cache <= GPUTUNE_CACHE_HOT; ++cache) {
        gt_measure_setup *setup = make_setup("axpy_reference");
        setup->cache = (gputune_cache)cache;
        prepare(setup);
        must(verify(&verified, 1, RIGHT));
        must(verify(&verified, 2, RIGHT));
        sample(GPUTUNE_OBJECTIVE_KERNEL, true);
        sample(GPUTUNE_OBJECTIVE_KERNEL, false);
        sample(GPUTUNE_OBJECTIVE_KERNEL, false);
        sample(GPUTUNE_OBJECTIVE_LAUNCH, true);
        sample(GPUTUNE_OBJECTIVE_LAUNCH, false);
        sample(GPUTUNE_OBJECTIVE_LATENCY, true);
    }
    gt_measure_drop(world.measure, 1);
    volatile uint64_t current = 0;
    const uint64_t id = 1;
    gt_sampled sampled;
    gt_sample_job job = {.variants = &id, .count = 1};
    assert_true(gt_measure_sample(world.measure, &job, &sampled, &current) < 0);
    assert_int_equal(current, 1);
}

/* ---- Crashes --------------------------------------------------------------------------------- */

/* Another process, as its GPU is lost. 0: all as it should be, else the line. */
static int crash(void)
{
    static gt_measure_setup *setup;
    gt_verified verified;
    gt_prepared prepared;
    open_world(NULL);
    if (!world.measure) {
        return 0;
    }
    setup = make_setup("axpy_reference");
    if (gt_measure_prepare(world.measure, setup, &prepared) < 0) {
        return __LINE__;
    }
    if (verify(&verified, 1, VARIANT("y[i + (1ull << 45)] = 1;")) != GPUTUNE_ECRASHED) {
        return __LINE__;
    }
    if (verify(&verified, 2, RIGHT) != GPUTUNE_ECRASHED) {
        return __LINE__;
    }
    gt_measure_close(world.measure);
    return 0;
}

static void a_crash_is_told_and_loses_the_process(void **state)
{
    int status = 0;
    NEEDS_DEVICE();
    assert_int_equal(waitpid(crasher, &status, 0), crasher);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Before this process uses the driver, which does not survive a fork. */
static void start_crasher(void)
{
    crasher = fork();
    if (crasher == 0) {
        int line = crash();
        if (line != 0) {
            fprintf(stderr, "line %d: %s\n", line, gt_message());
        }
        _exit(line != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_on_the_device_are_those_of_the_host),
        cmocka_unit_test(the_reference_is_timed),
        cmocka_unit_test(a_restless_reference_is_the_templates_mistake),
        cmocka_unit_test(a_missing_reference_is_named),
        cmocka_unit_test(too_large_a_size_is_refused_before_anything_is_allocated),
        cmocka_unit_test(a_right_variant_is_accepted),
        cmocka_unit_test(errors_within_the_tolerance_are_accepted_and_told),
        cmocka_unit_test(a_wrong_value_is_told_with_its_place),
        cmocka_unit_test(bytes_beyond_a_buffer_are_guarded),
        cmocka_unit_test(inputs_must_stay_as_they_are),
        cmocka_unit_test(results_are_compared_with_a_reference_in_double),
        cmocka_unit_test(without_a_reference_the_first_variant_is_one),
        cmocka_unit_test(a_check_kernel_replaces_the_comparison),
        cmocka_unit_test(a_winner_is_checked_again_with_another_seed),
        cmocka_unit_test(blocks_reach_the_kernel_in_every_way),
        cmocka_unit_test(the_callers_inputs_are_used),
        cmocka_unit_test(memory_of_another_process_is_an_input),
        cmocka_unit_test(every_objective_gives_times),
        cmocka_unit_test(a_crash_is_told_and_loses_the_process),
    };
    start_crasher();
    start_owner();
    return cmocka_run_group_tests(tests, open_world, close_world);
}
