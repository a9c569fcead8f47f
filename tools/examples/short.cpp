/* The shortest complete program in C++17: y += 2 x with the fastest variant of axpy.
 * c++ -std=c++17 short.cpp $(pkg-config --cflags --libs gputune) -lcuda */
#include <cuda.h>
#include <gputune.hpp>
#include <iostream>

int main()
try {
    const std::size_t n = 65536;
    CUdevice device;
    CUcontext context;
    CUdeviceptr y, x;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context) || cuMemAlloc(&y, n * 4) || cuMemAlloc(&x, n * 4) ||
        cuMemsetD32(y, 0x3f800000, n) || cuMemsetD32(x, 0x3f800000, n)) { // 1.0f
        std::cerr << "no GPU\n";
        return 1;
    }
    gputune_cxx::tuner tuner;
    auto axpy = tuner.tune("axpy", {{"n", n}});
    axpy.launch(nullptr, y, x, 2, n);

    float first;
    cuCtxSynchronize();
    cuMemcpyDtoH(&first, y, sizeof first);
    std::cout << "y[0] = " << first << '\n';
    return first != 3;
} catch (const gputune_cxx::error &e) {
    std::cerr << e.what() << '\n';
    return 1;
}
