enum { ITEMS = 4, THREADS = 1 << 7 };
#define SQUARE(a) ((a) * (a))
#define TOTAL (ITEMS * THREADS)
#define EMPTY
constexpr int HALF = ITEMS / 2;
static const int OTHER = 3, MORE = OTHER + 1;
__global__ __launch_bounds__(THREADS) void k(float *y, const float *x, int n)
{
    int base = blockIdx.x * TOTAL + threadIdx.x;
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        int i = base + j * THREADS;
        if (i < n) y[i] = SQUARE(x[i]) + HALF + MORE;
    }
}
