/* The parts of a measure worker for y += a * x, in this process: device, references, setups and
 * variants. They run on the emulator, or on a GPU with GPUTUNE_TEST_DRIVER=cuda. */
#pragma once

#include "farm/farm.h"
#include "farm/measure.h"
#include "farm/measure_sample.h"
#include "farm/measure_value.h"
#include "farm/measure_verify.h"
#include "gpu/nvrtc.h"
#include "support/test.h"

#pragma GCC diagnostic ignored "-Wunused-function"

enum { N = 10000, ODD_TAIL = 9973, BLOCK = 128 };

static const char reference_text[] =
    "extern \"C\" __global__ void axpy_reference(float *y, const float *x, float a, size_t n) {"
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  if (i < n) y[i] += a * x[i];"
    "}"
    "extern \"C\" __global__ void slowly(float *y, const float *x, float a, size_t n) {"
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  for (int k = 0; k < 300; ++k) a = __fmaf_rn(a, 1.0f, 0.0f);"
    "  if (i < n) y[i] += a * x[i];"
    "}"
    "__device__ unsigned turn;"
    "extern \"C\" __global__ void restless(float *y, const float *x, float a, size_t n) {"
    "  if (threadIdx.x == 0) atomicAdd(&turn, 1u);"
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  if (i < n) y[i] = turn;"
    "}"
    /* If an input is not finite, y is NaN, and the second launch with such inputs traps. */
    "__device__ unsigned stays_locked;"
    "extern \"C\" __global__ void once(float *y, const float *x, float a, size_t n) {"
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  float none = 0;"
    "  for (int k = 0; k < 512; ++k) none += x[k] - x[k];"
    "  if (none != none && i == 0 && atomicAdd(&stays_locked, 1u) > 0) asm(\"trap;\");"
    "  if (i < n) y[i] = none != none ? none : y[i] + a * x[i];"
    "}"
    /* changes every third result by a factor of 1 + 1e-7 between launches, like atomicAdd() */
    "extern \"C\" __global__ void nearly(float *y, const float *x, float a, size_t n) {"
    "  if (blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(&turn, 1u);"
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  if (i < n) y[i] = (y[i] + a * x[i]) * (turn / 2 % 2 && i % 3 == 0 ? 1.0000001f : 1.0f);"
    "}"
    "extern \"C\" __global__ void meddler(float *y, float *x, float a, size_t n) {"
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  if (i < n) { y[i] += a * x[i]; x[i] = i == 77 ? 5 : x[i]; }"
    "}"
    "extern \"C\" __global__ void half_of_it(float *y, const float *x, float a, size_t n) {"
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  if (i < n / 2) y[i] = a * x[i];"
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

static const char *driver_name(void)
{
    const char *name = getenv("GPUTUNE_TEST_DRIVER");
    return name ? name : "emu";
}

static gt_image compile(const char *text)
{
    const gt_device *device = gt_measure_device(world.measure);
    gt_nvrtc_request request = {.text = text, .arch = device->arch, .ptx = device->emulated};
    gt_compiled result = {0};
    if (gt_nvrtc_compile(&result, world.nvrtc, &request, NULL) < 0) {
        fail_msg("%s\n%s", gt_message(), result.log ? result.log : "");
    }
    gt_image taken = result.image;
    result.image = (gt_image){0};
    gt_compiled_free(&result);
    return taken;
}

static int open_world(void **state)
{
    if (gt_nvrtc_open(&world.nvrtc, 0) < 0 ||
        gt_measure_open(&world.measure, driver_name(), 0) < 0 ||
        gt_measure_attach(world.measure) < 0) {
        snprintf(world.missing, sizeof world.missing, "%s", gt_message());
        return 0;
    }
    world.service = compile(gt_service_source);
    world.reference = compile(reference_text);
    return 0;
}

static int close_world(void **state)
{
    gt_measure_close(world.measure);
    free(world.service.data);
    free(world.reference.data);
    return 0;
}

#define TEST_ON_DEVICE(name)                                                                       \
    static void name##_there(void);                                                                \
    TEST(name)                                                                                     \
    {                                                                                              \
        if (!world.measure) {                                                                      \
            print_message("no device: %s\n", world.missing);                                       \
            skip();                                                                                \
        }                                                                                          \
        name##_there();                                                                            \
    }                                                                                              \
    static void name##_there(void)

static gt_launch launch_of(const char *entry, uint64_t n)
{
    gt_launch launch = {.step_count = 1, .argument_count = 4, .parameter_count = 4};
    snprintf(launch.steps[0].entry, sizeof launch.steps[0].entry, "%s", entry);
    for (int i = 0; i < 3; ++i) {
        launch.steps[0].grid[i] = launch.steps[0].block[i] = launch.steps[0].cluster[i] = 1;
    }
    launch.steps[0].grid[0] = (uint32_t)((n + BLOCK - 1) / BLOCK);
    launch.steps[0].block[0] = BLOCK;
    launch.steps[0].times = 1;
    launch.carveout_kb = -1;
    for (int i = 0; i < 4; ++i) {
        launch.parameters[i] = (gt_parameter){
            .kind = i < 2 ? GT_PARAMETER_BUFFER : GT_PARAMETER_SCALAR, .bytes = 8, .argument = i};
    }
    launch.parameters[2].bytes = 4;
    gt_launch_take_all(&launch);
    return launch;
}

static void make_workload(gt_workload *out, uint64_t n, const char *reference)
{
    *out = (gt_workload){.argument_count = 4,
                         .buffer_count = 2,
                         .scalar_count = 2,
                         .tolerance = {.rtol = 1e-6, .stated = true},
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
    out->number_count = 2;
    out->numbers[0] = (gt_number){.type = GT_TYPE_F32,
                                  .fill = GT_FILL_CONSTANT,
                                  .low = 1.5,
                                  .problem_value = -1,
                                  .open = true};
    out->numbers[1] = (gt_number){.type = GT_TYPE_U64, .integer = (int64_t)n};
    out->scalars[0] = (gt_scalar){.bytes = 4, .number_count = 1};
    out->scalars[1] = (gt_scalar){.bytes = 8, .first_number = 1, .number_count = 1};
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
    make_workload(&setup.workloads[1], ODD_TAIL, reference);
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

static void read_device(void *out, CUdeviceptr from, size_t bytes)
{
    assert_int_equal(world.measure->driver->MemcpyDtoH(out, from, bytes), CUDA_SUCCESS);
}

static gputune_status verify(gt_verified *out, uint64_t id, const char *text)
{
    static gt_verify_job job;
    job = (gt_verify_job){.id = id, .image = compile(text)};
    job.launches[0] = launch_of("axpy", N);
    job.launches[1] = launch_of("axpy", ODD_TAIL);
    gputune_status status = gt_measure_verify(world.measure, &job, out);
    free(job.image.data);
    return status;
}

static void verify_ok(uint64_t id, const char *text)
{
    gt_verified verified;
    must(verify(&verified, id, text));
}

/* Re-verifies the winner with another seed. */
static gputune_status recheck(uint64_t id, uint64_t seed)
{
    gt_verified verified = {0};
    gputune_status status =
        gt_measure_recheck(world.measure, &(gt_recheck_job){id, seed, 1}, &verified);
    free(verified.single);
    return status;
}
