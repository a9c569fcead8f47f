# init() lets a kernel of the template make the inputs: here a linked list in the order of a permutation.
template() { # PRAGMA
    cat >k.cu <<END
#pragma gputune kernel(k) problem(n = 1000) tune(WAY = slow, fast) block(64) grid(ceil_div(n, 64))
#pragma gputune args(out int y[n], in int next[n], in int order[n] = permutation, \\
                     inout float w[n] = constant(2), int n)
#pragma gputune init(link, block = 128, grid = ceil_div(n, 128))
#pragma gputune $1
__global__ void k(int *y, const int *next, const int *order, float *w, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x, length = 0;
    if (i >= n) return;
    for (int at = i; WAY_slow && next[at] >= 0; at = next[at]) length++;
    for (int k = 0; WAY_fast && k < n; k++) length += order[k] == i ? n - 1 - k : 0;
    y[i] = length;
    w[i] *= 2;
}
__global__ void link(int *y, int *next, const int *order, float *w, int n, unsigned long long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        next[order[i]] = i + 1 < n ? order[i + 1] : -1;
        w[i] += seed;
    }
}
__global__ void lengths(int *y, const int *next, const int *order, float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[order[i]] = n - 1 - i;
        w[i] = (w[i] > 2) ? 2 * w[i] : -1;
    }
}
END
    $GPUTUNE warm ./k.cu --driver emu --format csv 2>&1 | grep -v 'kernel,sizes\| registers' | cut -d, -f1,2
    $GPUTUNE show k --all --driver emu --format csv 2>/dev/null | tail -n +2 | cut -d, -f8,9 | sort
}
template 'reference(lengths)'
template 'reference(self, WAY = slow)'
template 'work(bytes = 4 * n)'
# Mistakes of the init() kernel are reported as mistakes of the template.
template 'work(flops = n)' >/dev/null
sed -i 's/next\[order\[i\]\] = /next[order[i] + 4000] = /' k.cu
$GPUTUNE warm ./k.cu --driver emu -q 2>&1 | sed 's/at 0x.*//'
sed -i 's/float \*w, int n, unsigned long long seed/float *w, int n/' k.cu
$GPUTUNE warm ./k.cu --driver emu -q
