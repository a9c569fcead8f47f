# A draft of a kernel that another file launches.
has_libclang || exit 77
export GPUTUNE_DRIVER=emu:h200 GPUTUNE_DB=:memory:
mkdir src
cat >src/copy.cu <<'F'
__global__ void copy(float *y, const float *x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}
F
cat >src/run.cu <<'F'
#include "copy.cu"
void run(float *a, float *b, int n) { copy<<<(n + 127) / 128, 128>>>(a, b, n); }
F
sed -i 's/BLOCK/blockDim.x/' src/copy.cu
$GPUTUNE template src/copy.cu 2>&1 | grep "^gputune: open question"
$GPUTUNE template src/copy.cu --host src/run.cu
$GPUTUNE template src/copy.cu --host src/run.cu -o src/t.cu
# A header is not needed, so neither are the headers that it includes.
printf '#pragma once\n#include <nothing>\n#error cannot be compiled\n' >src/library.h
printf '#include <library.h>\nnamespace host { int unused(); }\n' >src/host.h
printf '#include "host.h"\n' | cat - src/copy.cu >src/with_host.cu
$GPUTUNE template src/with_host.cu --host src/run.cu -I src | sed -n '/include/p'
$GPUTUNE warm src/t.cu --size n=4K --format csv | cut -d, -f1,2
$GPUTUNE template src/copy.cu --host src/run.cu -o "my draft" 2>&1 >/dev/null | grep -o "gputune space.*"
# One header has two paths. A member is no axis, although it divides the grid, and a loop does not change a constant.
mkdir -p inc
printf '#pragma once\ntemplate <class T> struct pack { static constexpr int size = 16 / sizeof(T); };\n__device__ int twice(int a) { return 2 * a; }\n' >inc/pack.h
printf '#include "./pack.h"\n' >inc/more.h
cat >packs.cu <<'CU'
#include "inc/pack.h"
#include "inc/./more.h"
typedef pack<float> four;
const float least = 20.0f;
__global__ void packs(float *y, int n, float a)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * four::size;
    for (int c = 0; c < four::size; c++) if (i < n) y[i + c] = twice(i) + a;
}
void find(float x) { for (int i = 0; i < 9; i++) { float b = least; if (x < b) b = x; } }
int main()
{
    int n = 1024;
    float *y;
    cudaMalloc(&y, n * sizeof(float));
    find(1);
    packs<<<n / (64 * four::size), 64>>>(y, n, least);
}
CU
$GPUTUNE template packs.cu 2>&1 | grep -E 'args|tune\(|grid|struct|open'
