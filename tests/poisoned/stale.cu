// Sums by the last block, of which half of the variants forget to reset the counter by which that block
// knows itself.
#pragma gputune problem(n = 65536)
#pragma gputune args(out float total[1], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BAD = 0, BLOCK = 128)
#pragma gputune block(BLOCK)
#pragma gputune grid(16)
#pragma gputune work(bytes = 4 * n)
#pragma gputune reference(in_a_row, block = 1, grid = 1)

__device__ unsigned int arrived;

static __device__ void add_up(float *total, const float *x, size_t n, float *part, unsigned int *counter)
{
    __shared__ float sums[BLOCK];
    float s = 0;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += 16 * BLOCK) {
        s += x[i];
    }
    sums[threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.x != 0) {
        return;
    }
    for (int i = 1; i < BLOCK; i++) {
        s += sums[i];
    }
    part[blockIdx.x] = s;
    __threadfence();
    if (atomicAdd(counter, 1) == gridDim.x - 1) {
        s = 0;
        for (int i = 0; i < gridDim.x; i++) {
            s += ((volatile float *)part)[i];
        }
        total[0] = s;
#if !BAD
        *counter = 0;
#endif
    }
}

__global__ void in_a_row(float *total, const float *x, size_t n)
{
    float s = 0;
    for (size_t i = 0; i < n; i++) {
        s += x[i];
    }
    total[0] = s;
}

// They are right once.
#pragma gputune kernel(stale_counter)
#pragma gputune scratch(float part[grid_x])

__global__ void stale_counter(float *total, const float *x, size_t n, float *part)
{
    add_up(total, x, n, part, &arrived);
}

// They count in scratch that nobody has cleared.
#pragma gputune kernel(stale_scratch)
#pragma gputune scratch(float part[grid_x], unsigned int arrived_too[1])

__global__ void stale_scratch(float *total, const float *x, size_t n, float *part,
                              unsigned int *arrived_too)
{
    add_up(total, x, n, part, BAD ? arrived_too : &arrived);
}
