// Every variant computes a result that differs from the reference.
#pragma gputune kernel(all_wrong)
#pragma gputune problem(n = 4096)
#pragma gputune args(out float y[n], size_t n)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BLOCK = 64)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(all_wrong_reference, block = 64, grid = ceil_div(n, 64))

__global__ void all_wrong(float *y, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = 1.0f;
    }
}

__global__ void all_wrong_reference(float *y, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 2.0f;
    }
}
