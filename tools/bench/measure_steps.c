/* Where the measure worker's time goes, step by step, in one process: opening, preparing,
 * verifying, sampling the same axpy under many names.
 *
 *   measure_steps [LOG2_N] [VARIANTS] [DRIVER]        26, 120, cuda */
#include "base/clock.h"
#include "farm/farm.h"
#include "farm/measure.h"
#include "gpu/nvrtc.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, VECTOR = 4 };

static const char reference_text[] =
    "extern \"C\" __global__ void reference(float *y, const float *x, float a, size_t n) {"
    "  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;"
    "  if (i < n) y[i] += a * x[i]; }";
static const char variant_text[] =
    "struct __align__(16) vector { float v[4]; };"
    "extern \"C\" __global__ void axpy(float *y, const float *x, float a, size_t n) {"
    "  size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * 4;"
    "  if (i + 4 <= n) {"
    "    vector p = *(const vector *)(x + i), q = *(vector *)(y + i);"
    "    for (int k = 0; k < 4; ++k) q.v[k] += a * p.v[k];"
    "    *(vector *)(y + i) = q;"
    "  } else for (; i < n; ++i) y[i] += a * x[i]; }";

static double milliseconds(int64_t start)
{
    return (double)(gt_now_ns() - start) * 1e-6;
}

static gt_image compile(const char *text, const gt_device *device, const char *what)
{
    const gt_nvrtc *nvrtc;
    gt_nvrtc_result result = {0};
    gt_nvrtc_request request = {.text = text,
                                .arch = device->arch,
                                .want_cubin = !device->emulated,
                                .want_ptx = device->emulated};
    must(gt_nvrtc_open(&nvrtc, 0), "compiler");
    must(gt_nvrtc_compile(&result, nvrtc, &request), what);
    printf("%-28s %9.3f ms\n", what, result.compile_ns * 1e-6);
    return device->emulated ? result.ptx : result.cubin;
}

static gt_launch launch_of(const char *entry, uint64_t n, uint64_t per_block)
{
    gt_launch launch = {.argument_count = 4, .parameter_count = 4};
    snprintf(launch.entry, sizeof launch.entry, "%s", entry);
    launch.geometry = (gt_geometry){.grid = {(uint32_t)((n + per_block - 1) / per_block), 1, 1},
                                    .block = {BLOCK, 1, 1},
                                    .cluster = {1, 1, 1},
                                    .carveout_kb = -1};
    for (int i = 0; i < 4; ++i) {
        launch.parameters[i] =
            (gt_parameter){.kind = i < 2 ? GT_PARAMETER_BUFFER : GT_PARAMETER_SCALAR,
                           .bytes = i == 2 ? 4 : 8,
                           .argument = i};
    }
    return launch;
}

static void make_workload(gt_workload *out, uint64_t n)
{
    *out = (gt_workload){.argument_count = 4,
                         .buffer_count = 2,
                         .scalar_count = 2,
                         .tolerance = {.rtol = 1e-6, .stated = true},
                         .has_reference = true,
                         .reference = launch_of("reference", n, BLOCK)};
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
                                      .low = -1,
                                      .high = 1};
        out->alignment[i] = 16;
    }
    out->scalars[0] = (gt_scalar){.type = GT_TYPE_F32, .real = 1.5};
    out->scalars[1] = (gt_scalar){.type = GT_TYPE_U64, .integer = (int64_t)n};
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void round_of(gt_measure *measure, const uint64_t *ids, uint32_t count,
                     gputune_objective objective, bool quick, const char *what)
{
    volatile uint64_t current;
    gt_sampled sampled = {0};
    gt_sample_job job = {.variants = ids,
                         .count = count,
                         .objective = objective,
                         .length = quick ? GT_SAMPLE_QUICK : GT_SAMPLE_FULL};
    int64_t start = gt_now_ns();
    gputune_status status = gt_measure_sample(measure, &job, &sampled, &current);
    if (status < 0) {
        printf("%-28s %s\n", what, gt_message());
        return;
    }
    double wall = milliseconds(start);
    qsort(sampled.values, count, sizeof *sampled.values, by_value);
    printf("%-28s %9.3f ms, each %7.1f us; a launch: %.2f us least, %.2f median, %.2f most\n", what,
           wall, wall * 1e3 / count, sampled.values[0] * 1e-3, sampled.values[count / 2] * 1e-3,
           sampled.values[count - 1] * 1e-3);
    free(sampled.values);
}

static void verify_all(gt_measure *measure, gt_verify_job *job, uint64_t *ids, uint32_t count)
{
    gt_verified verified = {0};
    double first = 0;
    int64_t start = gt_now_ns();
    for (uint32_t i = 0; i < count; ++i) {
        job->id = ids[i] = i + 1;
        must(gt_measure_verify(measure, job, &verified), "verify");
        first = i == 0 ? milliseconds(start) : first;
    }
    printf("%-28s %9.3f ms, first %.3f ms, pilot %.2f us\n", "verify all", milliseconds(start),
           first, verified.pilot_ns * 1e-3);
}

int main(int argc, char **argv)
{
    static gt_measure_setup setup = {.seed = 1, .workload_count = 2};
    static gt_verify_job job;
    unsigned long log2_n = argc > 1 ? strtoul(argv[1], NULL, 10) : 26;
    if (log2_n < 4 || log2_n > 33) {
        fprintf(stderr, "measure_steps [LOG2_N, 4 to 33] [VARIANTS] [DRIVER]\n");
        return 2;
    }
    uint64_t n = UINT64_C(1) << log2_n;
    uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 120;
    uint64_t awkward = (n > 1 << 20 ? 1 << 20 : n) - 7;
    uint64_t *ids = calloc(count + 1, sizeof *ids);
    gt_measure *measure;
    gt_prepared prepared;
    int64_t start = gt_now_ns();
    must(gt_measure_open(&measure, argc > 3 ? argv[3] : "cuda", 0), "open");
    printf("%-28s %9.3f ms\n", "open", milliseconds(start));
    start = gt_now_ns();
    must(gt_measure_attach(measure), "attach");
    printf("%-28s %9.3f ms\n", "attach", milliseconds(start));
    const gt_device *device = gt_measure_device(measure);
    setup.service = compile(gt_service_source, device, "compile service kernels");
    setup.reference = compile(reference_text, device, "compile reference");
    job.image = compile(variant_text, device, "compile variant");
    make_workload(&setup.workloads[0], n);
    make_workload(&setup.workloads[1], awkward);
    job.launches[0] = launch_of("axpy", n, BLOCK * VECTOR);
    job.launches[1] = launch_of("axpy", awkward, BLOCK * VECTOR);
    for (int turn = 0; turn < 2 && ids && count > 0; ++turn) {
        setup.cache = turn == 0 ? GPUTUNE_CACHE_COLD : GPUTUNE_CACHE_HOT;
        start = gt_now_ns();
        must(gt_measure_prepare(measure, &setup, &prepared), "prepare");
        printf("\n%-28s %9.3f ms, reference %.2f us, copy %.0f GB/s\n",
               turn == 0 ? "prepare (cold)" : "prepare again (hot)", milliseconds(start),
               prepared.reference_ns * 1e-3, prepared.copy_bytes_per_s * 1e-9);
        verify_all(measure, &job, ids, count);
        round_of(measure, ids, count, GPUTUNE_OBJECTIVE_KERNEL, true, "quick round");
        round_of(measure, ids, count, GPUTUNE_OBJECTIVE_KERNEL, false, "first full round");
        round_of(measure, ids, count, GPUTUNE_OBJECTIVE_KERNEL, false, "second full round");
        round_of(measure, ids, 2, GPUTUNE_OBJECTIVE_KERNEL, false, "full round of 2");
        round_of(measure, ids, 2, GPUTUNE_OBJECTIVE_LAUNCH, false, "launch round of 2");
        round_of(measure, ids, 2, GPUTUNE_OBJECTIVE_LATENCY, false, "latency round of 2");
        round_of(measure, ids, 1, GPUTUNE_OBJECTIVE_ENERGY, true, "energy");
        start = gt_now_ns();
        must(gt_measure_recheck(measure, &(gt_recheck_job){1, 2}, &(gt_verified){0}), "recheck");
        printf("%-28s %9.3f ms\n", "recheck", milliseconds(start));
        start = gt_now_ns();
        for (uint32_t i = 0; i < count; ++i) {
            gt_measure_drop(measure, ids[i]);
        }
        printf("%-28s %9.3f ms\n", "drop all", milliseconds(start));
    }
    free(ids);
    free(setup.service.data);
    free(setup.reference.data);
    free(job.image.data);
    gt_measure_close(measure);
    return 0;
}
