// y = a x + y, a C++ template in a namespace
#pragma gputune kernel(blas::axpy<T, BLOCK, UNROLL>)
#pragma gputune problem(n = 10000, type T = float, double)
#pragma gputune args(inout T y[n], in T x[n], T a = 2, int n)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune tune(UNROLL = 1, 2)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK * UNROLL))
#pragma gputune reference(axpy_reference<T>, rtol = 1e-6)

namespace blas {
template <typename T, int BLOCK, int UNROLL>
__global__ void __launch_bounds__(BLOCK) axpy(T *y, const T *x, T a, int n)
{
    int i = (blockIdx.x * UNROLL) * BLOCK + threadIdx.x;
#pragma unroll
    for (int u = 0; u < UNROLL; u++, i += BLOCK) {
        if (i < n) {
            y[i] += a * x[i];
        }
    }
}
template __global__ void axpy<float, 64, 1>(float *, const float *, float, int);
}

template <typename T> __global__ void axpy_reference(double *y, const T *x, T a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += double(a) * x[i];
    }
}
