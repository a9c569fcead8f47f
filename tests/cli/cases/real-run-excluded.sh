# run launches a configuration that tuning excludes, and prints a note.
export GPUTUNE_DB=:memory:
cat >k.cu <<'END'
#pragma gputune kernel(k) problem(n = 1024) args(inout float y[n], int n)
#pragma gputune tune(BLOCK = 64, 128) require(BLOCK < 128) block(BLOCK) grid(ceil_div(n, BLOCK))
__global__ void k(float *y, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = 2 * y[i];
}
END
$GPUTUNE run ./k.cu --driver emu --format csv -c BLOCK=64 -c BLOCK=128 | tail -n +2 | cut -d, -f8,9
