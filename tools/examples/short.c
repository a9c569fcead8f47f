/* The shortest complete program in C: y += 2 x with the fastest variant of axpy. cc short.c
 * $(pkg-config --cflags --libs gputune) -lcuda */
#include <cuda.h>
#include <gputune.h>
#include <stdio.h>

int main(void)
{
    size_t n = 65536;
    float a = 2, *y, *x, first;
    CUdevice device;
    CUcontext context;
    gputune *tuner = NULL;
    gputune_plan *axpy = NULL;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context) || cuMemAlloc((CUdeviceptr *)&y, n * sizeof *y) ||
        cuMemAlloc((CUdeviceptr *)&x, n * sizeof *x) ||
        cuMemsetD32((CUdeviceptr)y, 0x3f800000, n) || /* 1.0f */
        cuMemsetD32((CUdeviceptr)x, 0x3f800000, n)) {
        fprintf(stderr, "no GPU\n");
        return 1;
    }
    if (gputune_open(&tuner, NULL) < 0 ||
        tune_kernel(&axpy, tuner, "axpy", GPUTUNE_SIZES({"n", n}), NULL) < 0 ||
        gputune_launch(axpy, NULL, GPUTUNE_ARGS(&y, &x, &a, &n)) < 0) {
        fprintf(stderr, "%s\n", gputune_error());
        return 1;
    }
    cuCtxSynchronize();
    cuMemcpyDtoH(&first, (CUdeviceptr)y, sizeof first);
    printf("y[0] = %g\n", first);
    gputune_plan_release(axpy);
    gputune_close(tuner);
    return first != 3;
}
