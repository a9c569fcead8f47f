/* Tunes axpy for this GPU and launches the winner, with the CUDA runtime API. cc runtime_api.c
 * -lgputune -lcudart; run it as: runtime_api [ELEMENTS] */
#include <cuda_runtime_api.h>
#include <gputune.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK_CUDA(call)                                                                           \
    do {                                                                                           \
        cudaError_t result_ = (call);                                                              \
        if (result_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(result_));                       \
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

    cudaStream_t stream;
    cudaEvent_t start, stop;
    float *x, *y;
    CHECK_CUDA(cudaSetDevice(0));
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));
    CHECK_CUDA(cudaMalloc((void **)&x, bytes));
    CHECK_CUDA(cudaMalloc((void **)&y, bytes));
    CHECK_CUDA(cudaMemcpy(x, host_x, bytes, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(y, host_y, bytes, cudaMemcpyHostToDevice));

    gputune *tuner;
    gputune_plan *axpy;
    CHECK_GPUTUNE(gputune_open(&tuner, NULL));
    CHECK_GPUTUNE(tune_kernel(&axpy, tuner, "axpy", GPUTUNE_SIZES({"n", (int64_t)n}), NULL));
    print_plan(axpy);

    CHECK_GPUTUNE(gputune_launch(axpy, stream, GPUTUNE_ARGS(&y, &x, &a, &n)));
    CHECK_CUDA(cudaMemcpyAsync(result, y, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    for (size_t i = 0; i < n; i++) {
        wrong += fabsf(result[i] - (host_y[i] + a * host_x[i])) > 1e-5f;
    }

    CHECK_CUDA(cudaEventRecord(start, stream));
    for (int i = 0; i < LAUNCHES; i++) {
        CHECK_GPUTUNE(gputune_launch(axpy, stream, GPUTUNE_ARGS(&y, &x, &a, &n)));
    }
    CHECK_CUDA(cudaEventRecord(stop, stream));
    CHECK_CUDA(cudaEventSynchronize(stop));
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
    printf("%zu elements, %zu wrong, %.1f GB/s\n", n, wrong,
           3.0 * (double)bytes * LAUNCHES / (milliseconds * 1e6));

    gputune_plan_release(axpy);
    gputune_close(tuner);
    cudaFree(x);
    cudaFree(y);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaStreamDestroy(stream);
    free(host_x);
    free(host_y);
    free(result);
    return wrong != 0;
}
