# In a draft, the block size is an axis only if results do not depend on it, and require() states the sizes
# that the kernel can handle.
export GPUTUNE_DRIVER=emu:h200 GPUTUNE_DB=$PWD/table.db
has_libclang || exit 77
# draft BODY LAUNCH SIZE: drafts a kernel with that body, and tunes it at that size.
draft() {
    cat >program.cu <<CU
__global__ void k(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    $1
}
int main()
{
    int n = 8192, threads = 128;
    float *y, *x;
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    $2
}
CU
    echo "-- $1 $2"
    $GPUTUNE template program.cu -o drafted.cu -f >log 2>&1 || cat log
    sed -nE 's/#pragma gputune ((tune|block|grid|require)\(.*)/\1/p' drafted.cu
    $GPUTUNE warm drafted.cu --size "n=$3" -q --format csv >table || echo "exit code $?"
    if tail -n 1 table | grep -q ",measured,"; then echo "has a winner"; fi
}
sum='float s = i < n ? x[i] : 0; for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d); if (threadIdx.x == 0) y[blockIdx.x] = s;'
draft "$sum" 'k<<<(n + threads - 1) / threads, threads>>>(y, x, n);' 1000
draft 'if (i < n) y[i] = 2 * x[i];' 'k<<<64, 128>>>(y, x, n);' 9000
draft 'y[i] = 2 * x[i];' 'k<<<(n + threads - 1) / threads, threads>>>(y, x, n);' 1024
draft 'if (i < n) y[i] = 2 * x[i];' 'k<<<(n + threads - 1) / threads, threads>>>(y, x, n);' 1000
draft 'extern __shared__ float s[]; s[threadIdx.x] = i < n ? x[i] : 0; __syncthreads(); if (i < n) y[i] = s[threadIdx.x];' \
    'k<<<(n + threads - 1) / threads, threads, 1024>>>(y, x, n);' 1000
# The threads of a block share one row, whose length is the block size by chance.
draft 'float s = 0; for (int c = threadIdx.x; c < 128; c += blockDim.x) s += x[blockIdx.x * 128 + c]; atomicAdd(&y[blockIdx.x], s);' \
    'k<<<n / 128, threads>>>(y, x, n);' 1024
# Another dimension of the block belongs to the grid's dimension.
draft 'int row = blockIdx.x * blockDim.y + threadIdx.y; if (row < n && !threadIdx.x) y[row] = 2 * x[row];' \
    'k<<<n / 4, dim3(32, 4)>>>(y, x, n);' 1024
# At other sizes the kernel would access elements outside the buffers, or unaligned vectors.
draft 'y[i] += x[i];' 'k<<<2, 128>>>(y, x, n);' 300
draft 'if (4 * i < n) ((float4 *)y)[i] = ((const float4 *)x)[i];' 'k<<<n / 4 / threads + 1, threads>>>(y, x, n);' 1000
draft 'y += n / 2; if (i < n / 4) *(float2 *)&y[2 * i] = *(const float2 *)&x[2 * i];' 'k<<<n / threads, threads>>>(y, x, n);' 1024
draft 'float s = 0;
    for (int c = 0; c < n; c += 8, x += 8) s += x[threadIdx.x % 8];
    if (i < n) y[i] = s;' 'k<<<(n + threads - 1) / threads, threads>>>(y, x, n);' 1000
# The program launches the kernel only with some sizes.
draft 'if (i < n) y[i] = 2 * x[i];' \
    'n = rand(); if (n % 4) throw n; cudaMalloc(&x, 4 * n); cudaMalloc(&y, 4 * n); if (n < 500) k<<<1, 512>>>(y, x, n);' 100
# The code has the number of elements of a block, or the program divides twice.
draft 'for (int c = 0; c < 4; c++) y[blockIdx.x * 512 + threadIdx.x + 128 * c] = x[i] + blockDim.x;' 'k<<<n / 512, threads>>>(y, x, n);' 1024
draft 'for (int c = 0; c < 4; c++) y[4 * i + c] = 2 * x[4 * i + c];' 'k<<<n / threads / 4, threads>>>(y, x, n);' 1024
# The block depends on constants that are no sizes of the problem.
draft 'for (int c = 0; c < 2; c++) { int e = blockIdx.x * 64 + 2 * threadIdx.x + c; if (e < n) y[e] = x[e]; }' \
    'const int bn = 64, tn = 2; k<<<(n + bn - 1) / bn, bn / tn>>>(y, x, n);' 1000
# A macro stands for several numbers.
draft '
#define T (64 + 64)
#define ROWS 4 * 8
    int e = blockIdx.x * T + threadIdx.x; if (e < ROWS * n / 32) y[e] = 2 * x[e];' 'k<<<(n + T - 1) / T, T>>>(y, x, n);' 1000
# A loop with a known bound gets a pragma that reads a tunable.
draft 'float s = 0;
    for (int k = 0; k < 16; k++) s += x[(i + k) % n];
    if (i < n) y[i] = s;' 'k<<<(n + threads - 1) / threads, threads>>>(y, x, n);' 1000
grep -B 3 'k < 16' drafted.cu
