#include <vector>
#if 0
nothing
#elif 1
#endif
#ifdef __CUDACC_RTC__
typedef int rtc_only;
#else
#include <cstdio>
#endif
namespace a { namespace b {
__global__ void k(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }
inline void run(float *y, int n) { k<<<(n + 255) / 256, 256>>>(y, n); cudaDeviceSynchronize(); }
} }
template <typename T> T *make(int n) { T *p; cudaMalloc(&p, n * sizeof(T)); return p; }
int main() { float *y = make<float>(100); a::b::run(y, 100); std::vector<int> v; printf("%d", 1); return 0; }
