# `show` prints a note for kernels that are verified only against themselves, if they are in the table.
mkdir templates && cp "$GPUTUNE_TEMPLATES"/gputune.cuh templates
for name in one two; do
    cat >templates/$name.cu <<END
#include "gputune.cuh"
#pragma gputune kernel($name) problem(n = 1000) tune(BLOCK = 64, 128) args(out float y[n], int n)
#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK)) reference(self, BLOCK = 64)
__global__ void $name(float *y, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = 2.0f * i;
}
END
done
export GPUTUNE_DRIVER=emu GPUTUNE_DB=$PWD/x.db GPUTUNE_TEMPLATES=$PWD/templates
$GPUTUNE warm one -q >/dev/null || exit
for arguments in "" one templates/one.cu; do
    $GPUTUNE show $arguments 2>&1 >/dev/null
done
$GPUTUNE warm two -q >/dev/null || exit
$GPUTUNE show 2>&1 >/dev/null
