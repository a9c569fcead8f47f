// Counts every element down to 0, so a second launch on the same buffer does nothing
#pragma gputune kernel(settle)
#pragma gputune problem(n = 4096)
#pragma gputune args(inout int y[n] = uniform(0, 200), int n)
#pragma gputune tune(STEP = 1, 2)
#pragma gputune block(64) grid(ceil_div(n, 64))
#pragma gputune reference(settle_reference, block = 64, grid = ceil_div(n, 64))

__global__ void settle(int *y, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) {
        volatile int *mine = &y[i];
        while (*mine > 0) {
            *mine -= *mine >= STEP ? STEP : 1;
        }
    }
}

__global__ void settle_reference(int *y, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) {
        y[i] = 0;
    }
}
