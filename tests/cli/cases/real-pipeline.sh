# A pipeline of two kernels, whose second kernel may start early on GPUs that allow it.
template=$(dirname "$0")/../../../examples/normalise.cu
$GPUTUNE space "$template" --arch sm_80
$GPUTUNE warm "$template" --driver emu -q --size n=3000 --only BLOCK=64 >table
# The grids and blocks of all kernels are shown.
$GPUTUNE show "$template" --driver emu -q | head -n 1 | grep -o 'grids *blocks'
$GPUTUNE show "$template" --driver emu -q --format json | grep -o '"grid.*"block": "[^"]*"'
$GPUTUNE run "$template" --driver emu -q --size n=3000 --config EARLY=1 --format json | grep -o '"grid.*"block": "[^"]*"'
# One kernel of the pipeline uses clusters, another one is launched cooperatively.
shares=$(dirname "$0")/../../language/shares.cu
$GPUTUNE space "$shares" --arch sm_80 | sed -n '/^variants/,$p'
$GPUTUNE space "$shares" --arch sm_90 | sed -n '/^variants/,$p'
$GPUTUNE run "$shares" --driver emu:h200 -q -c SIZE=1 -c SIZE=4 --format json | grep -o '"grid".*"block": "[^"]*"'
# The number of launches of a kernel can depend on an axis.
sed 's/args = (partial, y, n)/&, times = 1 + EARLY/; s/gputune reference.*/gputune reference(self, EARLY = 0, rtol = 1e-4)/' "$template" >again.cu
$GPUTUNE run ./again.cu --driver emu -q --size n=3000 -c EARLY=0 -c EARLY=1 --format json | grep -o '"grid".*"block": "[^"]*"'
# The pipeline launches two instances of one C++ kernel, and keeps the intermediate result in the L2 cache.
cat >total.cu <<'F'
#pragma gputune kernel(total)
#pragma gputune problem(n = 4096)
#pragma gputune args(out float y[1], in float x[n], int n)
#pragma gputune scratch(float part[64])
#pragma gputune tune(BLOCK = 64, 128) l2_persist(KEEP = 0, 50 : part)
#pragma gputune launch(red::reduce<BLOCK, true>, block = BLOCK, grid = 64, args = (part, x, n))
#pragma gputune launch(red::reduce<64, false>, block = 64, grid = 1, args = (y, part, n))
#pragma gputune reference(ref, block = 1, grid = 1)
namespace red {
template <int B, bool SQUARE>
__global__ void reduce(float *out, const float *in, int n)
{
    __shared__ float s[B];
    float v = 0;
    int count = SQUARE ? n : 64;
    for (int i = blockIdx.x * B + threadIdx.x; i < count; i += gridDim.x * B) v += SQUARE ? in[i] * in[i] : in[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = B / 2; d; d /= 2) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
}
__global__ void ref(double *y, const float *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += (double)x[i] * x[i]; *y = s; }
F
$GPUTUNE run ./total.cu --driver emu:h200 -q -c BLOCK=64 -c BLOCK=128,KEEP=50 --format csv | cut -d, -f8,9
# A kernel that launches kernels itself is refused.
cat >parent.cu <<'F'
#pragma gputune kernel(parent) args(out int x[4]) block(1) grid(1)
__global__ void child(int *x) { *x = 1; }
__global__ void parent(int *x) { child<<<1, 1>>>(x); }
F
$GPUTUNE emit ./parent.cu --driver emu --as ptx
