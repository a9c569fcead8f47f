/* Launches axpy by a rule, without gputune. `gputune warm axpy --sizes n=64:64K` makes the rule.
 * `gputune emit axpy --rule -o axpy.h` writes it as a header. Compile with: cc rule.c -lcuda */
#include "axpy.h"

#include <stdio.h>

int main(void)
{
    const int64_t sizes[] = {100, 4096, 1 << 20};
    CUdevice device;
    CUcontext context;
    CUdeviceptr y, x;
    axpy_rule axpy;
    float first;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context) || cuMemAlloc(&y, 4096 * sizeof first) ||
        cuMemAlloc(&x, 4096 * sizeof first) || cuMemsetD32(y, 0x3f800000, 4096) || /* 1.0f */
        cuMemsetD32(x, 0x3f800000, 4096)) {
        fprintf(stderr, "no GPU\n");
        return 1;
    }
    int result = axpy_load(&axpy);
    if (result) {
        fprintf(stderr, "axpy_load: error %d\n", result);
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        result = axpy_launch(&axpy, NULL, sizes[i], y, x, 2.0f);
        printf("n=%lld: %s\n", (long long)sizes[i],
               result == AXPY_OUTSIDE ? "outside the rule"
               : result               ? "failed"
                                      : "launched");
    }
    cuCtxSynchronize();
    cuMemcpyDtoH(&first, y, sizeof first);
    printf("y[0] = %g\n", first);
    axpy_unload(&axpy);
    return 0;
}
