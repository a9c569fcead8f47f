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
$GPUTUNE warm src/t.cu --format csv | cut -d, -f1,2
$GPUTUNE template src/copy.cu --host src/run.cu -o "my draft" 2>&1 >/dev/null | grep -o "gputune space.*"
