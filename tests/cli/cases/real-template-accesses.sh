# Drafts from kernels whose accesses depend on data or jumps, or use pointers that are not tracked.
export GPUTUNE_DRIVER=emu:h200 GPUTUNE_DB=$PWD/table.db
has_libclang || exit 77
cat >program.cu <<'CU'
__global__ void returns(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (x[i] > 0) return;
    y[i] = 1;
}
__global__ void jumps(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) goto end;
    y[2 * i] = x[i];
end:
    return;
}
__global__ void continues(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 4; k++) {
        if (x[4 * i + k] > 0) continue;
        y[4 * i + k] = 1;
    }
}
__global__ void shares(float *y, const float *x, int n)
{
    __shared__ const float *part;
    if (threadIdx.x == 0) part = x + blockIdx.x * blockDim.x;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = part[threadIdx.x];
}
__global__ void rows(float *y, const int *begin, const float *value, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
    for (int k = begin[row]; k < begin[row + 1]; k++) {
        const float *at = value + k;
        sum += *at;
    }
    y[row] = sum;
}
__global__ void narrows(float *y, const float *x, int *z, int n)
{
    unsigned char i = blockIdx.x * blockDim.x + threadIdx.x;
    short k = threadIdx.x;
    if (blockIdx.x < n) y[i] = z[k] = x[(unsigned char)(k & 15)];
}
struct view { float *at; __device__ float &operator()(int i, int j) { return at[2 * i + j]; } };
struct adder { int &sum; __device__ void add(int v) { sum += v; } };
__device__ float &pick(float *a, float *b, int i) { if (i & 1) return a[i]; return b[i]; }
__global__ void refers(float *y, const float *x, int *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    view v{y};
    if (i < n && x[i] > 0) v(i, 1) = x[i];
    if (i < n) adder{z[i]}.add(1);
}
__device__ float twice(const float &x) { return 2 * x; }
__global__ void chooses(float *y, const float *x, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) pick(y, z, i) = twice(i ? x[i] : 1);
    if (i < n) (i & 1 ? y[i] : z[i]) = 1;
}
__global__ void waits(float *y, const float *x, int *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool b = i;
    while (i < n && z[i] > 3) z[i]--;
    if (i < n) y[b] = 1;
}
__global__ void wraps(float *y, const float *x, int *z, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char c = threadIdx.x & 63;
    c += 200;
    if (i < n) y[(i * 2654435761u) >> 22] = z[c] = x[(i * 1664525 + 7) % 100];
}
__global__ void gathers(float *y, const float *x, const int *row, const int *column, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[row[i] * 4 + column[i]];
}
__global__ void ends(float *y, const float *x, float *end)
{
    float *p = y + blockIdx.x * blockDim.x + threadIdx.x;
    if (p < end) *p = x[threadIdx.x - 1];
}
__global__ void flips(float *y, const float *x, const char *c, int n, int s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, next = i == n - 1 ? 0 : i + 1;
    if (i < n) y[i * s] = x[i ? i - 1 : n - 1] + x[next];
    if (i < n && c[i] >= 'a') atomicAdd(&y[c[i] - 'b'], 1);
}
void narrow(float *y, const float *x, int *z, float *u, int n)
{
    narrows<<<n, 64>>>(y, x, z, n);
    refers<<<(n + 63) / 64, 64>>>(y, x, z, n);
    chooses<<<(n + 63) / 64, 64>>>(y, x, u, n);
    waits<<<(n + 63) / 64, 64>>>(y, x, z, n);
    wraps<<<(n + 63) / 64, 64>>>(y, x, z, n);
}
int main()
{
    int n = 1000, nonzeros = 5000, *begin;
    float *y, *x, *other, *value;
    cudaMalloc(&value, nonzeros * sizeof(float));
    cudaMalloc(&begin, (n + 1) * sizeof(int));
    cudaMalloc(&y, 4 * n * sizeof(float));
    cudaMalloc(&x, 4 * n * sizeof(float));
    cudaMalloc(&other, 9 * n * sizeof(float));
    returns<<<(n + 63) / 64, 64>>>(y, x, n);
    continues<<<(n + 63) / 64, 64>>>(y, x, n);
    jumps<<<(n + 63) / 64, 64>>>(rand() > 9 ? y : other, x, n);
    shares<<<(n + 63) / 64, 64>>>(y, x, n);
    rows<<<(n + 63) / 64, 64>>>(y, begin, value, n);
    gathers<<<(n + 63) / 64, 64>>>(y, x, begin, begin, n);
    ends<<<(n + 63) / 64, 64>>>(y, x + 1, y + n);
    flips<<<(n + 63) / 64, 64>>>(y + n - 1, x + 1, (const char *)begin, n, -1);
}
CU
# Elements that a kernel may leave unwritten keep their values, so the buffer is inout.
cat >gaps.cu <<'CU'
#define I (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void odd(float *y, int n) { int i = I; if (i < n && i % 2) y[i] = 1; }
__global__ void inner(float *y, int n) { int i = I; if (i > 0 && i < n - 1) y[i] = 1; }
__global__ void part(float *y, int n) { int i = I; if (i < n - 1) y[i] = 1; }
__global__ void apart(float *y, int n) { int i = I; if (2 * i < n) y[2 * i] = 1; }
__global__ void pairs(float *y, int n) { int i = I; if (i < n / 2) { y[2 * i] = 1; y[2 * i + 1] = 2; } }
__global__ void halo(float *y, const float *x, int n)
{
    int i = I;
    for (int k = -2; i < n && k <= 2; k++) { int j = i + k; if (j < 0) j = 0; if (j >= n - 1) j = n - 2; y[i] += x[j]; }
}
__global__ void shifts(float *y, const float *x, int n)
{
    int i = I;
    for (int k = 0; 4 * i < n && k < 2; k++) for (int m = 3; m > k; m--) y[4 * i + m] = x[4 * i + m - 1];
}
__global__ void late(float *y, int n) { int i = I + 5; if (i < n) y[i] = 1; }
__global__ void edges(float *y, int n) { int i = I; if (i >= n) return; if (i == 0 || i == n - 1) y[i] = 0; else y[i] = 1; }
__global__ void chosen(float *y, const float *x, int n) { int i = I; if (i < n) { if (x[i] > 0) y[i] = 1; else if (i > 9) y[i] = 2; else y[i] = 3; } }
__global__ void some(float *y, const float *x, int n) { int i = I; if (i < n) { if (x[i] > 0) y[i] = 1; else if (i > 9) y[i] = 2; } }
__global__ void warps(float *y, int n) { int i = I, lane = i & 31; if (i >= 0 && lane == 0) y[i / 32] = n; }
__global__ void bits(float *y, int n) { int i = I; if ((threadIdx.x & 31) == 0 && i < n) y[i >> 5] = 1; }
__global__ void scatter(float *y, const int *place, int n) { int i = I; if (i < n) y[place[i]] = i; }
int main()
{
    int n = 1024;
    float *y, *x, *w;
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&w, n / 32 * sizeof(float));
    odd<<<(n + 63) / 64, 64>>>(y, n);
    inner<<<(n + 63) / 64, 64>>>(y, n);
    part<<<(n + 63) / 64, 64>>>(y, n);
    apart<<<(n + 63) / 64, 64>>>(y, n);
    pairs<<<(n + 63) / 64, 64>>>(y, n);
    halo<<<(n + 63) / 64, 64>>>(n > 9 ? x : y, x + 1, n);
    shifts<<<(n + 255) / 256, 64>>>(y, x + 1, n - 1);
    late<<<(n + 63) / 64, 64>>>(y, n);
    edges<<<(n + 63) / 64, 64>>>(y, n);
    chosen<<<(n + 63) / 64, 64>>>(y, x, n);
    some<<<(n + 63) / 64, 64>>>(y, x, n);
    warps<<<n / 64, 64>>>(w, n);
    bits<<<n / 64, 64>>>(w, n);
    scatter<<<n / 64, 64>>>(y, (const int *)x, n);
}
CU
$GPUTUNE template gaps.cu 2>&1 | grep -E 'open question:|args\('
for kernel in returns continues jumps shares rows gathers narrows refers chooses waits wraps ends flips; do
    $GPUTUNE template program.cu $kernel 2>&1 | grep -E 'open question:|args\('
done
