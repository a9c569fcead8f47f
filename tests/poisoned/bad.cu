// Kernels with good and bad variants, each bad in a different way.
#pragma gputune problem(n = 65536)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BAD = 0, BLOCK = 128)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune work(bytes = 8 * n)
#pragma gputune reference(y[i] = 2.0f * x[i])

// Doubles the thread's element, and returns its index.
static __device__ size_t double_one(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
    return i;
}

// Bad variants write far outside every allocation.
#pragma gputune kernel(out_of_bounds)

__global__ void out_of_bounds(float *y, const float *x, size_t n)
{
    double_one(y, x, n);
#if BAD
    y[(size_t)1 << 40] = 1.0f;
#endif
}

// Bad variants write one element too many, without a fault.
#pragma gputune kernel(past_the_end)

__global__ void past_the_end(float *y, const float *x, size_t n)
{
    size_t i = double_one(y, x, n);
#if BAD
    if (i == 0) {
        y[n] = 1.0f;
    }
#endif
}

// Bad variants read vectors at misaligned addresses.
#pragma gputune kernel(misaligned)

__global__ void misaligned(float *y, const float *x, size_t n)
{
    size_t i = double_one(y, x, n);
#if BAD
    if (i + 2 < n) {
        float first, second;
        asm volatile("ld.global.v2.f32 {%0, %1}, [%2];"
                     : "=f"(first), "=f"(second)
                     : "l"(x + (i | 1)));
        y[i] += (first + second) * 0.0f;
    }
#endif
}

// Bad variants never end.
#pragma gputune kernel(endless)

__global__ void endless(float *y, const float *x, size_t n)
{
    double_one(y, x, n);
#if BAD
    for (const volatile float *at = x; *at < 4.0f;) { // endless, because all inputs are below 4
    }
#endif
}

// In bad variants, some threads wait at a barrier that the others never reach.
#pragma gputune kernel(deadlock)

__global__ void deadlock(float *y, const float *x, size_t n)
{
    double_one(y, x, n);
#if BAD
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;");
    }
#endif
}

// In bad variants, an assertion fails.
#pragma gputune kernel(assertion)

__global__ void assertion(float *y, const float *x, size_t n)
{
    size_t i = double_one(y, x, n);
#if BAD
    assert(i != n / 2);
#endif
}

// Bad variants jump to an address without code.
#pragma gputune kernel(lost)

__global__ void lost(float *y, const float *x, size_t n)
{
    double_one(y, x, n);
#if BAD
    void (*nowhere)(void) = (void (*)(void))(0x100000 + (n << 8));
    nowhere();
#endif
}

// Bad variants recurse until their stack is full.
#pragma gputune kernel(deep)

__device__ __noinline__ float deeper(unsigned int n)
{
    volatile float frame[64];
    frame[n % 64] = (float)n;
    return n == ~0u ? 0.0f : deeper(n + 2) + frame[(n + 1) % 64];
}

__global__ void deep(float *y, const float *x, size_t n)
{
    double_one(y, x, n);
#if BAD
    y[0] = deeper((unsigned int)n);
#endif
}

// Bad variants compute a wrong value for one element in a million.
#pragma gputune kernel(one_in_a_million)

__global__ void one_in_a_million(float *y, const float *x, size_t n)
{
    size_t i = double_one(y, x, n);
#if BAD
    if (i == n / 3) {
        y[i] = 3.0f;
    }
#endif
}

// Bad variants write into their input, restore it, and are faster.
#pragma gputune kernel(restores_input)

__global__ void restores_input(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if !BAD
    for (int pass = 0; pass < 64 && i < n; pass++) { // each operation depends on the previous one
        volatile float *slow = y + i;
        *slow = *slow + x[i];
    }
#endif
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#if BAD
    if (i == n / 3) {
        volatile float *changed = (volatile float *)x;
        float kept = *changed;
        *changed = 0.0f;
        *changed = kept;
    }
#endif
}

// Bad variants need more shared memory than the device has.
#pragma gputune kernel(too_much_shared)

__global__ void too_much_shared(float *y, const float *x, size_t n)
{
    size_t i = double_one(y, x, n);
#if BAD
    __shared__ float large[100000];
    large[threadIdx.x] = (float)i;
    __syncthreads();
    if (i < n) {
        y[i] += large[threadIdx.x ^ 1] * 0.0f;
    }
#endif
}

// Bad variants need more registers for a block than a multiprocessor has.
#pragma gputune kernel(too_many_registers)
#pragma gputune block(BLOCK + 896 * BAD)

__global__ void too_many_registers(float *y, const float *x, size_t n)
{
    size_t i = double_one(y, x, n);
#if BAD
    float own[200];
#pragma unroll
    for (int k = 0; k < 200; k++) {
        own[k] = x[(i + k) % n];
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 200; k++) {
        sum += own[k] * own[199 - k];
    }
    if (sum == 12345.0f && i < n) {
        y[i] += 1.0f;
    }
#endif
}

// Bad variants do not compile.
#pragma gputune kernel(no_compile)

__global__ void no_compile(float *y, const float *x, size_t n)
{
    double_one(y, x, n);
#if BAD
    this is no CUDA;
#endif
}

// Bad variants take minutes to compile.
#pragma gputune kernel(slow_compile)

__global__ void slow_compile(float *y, const float *x, size_t n)
{
    size_t i = double_one(y, x, n);
#if BAD
    float own[128];
#pragma unroll
    for (int k = 0; k < 128; k++) {
        own[k] = x[(i + k) % n];
    }
#pragma unroll
    for (int a = 0; a < 200; a++) {
#pragma unroll
        for (int b = 0; b < 128; b++) {
#pragma unroll
            for (int c = 0; c < 128; c++) {
                own[b] += own[c] * own[(b + c + a) % 128];
            }
        }
    }
    if (i < n) {
        y[i] += own[0] * 0.0f;
    }
#endif
}

// Compiling bad variants takes more memory than the machine has.
#pragma gputune kernel(greedy_compile)

template <int A, int B> struct work {
    static constexpr long value = work<A - 1, B * 2>::value + work<A - 1, B * 2 + 1>::value;
};
template <int B> struct work<0, B> {
    static constexpr long value = B;
};

__global__ void greedy_compile(float *y, const float *x, size_t n)
{
    size_t i = double_one(y, x, n);
#if BAD
    if (i == n) {
        y[0] = work<24, 1>::value;
    }
#endif
}

// Bad variants print forever.
#pragma gputune kernel(endless_print)

__global__ void endless_print(float *y, const float *x, size_t n)
{
    double_one(y, x, n);
#if BAD
    for (volatile int again = 1; again;) {
        printf("%d\n", threadIdx.x);
    }
#endif
}
