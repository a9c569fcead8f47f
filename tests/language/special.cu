// A template kernel with specialisations for float, and an explicit instantiation in the file
#pragma gputune kernel(fill<T, BLOCK>)
#pragma gputune problem(n = 4096, type T = double, float)
#pragma gputune args(out T y[n], int n)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = sizeof(T) == 4 ? -i : i)

template <typename T, int BLOCK> __global__ void fill(T *y, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = i;
    }
}

template <> __global__ void fill<float, 64>(float *y, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) {
        y[i] = -i;
    }
}

template <> __global__ void fill<float, 128>(float *y, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) {
        y[i] = -i;
    }
}

template __global__ void fill<int, 32>(int *y, int n);
