/* Launches axpy by a rule, without gputune, in C++. `gputune warm axpy --sizes n=64:64K` makes the
 * rule. `gputune emit axpy --rule -o axpy.h` writes it. Compile with: c++ rule.cpp -lcuda */
#include "axpy.h"

#include <iostream>
#include <stdexcept>
#include <string>

// The loaded code in the current context.
class axpy
{
    axpy_rule rule;

    static void check(int result)
    {
        if (result) {
            throw std::runtime_error("axpy: error " + std::to_string(result));
        }
    }

  public:
    axpy()
    {
        const int result = axpy_load(&rule);
        if (result) {
            axpy_unload(&rule);
        }
        check(result);
    }
    axpy(const axpy &) = delete;
    axpy &operator=(const axpy &) = delete;
    ~axpy()
    {
        axpy_unload(&rule);
    }

    void operator()(CUstream stream, int64_t n, CUdeviceptr y, CUdeviceptr x, float a) const
    {
        check(axpy_launch(&rule, stream, n, y, x, a));
    }
};

int main()
{
    CUdevice device;
    CUcontext context;
    CUdeviceptr y, x;
    float first;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context) || cuMemAlloc(&y, 4096 * sizeof first) ||
        cuMemAlloc(&x, 4096 * sizeof first) || cuMemsetD32(y, 0x3f800000, 4096) || // 1.0f
        cuMemsetD32(x, 0x3f800000, 4096)) {
        std::cerr << "no GPU\n";
        return 1;
    }
    try {
        const axpy launch;
        std::cout << axpy_configuration(axpy_choose(4096)) << '\n';
        launch(nullptr, 4096, y, x, 2);
        cuCtxSynchronize();
        cuMemcpyDtoH(&first, y, sizeof first);
        std::cout << "y[0] = " << first << '\n';
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
