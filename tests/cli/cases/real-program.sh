# The kernels of a complete program with main(), launches and a timer can be tuned in its own file.
export GPUTUNE_DRIVER=emu GPUTUNE_DB=:memory:
cat >program.cu <<'END'
#include <chrono>
#include <cstdio>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>
using namespace std;
#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t status = call;                                                                 \
        if (status != cudaSuccess) {                                                               \
            fprintf(stderr, "%s\n", cudaGetErrorString(status));                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#ifndef BLOCK
#define BLOCK 256
#endif
#pragma gputune kernel(twice) reference(twice_simply) tune(BLOCK = 64, 128)
#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune problem(n = 4000) args(out float y[n], in float x[n], int n)
struct Timer {
    cudaEvent_t begin, end;
    Timer() { CHECK(cudaEventCreate(&begin)); }
};
float scale(float v) { return 2 * v; }
__global__ void twice_simply(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = scale(x[i]);
}
__global__ void twice(float *y, const float *x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = scale(x[i]);
}
template <typename T> T *on_device(const std::vector<T> &v)
{
    T *p;
    CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
    CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
void on_host(vector<float> &y, const vector<float> &x)
{
    for (size_t i = 0; i < x.size(); i++) y[i] = scale(x[i]);
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    std::vector<float> x(n, 1.0f), y(n);
    float *dx = on_device(x), *dy = on_device(y);
    auto t0 = std::chrono::high_resolution_clock::now();
    Timer timer;
    twice<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(dy, dx, n);
    CHECK(cudaDeviceSynchronize());
    cout << (std::chrono::high_resolution_clock::now() - t0).count() << endl;
    return 0;
}
END
$GPUTUNE warm ./program.cu -q --format csv | tail -n +2 | cut -d, -f1,2,14,15
$GPUTUNE check ./program.cu
