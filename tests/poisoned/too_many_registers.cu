// Half of its variants want more registers than a multiprocessor has for their block.
#pragma gputune kernel(too_many_registers)
#pragma gputune problem(n = 65536)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BAD = 0, BLOCK = 128)
#pragma gputune block(BLOCK + 896 * BAD)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune work(bytes = 8 * n)
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void too_many_registers(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
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
