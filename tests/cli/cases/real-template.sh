# a first template from plain kernels, which can be tuned as it is
export GPUTUNE_DRIVER=emu:h200 GPUTUNE_DB=$PWD/table.db
drafts=$(dirname "$0")/../../draft/drafts
cp "$drafts/axpy.cu" "$drafts/stencil.cu" .
cp "$drafts/partial_sums.cu" sum.cu
$GPUTUNE template axpy.cu
for kernel in axpy stencil sum; do
    $GPUTUNE template $kernel.cu $kernel -o mine.cu --force 2>/dev/null || echo "exit $?"
    sizes='n=4K'
    [ $kernel = stencil ] && sizes='width=64 height=64'
    $GPUTUNE warm mine.cu -s "$sizes" --format csv -q | grep -c "^$kernel,"
done
# a file that is there stays
$GPUTUNE template axpy.cu -o mine.cu || echo "exit $?"
# which kernel, and what no template can have
cat axpy.cu stencil.cu >both.cu
$GPUTUNE template both.cu -o both_tuned.cu -f && grep '^#pragma gputune kernel' both_tuned.cu
$GPUTUNE template both.cu stencil -o both_tuned.cu -f && $GPUTUNE space both_tuned.cu --format csv | head -n 2
$GPUTUNE template both.cu stencl || echo "exit $?"
$GPUTUNE template absent.cu || echo "exit $?"
printf 'int n;\n' >none.cu
$GPUTUNE template none.cu || echo "exit $?"
cat >texture.cu <<'CU'
__global__ void sample(float *y, cudaTextureObject_t image, int n)
{
    y[threadIdx.x] = texCubemap<float>(image, 0, 0, 0);
}
CU
$GPUTUNE template texture.cu || echo "exit $?"
# a texture object gets its clause
cat >rotate.cu <<'CU'
__global__ void rotate(uchar4 *out, cudaTextureObject_t image, int w, int h, float c, float s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = tex2D<uchar4>(image, c * x - s * y + 0.5f, s * x + c * y + 0.5f);
}
CU
$GPUTUNE template rotate.cu | grep texture
$GPUTUNE template rotate.cu -o rotated.cu -f && $GPUTUNE run rotated.cu -s w=100 -s h=30 -q --format csv |
    cut -d, -f8,9 | tail -n 1
# a program: its launch and its allocations say the sizes, a header of its own has the kernel
cat >scale.cuh <<'CU'
#define THREADS 128
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i];
    }
}
CU
cat >program.cu <<'CU'
#include "scale.cuh"
#include "timing.h"
#include <vector>
#define UP(a, b) (((a) + (b) - 1) / (b))
int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 4096;
    std::vector<float> x(count);
    float *from, *to;
    cudaMalloc(&from, count * sizeof(float));
    cudaMalloc(&to, count * sizeof(float));
    scale<<<UP(count, THREADS), THREADS>>>(to, from, 2.5f, count);
}
CU
$GPUTUNE template program.cu -o program_tuned.cu
cat program_tuned.cu
$GPUTUNE warm program_tuned.cu -s n=4K --format csv -q | grep -c '^scale,'
# elsewhere that header is not found
mkdir away && $GPUTUNE template program.cu -o away/program.cu
# nor is one outside of the program's folder, unless that is named
mkdir -p parts/src parts/include && cp scale.cuh parts/include
sed '/timing/d; s:"scale.cuh":"../include/scale.cuh":' program.cu >parts/src/program.cu
$GPUTUNE template parts/src/program.cu -o parts/src/tuned.cu || echo "exit $?"
$GPUTUNE template -I parts parts/src/program.cu -o parts/src/tuned.cu
$GPUTUNE warm -I parts parts/src/tuned.cu -s n=4K --format csv -q | grep -c '^scale,'
$GPUTUNE template -I absent program.cu || echo "exit $?"
