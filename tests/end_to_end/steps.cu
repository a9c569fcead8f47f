// Makes several steps of z = z / 2 + 1. Each variant chooses how many steps a launch makes.
#pragma gputune kernel(steps)
#pragma gputune problem(n = 4099)
#pragma gputune args(out float y[n], out unsigned int made[1], in float x[n], size_t n)
#pragma gputune tune(STEPS = 1, 2, 4)
#pragma gputune tune(BLOCK = 64, 256)
#pragma gputune default(STEPS = 1, BLOCK = 64)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune work(bytes = 8 * n, flops = 2 * n * STEPS)
#pragma gputune check(steps_check, block = 256, grid = ceil_div(n, 256))

__global__ void steps(float *y, unsigned int *made, const float *x, size_t n)
{
    const size_t i = blockIdx.x * size_t(BLOCK) + threadIdx.x;
    if (i < n) {
        float z = x[i];
        for (int step = 0; step < STEPS; step++) {
            z = z / 2 + 1;
        }
        y[i] = z;
    }
    if (i == 0) {
        *made = STEPS;
    }
}

// The check kernel reads the number of steps from an output.
__global__ void steps_check(const float *y, const unsigned int *made, const float *x, size_t n,
                            unsigned long long *wrong)
{
    const size_t i = blockIdx.x * size_t(256) + threadIdx.x;
    if (i >= n) {
        return;
    }
    double z = x[i];
    for (unsigned int step = 0; step < *made && step < 8; step++) {
        z = z / 2 + 1;
    }
    if (*made < 1 || *made > 8 || !(fabs(y[i] - z) <= 1e-6)) {
        atomicAdd(wrong, 1ull);
    }
}
