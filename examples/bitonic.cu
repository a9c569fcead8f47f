// Bitonic sort of n integers, n a power of 2: loops of launches, tuned and launched together
//
// The loops that a program would write around its launch,
//     for (int k = 2; k <= n; k <<= 1)
//         for (int j = k >> 1; j > 0; j >>= 1)
//             stage<<<ceil_div(n, 2 * BLOCK), BLOCK>>>(x, n, j, k);
// are in the template: for() contains the launch() after it, and j and k are arguments of each
// launch. The program calls gputune_launch(plan, stream, GPUTUNE_ARGS(&x, &n)) once.
#pragma gputune kernel(bitonic)
#pragma gputune problem(n = 1 << 16)
#pragma gputune args(inout unsigned int x[n] = (index * 7919) % 65537, int n)
#pragma gputune tune(BLOCK = 64, 128, 256, 512, 1024)
#pragma gputune default(BLOCK = 256)
#pragma gputune require((n & (n - 1)) == 0)
#pragma gputune for(k = 2; k <= n; k <<= 1)
#pragma gputune for(j = k >> 1; j > 0; j >>= 1)
#pragma gputune launch(stage, block = BLOCK, grid = ceil_div(n, 2 * BLOCK), args = (x, n, j, k))
#pragma gputune reference(ranks, block = 256, grid = ceil_div(n, 256))

// Each thread compares two elements j apart; runs of k elements alternately rise and fall.
__global__ void stage(unsigned int *x, int n, int j, int k)
{
    const int pair = blockIdx.x * blockDim.x + threadIdx.x;
    const int low = pair / j * 2 * j + pair % j, high = low + j;
    if (high < n) {
        const unsigned int a = x[low], b = x[high];
        if ((a > b) == ((low & k) == 0)) {
            x[low] = b;
            x[high] = a;
        }
    }
}

__device__ unsigned int input(unsigned int index)
{
    return index * 7919 % 65537;
}

// Each thread finds the sorted position of its element.
__global__ void ranks(unsigned int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int rank = 0;
        for (int other = 0; other < n; other++) {
            rank += input(other) < input(i) || (input(other) == input(i) && other < i);
        }
        x[rank] = input(i);
    }
}
