/* Tunes axpy for this GPU and launches the winner, with the CUDA driver API. cc driver_api.c
 * -lgputune -lcuda; run it as: driver_api [ELEMENTS] */
#include <cuda.h>
#include <gputune.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK_CUDA(call)                                                                           \
    do {                                                                                           \
        CUresult result_ = (call);                                                                 \
        if (result_ != CUDA_SUCCESS) {                                                             \
            fprintf(stderr, "%s: CUDA error %d\n", #call, (int)result_);                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_GPUTUNE(call)                                                                        \
    do {                                                                                           \
        if ((call) < 0) {                                                                          \
            fprintf(stderr, "%s: %s\n", #call, gputune_error());                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { LAUNCHES = 20 };

static float *make_input(size_t n, float start)
{
    float *values = (float *)malloc(n * sizeof *values);
    for (size_t i = 0; values && i < n; i++) {
        values[i] = start + (float)(i % 1000) / 1000.0f;
    }
    return values;
}

static void print_plan(const gputune_plan *plan)
{
    gputune_info info = GPUTUNE_INFO_INIT;
    CHECK_GPUTUNE(gputune_plan_info(&info, plan));
    printf("%s: %s (%s), %.2f times as fast as the default %s\n", info.kernel, info.configuration,
           gputune_source_name(info.source), info.speedup, info.default_configuration);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? (size_t)strtoull(argv[1], NULL, 0) : (size_t)1 << 26;
    float a = 2.0f, milliseconds = 0;
    size_t bytes = n * sizeof(float), wrong = 0;
    float *host_x = make_input(n, 1.0f), *host_y = make_input(n, -1.0f);
    float *result = (float *)malloc(bytes);
    if (!host_x || !host_y || !result) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }

    CUdevice device;
    CUcontext context;
    CUstream stream;
    CUevent start, stop;
    CUdeviceptr x, y;
    CHECK_CUDA(cuInit(0));
    CHECK_CUDA(cuDeviceGet(&device, 0));
    CHECK_CUDA(cuDevicePrimaryCtxRetain(&context, device));
    CHECK_CUDA(cuCtxSetCurrent(context));
    CHECK_CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK_CUDA(cuEventCreate(&start, CU_EVENT_DEFAULT));
    CHECK_CUDA(cuEventCreate(&stop, CU_EVENT_DEFAULT));
    CHECK_CUDA(cuMemAlloc(&x, bytes));
    CHECK_CUDA(cuMemAlloc(&y, bytes));
    CHECK_CUDA(cuMemcpyHtoD(x, host_x, bytes));
    CHECK_CUDA(cuMemcpyHtoD(y, host_y, bytes));

    gputune *tuner;
    gputune_plan *axpy;
    CHECK_GPUTUNE(gputune_open(&tuner, NULL));
    CHECK_GPUTUNE(tune_kernel(&axpy, tuner, "axpy", GPUTUNE_SIZES({"n", (int64_t)n}), NULL));
    print_plan(axpy);

    CHECK_GPUTUNE(gputune_launch(axpy, stream, GPUTUNE_ARGS(&y, &x, &a, &n)));
    CHECK_CUDA(cuMemcpyDtoHAsync(result, y, bytes, stream));
    CHECK_CUDA(cuStreamSynchronize(stream));
    for (size_t i = 0; i < n; i++) {
        wrong += fabsf(result[i] - (host_y[i] + a * host_x[i])) > 1e-5f;
    }

    CHECK_CUDA(cuEventRecord(start, stream));
    for (int i = 0; i < LAUNCHES; i++) {
        CHECK_GPUTUNE(gputune_launch(axpy, stream, GPUTUNE_ARGS(&y, &x, &a, &n)));
    }
    CHECK_CUDA(cuEventRecord(stop, stream));
    CHECK_CUDA(cuEventSynchronize(stop));
    CHECK_CUDA(cuEventElapsedTime(&milliseconds, start, stop));
    printf("%zu elements, %zu wrong, %.1f GB/s\n", n, wrong,
           3.0 * (double)bytes * LAUNCHES / (milliseconds * 1e6));

    gputune_plan_release(axpy);
    gputune_close(tuner);
    cuMemFree(x);
    cuMemFree(y);
    cuEventDestroy(start);
    cuEventDestroy(stop);
    cuStreamDestroy(stream);
    cuDevicePrimaryCtxRelease(device);
    free(host_x);
    free(host_y);
    free(result);
    return wrong != 0;
}
